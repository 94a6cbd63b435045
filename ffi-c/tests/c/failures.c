/* Panics, which a build for tests provokes, become a status, and the client still
 * works afterwards. */
#define _POSIX_C_SOURCE 200809L
#include "harness.h"

payments_status payments_test_panic(payments_error **error_out);
payments_status payments_test_options_panic(payments_options *options, int32_t seam);
payments_status payments_test_call_panic(payments_call *call, uint32_t number);

static payments_error *error = NULL;

static void a_panic_becomes_a_status(void)
{
    payments_client *client = client_with(WITH_ALL, "", NULL);
    payments_call *call = NULL;
    unsigned number, not_executed = 0, unknown = 0;
    sandbox_reset();
    FAILS(PAYMENTS_STATUS_INTERNAL, payments_test_panic(&error));
    CHECK_NUMBER(payments_test_panic(NULL), PAYMENTS_STATUS_INTERNAL);
    CHECK_NUMBER(payments_test_panic(&error), PAYMENTS_STATUS_INTERNAL);
    CHECK_TEXT(payments_error_code(error), "internal_error");
    CHECK_HAS(payments_error_json(error), "\"kind\":\"internal\"");
    CHECK_HAS(payments_error_text(error), "[internal/internal_error, not_executed]");
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

/* Panics in callbacks in Rust, which a host in C cannot even set. */
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
    RUN(a_panic_becomes_a_status);
    RUN(a_panic_in_a_seam_harms_nothing_else);
    return 0;
}
