/* Functions of clients, apart from operations, which shared scenarios call. */
#define _POSIX_C_SOURCE 200809L
#include "harness.h"

#include <unistd.h>

#define TRACEPARENT "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

static payments_error *error = NULL;

static void an_error_keeps_both_bodies(void)
{
    payments_client *client = client_with(WITH_ALL, "", NULL);
    payments_request *request = new_payment();
    payments_response *response = NULL;
    size_t length = 0;
    sandbox_reset();
    WORKS(create(client, request, NULL, &response, &error));
    CHECK(payments_response_hash(response) == payments_response_hash(response));
    payments_response_free(response);
    CHECK_NUMBER(create(client, request, NULL, &response, &error), PAYMENTS_STATUS_REJECTED);
    CHECK(memcmp(payments_error_request_body(error, &length), "{", 1) == 0 && length > 100);
    CHECK(memcmp(payments_error_response_body(error, &length), "{", 1) == 0 && length > 20);
    payments_error_free(error);
    error = NULL;
    payments_request_free(request);
    payments_client_free(client);
}

static void an_operation_is_called_by_its_name(void)
{
    payments_client *client = client_with(WITH_ALL, "", NULL);
    payments_request *request = new_payment();
    payments_response *response = NULL;
    size_t length = 0;
    const char *text = payments_request_text(request, &length);
    sandbox_reset();
    WORKS(payments_client_call(client, LIT("create_payment"), text, length, NULL, &response,
                               &error));
    CHECK_NUMBER(payments_response_has(response, LIT("/payment/hash")), 1);
    payments_response_free(response);
    FAILS(PAYMENTS_STATUS_VALIDATION, payments_client_call(client, LIT("no_such_operation"), text,
                                                           length, NULL, &response, &error));
    FAILS(PAYMENTS_STATUS_VALIDATION,
          payments_client_call(client, NULL, 0, text, length, NULL, &response, &error));
    REFUSED(payments_client_call(NULL, LIT("x"), text, length, NULL, &response, &error));
    REFUSED(payments_client_call(client, NULL, 1, text, length, NULL, &response, &error));
    REFUSED(payments_client_call(client, LIT("\xff"), text, length, NULL, &response, &error));
    REFUSED(payments_client_call(client, LIT("x"), NULL, 1, NULL, &response, &error));
    REFUSED(payments_client_call(client, LIT("x"), text, length, NULL, NULL, &error));
    payments_request_free(request);
    payments_client_free(client);
}

/* Paths in a file are taken from its folder. */
static void clients_come_from_a_file_or_the_environment(void)
{
    char path[1024];
    char *config = config_text(WITH_ALL, "");
    payments_client *client = NULL;
    FILE *file;
    int32_t shared;
    snprintf(path, sizeof(path), "%s/config-%d.json", setting("PAYMENTS_TEST_SCRATCH"),
             (int)getpid());
    file = fopen(path, "w");
    CHECK(file != NULL && fputs(config, file) >= 0 && fclose(file) == 0);
    sandbox_reset();
    for (shared = 0; shared < 2; shared++) {
        WORKS(payments_client_from_file(TEXT(path), shared, NULL, &client, &error));
        pay(client);
        payments_client_free(client);
    }
    remove(path);
    FAILS(PAYMENTS_STATUS_CONFIG, payments_client_from_file(TEXT(path), 1, NULL, &client, &error));
    CHECK(client == NULL);
    REFUSED(payments_client_from_file(NULL, 1, 0, NULL, &client, &error));
    REFUSED(payments_client_from_file(LIT("\xff"), 0, NULL, &client, &error));
    REFUSED(payments_client_from_file(TEXT(path), 0, NULL, NULL, &error));

    CHECK(unsetenv("PAYMENTS_BASE_URL") == 0);
    FAILS(PAYMENTS_STATUS_CONFIG, payments_client_from_env(0, NULL, &client, &error));
    REFUSED(payments_client_from_env(0, NULL, NULL, &error));
    CHECK(setenv("PAYMENTS_BASE_URL", base_url(), 1) == 0);
    CHECK(setenv("PAYMENTS_INTEGRATION_KEY", "sandbox-integration-key", 1) == 0);
    WORKS(payments_client_from_env(0, NULL, &client, &error));
    pay(client);
    payments_client_free(client);
    CHECK(unsetenv("PAYMENTS_INTEGRATION_KEY") == 0);
    CHECK(unsetenv("PAYMENTS_BASE_URL") == 0);
    free(config);
    forget_shared_clients();
}

