/* An error in each stage of a call becomes a status, and the client still
 * works afterwards. The same for panics, which a build for tests provokes. */
#define _POSIX_C_SOURCE 200809L
#include "harness.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

payments_status payments_test_panic(payments_error **error_out);
payments_status payments_test_options_panic(payments_options *options, int32_t seam);
payments_status payments_test_call_panic(payments_call *call, uint32_t number);

static payments_error *error = NULL;

/* Creates a payment that must fail so; gives the error. */
static payments_error *failure(payments_client *client, payments_call *call,
                               payments_status status, payments_outcome outcome)
{
    payments_request *request = new_payment();
    payments_response *response = (payments_response *)(uintptr_t)1;
    payments_error *given = NULL;
    payments_status actual = create(client, request, call, &response, &given);
    if (actual != status) {
        fprintf(stderr, "%s\n", given == NULL ? "no error" : payments_error_text(given));
    }
    CHECK_TEXT(payments_status_name((int32_t)actual), payments_status_name((int32_t)status));
    CHECK(response == NULL);
    CHECK_NUMBER(payments_error_outcome(given), outcome);
    CHECK_TEXT(payments_error_operation(given), "create_payment");
    CHECK_HAS(payments_error_reference(given), "order-");
    CHECK(strstr(payments_error_text(given), "Maria") == NULL);
    CHECK_HAS(payments_error_help(given), payments_error_code(given));
    CHECK((payments_error_advice(given) != NULL) == (outcome == PAYMENTS_OUTCOME_UNKNOWN));
    payments_request_free(request);
    return given;
}

static void each_stage_has_its_status(void)
{
    static const struct {
        const char *fault;
        payments_status status;
        payments_outcome outcome;
    } stages[] = {
        {"{\"fault\":\"close\",\"execute\":true}", PAYMENTS_STATUS_TRANSPORT,
         PAYMENTS_OUTCOME_UNKNOWN},
        {"{\"fault\":\"reset\"}", PAYMENTS_STATUS_TRANSPORT, PAYMENTS_OUTCOME_UNKNOWN},
        {"{\"fault\":\"garbage\"}", PAYMENTS_STATUS_PROTOCOL, PAYMENTS_OUTCOME_UNKNOWN},
        {"{\"fault\":\"response\",\"status\":302,\"headers\":{\"Location\":\"/x\"}}",
         PAYMENTS_STATUS_PROTOCOL, PAYMENTS_OUTCOME_UNKNOWN},
        {"{\"fault\":\"giant_body\",\"bytes\":9000000}", PAYMENTS_STATUS_TOO_LARGE,
         PAYMENTS_OUTCOME_UNKNOWN},
        {"{\"fault\":\"html\"}", PAYMENTS_STATUS_DECODE, PAYMENTS_OUTCOME_UNKNOWN},
        {"{\"fault\":\"truncated_json\"}", PAYMENTS_STATUS_DECODE, PAYMENTS_OUTCOME_UNKNOWN},
        {"{\"fault\":\"response\",\"status\":422,\"json\":{}}", PAYMENTS_STATUS_STATUS,
         PAYMENTS_OUTCOME_NOT_EXECUTED},
        {"{\"fault\":\"response\",\"status\":422}", PAYMENTS_STATUS_STATUS, PAYMENTS_OUTCOME_UNKNOWN},
        {"{\"fault\":\"response\",\"status\":503}", PAYMENTS_STATUS_STATUS, PAYMENTS_OUTCOME_UNKNOWN},
        {"{\"fault\":\"response\",\"json\":{\"status\":\"ERROR\",\"status_code\":\"BP-1\"}}",
         PAYMENTS_STATUS_REJECTED, PAYMENTS_OUTCOME_NOT_EXECUTED},
        {"{\"fault\":\"drip\",\"every_ms\":100}", PAYMENTS_STATUS_TIMEOUT,
         PAYMENTS_OUTCOME_UNKNOWN},
    };
    payments_client *client = client_with(WITH_ALL, "", NULL);
    payments_call *call = new_call();
    size_t i;
    sandbox_reset();
    for (i = 0; i < sizeof(stages) / sizeof(stages[0]); i++) {
        int is_slow = stages[i].status == PAYMENTS_STATUS_TIMEOUT;
        sandbox_fault(stages[i].fault);
        WORKS(payments_call_set_timeout_ms(call, is_slow ? 12000 : 300000, &error));
        payments_error_free(failure(client, call, stages[i].status, stages[i].outcome));
        pay(client);
    }
    payments_call_free(call);
    payments_client_free(client);
}

