/* Queries a payment and prints the client's events, one line of JSON for each,
 * as a log would contain them.
 *
 *   cc events.c $(pkg-config --cflags --libs libpayments) -o events
 *   ./events payments.json '{"merchant_payment_code": "order-1001"}'
 *
 * docs/monitoring.md, "Events", lists the members of each event.
 */
#include <payments.h>

#include <stdio.h>
#include <string.h>

#define TEXT(text) (text), strlen(text)

/* Runs on the thread that makes the call, and delays it. `event` ends in NUL
 * and contains no secrets and no payer data. */
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

/* Creates a client that reports its events to print_event. */
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