static void a_prepared_request_is_whole(void)
{
    payments_client *client = client_with(WITH_ALL, "", NULL);
    payments_client *carrier = client_with(WITH_INTEGRATION_KEY, "", NULL);
    payments_request *request = new_payment();
    payments_prepared *prepared = NULL;
    size_t length = 0, count;
    const char *text = payments_request_text(request, &length);
    const uint8_t *body;
    sandbox_reset();
    WORKS(payments_client_prepare(client, LIT("create_payment"), text, length, NULL, 0, NULL,
                                  &prepared, &error));
    CHECK_TEXT(payments_prepared_method(prepared), "POST");
    CHECK_HAS(payments_prepared_url(prepared), "/ws/direct");
    body = payments_prepared_body(prepared, &length);
    CHECK(body != NULL && body[0] == '{' && body[length - 1] == '}');
    CHECK_HAS(header_of(prepared, "X-JWS-Signature"), "..");
    CHECK_HAS(header_of(prepared, "Authorization"), "Bearer ");
    count = payments_prepared_header_count(prepared);
    CHECK(payments_prepared_header_name(prepared, count) == NULL);
    CHECK(payments_prepared_header_value(prepared, count) == NULL);
    /* It has nothing to do with the client any more. */
    payments_client_free(client);
    CHECK(payments_prepared_body(prepared, NULL) == body);
    payments_prepared_free(prepared);
    CHECK_NUMBER(sandbox_count("/sandbox/payments", "/payments"), 0);

    WORKS(payments_client_prepare(carrier, LIT("send"),
                                  LIT("{\"method\":\"GET\",\"path\":\"/ws/x\"}"), NULL, 0, NULL,
                                  &prepared, &error));
    CHECK_TEXT(payments_prepared_method(prepared), "GET");
    payments_prepared_body(prepared, &length);
    CHECK_NUMBER(length, 0);
    payments_prepared_free(prepared);
    payments_client_free(carrier);
    payments_request_free(request);
}

