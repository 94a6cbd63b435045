/* A client across fork: parent and children use it at once. */
#define _POSIX_C_SOURCE 200809L
#include "harness.h"

#include <sys/wait.h>
#include <unistd.h>

enum { CHILDREN = 4, CALLS = 3, MOST = 4096 };

static payments_error *error = NULL;

/* Uses the client as a worker does, and ends as every program does. The first
 * child only frees its parent's handles. */
static pid_t fork_and_pay(payments_client *client, int number)
{
    pid_t child;
    int call;
    fflush(stdout);
    child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        for (call = 0; number > 0 && call < CALLS; call++) {
            pay(client);
        }
        payments_client_free(client);
        exit(0);
    }
    return child;
}

/* Pays as long as there are children, so that its connection is never idle for
 * long; then once more. */
static void pay_beside_children(payments_client *client)
{
    int ended, left = CHILDREN;
    pid_t child;
    while (left > 0) {
        pay(client);
        while ((child = waitpid(-1, &ended, WNOHANG)) > 0) {
            CHECK(WIFEXITED(ended) && WEXITSTATUS(ended) == 0);
            left--;
        }
        CHECK(child == 0 || left == 0);
    }
    pay(client);
}

/* The number of the process in a reference of new_payment(): the body holds it
 * as "order-NUMBER-", here in base64. */
static int process_of(const char *body)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char text[4096];
    size_t used = 0;
    unsigned bits = 0;
    int held = 0;
    const char *reference;
    for (; *body != '\0' && *body != '='; body++) {
        bits = (bits << 6 | (unsigned)(strchr(digits, *body) - digits)) & 0xffff;
        held += 6;
        if (held >= 8) {
            held -= 8;
            CHECK(used < sizeof(text) - 1);
            text[used++] = (char)(bits >> held & 0xff);
        }
    }
    text[used] = '\0';
    reference = strstr(text, "\"order-");
    CHECK(reference != NULL);
    return atoi(reference + 7);
}

/* Each process kept one connection to its end, and none has two. */
static void check_connections(int processes)
{
    static int64_t connections[MOST];
    static int process[MOST];
    payments_response *requests =
        sandbox_response("GET", "/sandbox/requests?operation=create_payment", "");
    size_t count = 0, i, j;
    int different = 0;
    WORKS(payments_response_count(requests, LIT("/requests"), &count, &error));
    CHECK(count < MOST);
    for (i = 0; i < count; i++) {
        char pointer[64], *body;
        int is_new = 1;
        snprintf(pointer, sizeof(pointer), "/requests/%zu/connection", i);
        WORKS(payments_response_integer(requests, TEXT(pointer), &connections[i], &error));
        snprintf(pointer, sizeof(pointer), "/requests/%zu/body_base64", i);
        body = text_at(requests, pointer);
        process[i] = process_of(body);
        free(body);
        for (j = 0; j < i; j++) {
            CHECK((connections[i] == connections[j]) == (process[i] == process[j]));
            is_new = is_new && process[i] != process[j];
        }
        different += is_new;
    }
    CHECK_NUMBER(different, processes);
    payments_response_free(requests);
}

static void serves_parent_and_children(payments_client *client)
{
    int child;
    sandbox("POST", "/sandbox/settings", "{\"latency_ms\":1000}");
    for (child = 0; child < CHILDREN; child++) {
        fork_and_pay(client, child);
    }
    pay_beside_children(client);
    payments_client_free(client);
    check_connections(CHILDREN);
    CHECK_NUMBER(sandbox_count("/sandbox/stats", "/token_requests"), 1);
    CHECK(sandbox_count("/sandbox/stats", "/max_in_flight") > 1);
}

static void a_client_used_before_fork_serves_parent_and_children(void)
{
    payments_client *client = client_with(WITH_ALL, "", NULL);
    sandbox_reset();
    pay(client);
    serves_parent_and_children(client);
}

static void a_shared_client_used_before_fork_serves_all_processes(void)
{
    char *config = config_text(WITH_ALL, "");
    payments_client *client = NULL;
    sandbox_reset();
    WORKS(payments_client_shared(TEXT(config), NULL, &client, &error));
    pay(client);
    serves_parent_and_children(client);
    free(config);
    forget_shared_clients();
}

