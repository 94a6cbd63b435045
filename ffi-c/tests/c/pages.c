/* The examples of docs/keys.md and docs/refunds.md, compiled unchanged:
 * scripts/test-c.sh splits the first into its callback and its statement. */
#define _POSIX_C_SOURCE 200809L
#include "harness.h"

static payments_error *error = NULL;

/* Stands in for a KMS: its results, and its requests. */
struct kms {
    enum { RIGHT, WRONG, AWAY } response;
    int calls;
};

/* The test key signs the digest by the command openssl. */
static void sign_digest(const uint8_t *digest, size_t digest_length, uint8_t *signature)
{
    char file[1024], command[4096];
    FILE *stream;
    snprintf(file, sizeof(file), "%s/digest", setting("PAYMENTS_TEST_SCRATCH"));
    stream = fopen(file, "wb");
    CHECK(stream != NULL);
    CHECK_NUMBER(fwrite(digest, 1, digest_length, stream), digest_length);
    CHECK_NUMBER(fclose(stream), 0);
    snprintf(command, sizeof(command),
             "openssl pkeyutl -sign -inkey '%s/test_rsa_4096_pkcs8.pem' -pkeyopt digest:sha256 "
             "-in '%s'",
             setting("PAYMENTS_TEST_KEYS"), file);
    stream = popen(command, "r");
    CHECK(stream != NULL);
    CHECK_NUMBER(fread(signature, 1, 512, stream), 512);
    CHECK_NUMBER(pclose(stream), 0);
}

static int kms_sign_digest(void *user_data, const char *key, const uint8_t *digest,
                           size_t digest_length, uint8_t *signature)
{
    struct kms *kms = user_data;
    kms->calls++;
    CHECK_TEXT(key, "payments/1");
    CHECK_NUMBER(digest_length, 32);
    if (kms->response == RIGHT) {
        sign_digest(digest, digest_length, signature);
    } else {
        memset(signature, 1, 512);
    }
    return kms->response == AWAY;
}

/* A callback need not look at all that it is given. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "keys_callback.inc"
#pragma GCC diagnostic pop

static payments_client *client_of_the_page(struct kms *kms)
{
    payments_options *options = new_options();
    payments_client *client;
    char more[2048];
#include "keys_statement.inc"
    CHECK_NUMBER(status, PAYMENTS_STATUS_OK);
    CHECK(error == NULL);
    snprintf(more, sizeof(more), ",\"public_key_file\":\"%s/test_rsa_4096_public.pem\"",
             setting("PAYMENTS_TEST_KEYS"));
    client = client_with(WITH_INTEGRATION_KEY, more, options);
    payments_options_free(options);
    return client;
}

static void a_kms_signs(void)
{
    struct kms kms = {RIGHT, 0};
    payments_client *client = client_of_the_page(&kms);
    sandbox_reset();
    sandbox("POST", "/sandbox/settings", "{\"require\":[\"jws\"]}");
    pay(client);
    CHECK_NUMBER(kms.calls, 1);
    payments_client_free(client);
}

static void a_request_that_a_kms_does_not_sign_is_not_sent(void)
{
    struct kms kms = {WRONG, 0};
    payments_client *client = client_of_the_page(&kms);
    payments_request *request = new_payment();
    payments_response *response = NULL;
    sandbox_reset();
    CHECK_NUMBER(create(client, request, NULL, &response, &error), PAYMENTS_STATUS_SIGNING);
    CHECK_TEXT(payments_error_code(error), "signature_invalid");
    payments_error_free(error);
    error = NULL;
    kms.response = AWAY;
    CHECK_NUMBER(create(client, request, NULL, &response, &error), PAYMENTS_STATUS_SIGNING);
    CHECK_HAS(payments_error_message(error), "the KMS made no signature");
    payments_error_free(error);
    error = NULL;
    CHECK_NUMBER(sandbox_count("/sandbox/requests", "/requests"), 0);
    payments_request_free(request);
    payments_client_free(client);
}

#include "refunds.inc"

/* A new payment that is paid; its hash, to be freed. */
static char *paid(payments_client *client)
{
    payments_request *request = new_payment();
    payments_response *response = NULL;
    char path[128];
    char *hash;
    WORKS(create(client, request, NULL, &response, &error));
    hash = text_at(response, "/payment/hash");
    snprintf(path, sizeof(path), "/sandbox/payments/%s/confirm", hash);
    sandbox("POST", path, "");
    payments_response_free(response);
    payments_request_free(request);
    return hash;
}

static void refunds_of(payments_client *client, const char *amount, const char *expected)
{
    char *hash = paid(client), *refunded;
    payments_response *response = NULL;
    WORKS(refund(client, hash, amount, "returned", "refund-1", &response, &error));
    refunded = text_at(response, "/payment/refunds/0/amount_ext");
    CHECK_TEXT(refunded, expected);
    free(refunded);
    free(hash);
    payments_response_free(response);
}

static void a_payment_is_refunded(void)
{
    payments_client *client;
    sandbox_reset();
    client = client_with(WITH_INTEGRATION_KEY, "", NULL);
    refunds_of(client, "40.00", "40.00");
    refunds_of(client, "100.10", "100.10");
    payments_client_free(client);
}

int main(void)
{
    RUN(a_kms_signs);
    RUN(a_request_that_a_kms_does_not_sign_is_not_sent);
    RUN(a_payment_is_refunded);
    return 0;
}
