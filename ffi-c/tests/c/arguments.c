/* Each function with arguments that it must refuse: NULL for every pointer,
 * lengths that cannot be, text that is not UTF-8. Nothing here needs the
 * sandbox. */
#define _POSIX_C_SOURCE 200809L
#include "harness.h"

#include <unistd.h>

#define BAD_UTF8 "\xff\xfe"

static payments_error *error = NULL;

typedef payments_status (*operation)(const payments_client *, const char *, size_t,
                                     const payments_call *, payments_response **,
                                     payments_error **);

static const operation operations[] = {
    payments_client_create_payment, payments_client_query_payment, payments_client_refund_payment,
    payments_client_create_payout,  payments_client_register_tracking,
};

static void clients_refuse(void)
{
    payments_client *client = (payments_client *)(uintptr_t)1;
    size_t variant;
    for (variant = 0; variant < 2; variant++) {
        payments_status (*make)(const char *, size_t, const payments_options *, payments_client **,
                                payments_error **) =
            variant == 0 ? payments_client_new : payments_client_shared;
        REFUSED(make(NULL, 3, NULL, &client, &error));
        CHECK(client == NULL);
        REFUSED(make("{}", SIZE_MAX, NULL, &client, &error));
        REFUSED(make("{}", (size_t)PTRDIFF_MAX + 1, NULL, &client, &error));
        REFUSED(make(LIT(BAD_UTF8), NULL, &client, &error));
        REFUSED(make(LIT("{}"), NULL, NULL, &error));
        FAILS(PAYMENTS_STATUS_CONFIG, make(NULL, 0, NULL, &client, &error));
        FAILS(PAYMENTS_STATUS_CONFIG, make("", 0, NULL, &client, &error));
        FAILS(PAYMENTS_STATUS_CONFIG, make(LIT("{}"), NULL, &client, &error));
        FAILS(PAYMENTS_STATUS_CONFIG, make(LIT("{\"base_url\":\"\\u0000\"}"), NULL, &client, &error));
        FAILS(PAYMENTS_STATUS_CONFIG, make(LIT("{\0}"), NULL, &client, &error));
        CHECK(client == NULL);
        /* Without a place for the error, the status has to do. */
        CHECK_NUMBER(make(LIT("{}"), NULL, &client, NULL), PAYMENTS_STATUS_CONFIG);
        CHECK_NUMBER(make(NULL, 3, NULL, NULL, NULL), PAYMENTS_STATUS_INVALID_ARGUMENT);
    }
}

