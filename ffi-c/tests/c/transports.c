/* Transports as callbacks: one that speaks HTTP over its own socket. */
#define _POSIX_C_SOURCE 200809L
#include "harness.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

static payments_error *error = NULL;

struct transport {
    int calls, destroyed;
    int32_t fail_with, nothing_sent, return_value;
    int say_nothing, cut_body;
    payments_client *reenter;
    /* Cancelled when the response to a payment is complete. */
    payments_call *cancel;
};

static void append(char *buffer, size_t *used, const void *bytes, size_t length)
{
    CHECK(*used + length < 65536);
    memcpy(buffer + *used, bytes, length);
    *used += length;
}

/* Sends the whole request and reads until the other side closes. */
static size_t exchange(const payments_prepared *request, char *buffer)
{
    const char *url = payments_prepared_url(request);
    const char *host = strstr(url, "://") + 3;
    const char *path = strchr(host, '/');
    struct sockaddr_in address;
    size_t used = 0, sent = 0, length = 0, i;
    const uint8_t *body = payments_prepared_body(request, &length);
    char line[4096];
    ssize_t got;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    memset(&address, 0, sizeof(address));
    address.sin_family = AF_INET;
    address.sin_port = htons((uint16_t)atoi(strchr(host, ':') + 1));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    CHECK(connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0);
    snprintf(line, sizeof(line), "%s %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n",
             payments_prepared_method(request), path);
    append(buffer, &used, line, strlen(line));
    for (i = 0; i < payments_prepared_header_count(request); i++) {
        snprintf(line, sizeof(line), "%s: %s\r\n", payments_prepared_header_name(request, i),
                 payments_prepared_header_value(request, i));
        append(buffer, &used, line, strlen(line));
    }
    snprintf(line, sizeof(line), "Content-Length: %zu\r\n\r\n", length);
    append(buffer, &used, line, strlen(line));
    append(buffer, &used, body, length);
    while (sent < used) {
        got = send(fd, buffer + sent, used - sent, MSG_NOSIGNAL);
        CHECK(got > 0);
        sent += (size_t)got;
    }
    for (used = 0; (got = recv(fd, buffer + used, 65535 - used, 0)) > 0; used += (size_t)got) {
    }
    buffer[used] = '\0';
    close(fd);
    return used;
}

/* Results that a transport may not return. */
static void wrong_values_are_refused(payments_transport_response *response_out)
{
    CHECK_NUMBER(payments_transport_response_set_status(response_out, 99), PAYMENTS_STATUS_INVALID_ARGUMENT);
    CHECK_NUMBER(payments_transport_response_set_status(response_out, 600), PAYMENTS_STATUS_INVALID_ARGUMENT);
    CHECK_NUMBER(payments_transport_response_set_status(response_out, INT32_MIN),
                 PAYMENTS_STATUS_INVALID_ARGUMENT);
    CHECK_NUMBER(payments_transport_response_add_header(response_out, NULL, 1, LIT("v")),
                 PAYMENTS_STATUS_INVALID_ARGUMENT);
    CHECK_NUMBER(payments_transport_response_add_header(response_out, LIT("n"), LIT("\xff")),
                 PAYMENTS_STATUS_INVALID_ARGUMENT);
    CHECK_NUMBER(payments_transport_response_write_body(response_out, NULL, 1), PAYMENTS_STATUS_INVALID_ARGUMENT);
    CHECK_NUMBER(payments_transport_response_write_body(response_out, (const uint8_t *)"", SIZE_MAX),
                 PAYMENTS_STATUS_INVALID_ARGUMENT);
    CHECK_NUMBER(payments_transport_response_fail(response_out, PAYMENTS_STATUS_REJECTED, 1, LIT("x")),
                 PAYMENTS_STATUS_INVALID_ARGUMENT);
    CHECK_NUMBER(payments_transport_response_fail(response_out, -1, 1, LIT("x")),
                 PAYMENTS_STATUS_INVALID_ARGUMENT);
    CHECK_NUMBER(payments_transport_response_fail(response_out, PAYMENTS_STATUS_CONNECT, 2, LIT("x")),
                 PAYMENTS_STATUS_INVALID_ARGUMENT);
    CHECK_NUMBER(payments_transport_response_fail(response_out, PAYMENTS_STATUS_CONNECT, 1, NULL, 1),
                 PAYMENTS_STATUS_INVALID_ARGUMENT);
}

