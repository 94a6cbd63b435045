/* Generated from spec/operations by generate/templates/program.c.jinja; do not edit. To update: cargo xtask generate */
#include <payments.h>
#include <stdio.h>

int main(void)
{
    static const char body[] =
        "{\"merchant_payment_code\": \"order-1001\"}";
    payments_client *client = NULL;
    payments_response *response = NULL;
    payments_error *error = NULL;
    int failed;

    failed = payments_client_from_file(PAYMENTS_TEXT("merchant/payments.json"), 0, NULL, &client,
                                       &error) != PAYMENTS_STATUS_OK ||
             payments_client_query_payment(client, body, sizeof(body) - 1, NULL, &response,
                                           &error) != PAYMENTS_STATUS_OK;
    if (failed) {
        fprintf(stderr, "%s\n", payments_error_text(error));
    } else {
        puts(payments_response_view(response, NULL));
    }
    payments_response_free(response);
    payments_error_free(error);
    payments_client_free(client);
    return failed;
}