static void operations_refuse(void)
{
    payments_client *client = client_with(WITH_INTEGRATION_KEY, "", NULL);
    payments_response *response = (payments_response *)(uintptr_t)1;
    payments_text *text = (payments_text *)(uintptr_t)1;
    payments_prepared *prepared = (payments_prepared *)(uintptr_t)1;
    const uint8_t byte = 0;
    size_t i;
    for (i = 0; i < sizeof(operations) / sizeof(operations[0]); i++) {
        REFUSED(operations[i](NULL, LIT("{}"), NULL, &response, &error));
        CHECK(response == NULL);
        REFUSED(operations[i](client, NULL, 1, NULL, &response, &error));
        REFUSED(operations[i](client, "{}", SIZE_MAX, NULL, &response, &error));
        REFUSED(operations[i](client, LIT(BAD_UTF8), NULL, &response, &error));
        REFUSED(operations[i](client, LIT("{}"), NULL, NULL, &error));
        FAILS(PAYMENTS_STATUS_VALIDATION, operations[i](client, NULL, 0, NULL, &response, &error));
        FAILS(PAYMENTS_STATUS_VALIDATION,
              operations[i](client, LIT("{}"), NULL, &response, &error));
        FAILS(PAYMENTS_STATUS_VALIDATION,
              operations[i](client, LIT("{}\0"), NULL, &response, &error));
        CHECK_NUMBER(operations[i](client, LIT("{}"), NULL, &response, NULL),
                     PAYMENTS_STATUS_VALIDATION);
        CHECK(response == NULL);
    }
    REFUSED(payments_client_access_token(NULL, NULL, &response, &error));
    REFUSED(payments_client_access_token(client, NULL, NULL, &error));
    FAILS(PAYMENTS_STATUS_CONFIG, payments_client_access_token(client, NULL, &response, &error));
    REFUSED(payments_client_token_status(NULL, NULL, &text, &error));
    CHECK(text == NULL);
    REFUSED(payments_client_token_status(client, NULL, NULL, &error));
    FAILS(PAYMENTS_STATUS_CONFIG, payments_client_token_status(client, NULL, &text, &error));
    REFUSED(payments_client_forget_token(NULL, NULL, &error));
    FAILS(PAYMENTS_STATUS_CONFIG, payments_client_forget_token(client, NULL, &error));

    REFUSED(payments_client_warm_up(NULL, NULL, &error));
    REFUSED(payments_client_send(NULL, LIT("{}"), NULL, 0, NULL, &response, &error));
    REFUSED(payments_client_send(client, NULL, 1, NULL, 0, NULL, &response, &error));
    REFUSED(payments_client_send(client, LIT(BAD_UTF8), NULL, 0, NULL, &response, &error));
    REFUSED(payments_client_send(client, LIT("{}"), NULL, 1, NULL, &response, &error));
    REFUSED(payments_client_send(client, LIT("{}"), &byte, SIZE_MAX, NULL, &response, &error));
    REFUSED(payments_client_send(client, LIT("{}"), NULL, 0, NULL, NULL, &error));
    FAILS(PAYMENTS_STATUS_VALIDATION,
          payments_client_send(client, LIT("{}"), NULL, 0, NULL, &response, &error));

    REFUSED(payments_client_prepare(NULL, LIT("send"), LIT("{}"), NULL, 0, NULL, &prepared, &error));
    CHECK(prepared == NULL);
    REFUSED(payments_client_prepare(client, NULL, 1, LIT("{}"), NULL, 0, NULL, &prepared, &error));
    REFUSED(payments_client_prepare(client, LIT("send"), NULL, 1, NULL, 0, NULL, &prepared, &error));
    REFUSED(payments_client_prepare(client, LIT("send"), LIT(BAD_UTF8), NULL, 0, NULL, &prepared,
                                    &error));
    REFUSED(payments_client_prepare(client, LIT("send"), LIT("{}"), NULL, 7, NULL, &prepared,
                                    &error));
    REFUSED(payments_client_prepare(client, LIT("send"), LIT("{}"), NULL, 0, NULL, NULL, &error));
    FAILS(PAYMENTS_STATUS_VALIDATION, payments_client_prepare(client, LIT("no_such_operation"),
                                                              LIT("{}"), NULL, 0, NULL, &prepared,
                                                              &error));
    FAILS(PAYMENTS_STATUS_VALIDATION, payments_client_prepare(client, LIT("access_token"), NULL, 0,
                                                              NULL, 0, NULL, &prepared, &error));
    CHECK(prepared == NULL);
    payments_client_free(client);
}

