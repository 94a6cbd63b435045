/* Coroutines that take turns in calls on one thread, each on its own stack. */
#define _XOPEN_SOURCE 700
#include "harness.h"

#include <ucontext.h>
#include <valgrind/valgrind.h>

/* AddressSanitizer must know the stack of the thread. */
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#define LEAVE(kept, stack, size) __sanitizer_start_switch_fiber((kept), (stack), (size))
#define ARRIVE(kept, stack, size) __sanitizer_finish_switch_fiber((kept), (stack), (size))
#else
#define LEAVE(kept, stack, size) ((void)(kept), (void)(stack), (void)(size))
#define ARRIVE(kept, stack, size) ((void)(kept), (void)(stack), (void)(size))
#endif

enum { COUNT = 6, STACK_BYTES = 256 * 1024 };

struct coroutine {
    ucontext_t context;
    void *stack, *kept;
    unsigned valgrind_id;
    payments_client *client;
    payments_request *request;
    payments_call *call;
    payments_status status;
    payments_error *error;
    payments_response *response;
    int suspended, ended;
};

static payments_error *error = NULL;
static ucontext_t scheduler;
static void *scheduler_kept;
static const void *scheduler_stack;
static size_t scheduler_size;
static struct coroutine coroutines[COUNT];
static struct coroutine *current;
/* How many coroutines are in a callback, and how many were at the same time. */
static int inside, most_inside;

static void suspend(void)
{
    struct coroutine *self = current;
    self->suspended++;
    inside++;
    most_inside = inside > most_inside ? inside : most_inside;
    LEAVE(&self->kept, scheduler_stack, scheduler_size);
    swapcontext(&self->context, &scheduler);
    ARRIVE(self->kept, &scheduler_stack, &scheduler_size);
    inside--;
}

static void resume(struct coroutine *coroutine)
{
    current = coroutine;
    LEAVE(&scheduler_kept, coroutine->stack, STACK_BYTES);
    swapcontext(&scheduler, &coroutine->context);
    ARRIVE(scheduler_kept, NULL, NULL);
}

static void make_payment(void)
{
    struct coroutine *self = current;
    ARRIVE(NULL, &scheduler_stack, &scheduler_size);
    self->status = create(self->client, self->request, self->call, &self->response, &self->error);
    self->ended = 1;
    LEAVE(NULL, scheduler_stack, scheduler_size);
}

static int32_t suspend_in_interrupt(void *user_data)
{
    (void)user_data;
    suspend();
    return 0;
}

static int32_t suspend_in_signer(void *user_data, const payments_context *context,
                                 const uint8_t *input, size_t input_length, const uint8_t *sha256,
                                 payments_sink *signature_out, payments_sink *message_out)
{
    uint8_t signature[SIGNATURE_LENGTH];
    (void)sha256;
    (void)message_out;
    suspend();
    CHECK_NUMBER(payments_context_has_ended(context), 0);
    sign_with(user_data, input, input_length, signature);
    suspend();
    return payments_sink_write(signature_out, signature, SIGNATURE_LENGTH);
}

static payments_client *client_that_suspends_in_signer(payments_client *by_key)
{
    payments_options *options = new_options();
    payments_client *client;
    WORKS(payments_options_set_signer(options, by_key, LIT("test-kid"), suspend_in_signer, NULL,
                                      &error));
    client = client_with(WITH_INTEGRATION_KEY | WITH_BEARER, "", options);
    payments_options_free(options);
    return client;
}

