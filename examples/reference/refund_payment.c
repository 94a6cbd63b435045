/* Generated from spec/operations by generate/templates/program.c.jinja; do not edit. To update: cargo xtask generate */
#include <payments.h>
#include <stdio.h>
#include <string.h>

/* Sets a member of a request. The service's own texts are never put into JSON by hand. */
static payments_status set(payments_request *request, const char *pointer, const char *text,
                           payments_error **error)
{
    return payments_request_set_text(request, pointer, strlen(pointer), text,
                                     text == NULL ? 0 : strlen(text), error);
}

static payments_status refund(const payments_client *client, const payments_response *payment,
                              payments_response **response, payments_error **error)
{
    payments_request *request = NULL;
    payments_status status = payments_request_new(&request);
    if (status == PAYMENTS_STATUS_OK) {
        status = set(request, "/hash", payments_response_hash(payment), error);
    }
    if (status == PAYMENTS_STATUS_OK) {
        status = payments_request_set_amount(request, PAYMENTS_TEXT("/amount"),
                                             PAYMENTS_TEXT("50.05"), error);
    }
    if (status == PAYMENTS_STATUS_OK) {
        status = set(request, "/description", "one of two items came back", error);
    }
    if (status == PAYMENTS_STATUS_OK) {
        status = set(request, "/merchant_refund_code", "refund-1001", error);
    }
    if (status == PAYMENTS_STATUS_OK) {
        size_t length = 0;
        const char *body = payments_request_text(request, &length);
        status = payments_client_refund_payment(client, body, length, NULL, response, error);
    }
    payments_request_free(request);
    return status;
}

int main(void)
{
    static const char query[] =
        "{\"merchant_payment_code\": \"order-1003\"}";
    payments_client *client = NULL;
    payments_response *payment = NULL, *response = NULL;
    payments_error *error = NULL;
    int failed;

    failed = payments_client_from_file(PAYMENTS_TEXT("merchant/payments.json"), 0, NULL, &client,
                                       &error) != PAYMENTS_STATUS_OK ||
             payments_client_query_payment(client, query, sizeof(query) - 1, NULL, &payment,
                                           &error) != PAYMENTS_STATUS_OK ||
             refund(client, payment, &response, &error) != PAYMENTS_STATUS_OK;
    if (failed) {
        fprintf(stderr, "%s\n", payments_error_text(error));
    } else {
        puts(payments_response_view(response, NULL));
    }
    payments_response_free(payment);
    payments_response_free(response);
    payments_error_free(error);
    payments_client_free(client);
    return failed;
}