static void tools_refuse(void)
{
    payments_text *text = (payments_text *)(uintptr_t)1;
    const uint8_t byte = 0;
    REFUSED(payments_verify(NULL, 1, LIT("a"), NULL, 0, &text, &error));
    CHECK(text == NULL);
    REFUSED(payments_verify(LIT("k"), NULL, 1, NULL, 0, &text, &error));
    REFUSED(payments_verify(LIT("k"), LIT(BAD_UTF8), NULL, 0, &text, &error));
    REFUSED(payments_verify(LIT("k"), LIT("a"), NULL, 1, &text, &error));
    REFUSED(payments_verify(LIT("k"), LIT("a"), &byte, SIZE_MAX, &text, &error));
    REFUSED(payments_verify(LIT("k"), LIT("a"), NULL, 0, NULL, &error));
    FAILS(PAYMENTS_STATUS_CONFIG, payments_verify(LIT("k"), LIT("a"), NULL, 0, &text, &error));
    REFUSED(payments_lint(NULL, 1, &text, &error));
    REFUSED(payments_lint(LIT("{}"), NULL, &error));
    FAILS(PAYMENTS_STATUS_VALIDATION, payments_lint(LIT("{"), &text, &error));
    REFUSED(payments_explain(NULL, 1, &text, &error));
    REFUSED(payments_explain(LIT("timeout"), NULL, &error));
    FAILS(PAYMENTS_STATUS_VALIDATION, payments_explain(LIT("tmeout"), &text, &error));
    REFUSED(payments_in_camel_case(LIT(BAD_UTF8), &text, &error));
    REFUSED(payments_in_camel_case(LIT("a"), NULL, &error));
    REFUSED(payments_take_journal_failed(NULL, &error));
    REFUSED(payments_qr_svg(LIT(BAD_UTF8), &text, &error));
    REFUSED(payments_qr_svg(LIT("a"), NULL, &error));
    REFUSED(payments_qr_png(LIT(BAD_UTF8), 6, &text, &error));
    REFUSED(payments_qr_png(LIT("a"), 6, NULL, &error));
    FAILS(PAYMENTS_STATUS_VALIDATION, payments_qr_png(LIT("a"), 65, &text, &error));
    text = (payments_text *)(uintptr_t)1;
    REFUSED(payments_generate_key(NULL, &text, &error));
    CHECK(text == NULL);
    text = (payments_text *)(uintptr_t)1;
    REFUSED(payments_generate_key(&text, NULL, &error));
    CHECK(text == NULL);
    REFUSED(payments_entry_without_token(NULL, 1, LIT("v"), &text, &error));
    REFUSED(payments_entry_without_token(LIT("{}"), NULL, 1, &text, &error));
    REFUSED(payments_entry_without_token(LIT("{}"), LIT(BAD_UTF8), &text, &error));
    REFUSED(payments_entry_without_token(LIT("{}"), LIT("v"), NULL, &error));
    WORKS(payments_entry_without_token(LIT("no json"), LIT("v"), &text, &error));
    CHECK(text == NULL);
}

static int destroyed = 0;

static void destroy(void *user_data)
{
    CHECK(user_data == &destroyed);
    destroyed++;
}

static int32_t sign(void *user_data, const payments_context *context, const uint8_t *input,
                    size_t input_length, const uint8_t *sha256, payments_sink *signature_out,
                    payments_sink *message_out)
{
    (void)user_data, (void)context, (void)input, (void)input_length, (void)sha256;
    (void)signature_out, (void)message_out;
    return 1;
}

static int32_t never(void *user_data)
{
    (void)user_data;
    return 0;
}

static void on_event(void *user_data, const char *event, size_t length)
{
    (void)user_data, (void)event, (void)length;
}

static int32_t send_nothing(void *user_data, const payments_context *context,
                            const payments_prepared *request, payments_transport_response *response_out)
{
    (void)user_data, (void)context, (void)request, (void)response_out;
    return 1;
}

static int32_t record_nothing(void *user_data, const payments_context *context, const char *action,
                              const char *input, size_t input_length, payments_sink *result_out,
                              payments_sink *message_out)
{
    (void)user_data, (void)context, (void)action, (void)input, (void)input_length;
    (void)result_out, (void)message_out;
    return 1;
}