/* Passes status and headers on. Returns where the body begins. */
static const char *pass_head_on(const char *buffer, size_t used,
                                payments_transport_response *response_out)
{
    const char *line, *end, *body;
    CHECK(used > 12);
    CHECK_NUMBER(payments_transport_response_set_status(response_out, atoi(buffer + 9)), PAYMENTS_STATUS_OK);
    body = strstr(buffer, "\r\n\r\n");
    CHECK(body != NULL);
    for (line = strstr(buffer, "\r\n") + 2; line < body; line = end + 2) {
        const char *colon = strchr(line, ':');
        end = strstr(line, "\r\n");
        CHECK_NUMBER(payments_transport_response_add_header(response_out, line, (size_t)(colon - line),
                                                colon + 2, (size_t)(end - colon - 2)),
                     PAYMENTS_STATUS_OK);
    }
    return body + 4;
}

static int32_t send_request(void *user_data, const payments_context *context,
                            const payments_prepared *request, payments_transport_response *response_out)
{
    struct transport *transport = user_data;
    static char buffer[65536];
    const char *body;
    size_t used;
    transport->calls++;
    CHECK_NUMBER(payments_context_has_ended(context), 0);
    wrong_values_are_refused(response_out);
    if (transport->reenter != NULL) {
        CHECK_NUMBER(payments_client_access_token(transport->reenter, NULL,
                                                  &(payments_response *){NULL}, NULL),
                     PAYMENTS_STATUS_CONFIG);
    }
    if (transport->return_value != 0 || transport->say_nothing) {
        return transport->return_value;
    }
    if (transport->fail_with != 0) {
        CHECK_NUMBER(payments_transport_response_fail(response_out, transport->fail_with,
                                          transport->nothing_sent, LIT("as told")),
                     PAYMENTS_STATUS_OK);
        return 0;
    }
    used = exchange(request, buffer);
    body = pass_head_on(buffer, used, response_out);
    used -= (size_t)(body - buffer);
    if (transport->cut_body) {
        CHECK_NUMBER(payments_transport_response_write_body(response_out, (const uint8_t *)body, used / 2),
                     PAYMENTS_STATUS_OK);
        CHECK_NUMBER(payments_transport_response_fail(response_out, PAYMENTS_STATUS_TRANSPORT, 0, LIT("cut")),
                     PAYMENTS_STATUS_OK);
        return 0;
    }
    CHECK_NUMBER(payments_transport_response_write_body(response_out, (const uint8_t *)body, used),
                 PAYMENTS_STATUS_OK);
    if (transport->cancel != NULL && strstr(payments_prepared_url(request), "/ws/direct") != NULL) {
        payments_call_cancel(transport->cancel);
    }
    return 0;
}

static void destroy(void *user_data)
{
    ((struct transport *)user_data)->destroyed++;
}

static payments_client *client_on(struct transport *transport)
{
    payments_options *options = new_options();
    payments_client *client;
    WORKS(payments_options_set_transport(options, transport, send_request, destroy, &error));
    client = client_with(WITH_ALL, "", options);
    payments_options_free(options);
    return client;
}

static void a_callback_sends(void)
{
    struct transport transport = {0};
    payments_client *client = client_on(&transport);
    sandbox_reset();
    sandbox("POST", "/sandbox/settings",
            "{\"require\":[\"jws\",\"bearer\",\"integration_key\"]}");
    pay(client);
    /* The token came the same way. */
    CHECK_NUMBER(transport.calls, 2);
    CHECK_NUMBER(sandbox_count("/sandbox/payments", "/payments"), 1);
    transport.reenter = client;
    pay(client);
    payments_client_free(client);
    CHECK_NUMBER(transport.destroyed, 1);
}

static void fails_as(payments_client *client, payments_status status, payments_outcome outcome)
{
    payments_request *request = new_payment();
    payments_response *response = NULL;
    CHECK_NUMBER(create(client, request, NULL, &response, &error), status);
    CHECK(response == NULL);
    CHECK_NUMBER(payments_error_outcome(error), outcome);
    payments_error_free(error);
    error = NULL;
    payments_request_free(request);
}

