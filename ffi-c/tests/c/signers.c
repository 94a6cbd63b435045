/* Signers and observers as callbacks. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>

#include "harness.h"

static payments_error *error = NULL;

/* The user data of a signer's callback. */
struct signer {
    payments_client *by_key; /* Signs the same bytes with the test's key. */
    int calls, destroyed;
    int refuse, spoil, shorten;
    uint8_t digest[32];
    payments_client *reenter;
    payments_status reentered;
    int32_t had_ended;
    uint64_t remaining_ms;
};

static int32_t sign(void *user_data, const payments_context *context, const uint8_t *input,
                    size_t input_length, const uint8_t *sha256, payments_sink *signature_out,
                    payments_sink *message_out)
{
    struct signer *signer = user_data;
    uint8_t signature[SIGNATURE_LENGTH];
    signer->calls++;
    signer->had_ended = payments_context_has_ended(context);
    signer->remaining_ms = payments_context_remaining_ms(context);
    memcpy(signer->digest, sha256, 32);
    CHECK_NUMBER(payments_sink_write(signature_out, NULL, 1), -1);
    CHECK_NUMBER(payments_sink_write(signature_out, sha256, SIZE_MAX), -1);
    CHECK_NUMBER(payments_sink_write(signature_out, NULL, 0), 0);
    if (signer->reenter != NULL) {
        payments_error *inner = NULL;
        signer->reentered = payments_client_query_payment(
            signer->reenter, LIT("{\"hash\":\"x\"}"), NULL, &(payments_response *){NULL}, &inner);
        CHECK_TEXT(payments_error_code(inner), "reentrant_call");
        CHECK_HAS(payments_error_message(inner), "use a separate client");
        payments_error_free(inner);
    }
    if (signer->refuse) {
        CHECK_NUMBER(payments_sink_write(message_out, (const uint8_t *)"the HSM is asleep", 17), 0);
        return -3;
    }
    sign_with(signer->by_key, input, input_length, signature);
    signature[100] ^= (uint8_t)signer->spoil;
    /* In two pieces. */
    CHECK_NUMBER(payments_sink_write(signature_out, signature, 12), 0);
    if (!signer->shorten) {
        CHECK_NUMBER(payments_sink_write(signature_out, signature + 12,
                                         SIGNATURE_LENGTH - 12), 0);
    }
    return 0;
}

static void destroy_signer(void *user_data)
{
    ((struct signer *)user_data)->destroyed++;
}

static payments_client *client_signed_by(struct signer *signer, const char *more)
{
    payments_options *options = new_options();
    payments_client *client;
    WORKS(payments_options_set_signer(options, signer, LIT("test-kid"), sign, destroy_signer,
                                      &error));
    client = client_with(WITH_INTEGRATION_KEY, more, options);
    /* The client keeps the callback. */
    payments_options_free(options);
    CHECK_NUMBER(signer->destroyed, 0);
    return client;
}

static void a_callback_signs(void)
{
    static const uint8_t digest[32] = {
        0x21, 0xc5, 0x51, 0x86, 0xa6, 0xb4, 0x34, 0x2f,
        0x5d, 0xb7, 0x8c, 0x62, 0xbd, 0x2a, 0xda, 0xf4,
        0xd4, 0x17, 0x36, 0x50, 0xbb, 0xe1, 0x74, 0x41,
        0x2b, 0x02, 0x53, 0x54, 0xb9, 0x80, 0x14, 0x12};
    struct signer signer = {0};
    payments_client *client;
    payments_response *response = NULL;
    signer.by_key = client_with(WITH_KEY, "", NULL);
    client = client_signed_by(&signer, "");
    sandbox_reset();
    sandbox("POST", "/sandbox/settings", "{\"require\":[\"jws\"]}");
    pay(client);
    CHECK_NUMBER(signer.calls, 1);
    CHECK_NUMBER(signer.had_ended, 0);
    CHECK(signer.remaining_ms > 1000 && signer.remaining_ms <= 300000);
    /* The digest is that of the signing input. */
    WORKS(payments_client_send(client, LIT("{\"method\":\"POST\",\"path\":\"/ws/x\"}"),
                               (const uint8_t *)"{\"a\":1}", 7, NULL, &response, &error));
    payments_response_free(response);
    CHECK(memcmp(signer.digest, digest, 32) == 0);
    payments_client_free(client);
    CHECK_NUMBER(signer.destroyed, 1);
    payments_client_free(signer.by_key);
}