/* The picture is a whole PNG file with NULs in it. */
static void draws_png(const char *code, size_t length)
{
    payments_text *png = NULL;
    const uint8_t *bytes;
    size_t end;
    WORKS(payments_qr_png(code, length, 64, &png, &error));
    bytes = payments_text_bytes(png);
    end = payments_text_length(png);
    CHECK(memcmp(bytes, "\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16) == 0);
    CHECK(memcmp(bytes + end - 8, "IEND\xae\x42\x60\x82", 8) == 0);
    payments_text_free(png);
}

static void a_warm_client_waits_for_a_payment(void)
{
    payments_client *client = client_with(WITH_ALL, "", NULL);
    payments_response *response = NULL;
    payments_text *text = NULL;
    payments_text *svg = NULL;
    payments_call *call = NULL;
    payments_request *request = new_payment();
    char *hash;
    char body[256];
    sandbox_reset();
    WORKS(payments_client_warm_up(client, NULL, &error));
    CHECK_NUMBER(sandbox_count("/sandbox/stats", "/token_requests"), 1);
    WORKS(create(client, request, NULL, &response, &error));
    WORKS(payments_response_view_text(response, LIT("/next_action/kind"), &text, &error));
    CHECK_TEXT(payments_text_data(text), "qr_code");
    payments_text_free(text);
    WORKS(payments_response_view_text(response, LIT("/next_action/value"), &text, &error));
    WORKS(payments_qr_svg(payments_text_data(text), payments_text_length(text), &svg, &error));
    CHECK_HAS(payments_text_data(svg), "<svg");
    payments_text_free(svg);
    draws_png(payments_text_data(text), payments_text_length(text));
    payments_text_free(text);
    hash = text_at(response, "/payment/hash");
    snprintf(body, sizeof(body), "{\"hash\":\"%s\"}", hash);
    free(hash);
    payments_response_free(response);
    payments_request_free(request);
    CHECK_NUMBER(payments_call_new(&call), PAYMENTS_STATUS_OK);
    WORKS(payments_call_set_timeout_ms(call, 1000, &error));
    WORKS(payments_call_set_traceparent(call, LIT(TRACEPARENT), &error));
    WORKS(payments_client_wait_for_payment(client, TEXT(body), call, &response, &error));
    CHECK_NUMBER(payments_response_is_paid(response), 0);
    payments_response_free(response);
    payments_call_free(call);
    response = sandbox_response("GET", "/sandbox/requests?operation=query_payment", "");
    CHECK_HAS(payments_response_view(response, NULL), "\"" TRACEPARENT "\"");
    payments_response_free(response);
    WORKS(payments_lint(LIT("{\"country\":\"br\",\"payee\":{\"document\":\"1\"}}"), &text,
                        &error));
    CHECK_HAS(payments_text_data(text), "document_form");
    payments_text_free(text);
    WORKS(payments_explain(LIT("timeout"), &text, &error));
    CHECK_HAS(payments_text_data(text), "timeout (kind of errors)");
    payments_text_free(text);
    WORKS(payments_in_camel_case(LIT("call `query_payment()`, or raise `timeout_ms`"), &text,
                                 &error));
    CHECK_TEXT(payments_text_data(text), "call `queryPayment()`, or raise `timeoutMs`");
    payments_text_free(text);
    payments_client_free(client);
}

static void a_payment_is_ensured_once(void)
{
    payments_client *client = client_with(WITH_ALL, "", NULL);
    payments_response *response = NULL;
    payments_request *request = new_payment();
    size_t length;
    const char *body = payments_request_text(request, &length);
    sandbox_reset();
    WORKS(payments_client_ensure_payment(client, body, length, NULL, &response, &error));
    CHECK_HAS(payments_response_view(response, NULL), "\"is_created\":true,\"unchecked\":[]");
    payments_response_free(response);
    WORKS(payments_client_ensure_payment(client, body, length, NULL, &response, &error));
    CHECK_HAS(payments_response_view(response, NULL), "\"is_created\":false");
    CHECK_HAS(payments_response_view(response, NULL), "\"unchecked\":[\"body\"]");
    payments_response_free(response);
    payments_request_free(request);
    payments_client_free(client);
}

static void shared_clients_keep_key_token_and_connection(void)
{
    char *config = config_text(WITH_ALL, "");
    payments_client *client = NULL;
    int round;
    sandbox_reset();
    for (round = 0; round < 3; round++) {
        WORKS(payments_client_shared(TEXT(config), NULL, &client, &error));
        pay(client);
        payments_client_free(client);
    }
    CHECK_NUMBER(sandbox_count("/sandbox/stats", "/token_requests"), 1);
    CHECK(sandbox_count("/sandbox/stats", "/open_connections") > 0);
    free(config);
    forget_shared_clients();
}

static void signatures_are_verified(void)
{
    static const uint8_t body[] = "{\"a\": 1}";
    payments_client *client = client_with(WITH_KEY, "", NULL);
    payments_prepared *prepared = NULL;
    payments_text *report = NULL;
    char *pem = key_text("test_rsa_4096_public.pem");
    const char *token = NULL;
    WORKS(payments_client_prepare(client, LIT("send"),
                                  LIT("{\"method\":\"POST\",\"path\":\"/ws/x\"}"), body,
                                  sizeof(body) - 1, NULL, &prepared, &error));
    token = header_of(prepared, "X-JWS-Signature");
    WORKS(payments_verify(TEXT(pem), TEXT(token), body, sizeof(body) - 1, &report, &error));
    CHECK_HAS(payments_text_data(report), "\"valid\":true");
    payments_text_free(report);
    WORKS(payments_verify(TEXT(pem), NULL, 0, body, sizeof(body) - 1, &report, &error));
    CHECK_HAS(payments_text_data(report), "\"cause\":\"missing_signature\"");
    payments_text_free(report);
    WORKS(payments_verify(TEXT(pem), TEXT(token), NULL, 0, &report, &error));
    CHECK_HAS(payments_text_data(report), "\"cause\":\"signature_mismatch\"");
    payments_text_free(report);
    free(pem);
    payments_prepared_free(prepared);
    payments_client_free(client);
}

int main(void)
{
    RUN(an_error_keeps_both_bodies);
    RUN(an_operation_is_called_by_its_name);
    RUN(clients_come_from_a_file_or_the_environment);
    RUN(a_prepared_request_is_whole);
    RUN(a_warm_client_waits_for_a_payment);
    RUN(a_payment_is_ensured_once);
    RUN(shared_clients_keep_key_token_and_connection);
    RUN(signatures_are_verified);
    return 0;
}
