/* Handles shared by many threads, and the ways to end a call early. */
#define _POSIX_C_SOURCE 200809L
#include "harness.h"

#include <pthread.h>
#include <time.h>

enum { THREADS = 8, ROUNDS = 2 };

static payments_error *error = NULL;
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

struct shared {
    payments_client *client;
    payments_call *call;
    payments_response *response;
    payments_error *error;
    payments_options *options;
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void *use_everything(void *argument)
{
    struct shared *shared = argument;
    char *config = config_text(WITH_ALL, "");
    int round;
    for (round = 0; round < ROUNDS; round++) {
        payments_request *request;
        payments_response *response = NULL;
        payments_error *mine = NULL;
        payments_client *same = NULL;
        char *status;
        pthread_mutex_lock(&one_at_a_time);
        request = new_payment();
        pthread_mutex_unlock(&one_at_a_time);
        CHECK_NUMBER(create(shared->client, request, shared->call, &response, &mine),
                     PAYMENTS_STATUS_OK);
        status = text_at(response, "/payment/status");
        CHECK_TEXT(status, "PE");
        free(status);
        payments_response_free(response);
        CHECK_NUMBER(create(shared->client, request, shared->call, &response, &mine),
                     PAYMENTS_STATUS_REJECTED);
        payments_error_free(mine);
        payments_request_free(request);
        /* State that all threads read. */
        status = text_at(shared->response, "/payment/status");
        CHECK_TEXT(status, "PE");
        free(status);
        CHECK_HAS(payments_response_view(shared->response, NULL), "\"is_paid\"");
        CHECK_TEXT(payments_error_service_code(shared->error), "BP-DR-0");
        CHECK(payments_error_request_body(shared->error, NULL) != NULL);
        CHECK_NUMBER(payments_client_shared(TEXT(config), NULL, &same, NULL), PAYMENTS_STATUS_OK);
        payments_client_free(same);
    }
    free(config);
    return NULL;
}

static void many_threads_share_handles(void)
{
    struct shared shared = {0};
    payments_request *request = new_payment();
    pthread_t threads[THREADS];
    int i;
    sandbox_reset();
    shared.client = client_with(WITH_ALL, "", NULL);
    shared.call = new_call();
    WORKS(create(shared.client, request, NULL, &shared.response, &error));
    CHECK_NUMBER(create(shared.client, request, NULL, &(payments_response *){NULL}, &shared.error),
                 PAYMENTS_STATUS_REJECTED);
    payments_request_free(request);
    for (i = 0; i < THREADS; i++) {
        CHECK(pthread_create(&threads[i], NULL, use_everything, &shared) == 0);
    }
    for (i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    CHECK_NUMBER(sandbox_count("/sandbox/payments", "/payments"), THREADS * ROUNDS + 1);
    CHECK_NUMBER(sandbox_count("/sandbox/stats", "/token_requests"), 1);
    /* In any order: no handle depends on a freed one. */
    payments_client_free(shared.client);
    CHECK_TEXT(payments_error_service_code(shared.error), "BP-DR-0");
    payments_call_free(shared.call);
    payments_error_free(shared.error);
    CHECK_NUMBER(payments_response_http_status(shared.response), 200);
    payments_response_free(shared.response);
    forget_shared_clients();
}

static void *free_on_another_thread(void *handle)
{
    payments_client_free(handle);
    return NULL;
}

static void a_client_may_be_freed_by_another_thread(void)
{
    payments_client *client = client_with(WITH_ALL, "", NULL);
    pthread_t thread;
    sandbox_reset();
    pay(client);
    CHECK(pthread_create(&thread, NULL, free_on_another_thread, client) == 0);
    pthread_join(thread, NULL);
}

/* Cancels when the service has the third request (a token and a payment came
 * before), however slow the machine is. */
static void *cancel_when_it_arrived(void *call)
{
    struct timespec wait = {0, 50 * 1000 * 1000};
    while (sandbox_count("/sandbox/requests", "/requests") < 3) {
        nanosleep(&wait, NULL);
    }
    payments_call_cancel(call);
    return NULL;
}

static void a_call_is_cancelled_from_another_thread(void)
{
    payments_client *client = client_with(WITH_ALL, "", NULL);
    payments_call *call = new_call();
    payments_request *request = new_payment();
    payments_response *response = NULL;
    pthread_t thread;
    double started;
    sandbox_reset();
    pay(client);
    sandbox_fault("{\"fault\":\"hang\"}");
    CHECK(pthread_create(&thread, NULL, cancel_when_it_arrived, call) == 0);
    started = now();
    CHECK_NUMBER(create(client, request, call, &response, &error), PAYMENTS_STATUS_CANCELLED);
    CHECK(now() - started < 200);
    CHECK_NUMBER(payments_error_outcome(error), PAYMENTS_OUTCOME_UNKNOWN);
    payments_error_free(error);
    error = NULL;
    pthread_join(thread, NULL);
    /* The handle stays cancelled, and then nothing is sent. */
    CHECK_NUMBER(create(client, request, call, &response, &error), PAYMENTS_STATUS_CANCELLED);
    CHECK_NUMBER(payments_error_outcome(error), PAYMENTS_OUTCOME_NOT_EXECUTED);
    payments_error_free(error);
    error = NULL;
    payments_call_free(call);
    pay(client);
    payments_request_free(request);
    payments_client_free(client);
}

struct asked {
    int count, stop_after, destroyed;
    payments_call *free_me;
};

static int32_t interrupt(void *user_data)
{
    struct asked *asked = user_data;
    payments_call_free(asked->free_me);
    asked->free_me = NULL;
    return ++asked->count >= asked->stop_after ? -1 : 0;
}

static void destroy(void *user_data)
{
    ((struct asked *)user_data)->destroyed++;
}

static void an_interrupt_ends_a_call(void)
{
    struct asked asked = {0};
    payments_client *client = client_with(WITH_ALL, "", NULL);
    payments_call *call = new_call();
    payments_request *request = new_payment();
    payments_response *response = NULL;
    double started;
    sandbox_reset();
    pay(client);
    asked.stop_after = 1000000;
    WORKS(payments_call_set_interrupt(call, &asked, interrupt, destroy, &error));
    WORKS(create(client, request, call, &response, &error));
    payments_response_free(response);
    payments_request_free(request);
    CHECK(asked.count > 0);

    request = new_payment();
    sandbox_fault("{\"fault\":\"hang\"}");
    asked.stop_after = asked.count + 10;
    started = now();
    CHECK_NUMBER(create(client, request, call, &response, &error), PAYMENTS_STATUS_CANCELLED);
    CHECK(now() - started < 200);
    payments_error_free(error);
    error = NULL;
    CHECK_NUMBER(asked.destroyed, 0);
    payments_request_free(request);

    /* A callback frees the handle of its own call; it lives until the end. */
    asked.stop_after = 1000000;
    asked.free_me = call;
    request = new_payment();
    WORKS(create(client, request, call, &response, &error));
    payments_response_free(response);
    payments_request_free(request);
    CHECK_NUMBER(asked.destroyed, 1);
    payments_client_free(client);
}

static void *cancel(void *call)
{
    payments_call_cancel(call);
    return NULL;
}

static int32_t never_asked(void *user_data)
{
    (void)user_data;
    CHECK(!"asked, though another function was set");
    return 0;
}

/* A destructor that uses the handle whose setter calls it. */
static void set_again(void *user_data)
{
    CHECK_NUMBER(payments_call_set_timeout_ms(user_data, 30000, NULL), PAYMENTS_STATUS_OK);
}

static void a_handle_is_cancelled_while_it_is_set(void)
{
    struct asked asked = {0};
    payments_client *client = client_with(WITH_INTEGRATION_KEY, "", NULL);
    payments_request *request = new_payment();
    int round;
    for (round = 0; round < 100; round++) {
        payments_call *call = new_call();
        payments_response *response = NULL;
        pthread_t thread;
        WORKS(payments_call_set_interrupt(call, call, never_asked, set_again, &error));
        CHECK(pthread_create(&thread, NULL, cancel, call) == 0);
        WORKS(payments_call_set_timeout_ms(call, 20000, &error));
        WORKS(payments_call_set_interrupt(call, &asked, interrupt, destroy, &error));
        pthread_join(thread, NULL);
        CHECK_NUMBER(create(client, request, call, &response, &error), PAYMENTS_STATUS_CANCELLED);
        CHECK_NUMBER(payments_error_outcome(error), PAYMENTS_OUTCOME_NOT_EXECUTED);
        payments_error_free(error);
        error = NULL;
        payments_call_free(call);
        CHECK_NUMBER(asked.destroyed, round + 1);
    }
    CHECK_NUMBER(asked.count, 0);
    payments_request_free(request);
    payments_client_free(client);
}

int main(void)
{
    RUN(many_threads_share_handles);
    RUN(a_client_may_be_freed_by_another_thread);
    RUN(a_call_is_cancelled_from_another_thread);
    RUN(an_interrupt_ends_a_call);
    RUN(a_handle_is_cancelled_while_it_is_set);
    return 0;
}
