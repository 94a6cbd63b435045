/* The stack that calls of a release build need: each runs on a stack that was
 * filled with a pattern, and the overwritten bytes are counted. The header asks
 * for twice as much as the largest of them at least. */
#define _GNU_SOURCE
#include "harness.h"

#include <pthread.h>
#include <sys/mman.h>

enum { STACK = 8 * 1024 * 1024, IN_THE_HEADER = 256 * 1024, PATTERN = 0xa5, DEPTH = 120 };

struct job {
    const char *config;
    const char *body;
    payments_client *client;
    payments_status status;
};

static void *make_client(void *argument)
{
    struct job *job = argument;
    job->status = payments_client_new(TEXT(job->config), NULL, &job->client, NULL);
    return NULL;
}

static void *make_payment(void *argument)
{
    struct job *job = argument;
    payments_response *response = NULL;
    job->status =
        payments_client_create_payment(job->client, TEXT(job->body), NULL, &response, NULL);
    payments_response_free(response);
    return NULL;
}

static void *free_client(void *argument)
{
    payments_client_free(((struct job *)argument)->client);
    return NULL;
}

/* Runs `work` on its own stack, and checks how much of it was used. */
static void measure(const char *name, void *(*work)(void *), struct job *job)
{
    pthread_attr_t attributes;
    pthread_t thread;
    size_t unused = 0;
    uint8_t *stack =
        mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    CHECK(stack != MAP_FAILED);
    memset(stack, PATTERN, STACK);
    CHECK(pthread_attr_init(&attributes) == 0);
    CHECK(pthread_attr_setstack(&attributes, stack, STACK) == 0);
    CHECK(pthread_create(&thread, &attributes, work, job) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    pthread_attr_destroy(&attributes);
    while (unused < STACK && stack[unused] == PATTERN) {
        unused++;
    }
    printf("    %-20s %4zu KiB\n", name, (STACK - unused + 1023) / 1024);
    CHECK(STACK - unused <= IN_THE_HEADER / 2);
    CHECK(munmap(stack, STACK) == 0);
}

static void measure_payment(const char *name, char *config, const char *body,
                            payments_status expected)
{
    struct job job = {0};
    char what[64];
    job.config = config;
    job.body = body;
    snprintf(what, sizeof(what), "%s: client", name);
    measure(what, make_client, &job);
    CHECK_NUMBER(job.status, PAYMENTS_STATUS_OK);
    snprintf(what, sizeof(what), "%s: call", name);
    measure(what, make_payment, &job);
    CHECK_NUMBER(job.status, expected);
    snprintf(what, sizeof(what), "%s: free", name);
    measure(what, free_client, &job);
    free(config);
}

static void calls_need_no_more_stack_than_the_header_says(void)
{
    char members[2048], nested[2 * DEPTH + 1], *deep = calloc(1, 8192);
    payments_request *request = new_payment(), *other = new_payment();
    const char *body = payments_request_text(request, NULL);
    const char *simple = payments_request_text(other, NULL);
    sandbox_reset();
    sandbox("POST", "/sandbox/settings", "{\"require\":[\"jws\"]}");

    memset(nested, '[', DEPTH);
    memset(nested + DEPTH, ']', DEPTH);
    nested[2 * DEPTH] = '\0';
    snprintf(deep, 8192, "{\"nested\":%s,%s", nested, body + 1);
    measure_payment("nested", config_text(WITH_ALL, ""), deep, PAYMENTS_STATUS_OK);

    snprintf(members, sizeof(members),
             ",\"kid\":\"another\",\"key_file\":\"%s/test_rsa_4096_pkcs8.pem\"",
             setting("PAYMENTS_TEST_KEYS"));
    measure_payment("refused", config_text(WITH_BEARER, members), simple,
                    PAYMENTS_STATUS_UNAUTHORIZED);

    snprintf(members, sizeof(members),
             ",\"kid\":\"test-kid\",\"pkcs11_module\":\"%s\",\"pkcs11_token\":\"payments\","
             "\"pkcs11_key_label\":\"signing\",\"pkcs11_pin\":\"%s\"",
             setting("PAYMENTS_TEST_HSM_MODULE"), setting("PAYMENTS_TEST_HSM_PIN"));
    measure_payment("HSM", config_text(WITH_BEARER, members), simple, PAYMENTS_STATUS_OK);

    snprintf(members, sizeof(members),
             "{\"base_url\":\"https://127.0.0.1:%s\",\"ca_file\":\"%s\",\"kid\":\"test-kid\","
             "\"key_file\":\"%s/test_rsa_4096_pkcs8.pem\",\"timeout_ms\":300000}",
             setting("PAYMENTS_TEST_TLS_PORT"), setting("PAYMENTS_TEST_CA"),
             setting("PAYMENTS_TEST_KEYS"));
    measure_payment("TLS", strdup(members), simple, PAYMENTS_STATUS_OK);

    free(deep);
    payments_request_free(request);
    payments_request_free(other);
}

int main(void)
{
    RUN(calls_need_no_more_stack_than_the_header_says);
    return 0;
}