/* None has a token when they all begin. */
static void processes_fetch_one_token_for_a_folder(void)
{
    char members[1024];
    sandbox_reset();
    snprintf(members, sizeof(members), ",\"token_store\":\"file:%s/forks-tokens\"",
             setting("PAYMENTS_TEST_SCRATCH"));
    serves_parent_and_children(client_with(WITH_ALL, members, NULL));
}

static payments_client *on_redis(void)
{
    char members[256];
    snprintf(members, sizeof(members), ",\"token_store\":\"redis://127.0.0.1:%s\"",
             setting("PAYMENTS_TEST_REDIS_PORT"));
    return client_with(WITH_ALL, members, NULL);
}

static void processes_share_a_token_in_redis(void)
{
    payments_client *client;
    int ended = 0;
    pid_t child;
    sandbox_reset();
    /* Chooses the client id that both have. */
    free(config_text(WITH_BEARER, ""));
    fflush(stdout);
    child = fork();
    CHECK(child >= 0);
    client = on_redis();
    pay(client);
    payments_client_free(client);
    if (child == 0) {
        exit(0);
    }
    CHECK(waitpid(child, &ended, 0) == child);
    CHECK(WIFEXITED(ended) && WEXITSTATUS(ended) == 0);
    CHECK_NUMBER(sandbox_count("/sandbox/requests?operation=create_payment", "/requests"), 2);
    CHECK_NUMBER(sandbox_count("/sandbox/stats", "/token_requests"), 1);
}

struct signer {
    payments_client *by_key;
    pid_t child;
    int ended;
};

/* Forks the first time, and both processes return. The parent does when the
 * child has ended. */
static int32_t sign_and_fork(void *user_data, const payments_context *context, const uint8_t *input,
                             size_t input_length, const uint8_t *sha256,
                             payments_sink *signature_out, payments_sink *message_out)
{
    struct signer *signer = user_data;
    uint8_t signature[SIGNATURE_LENGTH];
    (void)sha256;
    (void)message_out;
    sign_with(signer->by_key, input, input_length, signature);
    CHECK_NUMBER(payments_sink_write(signature_out, signature, SIGNATURE_LENGTH), 0);
    if (signer->child < 0) {
        fflush(stdout);
        signer->child = fork();
        CHECK(signer->child >= 0);
        if (signer->child > 0) {
            CHECK(waitpid(signer->child, &signer->ended, 0) == signer->child);
        }
        CHECK_NUMBER(payments_context_has_ended(context), signer->child == 0);
    }
    return 0;
}

static void a_call_continues_only_in_the_parent_if_a_signer_forks(void)
{
    struct signer signer = {NULL, -1, -1};
    payments_options *options = new_options();
    payments_request *request = new_payment();
    payments_response *response = NULL;
    payments_client *client;
    payments_status status;
    signer.by_key = client_with(WITH_KEY, "", NULL);
    WORKS(payments_options_set_signer(options, &signer, LIT("test-kid"), sign_and_fork, NULL,
                                      &error));
    client = client_with(WITH_INTEGRATION_KEY, "", options);
    payments_options_free(options);
    sandbox_reset();
    status = create(client, request, NULL, &response, &error);
    if (signer.child == 0) {
        CHECK_NUMBER(status, PAYMENTS_STATUS_CANCELLED);
        CHECK_TEXT(payments_error_code(error), "call_forked");
        CHECK_NUMBER(payments_error_outcome(error), PAYMENTS_OUTCOME_UNKNOWN);
        CHECK_HAS(payments_error_message(error), "do not send it again from this process");
        payments_error_free(error);
    } else {
        CHECK_NUMBER(status, PAYMENTS_STATUS_OK);
        CHECK(WIFEXITED(signer.ended) && WEXITSTATUS(signer.ended) == 0);
        pay(client);
        CHECK_NUMBER(count_requests("create_payment", "/signature", "verified"), 2);
        CHECK_NUMBER(sandbox_count("/sandbox/requests?operation=create_payment", "/requests"), 2);
        payments_response_free(response);
    }
    payments_request_free(request);
    payments_client_free(client);
    payments_client_free(signer.by_key);
    if (signer.child == 0) {
        exit(0);
    }
}

int main(void)
{
    RUN(a_client_used_before_fork_serves_parent_and_children);
    RUN(a_shared_client_used_before_fork_serves_all_processes);
    RUN(processes_fetch_one_token_for_a_folder);
    RUN(processes_share_a_token_in_redis);
    RUN(a_call_continues_only_in_the_parent_if_a_signer_forks);
    return 0;
}
