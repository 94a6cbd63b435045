/* Asks for a payment, and prints what the client tells of its work: one line
 * of JSON for each event, as a log would keep it.
 *
 *   cc events.c $(pkg-config --cflags --libs libpayments) -o events
 *   ./events payments.json '{"merchant_payment_code": "order-1001"}'
 *
 * docs/operations.md, "Events", has the members of each event.
 */
#include <payments.h>

#include <stdio.h>
#include <string.h>

#define TEXT(text) (text), strlen(text)

/* No event holds a secret or anything of a payer. It is called by the thread
 * that makes the call, which waits for it; `event` ends in NUL. */
static void print_event(void *user_data, const char *event, size_t length)
{
    fprintf((FILE *)user_data, "%.*s\n", (int)length, event);
}

static int failed(payments_error *error)
{
    fprintf(stderr, "%s\n", payments_error_text(error));
    payments_error_free(error);
    return 1;
}

/* A client that tells print_event what it does. */
static payments_status make_client(const char *path, payments_client **client_out,
                                   payments_error **error_out)
{
    payments_options *options = NULL;
    payments_status status = payments_options_new(&options);
    if (status == PAYMENTS_STATUS_OK) {
        status = payments_options_set_observer(options, stdout, print_event, NULL, error_out);
    }
    if (status == PAYMENTS_STATUS_OK) {
        status = payments_client_from_file(TEXT(path), 0, options, client_out, error_out);
    }
    payments_options_free(options);
    return status;
}

int main(int count, char **arguments)
{
    payments_client *client = NULL;
    payments_response *response = NULL;
    payments_error *error = NULL;
    payments_status status;
    if (count != 3) {
        fprintf(stderr, "usage: %s CONFIGURATION QUERY\n", arguments[0]);
        return 2;
    }
    if (make_client(arguments[1], &client, &error) != PAYMENTS_STATUS_OK) {
        return failed(error);
    }
    status = payments_client_query_payment(client, TEXT(arguments[2]), NULL, &response, &error);
    payments_response_free(response);
    payments_client_free(client);
    return status == PAYMENTS_STATUS_OK ? 0 : failed(error);
}
