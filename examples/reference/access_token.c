#include <payments.h>
#include <stdio.h>

int main(void)
{
    payments_client *client = NULL;
    payments_response *response = NULL;
    payments_error *error = NULL;
    payments_text *scope = NULL;
    int failed;

    /* The token itself is a secret. It is at "/access_token". */
    failed = payments_client_from_file(PAYMENTS_TEXT("merchant/payments.json"), 0, NULL, &client,
                                       &error) != PAYMENTS_STATUS_OK ||
             payments_client_access_token(client, NULL, &response, &error) != PAYMENTS_STATUS_OK ||
             payments_response_view_text(response, PAYMENTS_TEXT("/scope"), &scope, &error) !=
                 PAYMENTS_STATUS_OK;
    if (failed) {
        fprintf(stderr, "%s\n", payments_error_text(error));
    } else {
        printf("{\"scope\": \"%s\"}\n", payments_text_data(scope));
    }
    payments_text_free(scope);
    payments_response_free(response);
    payments_error_free(error);
    payments_client_free(client);
    return failed;
}
