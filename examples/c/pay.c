/* Takes a payment as a shop would: saves its reference, creates the payment,
 * and if it may have been executed, queries until the payment is found. Run it
 * again with the same reference to continue querying: it never sends a payment
 * twice.
 *
 *   cc pay.c $(pkg-config --cflags --libs libpayments) -o pay
 *   ./pay payments.json order-1001 100.10
 *
 * Exits with 0 if the payment exists, 1 if nothing was executed, and 3 if that
 * is not known. `payments sandbox --config-out DIR` writes a payments.json to
 * try it with.
 */
#define _POSIX_C_SOURCE 200809L
#include <payments.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Every function takes text as a pointer and a length. */
#define TEXT(text) (text), strlen(text)

enum { EXISTS = 0, NOT_EXECUTED = 1, MISUSED = 2, NOT_KNOWN = 3 };

/* The deadline of a call. */
enum { CALL_SECONDS = 30 };

/* For this long after the deadline, a payment that the service does not find
 * may still appear. After that, a person may decide. */
enum { SETTLE_AFTER_MINUTES = 15 };

/* The number of queries in a row, with growing pauses. */
enum { QUERIES = 3 };

/* One line for the log. It contains no secrets and no payer data. */
static void log_and_free(payments_error *error)
{
    fprintf(stderr, "%s\n", error == NULL ? "out of memory" : payments_error_text(error));
    payments_error_free(error);
}

/* Builds the body member by member. The amount is text, so the service gets
 * exactly the digits 100.10. */
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
        status = payments_request_set_text(request, PAYMENTS_TEXT("/payment/merchant_payment_code"),
                                           TEXT(reference), error_out);
    }
    if (status == PAYMENTS_STATUS_OK) {
        status = payments_request_set_amount(request, PAYMENTS_TEXT("/payment/amount_total"),
                                             TEXT(amount), error_out);
    }
    return status;
}

static const char *or_none(const char *text)
{
    return text != NULL ? text : "none";
}

/* Saves the reference and the deadline of the call before the payment is sent.
 * A shop uses a database row; here it is a file. Returns 1 if the reference was
 * saved before, and -1 if it cannot be saved. */
static int keep(const char *path, time_t *deadline)
{
    char text[32] = "";
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    int kept;
    if (file < 0) {
        FILE *known = fopen(path, "r");
        int was_kept = known != NULL && fgets(text, sizeof(text), known) != NULL;
        if (known != NULL) {
            fclose(known);
        }
        *deadline = (time_t)atoll(text);
        return was_kept ? 1 : -1;
    }
    *deadline = time(NULL) + CALL_SECONDS;
    snprintf(text, sizeof(text), "%lld\n", (long long)*deadline);
    kept = write(file, text, strlen(text)) == (ssize_t)strlen(text) && fsync(file) == 0;
    return close(file) == 0 && kept ? 0 : -1;
}

/* Queries by the shop's own reference, because after an unknown outcome there
 * is no payment hash. Try such a query with your service before you depend on
 * it. */
static payments_status query(payments_client *client, const char *reference,
                             payments_error **error_out)
{
    payments_request *request = NULL;
    payments_response *response = NULL;
    payments_status status = payments_request_new(&request);
    if (status == PAYMENTS_STATUS_OK) {
        status = payments_request_set_text(request, PAYMENTS_TEXT("/merchant_payment_code"),
                                           TEXT(reference), error_out);
    }
    if (status == PAYMENTS_STATUS_OK) {
        size_t length = 0;
        const char *body = payments_request_text(request, &length);
        status = payments_client_query_payment(client, body, length, NULL, &response, error_out);
    }
    payments_request_free(request);
    if (status == PAYMENTS_STATUS_OK) {
        printf("hash: %s\n", or_none(payments_response_hash(response)));
        printf("status: %s\n", or_none(payments_response_status(response)));
        printf("paid: %s\n", payments_response_is_paid(response) ? "yes" : "not yet");
        payments_response_free(response);
    }
    return status;
}

/* Queries until the payment is found. A failed query never proves that there
 * is no payment: "not found" only means that it has not appeared yet. */
static int find(payments_client *client, const char *reference, time_t deadline)
{
    int number, is_absent = 0;
    for (number = 0; number < QUERIES; number++) {
        payments_error *error = NULL;
        sleep((unsigned)number);
        if (query(client, reference, &error) == PAYMENTS_STATUS_OK) {
            return EXISTS;
        }
        is_absent = error != NULL && strcmp(payments_error_code(error), "payment_not_found") == 0;
        log_and_free(error);
    }
    if (is_absent && time(NULL) > deadline + 60 * SETTLE_AFTER_MINUTES) {
        fprintf(stderr, "%s is still not found: a person must decide\n", reference);
    } else {
        fprintf(stderr, "%s: not known yet, run this again later\n", reference);
    }
    return NOT_KNOWN;
}

static payments_status create(payments_client *client, const char *reference, const char *amount,
                              payments_error **error_out)
{
    payments_request *request = NULL;
    payments_response *response = NULL;
    payments_call *call = NULL;
    payments_status status = payments_request_new(&request);
    if (status == PAYMENTS_STATUS_OK) {
        status = build_payment(request, reference, amount, error_out);
    }
    if (status == PAYMENTS_STATUS_OK) {
        status = payments_call_new(&call);
    }
    if (status == PAYMENTS_STATUS_OK) {
        status = payments_call_set_timeout_ms(call, 1000 * CALL_SECONDS, error_out);
    }
    if (status == PAYMENTS_STATUS_OK) {
        size_t length = 0;
        const char *body = payments_request_text(request, &length);
        status = payments_client_create_payment(client, body, length, call, &response, error_out);
    }
    payments_call_free(call);
    payments_request_free(request);
    if (status == PAYMENTS_STATUS_OK) {
        /* The payer scans this. */
        printf("qr_code_value: %s\n", or_none(payments_response_qr_code_value(response)));
        payments_response_free(response);
    }
    return status;
}

static int pay(payments_client *client, const char *reference, const char *amount)
{
    char path[256];
    time_t deadline = 0;
    payments_error *error = NULL;
    int kept, may_exist;
    if (snprintf(path, sizeof(path), "%s.sent", reference) >= (int)sizeof(path)) {
        return MISUSED;
    }
    /* Do not rely on the service to refuse a reference that was used before. */
    kept = keep(path, &deadline);
    if (kept < 0) {
        fprintf(stderr, "%s cannot be kept, so nothing is sent\n", reference);
        return NOT_EXECUTED;
    }
    if (kept > 0 || create(client, reference, amount, &error) == PAYMENTS_STATUS_OK) {
        return find(client, reference, deadline);
    }
    /* The one question that matters: may money have moved? */
    may_exist = payments_error_outcome(error) != PAYMENTS_OUTCOME_NOT_EXECUTED;
    log_and_free(error);
    if (may_exist) {
        return find(client, reference, deadline);
    }
    unlink(path);
    return NOT_EXECUTED;
}

int main(int count, char **arguments)
{
    payments_client *client = NULL;
    payments_error *error = NULL;
    int ended;
    if (count != 4) {
        fprintf(stderr, "usage: %s CONFIGURATION REFERENCE AMOUNT\n", arguments[0]);
        return MISUSED;
    }
    /* Create one client. Any number of threads may use it for their calls. */
    if (payments_client_from_file(TEXT(arguments[1]), 0, NULL, &client, &error) !=
        PAYMENTS_STATUS_OK) {
        log_and_free(error);
        return MISUSED;
    }
    ended = pay(client, arguments[2], arguments[3]);
    payments_client_free(client);
    return ended;
}