static void a_signer_that_fails_stops_the_call_before_anything_is_sent(void)
{
    struct signer signer = {0};
    payments_client *client;
    payments_request *request = new_payment();
    payments_response *response = NULL;
    signer.by_key = client_with(WITH_KEY, "", NULL);
    client = client_signed_by(&signer, "");
    sandbox_reset();
    signer.refuse = 1;
    CHECK_NUMBER(create(client, request, NULL, &response, &error), PAYMENTS_STATUS_SIGNING);
    CHECK(response == NULL);
    CHECK_HAS(payments_error_message(error), "the HSM is asleep");
    CHECK_NUMBER(payments_error_outcome(error), PAYMENTS_OUTCOME_NOT_EXECUTED);
    CHECK(payments_error_advice(error) == NULL);
    payments_error_free(error);
    error = NULL;
    CHECK_NUMBER(sandbox_count("/sandbox/requests", "/requests"), 0);
    /* The same client, the same request, now with a signature. */
    signer.refuse = 0;
    WORKS(create(client, request, NULL, &response, &error));
    payments_response_free(response);
    payments_request_free(request);
    payments_client_free(client);
    CHECK_NUMBER(signer.destroyed, 1);
    payments_client_free(signer.by_key);
}

static void a_wrong_signature_is_caught_with_the_public_key(void)
{
    struct signer signer = {0};
    payments_client *client;
    payments_request *request = new_payment();
    payments_response *response = NULL;
    char more[2048];
    signer.by_key = client_with(WITH_KEY, "", NULL);
    snprintf(more, sizeof(more), ",\"public_key_file\":\"%s/test_rsa_4096_public.pem\"",
             setting("PAYMENTS_TEST_KEYS"));
    client = client_signed_by(&signer, more);
    sandbox_reset();
    signer.spoil = 1;
    FAILS(PAYMENTS_STATUS_SIGNING, create(client, request, NULL, &response, &error));
    signer.spoil = 0;
    signer.shorten = 1;
    FAILS(PAYMENTS_STATUS_SIGNING, create(client, request, NULL, &response, &error));
    CHECK_NUMBER(sandbox_count("/sandbox/requests", "/requests"), 0);
    signer.shorten = 0;
    WORKS(create(client, request, NULL, &response, &error));
    payments_response_free(response);
    payments_request_free(request);
    payments_client_free(client);
    payments_client_free(signer.by_key);
}

static void a_signature_of_wrong_length_is_caught_without_a_public_key(void)
{
    struct signer signer = {0};
    payments_client *client;
    payments_request *request = new_payment();
    payments_response *response = NULL;
    signer.by_key = client_with(WITH_KEY, "", NULL);
    client = client_signed_by(&signer, "");
    sandbox_reset();
    signer.shorten = 1;
    CHECK_NUMBER(create(client, request, NULL, &response, &error), PAYMENTS_STATUS_SIGNING);
    CHECK_TEXT(payments_error_code(error), "signature_invalid");
    CHECK_NUMBER(payments_error_outcome(error), PAYMENTS_OUTCOME_NOT_EXECUTED);
    payments_error_free(error);
    error = NULL;
    CHECK_NUMBER(sandbox_count("/sandbox/requests", "/requests"), 0);
    payments_request_free(request);
    payments_client_free(client);
    payments_client_free(signer.by_key);
}

static void a_callback_cannot_call_the_client_that_it_serves(void)
{
    struct signer signer = {0};
    payments_client *client;
    signer.by_key = client_with(WITH_KEY, "", NULL);
    client = client_signed_by(&signer, "");
    signer.reenter = client;
    sandbox_reset();
    pay(client);
    CHECK_NUMBER(signer.reentered, PAYMENTS_STATUS_CONFIG);
    /* Afterwards the client is as usable as before. */
    signer.reenter = NULL;
    pay(client);
    payments_client_free(client);
    payments_client_free(signer.by_key);
}