/* user_data is owned from the call on, whether it works or not. */
static void refused_callbacks_are_destroyed_once(void)
{
    payments_options *options = new_options();
    payments_call *call = new_call();
    payments_token_store_callbacks callbacks;
    int count = 0;
    memset(&callbacks, 0, sizeof(callbacks));
    destroyed = 0;

    REFUSED(payments_options_set_signer(NULL, &destroyed, LIT("k"), sign, destroy, &error));
    REFUSED(payments_options_set_signer(options, &destroyed, NULL, 1, sign, destroy, &error));
    REFUSED(payments_options_set_signer(options, &destroyed, LIT(BAD_UTF8), sign, destroy, &error));
    REFUSED(payments_options_set_signer(options, &destroyed, LIT("k"), NULL, destroy, &error));
    count += 4;
    CHECK_NUMBER(destroyed, count);
    REFUSED(payments_options_set_observer(NULL, &destroyed, on_event, destroy, &error));
    REFUSED(payments_options_set_observer(options, &destroyed, NULL, destroy, &error));
    count += 2;
    CHECK_NUMBER(destroyed, count);
    REFUSED(payments_options_set_transport(NULL, &destroyed, send_nothing, destroy, &error));
    REFUSED(payments_options_set_transport(options, &destroyed, NULL, destroy, &error));
    count += 2;
    CHECK_NUMBER(destroyed, count);
    REFUSED(payments_options_set_journal(NULL, &destroyed, record_nothing, destroy, &error));
    REFUSED(payments_options_set_journal(options, &destroyed, NULL, destroy, &error));
    count += 2;
    CHECK_NUMBER(destroyed, count);
    REFUSED(payments_options_set_token_store(NULL, &destroyed, &callbacks, destroy, &error));
    REFUSED(payments_options_set_token_store(options, &destroyed, NULL, destroy, &error));
    REFUSED(payments_options_set_token_store(options, &destroyed, &callbacks, destroy, &error));
    callbacks.size = sizeof(callbacks);
    REFUSED(payments_options_set_token_store(options, &destroyed, &callbacks, destroy, &error));
    count += 4;
    CHECK_NUMBER(destroyed, count);
    REFUSED(payments_call_set_interrupt(NULL, &destroyed, never, destroy, &error));
    REFUSED(payments_call_set_interrupt(call, &destroyed, NULL, destroy, &error));
    count += 2;
    CHECK_NUMBER(destroyed, count);

    /* Without a destructor, and without a place for the error. */
    CHECK_NUMBER(payments_options_set_signer(NULL, &destroyed, LIT("k"), sign, NULL, NULL),
                 PAYMENTS_STATUS_INVALID_ARGUMENT);
    CHECK_NUMBER(destroyed, count);

    /* A new one that replaces another, and the end of the handle. */
    WORKS(payments_options_set_observer(options, &destroyed, on_event, destroy, &error));
    CHECK_NUMBER(destroyed, count);
    WORKS(payments_options_set_observer(options, &destroyed, on_event, destroy, &error));
    CHECK_NUMBER(destroyed, ++count);
    payments_options_free(options);
    CHECK_NUMBER(destroyed, ++count);
    WORKS(payments_call_set_interrupt(call, &destroyed, never, destroy, &error));
    WORKS(payments_call_set_interrupt(call, NULL, never, NULL, &error));
    CHECK_NUMBER(destroyed, ++count);
    REFUSED(payments_call_set_timeout_ms(call, 0, &error));
    REFUSED(payments_call_set_timeout_ms(NULL, 1, &error));
    WORKS(payments_call_set_timeout_ms(call, UINT64_MAX, &error));
    REFUSED(payments_call_set_ensure_wait_ms(NULL, 1, &error));
    WORKS(payments_call_set_ensure_wait_ms(call, UINT64_MAX, &error));
    REFUSED(payments_call_set_traceparent(NULL, LIT(""), &error));
    REFUSED(payments_call_set_traceparent(call, NULL, 1, &error));
    CHECK_NUMBER(payments_call_set_traceparent(call, LIT("00-x\r\ny: z"), &error),
                 PAYMENTS_STATUS_VALIDATION);
    CHECK_TEXT(payments_error_path(error), "traceparent");
    CHECK(strstr(payments_error_text(error), "y: z") == NULL);
    payments_error_free(error);
    error = NULL;
    payments_call_free(call);
    CHECK_NUMBER(destroyed, count);
}

static payments_client *observed_client(void)
{
    const char *config = "{\"base_url\": \"http://127.0.0.1:1\", \"integration_key\": \"k\"}";
    payments_options *options = new_options();
    payments_client *client = NULL;
    WORKS(payments_options_set_observer(options, &destroyed, on_event, destroy, &error));
    WORKS(payments_client_new(config, strlen(config), options, &client, &error));
    payments_options_free(options);
    return client;
}

static void tracked_clients_are_freed_once(void)
{
    payments_client *freed = observed_client(), *left = observed_client(), *other = observed_client();
    destroyed = 0;
    payments_client_track(NULL, LIT("a host"));
    payments_client_track(freed, LIT("a host"));
    payments_client_track(left, LIT("a host"));
    payments_client_track(other, LIT("another host"));
    payments_client_free(freed);
    CHECK_NUMBER(destroyed, 1);
    payments_client_free_tracked(LIT(BAD_UTF8));
    CHECK_NUMBER(destroyed, 1);
    payments_client_free_tracked(LIT("a host"));
    CHECK_NUMBER(destroyed, 2);
    payments_client_free_tracked(LIT("a host"));
    CHECK_NUMBER(destroyed, 2);
    payments_client_free(other);
    CHECK_NUMBER(destroyed, 3);
}

