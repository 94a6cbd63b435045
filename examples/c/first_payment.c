/* From an order to its delivery: finds the payment or creates it, draws the code
 * that the payer scans, waits, and delivers once it is paid. Run it again with
 * the same order to continue: it creates one payment.
 *
 *   cc first_payment.c $(pkg-config --cflags --libs libpayments) -o first_payment
 *   ./first_payment payments.json
 *
 * `payments sandbox --config-out DIR` writes a payments.json to try it with.
 */
#include <payments.h>
#include <stdio.h>
#include <string.h>

/* 10.50, not 1050 cents. */
static const char order[] =
    "{\"payment\": {\"name\": \"Maria Souza\", \"email\": \"maria@example.com\","
    " \"document\": \"853.513.468-93\", \"country\": \"br\", \"payment_type_code\": \"pix\","
    " \"merchant_payment_code\": \"order-1004\", \"currency_code\": \"BRL\", \"amount_total\": 10.50}}";

/* Draws the code into a file, if the response has one. */
static payments_status draw(const payments_response *payment, payments_error **error_out)
{
    const char *code = payments_response_qr_code_value(payment);
    payments_text *svg = NULL;
    payments_status status = PAYMENTS_STATUS_OK;
    FILE *file;
    if (code != NULL) {
        status = payments_qr_svg(code, strlen(code), &svg, error_out);
    }
    if (svg != NULL && (file = fopen("code.svg", "w")) != NULL) {
        fputs(payments_text_data(svg), file);
        fclose(file);
    }
    payments_text_free(svg);
    return status;
}

/* Queries the payment until it is over, or for five minutes. */
static payments_status wait_for(const payments_client *client, const char *hash,
                                payments_response **response_out, payments_error **error_out)
{
    char query[256];
    payments_call *call = NULL;
    int length = snprintf(query, sizeof(query), "{\"hash\": \"%s\"}", hash != NULL ? hash : "");
    payments_status status = payments_call_new(&call);
    if (status == PAYMENTS_STATUS_OK) {
        status = payments_call_set_timeout_ms(call, 300000, error_out);
    }
    if (status == PAYMENTS_STATUS_OK) {
        status = payments_client_wait_for_payment(client, query, (size_t)length, call,
                                                  response_out, error_out);
    }
    payments_call_free(call);
    return status;
}

int main(int count, char **arguments)
{
    const char *file = count == 2 ? arguments[1] : "payments.json";
    payments_client *client = NULL;
    payments_response *payment = NULL;
    payments_response *paid = NULL;
    payments_error *error = NULL;
    payments_status status =
        payments_client_from_file(file, strlen(file), 0, NULL, &client, &error);
    if (status == PAYMENTS_STATUS_OK) {
        status = payments_client_ensure_payment(client, order, sizeof(order) - 1, NULL, &payment,
                                                &error);
    }
    if (status == PAYMENTS_STATUS_OK) {
        status = draw(payment, &error);
    }
    if (status == PAYMENTS_STATUS_OK) {
        status = wait_for(client, payments_response_hash(payment), &paid, &error);
    }
    if (status == PAYMENTS_STATUS_OK) {
        puts(payments_response_is_paid(paid) ? "deliver" : "not paid yet");
    } else {
        fprintf(stderr, "%s\n", error != NULL ? payments_error_text(error) : "out of memory");
    }
    payments_response_free(paid);
    payments_response_free(payment);
    payments_error_free(error);
    payments_client_free(client);
    return status != PAYMENTS_STATUS_OK;
}
