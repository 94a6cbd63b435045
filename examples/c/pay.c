/* Takes a payment as a shop would: create it; when nobody can say whether it
 * was created, find out before anything is sent again; ask until it is paid.
 *
 *   cc pay.c $(pkg-config --cflags --libs libpayments) -o pay
 *   ./pay payments.json order-1001 100.10
 *
 * Ends with 0 when the payment exists, 1 when it does not, and 3 when that is
 * not known. `payments sandbox` prints a payments.json to try it with.
 */
#include <payments.h>

#include <stdio.h>
#include <string.h>

/* A text in, as every function takes it: a pointer and a length. */
#define TEXT(text) (text), strlen(text)

enum { EXISTS = 0, DOES_NOT_EXIST = 1, NOT_KNOWN = 3 };

/* One line for the log: it holds no secret and no payer data. */
static void log_and_free(payments_error *error)
{
    fprintf(stderr, "%s\n", payments_error_text(error));
    payments_error_free(error);
}

/* Builds the body member by member. The amount is text: 100.10 reaches the
 * wire with these digits, and no float comes near it. */
static payments_status build_payment(payments_request *request, const char *reference,
                                     const char *amount, payments_error **error_out)
{
    static const char *const members[][2] = {
        {"/payment/name", "Maria Souza"},      {"/payment/email", "maria@example.com"},
        {"/payment/country", "br"},            {"/payment/payment_type_code", "pix"},
        {"/payment/document", "853.513.468-93"}, {"/payment/currency_code", "BRL"},
    };
    payments_status status = PAYMENTS_STATUS_OK;
    size_t i;
    for (i = 0; i < sizeof(members) / sizeof(members[0]) && status == PAYMENTS_STATUS_OK; i++) {
        status = payments_request_set_text(request, TEXT(members[i][0]), TEXT(members[i][1]),
                                           error_out);
    }
    if (status == PAYMENTS_STATUS_OK) {
        status = payments_request_set_text(request, TEXT("/payment/merchant_payment_code"),
                                           TEXT(reference), error_out);
    }
    if (status == PAYMENTS_STATUS_OK) {
        status = payments_request_set_amount(request, TEXT("/payment/amount_total"), TEXT(amount),
                                             error_out);
    }
    return status;
}

/* Prints a text of the view, wherever the service put it in its answer. */
static void print_member(const payments_response *response, const char *pointer)
{
    payments_text *text = NULL;
    if (payments_response_view_text(response, TEXT(pointer), &text, NULL) == PAYMENTS_STATUS_OK) {
        printf("%s: %s\n", pointer + 1, payments_text_data(text));
    }
    payments_text_free(text);
}

/* Asks by the shop's own reference: it works after an unknown outcome too,
 * when there is no hash of the payment. */
static int query(payments_client *client, const char *reference)
{
    payments_request *request = NULL;
    payments_response *response = NULL;
    payments_error *error = NULL;
    payments_status status = payments_request_new(&request);
    if (status == PAYMENTS_STATUS_OK) {
        status = payments_request_set_text(request, TEXT("/merchant_payment_code"),
                                           TEXT(reference), &error);
    }
    if (status == PAYMENTS_STATUS_OK) {
        size_t length = 0;
        const char *body = payments_request_text(request, &length);
        status = payments_client_query_payment(client, body, length, NULL, &response, &error);
    }
    payments_request_free(request);
    if (status != PAYMENTS_STATUS_OK) {
        /* Only this code says that the service knows no such payment. Any
         * other failure of the query tells nothing of it. A real shop asks
         * once more after a while: the request may still be on its way. */
        const char *code = payments_error_service_code(error);
        int is_absent = code != NULL && strcmp(code, "BP-REF-CAN-2") == 0;
        log_and_free(error);
        return is_absent ? DOES_NOT_EXIST : NOT_KNOWN;
    }
    print_member(response, "/hash");
    print_member(response, "/status");
    printf("paid: %s\n", payments_response_is_paid(response) ? "yes" : "not yet");
    payments_response_free(response);
    return EXISTS;
}

static int pay(payments_client *client, const char *reference, const char *amount)
{
    payments_request *request = NULL;
    payments_response *response = NULL;
    payments_error *error = NULL;
    int ended = DOES_NOT_EXIST;
    payments_status status = payments_request_new(&request);
    if (status == PAYMENTS_STATUS_OK) {
        status = build_payment(request, reference, amount, &error);
    }
    if (status == PAYMENTS_STATUS_OK) {
        size_t length = 0;
        const char *body = payments_request_text(request, &length);
        status = payments_client_create_payment(client, body, length, NULL, &response, &error);
    }
    payments_request_free(request);
    if (status == PAYMENTS_STATUS_OK) {
        /* What the payer scans. */
        print_member(response, "/qr_code_value");
        payments_response_free(response);
        return query(client, reference);
    }
    /* The one question that matters: may money have moved? Never send the
     * payment again before the answer is known. */
    if (payments_error_outcome(error) == PAYMENTS_OUTCOME_UNKNOWN) {
        ended = query(client, reference);
    }
    log_and_free(error);
    return ended;
}

int main(int count, char **arguments)
{
    payments_client *client = NULL;
    payments_error *error = NULL;
    int ended;
    if (count != 4) {
        fprintf(stderr, "usage: %s CONFIGURATION REFERENCE AMOUNT\n", arguments[0]);
        return 2;
    }
    /* Made once, and used for every call by any number of threads. */
    if (payments_client_from_file(TEXT(arguments[1]), 0, NULL, &client, &error) !=
        PAYMENTS_STATUS_OK) {
        log_and_free(error);
        return 2;
    }
    ended = pay(client, arguments[2], arguments[3]);
    payments_client_free(client);
    return ended;
}