static void a_callback_may_be_shared_by_clients(void)
{
    struct signer signer = {0};
    payments_options *options = new_options();
    payments_client *clients[3];
    int i;
    char *config = config_text(WITH_INTEGRATION_KEY, "");
    signer.by_key = client_with(WITH_KEY, "", NULL);
    WORKS(payments_options_set_signer(options, &signer, LIT("test-kid"), sign, destroy_signer,
                                      &error));
    for (i = 0; i < 3; i++) {
        /* A client with a callback is never shared, so that nothing keeps it. */
        WORKS((i < 2 ? payments_client_new : payments_client_shared)(TEXT(config), options,
                                                                     &clients[i], &error));
    }
    payments_client_free(clients[1]);
    payments_options_free(options);
    CHECK_NUMBER(signer.destroyed, 0);
    pay(clients[2]);
    payments_client_free(clients[2]);
    CHECK_NUMBER(signer.destroyed, 0);
    payments_client_free(clients[0]);
    CHECK_NUMBER(signer.destroyed, 1);
    payments_client_free(signer.by_key);
    free(config);
    forget_shared_clients();
}

/* A client that cannot be made owns nothing. */
static void a_client_that_cannot_be_made_leaves_the_callbacks_alone(void)
{
    struct signer signer = {0};
    payments_options *options = new_options();
    payments_client *client = NULL;
    WORKS(payments_options_set_signer(options, &signer, LIT("test-kid"), sign, destroy_signer,
                                      &error));
    FAILS(PAYMENTS_STATUS_CONFIG, payments_client_new(LIT("{}"), options, &client, &error));
    FAILS(PAYMENTS_STATUS_CONFIG, payments_client_shared(LIT("{}"), options, &client, &error));
    CHECK_NUMBER(signer.destroyed, 0);
    payments_options_free(options);
    CHECK_NUMBER(signer.destroyed, 1);
}

struct witness {
    pthread_t thread;
    int events, started, ended, destroyed;
    payments_client *free_me;
    payments_client *reenter;
};

static void on_event(void *user_data, const char *event, size_t length)
{
    struct witness *witness = user_data;
    CHECK(pthread_equal(pthread_self(), witness->thread));
    CHECK(event[0] == '{' && event[length - 1] == '}' && event[length] == '\0');
    CHECK(strstr(event, "Maria") == NULL && strstr(event, "sandbox-integration-key") == NULL);
    witness->events++;
    witness->started += strstr(event, "\"request_started\"") != NULL;
    witness->ended += strstr(event, "\"request_ended\"") != NULL;
    if (witness->reenter != NULL) {
        CHECK_NUMBER(payments_client_query_payment(witness->reenter, LIT("{\"hash\":\"x\"}"), NULL,
                                                   &(payments_response *){NULL}, NULL),
                     PAYMENTS_STATUS_CONFIG);
    }
    payments_client_free(witness->free_me);
    witness->free_me = NULL;
}

static void destroy_witness(void *user_data)
{
    ((struct witness *)user_data)->destroyed++;
}

static void an_observer_gets_events_and_may_free_the_client(void)
{
    struct witness witness = {.thread = pthread_self()};
    payments_options *options = new_options();
    payments_client *client;
    sandbox_reset();
    WORKS(payments_options_set_observer(options, &witness, on_event, destroy_witness, &error));
    client = client_with(WITH_ALL, "", options);
    payments_options_free(options);
    witness.reenter = client;
    pay(client);
    CHECK_NUMBER(witness.started, 1);
    CHECK_NUMBER(witness.ended, 1);
    CHECK(witness.events >= 4);
    witness.reenter = NULL;
    CHECK_NUMBER(witness.destroyed, 0);
    /* The client lives until the call that freed it ends. */
    witness.free_me = client;
    pay(client);
    CHECK_NUMBER(witness.started, 2);
    CHECK_NUMBER(witness.destroyed, 1);
}

int main(void)
{
    RUN(a_callback_signs);
    RUN(a_signer_that_fails_stops_the_call_before_anything_is_sent);
    RUN(a_wrong_signature_is_caught_with_the_public_key);
    RUN(a_signature_of_wrong_length_is_caught_without_a_public_key);
    RUN(a_callback_cannot_call_the_client_that_it_serves);
    RUN(a_callback_may_be_shared_by_clients);
    RUN(a_client_that_cannot_be_made_leaves_the_callbacks_alone);
    RUN(an_observer_gets_events_and_may_free_the_client);
    return 0;
}