/* Makes payments that take turns. The call of each is set by the caller. */
static void take_turns(payments_client *client)
{
    int i, running = COUNT;
    inside = most_inside = 0;
    for (i = 0; i < COUNT; i++) {
        struct coroutine *coroutine = &coroutines[i];
        coroutine->client = client;
        coroutine->request = new_payment();
        coroutine->stack = malloc(STACK_BYTES);
        CHECK(coroutine->stack != NULL && getcontext(&coroutine->context) == 0);
        coroutine->valgrind_id = VALGRIND_STACK_REGISTER(
            coroutine->stack, (char *)coroutine->stack + STACK_BYTES);
        coroutine->context.uc_stack.ss_sp = coroutine->stack;
        coroutine->context.uc_stack.ss_size = STACK_BYTES;
        coroutine->context.uc_link = &scheduler;
        makecontext(&coroutine->context, make_payment, 0);
    }
    /* Forward and back: no order of ends is the order of starts. */
    for (i = 0; running > 0; i++) {
        struct coroutine *coroutine = &coroutines[i / COUNT % 2 ? COUNT - 1 - i % COUNT : i % COUNT];
        if (!coroutine->ended) {
            resume(coroutine);
            running -= coroutine->ended;
        }
    }
}

/* Every response belongs to its own request. */
static void check_responses(void)
{
    int i;
    CHECK_NUMBER(most_inside, COUNT);
    CHECK_NUMBER(sandbox_count("/sandbox/payments", "/payments"), COUNT);
    for (i = 0; i < COUNT; i++) {
        struct coroutine *coroutine = &coroutines[i];
        char *responded;
        check_works(coroutine->status, coroutine->error, "create", __FILE__, __LINE__);
        CHECK(coroutine->suspended > 1);
        responded = text_at(coroutine->response, "/payment/merchant_payment_code");
        CHECK_HAS(payments_request_text(coroutine->request, NULL), responded);
        free(responded);
    }
}

static void end_coroutines(void)
{
    int i;
    for (i = 0; i < COUNT; i++) {
        payments_response_free(coroutines[i].response);
        payments_error_free(coroutines[i].error);
        payments_request_free(coroutines[i].request);
        payments_call_free(coroutines[i].call);
        VALGRIND_STACK_DEREGISTER(coroutines[i].valgrind_id);
        free(coroutines[i].stack);
    }
    memset(coroutines, 0, sizeof(coroutines));
}

static void get_token(payments_client *client)
{
    payments_response *response = NULL;
    WORKS(payments_client_access_token(client, NULL, &response, &error));
    payments_response_free(response);
}

static void set_interrupts(void)
{
    int i;
    for (i = 0; i < COUNT; i++) {
        coroutines[i].call = new_call();
        WORKS(payments_call_set_interrupt(coroutines[i].call, NULL, suspend_in_interrupt, NULL,
                                          &error));
    }
}

static void calls_take_turns_in_the_interrupt(void)
{
    payments_client *client = client_with(WITH_ALL, "", NULL);
    sandbox_reset();
    get_token(client);
    set_interrupts();
    take_turns(client);
    check_responses();
    end_coroutines();
    payments_client_free(client);
}

static void calls_take_turns_in_the_signer(void)
{
    payments_client *by_key = client_with(WITH_KEY, "", NULL);
    payments_client *client = client_that_suspends_in_signer(by_key);
    sandbox_reset();
    get_token(client);
    take_turns(client);
    check_responses();
    end_coroutines();
    payments_client_free(client);
    payments_client_free(by_key);
}

static void no_call_waits_for_a_suspended_one_that_fetches_the_token(void)
{
    payments_client *client = client_with(WITH_ALL, "", NULL);
    int i, paid = 0;
    sandbox_reset();
    set_interrupts();
    take_turns(client);
    for (i = 0; i < COUNT; i++) {
        if (coroutines[i].status == PAYMENTS_STATUS_OK) {
            paid++;
        } else {
            CHECK_NUMBER(coroutines[i].status, PAYMENTS_STATUS_TOKEN);
            CHECK_TEXT(payments_error_code(coroutines[i].error), "reentrant_call");
            CHECK_NUMBER(payments_error_outcome(coroutines[i].error),
                         PAYMENTS_OUTCOME_NOT_EXECUTED);
        }
    }
    CHECK(paid > 0);
    end_coroutines();
    payments_client_free(client);
}

int main(void)
{
    RUN(calls_take_turns_in_the_interrupt);
    RUN(calls_take_turns_in_the_signer);
    RUN(no_call_waits_for_a_suspended_one_that_fetches_the_token);
    return 0;
}