static void null_handles_are_harmless(void)
{
    CHECK_NUMBER(payments_call_new(NULL), PAYMENTS_STATUS_INVALID_ARGUMENT);
    CHECK_NUMBER(payments_options_new(NULL), PAYMENTS_STATUS_INVALID_ARGUMENT);
    CHECK_NUMBER(payments_request_new(NULL), PAYMENTS_STATUS_INVALID_ARGUMENT);
    payments_call_cancel(NULL);
    payments_call_free(NULL);
    payments_client_free(NULL);
    payments_error_free(NULL);
    payments_options_free(NULL);
    payments_prepared_free(NULL);
    payments_request_free(NULL);
    payments_response_free(NULL);
    payments_text_free(NULL);

    CHECK(payments_text_data(NULL) == NULL);
    CHECK(payments_text_bytes(NULL) == NULL);
    CHECK_NUMBER(payments_text_length(NULL), 0);
    CHECK_NUMBER(payments_sink_write(NULL, NULL, 0), -1);
    CHECK_NUMBER(payments_context_remaining_ms(NULL), 0);
    CHECK_NUMBER(payments_context_has_ended(NULL), 1);
}

static void null_errors_are_harmless(void)
{
    size_t length = 7;
    CHECK_NUMBER(payments_error_status(NULL), PAYMENTS_STATUS_OK);
    CHECK_NUMBER(payments_error_outcome(NULL), PAYMENTS_OUTCOME_UNKNOWN);
    CHECK(payments_error_code(NULL) == NULL && payments_error_message(NULL) == NULL);
    CHECK(payments_error_text(NULL) == NULL && payments_error_advice(NULL) == NULL);
    CHECK(payments_error_help(NULL) == NULL);
    CHECK(payments_error_path(NULL) == NULL && payments_error_operation(NULL) == NULL);
    CHECK(payments_error_reference(NULL) == NULL && payments_error_json(NULL) == NULL);
    CHECK(payments_error_service_code(NULL) == NULL);
    CHECK(payments_error_service_message(NULL) == NULL);
    CHECK(payments_error_payment_hash(NULL) == NULL);
    CHECK(payments_error_diagnosis_cause(NULL) == NULL);
    CHECK(payments_error_diagnosis_finding(NULL) == NULL);
    CHECK(payments_error_diagnosis_message(NULL) == NULL);
    CHECK_NUMBER(payments_error_http_status(NULL), 0);
    CHECK_NUMBER(payments_error_retry_after_ms(NULL), -1);
    CHECK_NUMBER(payments_error_attempts(NULL), 0);
    CHECK(payments_error_request_body(NULL, &length) == NULL && length == 0);
    length = 7;
    CHECK(payments_error_response_body(NULL, &length) == NULL && length == 0);
    CHECK(payments_error_request_body(NULL, NULL) == NULL);
}

