/* An observer that acts on the call of its event. */
#define _POSIX_C_SOURCE 200809L
#include "harness.h"

static payments_error *error = NULL;

static void cancel(void *user_data, const char *event, size_t length)
{
    (void)length;
    if (strstr(event, "\"attempt\"") != NULL) {
        payments_call_cancel(user_data);
    }
}

static void an_observer_cancels_its_call(void)
{
    payments_options *options = new_options();
    payments_call *call = new_call();
    payments_request *request = new_payment();
    payments_response *response = NULL;
    payments_client *client;
    sandbox_reset();
    WORKS(payments_options_set_observer(options, call, cancel, NULL, &error));
    client = client_with(WITH_ALL, "", options);
    payments_options_free(options);
    CHECK_NUMBER(create(client, request, call, &response, &error), PAYMENTS_STATUS_CANCELLED);
    CHECK_NUMBER(payments_error_outcome(error), PAYMENTS_OUTCOME_NOT_EXECUTED);
    payments_error_free(error);
    error = NULL;
    CHECK_NUMBER(sandbox_count("/sandbox/payments", "/payments"), 0);
    payments_request_free(request);
    payments_call_free(call);
    payments_client_free(client);
}

#define TRACE "00-4bf92f3577b34da6a3ce929d0e0e4736-"

struct tracer {
    payments_call *call;
    int spans;
};

/* Gives each request its own span. */
static void trace(void *user_data, const char *event, size_t length)
{
    struct tracer *tracer = user_data;
    char traceparent[64];
    (void)length;
    if (strstr(event, "\"request_started\"") != NULL) {
        snprintf(traceparent, sizeof(traceparent), TRACE "%016d-01", ++tracer->spans);
        WORKS(payments_call_set_traceparent(tracer->call, TEXT(traceparent), NULL));
    }
}

static void an_observer_gives_each_query_of_a_wait_its_traceparent(void)
{
    struct tracer tracer = {new_call(), 0};
    payments_options *options = new_options();
    payments_response *response = NULL;
    payments_client *client = client_with(WITH_ALL, "", NULL);
    payments_request *request = new_payment();
    char body[256];
    char *hash;
    sandbox_reset();
    WORKS(create(client, request, NULL, &response, &error));
    hash = text_at(response, "/payment/hash");
    snprintf(body, sizeof(body), "{\"hash\":\"%s\"}", hash);
    free(hash);
    payments_response_free(response);
    payments_request_free(request);
    payments_client_free(client);
    WORKS(payments_options_set_observer(options, &tracer, trace, NULL, &error));
    client = client_with(WITH_ALL, "", options);
    payments_options_free(options);
    /* Long enough for a second query. */
    WORKS(payments_call_set_timeout_ms(tracer.call, 3500, &error));
    WORKS(payments_client_wait_for_payment(client, TEXT(body), tracer.call, &response, &error));
    payments_response_free(response);
    CHECK(tracer.spans > 1);
    response = sandbox_response("GET", "/sandbox/requests?operation=query_payment", "");
    CHECK_HAS(payments_response_view(response, NULL), TRACE "0000000000000001-01");
    CHECK_HAS(payments_response_view(response, NULL), TRACE "0000000000000002-01");
    payments_response_free(response);
    payments_call_free(tracer.call);
    payments_client_free(client);
}

int main(void)
{
    RUN(an_observer_cancels_its_call);
    RUN(an_observer_gives_each_query_of_a_wait_its_traceparent);
    return 0;
}