static void refusals_carry_what_is_known(void)
{
    payments_client *client = client_with(WITH_ALL, "", NULL);
    payments_client *stranger;
    payments_error *given;
    char more[1024];
    sandbox_reset();
    sandbox_fault("{\"fault\":\"response\",\"status\":429,\"headers\":{\"Retry-After\":\"2\"}}");
    given = failure(client, NULL, PAYMENTS_STATUS_RATE_LIMITED, PAYMENTS_OUTCOME_NOT_EXECUTED);
    CHECK_NUMBER(payments_error_retry_after_ms(given), 2000);
    CHECK_NUMBER(payments_error_http_status(given), 429);
    payments_error_free(given);
    pay(client);

    snprintf(more, sizeof(more), ",\"key_file\":\"%s/test_other_rsa_4096_pkcs8.pem\",\"kid\":\"x\"",
             setting("PAYMENTS_TEST_KEYS"));
    stranger = client_with(WITH_INTEGRATION_KEY, more, NULL);
    given = failure(stranger, NULL, PAYMENTS_STATUS_UNAUTHORIZED, PAYMENTS_OUTCOME_NOT_EXECUTED);
    CHECK_NUMBER(payments_error_http_status(given), 401);
    CHECK_TEXT(payments_error_diagnosis_finding(given), "cannot_tell");
    CHECK(strstr(payments_error_diagnosis_message(given), "no bearer token") != NULL);
    CHECK(payments_error_attempts(given) >= 1);
    payments_error_free(given);
    payments_client_free(stranger);
    payments_client_free(client);
}

static void local_failures_send_nothing(void)
{
    payments_client *client = client_with(WITH_ALL, "", NULL);
    payments_request *request = new_payment();
    payments_response *response = NULL;
    sandbox_reset();
    WORKS(payments_request_set_json(request, LIT("/payment/document"), LIT("null"), &error));
    CHECK_NUMBER(create(client, request, NULL, &response, &error), PAYMENTS_STATUS_VALIDATION);
    CHECK_TEXT(payments_error_path(error), "payment.document");
    CHECK_NUMBER(payments_error_outcome(error), PAYMENTS_OUTCOME_NOT_EXECUTED);
    payments_error_free(error);
    error = NULL;
    WORKS(payments_request_set_text(request, LIT("/payment/card/number"), LIT("4111111111111111"),
                                    &error));
    FAILS(PAYMENTS_STATUS_VALIDATION, create(client, request, NULL, &response, &error));
    payments_request_free(request);

    sandbox("POST", "/sandbox/tokens/block", "{\"status\":429,\"retry_after\":60,\"seconds\":60}");
    payments_error_free(
        failure(client, NULL, PAYMENTS_STATUS_TOKEN, PAYMENTS_OUTCOME_NOT_EXECUTED));
    CHECK_NUMBER(sandbox_count("/sandbox/payments", "/payments"), 0);
    payments_client_free(client);
    client = client_with(WITH_ALL, "", NULL);
    sandbox_reset();
    pay(client);
    payments_client_free(client);
}

/* Nothing listens at first, then the sandbox's response comes from another. */
static void what_cannot_be_reached(void)
{
    struct sockaddr_in address;
    socklen_t length = sizeof(address);
    char config[512];
    payments_client *client = NULL;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    memset(&address, 0, sizeof(address));
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    CHECK(bind(fd, (struct sockaddr *)&address, length) == 0);
    CHECK(getsockname(fd, (struct sockaddr *)&address, &length) == 0);
    snprintf(config, sizeof(config), "{\"base_url\":\"http://127.0.0.1:%d\",\"integration_key\":\"k\"}",
             (int)ntohs(address.sin_port));
    WORKS(payments_client_new(TEXT(config), NULL, &client, &error));
    payments_error_free(
        failure(client, NULL, PAYMENTS_STATUS_CONNECT, PAYMENTS_OUTCOME_NOT_EXECUTED));
    /* Somebody listens and says nothing: the deadline ends it. */
    CHECK(listen(fd, 4) == 0);
    {
        payments_call *call = new_call();
        WORKS(payments_call_set_timeout_ms(call, 2000, &error));
        payments_error_free(
            failure(client, call, PAYMENTS_STATUS_TIMEOUT, PAYMENTS_OUTCOME_UNKNOWN));
        payments_call_free(call);
    }
    payments_client_free(client);
    close(fd);

    /* The sandbox speaks no TLS. */
    snprintf(config, sizeof(config), "{\"base_url\":\"https%s\",\"integration_key\":\"k\"}",
             strstr(base_url(), "://"));
    WORKS(payments_client_new(TEXT(config), NULL, &client, &error));
    payments_error_free(failure(client, NULL, PAYMENTS_STATUS_TLS, PAYMENTS_OUTCOME_NOT_EXECUTED));
    payments_client_free(client);
}

