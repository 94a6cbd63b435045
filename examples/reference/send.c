#include <payments.h>
#include <stdio.h>

int main(void)
{
    static const char head[] =
        "{\"method\": \"POST\", \"path\": \"/ws/payout/commit\", \"reference\": \"payout-1001\"}";
    static const uint8_t body[] = "{\"external_reference\":\"payout-1001\"}";
    payments_client *client = NULL;
    payments_response *response = NULL;
    payments_error *error = NULL;
    int failed;

    failed = payments_client_from_file(PAYMENTS_TEXT("merchant/payments.json"), 0, NULL, &client,
                                       &error) != PAYMENTS_STATUS_OK ||
             payments_client_send(client, head, sizeof(head) - 1, body, sizeof(body) - 1, NULL,
                                  &response, &error) != PAYMENTS_STATUS_OK;
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