static void a_transport_says_whether_it_may_have_sent(void)
{
    static const payments_status kinds[] = {
        PAYMENTS_STATUS_CONNECT, PAYMENTS_STATUS_TLS,      PAYMENTS_STATUS_TRANSPORT,
        PAYMENTS_STATUS_TIMEOUT, PAYMENTS_STATUS_PROTOCOL, PAYMENTS_STATUS_TOO_LARGE,
        PAYMENTS_STATUS_CANCELLED};
    struct transport transport = {0};
    payments_client *client = client_on(&transport);
    size_t i;
    sandbox_reset();
    pay(client);
    for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        transport.fail_with = (int32_t)kinds[i];
        transport.nothing_sent = 0;
        fails_as(client, kinds[i], PAYMENTS_OUTCOME_UNKNOWN);
        transport.nothing_sent = 1;
        fails_as(client, kinds[i], PAYMENTS_OUTCOME_NOT_EXECUTED);
    }
    transport.fail_with = 0;
    /* Silence, and a return value that is none: bytes may have left. */
    transport.say_nothing = 1;
    fails_as(client, PAYMENTS_STATUS_TRANSPORT, PAYMENTS_OUTCOME_UNKNOWN);
    transport.say_nothing = 0;
    transport.return_value = INT32_MIN;
    fails_as(client, PAYMENTS_STATUS_TRANSPORT, PAYMENTS_OUTCOME_UNKNOWN);
    transport.return_value = 0;
    transport.cut_body = 1;
    fails_as(client, PAYMENTS_STATUS_TRANSPORT, PAYMENTS_OUTCOME_UNKNOWN);
    transport.cut_body = 0;
    pay(client);
    payments_client_free(client);
    CHECK_NUMBER(transport.destroyed, 1);
}

static void a_response_of_a_cancelled_call_is_in_its_error(void)
{
    struct transport transport = {0};
    payments_call *call = new_call();
    payments_request *request = new_payment();
    payments_response *response = NULL, *kept = NULL, *again = NULL;
    payments_client *client;
    char *hash;
    sandbox_reset();
    transport.cancel = call;
    client = client_on(&transport);
    CHECK_NUMBER(create(client, request, call, &response, &error), PAYMENTS_STATUS_CANCELLED);
    CHECK(response == NULL);
    CHECK_TEXT(payments_error_code(error), "interrupted_after_response");
    CHECK_NUMBER(payments_error_outcome(error), PAYMENTS_OUTCOME_EXECUTED);
    CHECK_NUMBER(payments_error_http_status(error), 200);
    CHECK_HAS(payments_error_reference(error), "order-");
    CHECK_NUMBER(payments_error_response(error, NULL), PAYMENTS_STATUS_INVALID_ARGUMENT);
    CHECK_NUMBER(payments_error_response(error, &kept), PAYMENTS_STATUS_OK);
    CHECK_NUMBER(payments_error_response(error, &again), PAYMENTS_STATUS_OK);
    hash = text_at(again, "/payment/hash");
    CHECK_TEXT(payments_error_payment_hash(error), hash);
    payments_response_free(again);
    payments_error_free(error);
    error = NULL;
    /* It outlives its error. */
    CHECK_NUMBER(payments_response_http_status(kept), 200);
    CHECK_HAS(payments_response_view(kept, NULL), hash);
    free(hash);
    payments_response_free(kept);
    CHECK_NUMBER(sandbox_count("/sandbox/payments", "/payments"), 1);

    /* The handle stays cancelled, and there is no response. */
    kept = (payments_response *)(uintptr_t)1;
    CHECK_NUMBER(create(client, request, call, &response, &error), PAYMENTS_STATUS_CANCELLED);
    CHECK_NUMBER(payments_error_response(error, &kept), PAYMENTS_STATUS_OK);
    CHECK(kept == NULL);
    payments_error_free(error);
    error = NULL;
    CHECK_NUMBER(payments_error_response(NULL, &kept), PAYMENTS_STATUS_OK);
    CHECK(kept == NULL);
    payments_request_free(request);
    payments_client_free(client);
    payments_call_free(call);
}

int main(void)
{
    RUN(a_callback_sends);
    RUN(a_transport_says_whether_it_may_have_sent);
    RUN(a_response_of_a_cancelled_call_is_in_its_error);
    return 0;
}
