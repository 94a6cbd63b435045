/* Takes a payment with the library as it is installed: pay CONFIGURATION REFERENCE. */

#include <payments.h>
#include <stdio.h>
#include <string.h>

static int fail(payments_error *error)
{
    fprintf(stderr, "%s\n", payments_error_text(error));
    payments_error_free(error);
    return 1;
}

int main(int count, char **arguments)
{
    payments_client *client = NULL;
    payments_response *response = NULL;
    payments_text *status = NULL;
    payments_error *error = NULL;
    char body[512];
    size_t length;
    if (count != 3) {
        return 2;
    }
    length = (size_t)snprintf(
        body, sizeof body,
        "{\"payment\": {\"name\": \"Maria Souza\", \"email\": \"maria@example.com\","
        " \"document\": \"853.513.468-93\", \"country\": \"br\", \"payment_type_code\": \"pix\","
        " \"currency_code\": \"BRL\", \"merchant_payment_code\": \"%s\", \"amount_total\": \"100.10\"}}",
        arguments[2]);
    if (payments_client_from_file(arguments[1], strlen(arguments[1]), 0, NULL, &client, &error) !=
        PAYMENTS_STATUS_OK) {
        return fail(error);
    }
    if (payments_client_create_payment(client, body, length, NULL, &response, &error) != PAYMENTS_STATUS_OK) {
        payments_client_free(client);
        return fail(error);
    }
    if (payments_response_view_text(response, "/status", 7, &status, NULL) == PAYMENTS_STATUS_OK) {
        printf("paid %s %s %s\n", payments_version(), arguments[2], payments_text_data(status));
    }
    payments_text_free(status);
    payments_response_free(response);
    payments_client_free(client);
    return 0;
}