static void null_requests_and_responses_are_harmless(void)
{
    size_t length = 7;
    CHECK(payments_prepared_body(NULL, &length) == NULL && length == 0);
    CHECK(payments_prepared_body(NULL, NULL) == NULL);
    CHECK(payments_prepared_method(NULL) == NULL && payments_prepared_url(NULL) == NULL);
    CHECK_NUMBER(payments_prepared_header_count(NULL), 0);
    CHECK(payments_prepared_header_name(NULL, 0) == NULL);
    CHECK(payments_prepared_header_value(NULL, SIZE_MAX) == NULL);

    length = 7;
    CHECK(payments_request_text(NULL, &length) == NULL && length == 0);
    CHECK(payments_response_hash(NULL) == NULL && payments_response_status(NULL) == NULL);
    CHECK(payments_response_qr_code_value(NULL) == NULL && payments_response_uid(NULL) == NULL);
    CHECK(payments_response_redirect_url(NULL) == NULL && payments_response_code(NULL) == NULL);
    CHECK(!payments_response_refund_id(NULL) && !payments_response_refund_status(NULL));
    CHECK_NUMBER(payments_response_all_created(NULL), 0);
    length = 7;
    CHECK(payments_response_body(NULL, &length) == NULL && length == 0);
    length = 7;
    CHECK(payments_response_view(NULL, &length) == NULL && length == 0);
    CHECK_NUMBER(payments_response_http_status(NULL), 0);
    CHECK_NUMBER(payments_response_header_count(NULL), 0);
    CHECK(payments_response_header_name(NULL, 0) == NULL);
    CHECK(payments_response_header_value(NULL, 0) == NULL);
    CHECK_NUMBER(payments_response_is_paid(NULL), 0);
    CHECK_NUMBER(payments_response_has(NULL, LIT("/a")), 0);

    CHECK_NUMBER(payments_transport_response_set_status(NULL, 200), PAYMENTS_STATUS_INVALID_ARGUMENT);
    CHECK_NUMBER(payments_transport_response_add_header(NULL, LIT("a"), LIT("b")),
                 PAYMENTS_STATUS_INVALID_ARGUMENT);
    CHECK_NUMBER(payments_transport_response_write_body(NULL, NULL, 0), PAYMENTS_STATUS_INVALID_ARGUMENT);
    CHECK_NUMBER(payments_transport_response_fail(NULL, PAYMENTS_STATUS_CONNECT, 1, LIT("x")),
                 PAYMENTS_STATUS_INVALID_ARGUMENT);
}

static long version_number(const char *version)
{
    long major = 0, minor = 0, patch = 0;
    CHECK_NUMBER(sscanf(version, "%ld.%ld.%ld", &major, &minor, &patch), 3);
    return 1000000 * major + 1000 * minor + patch;
}

static void names_and_versions(void)
{
    CHECK_TEXT(payments_status_name(PAYMENTS_STATUS_OK), "ok");
    CHECK_TEXT(payments_status_name(PAYMENTS_STATUS_RATE_LIMITED), "rate_limited");
    CHECK_TEXT(payments_status_name(PAYMENTS_STATUS_INVALID_ARGUMENT), "invalid_argument");
    CHECK_TEXT(payments_status_name(INT32_MIN), "unknown");
    CHECK_TEXT(payments_status_name(INT32_MAX), "unknown");
    CHECK_TEXT(payments_status_name(99), "unknown");
    CHECK_TEXT(payments_version(), setting("PAYMENTS_TEST_VERSION"));
    CHECK_NUMBER(payments_abi_version(), atoi(setting("PAYMENTS_TEST_ABI_VERSION")));
    CHECK_NUMBER(payments_abi_version(), PAYMENTS_ABI_VERSION);
    CHECK_NUMBER(PAYMENTS_VERSION_NUMBER, version_number(payments_version()));
    CHECK_NUMBER(sizeof(payments_status), sizeof(int32_t));
    CHECK_NUMBER(sizeof(payments_outcome), sizeof(int32_t));
    CHECK_NUMBER(sizeof(payments_token_store_callbacks),
                 sizeof(size_t) + 5 * sizeof(void (*)(void)));
}

static int lowest_free_descriptor(void)
{
    int descriptor = dup(STDIN_FILENO);
    CHECK(descriptor >= 0);
    close(descriptor);
    return descriptor;
}

static void one_descriptor_is_kept_in_reserve(void)
{
    int free_before = lowest_free_descriptor(), free_after;
    CHECK_NUMBER(payments_spare_descriptor(1), 1);
    free_after = lowest_free_descriptor();
    CHECK(free_after > free_before);
    CHECK_NUMBER(payments_spare_descriptor(1), 1);
    CHECK_NUMBER(lowest_free_descriptor(), free_after);
    CHECK_NUMBER(payments_spare_descriptor(0), 0);
    CHECK_NUMBER(payments_spare_descriptor(0), 0);
    CHECK_NUMBER(lowest_free_descriptor(), free_before);
}

int main(void)
{
    RUN(clients_refuse);
    RUN(operations_refuse);
    RUN(tools_refuse);
    RUN(refused_callbacks_are_destroyed_once);
    RUN(tracked_clients_are_freed_once);
    RUN(null_handles_are_harmless);
    RUN(null_errors_are_harmless);
    RUN(null_requests_and_responses_are_harmless);
    RUN(names_and_versions);
    RUN(one_descriptor_is_kept_in_reserve);
    return 0;
}