static void a_panic_becomes_a_status(void)
{
    payments_client *client = client_with(WITH_ALL, "", NULL);
    payments_call *call = NULL;
    unsigned number, not_executed = 0, unknown = 0;
    sandbox_reset();
    FAILS(PAYMENTS_STATUS_INTERNAL, payments_test_panic(&error));
    CHECK_NUMBER(payments_test_panic(NULL), PAYMENTS_STATUS_INTERNAL);
    CHECK_NUMBER(payments_test_panic(&error), PAYMENTS_STATUS_INTERNAL);
    CHECK_TEXT(payments_error_code(error), "panic");
    CHECK_HAS(payments_error_json(error), "\"kind\":\"internal\"");
    CHECK_HAS(payments_error_text(error), "[internal/panic, not_executed]");
    CHECK(payments_error_operation(error) == NULL);
    payments_error_free(error);
    error = NULL;

    /* At every point of a call at which the core asks whether to continue. */
    for (number = 1;; number++) {
        payments_request *request = new_payment();
        payments_response *response = (payments_response *)(uintptr_t)1;
        long long before = sandbox_count("/sandbox/payments", "/payments");
        payments_status status;
        call = new_call();
        CHECK_NUMBER(payments_test_call_panic(call, number), PAYMENTS_STATUS_OK);
        status = create(client, request, call, &response, &error);
        payments_call_free(call);
        payments_request_free(request);
        if (status == PAYMENTS_STATUS_OK) {
            payments_response_free(response);
            break;
        }
        CHECK_NUMBER(status, PAYMENTS_STATUS_INTERNAL);
        CHECK(response == NULL);
        if (payments_error_outcome(error) == PAYMENTS_OUTCOME_UNKNOWN) {
            unknown++;
        } else {
            /* A call that is reported as not executed was not executed. */
            CHECK_NUMBER(sandbox_count("/sandbox/payments", "/payments"), before);
            not_executed++;
        }
        payments_error_free(error);
        error = NULL;
        /* The client still works. */
        pay(client);
    }
    CHECK(not_executed > 0 && unknown > 0);
    payments_client_free(client);
}

/* Panics in callbacks of Rust, which a host in C cannot even write. */
static void a_panic_in_a_seam_harms_nothing_else(void)
{
    static const struct {
        int32_t seam;
        int credentials;
        payments_status status;
    } seams[] = {
        {0, WITH_INTEGRATION_KEY, PAYMENTS_STATUS_SIGNING},
        {1, WITH_ALL, PAYMENTS_STATUS_OK},
        {2, WITH_ALL, PAYMENTS_STATUS_OK},
        {3, WITH_KEY, PAYMENTS_STATUS_INTERNAL},
    };
    payments_client *good = client_with(WITH_ALL, "", NULL);
    payments_options *options = new_options();
    size_t i;
    CHECK_NUMBER(payments_test_options_panic(options, 4), PAYMENTS_STATUS_INVALID_ARGUMENT);
    CHECK_NUMBER(payments_test_options_panic(NULL, 0), PAYMENTS_STATUS_INVALID_ARGUMENT);
    payments_options_free(options);
    sandbox_reset();
    for (i = 0; i < sizeof(seams) / sizeof(seams[0]); i++) {
        payments_client *client;
        int round;
        options = new_options();
        CHECK_NUMBER(payments_test_options_panic(options, seams[i].seam), PAYMENTS_STATUS_OK);
        client = client_with(seams[i].credentials, "", options);
        payments_options_free(options);
        /* Nothing is poisoned: the second time is like the first. */
        for (round = 0; round < 2; round++) {
            payments_request *request = new_payment();
            payments_response *response = NULL;
            CHECK_TEXT(payments_status_name(
                           (int32_t)create(client, request, NULL, &response, &error)),
                       payments_status_name((int32_t)seams[i].status));
            if (seams[i].seam == 3) {
                CHECK_NUMBER(payments_error_outcome(error), PAYMENTS_OUTCOME_UNKNOWN);
            }
            payments_response_free(response);
            payments_error_free(error);
            error = NULL;
            payments_request_free(request);
        }
        payments_client_free(client);
        pay(good);
    }
    payments_client_free(good);
}

int main(void)
{
    RUN(each_stage_has_its_status);
    RUN(refusals_carry_what_is_known);
    RUN(local_failures_send_nothing);
    RUN(what_cannot_be_reached);
    RUN(a_panic_becomes_a_status);
    RUN(a_panic_in_a_seam_harms_nothing_else);
    return 0;
}
