#define _POSIX_C_SOURCE 200809L
#include "harness.h"

#include <stdarg.h>
#include <strings.h>
#include <unistd.h>

static void fail(const char *file, int line, const char *format, ...)
{
    va_list arguments;
    fprintf(stderr, "%s:%d: ", file, line);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(1);
}

void check(int holds, const char *what, const char *file, int line)
{
    if (!holds) {
        fail(file, line, "does not hold: %s", what);
    }
}

void check_text(const char *actual, const char *expected, const char *what, const char *file,
                int line)
{
    if (actual == NULL || expected == NULL ? actual != expected : strcmp(actual, expected) != 0) {
        fail(file, line, "%s is \"%s\", not \"%s\"", what, actual == NULL ? "(null)" : actual,
             expected == NULL ? "(null)" : expected);
    }
}

void check_has(const char *actual, const char *part, const char *what, const char *file, int line)
{
    if (actual == NULL || strstr(actual, part) == NULL) {
        fail(file, line, "%s has no \"%s\": %s", what, part, actual == NULL ? "(null)" : actual);
    }
}

void check_number(long long actual, long long expected, const char *what, const char *file,
                  int line)
{
    if (actual != expected) {
        fail(file, line, "%s is %lld, not %lld", what, actual, expected);
    }
}

void check_works(payments_status status, const payments_error *error, const char *what,
                 const char *file, int line)
{
    if (status != PAYMENTS_STATUS_OK || error != NULL) {
        fail(file, line, "%s: %s %s", what, payments_status_name((int32_t)status),
             error == NULL ? "" : payments_error_text(error));
    }
}

void check_fails(payments_status status, payments_status expected, const payments_error *error,
                 const char *what, const char *file, int line)
{
    if (status != expected) {
        fail(file, line, "%s: %s, not %s", what, payments_status_name((int32_t)status),
             payments_status_name((int32_t)expected));
    }
    if (error == NULL || error == (const payments_error *)(uintptr_t)1) {
        fail(file, line, "%s: no error was given", what);
    }
    if (payments_error_status(error) != expected) {
        fail(file, line, "%s: the error has another status", what);
    }
    if (payments_error_message(error)[0] == '\0' || payments_error_code(error)[0] == '\0') {
        fail(file, line, "%s: no message or code", what);
    }
}

const char *setting(const char *name)
{
    const char *value = getenv(name);
    if (value == NULL) {
        fail(__FILE__, __LINE__, "%s is not set: run scripts/test-c.sh", name);
    }
    return value;
}

const char *base_url(void)
{
    return setting("PAYMENTS_TEST_SANDBOX");
}

char *key_text(const char *name)
{
    char path[1024];
    char *text = calloc(1, 16384);
    FILE *file;
    snprintf(path, sizeof(path), "%s/%s", setting("PAYMENTS_TEST_KEYS"), name);
    file = fopen(path, "rb");
    CHECK(file != NULL);
    CHECK(fread(text, 1, 16383, file) > 0);
    fclose(file);
    return text;
}

static char client_id[64];
static int is_used = 1;

static void set_client_id(void)
{
    char settings[128];
    snprintf(settings, sizeof(settings), "{\"client_id\":\"%s\"}", client_id);
    sandbox("POST", "/sandbox/settings", settings);
}

/* The first client after a reset has a client id without a token. */
static void take_client_id(void)
{
    static int taken = 0;
    if (is_used) {
        is_used = 0;
        snprintf(client_id, sizeof(client_id), "client-%ld-%d", (long)getpid(), ++taken);
        set_client_id();
    }
}

char *config_text(int credentials, const char *more)
{
    char *text = calloc(1, 8192);
    /* A deadline that a busy machine does not reach, under valgrind either. */
    const char *deadline = strstr(more, "timeout_ms") == NULL ? ",\"timeout_ms\":300000" : "";
    size_t used = (size_t)snprintf(text, 8192,
                                   "{\"base_url\":\"%s\",\"environment\":\"sandbox\"%s",
                                   base_url(), deadline);
    if (credentials & WITH_KEY) {
        used += (size_t)snprintf(text + used, 8192 - used,
                                 ",\"key_file\":\"%s/test_rsa_4096_pkcs8.pem\",\"kid\":\"test-kid\"",
                                 setting("PAYMENTS_TEST_KEYS"));
    }
    if (credentials & WITH_BEARER) {
        take_client_id();
        used += (size_t)snprintf(text + used, 8192 - used,
                                 ",\"auth_url\":\"%s\",\"client_id\":\"%s\","
                                 "\"client_secret\":\"sandbox-client-secret\"",
                                 base_url(), client_id);
    }
    if (credentials & WITH_INTEGRATION_KEY) {
        used += (size_t)snprintf(text + used, 8192 - used,
                                 ",\"integration_key\":\"sandbox-integration-key\"");
    }
    snprintf(text + used, 8192 - used, "%s}", more);
    return text;
}

payments_client *client_with(int credentials, const char *more, const payments_options *options)
{
    char *config = config_text(credentials, more);
    payments_client *client = NULL;
    payments_error *error = NULL;
    WORKS(payments_client_new(TEXT(config), options, &client, &error));
    CHECK(client != NULL);
    free(config);
    return client;
}

payments_options *new_options(void)
{
    payments_options *options = NULL;
    CHECK(payments_options_new(&options) == PAYMENTS_STATUS_OK && options != NULL);
    return options;
}

payments_call *new_call(void)
{
    payments_call *call = NULL;
    CHECK(payments_call_new(&call) == PAYMENTS_STATUS_OK && call != NULL);
    return call;
}

void forget_shared_clients(void)
{
    char config[256];
    int number;
    for (number = 1; number <= 64; number++) {
        payments_client *client = NULL;
        payments_error *error = NULL;
        snprintf(config, sizeof(config), "{\"base_url\":\"%s\",\"integration_key\":\"k\",\"timeout_ms\":%d}",
                 base_url(), number);
        WORKS(payments_client_shared(TEXT(config), NULL, &client, &error));
        payments_client_free(client);
    }
}

payments_request *new_payment(void)
{
    static int number = 0;
    char reference[64];
    payments_request *request = NULL;
    payments_error *error = NULL;
    snprintf(reference, sizeof(reference), "order-%d-%d", (int)getpid(), ++number);
    CHECK(payments_request_new(&request) == PAYMENTS_STATUS_OK);
    WORKS(payments_request_set_text(request, LIT("/payment/name"), LIT("Maria Souza"), &error));
    WORKS(payments_request_set_text(request, LIT("/payment/email"), LIT("maria@example.com"),
                                    &error));
    WORKS(payments_request_set_text(request, LIT("/payment/country"), LIT("br"), &error));
    WORKS(payments_request_set_text(request, LIT("/payment/payment_type_code"), LIT("pix"),
                                    &error));
    WORKS(payments_request_set_text(request, LIT("/payment/merchant_payment_code"),
                                    TEXT(reference), &error));
    WORKS(payments_request_set_text(request, LIT("/payment/currency_code"), LIT("BRL"), &error));
    WORKS(payments_request_set_amount(request, LIT("/payment/amount_total"), LIT("100.10"),
                                      &error));
    WORKS(payments_request_set_text(request, LIT("/payment/document"), LIT("853.513.468-93"),
                                    &error));
    return request;
}

payments_status create(payments_client *client, payments_request *request, payments_call *call,
                       payments_response **response_out, payments_error **error_out)
{
    size_t length = 0;
    const char *text = payments_request_text(request, &length);
    return payments_client_create_payment(client, text, length, call, response_out, error_out);
}

void pay(payments_client *client)
{
    payments_request *request = new_payment();
    payments_response *response = NULL;
    payments_error *error = NULL;
    WORKS(create(client, request, NULL, &response, &error));
    CHECK_NUMBER(payments_response_http_status(response), 200);
    payments_response_free(response);
    payments_request_free(request);
}

char *text_at(const payments_response *response, const char *pointer)
{
    payments_text *text = NULL;
    payments_error *error = NULL;
    char *copy;
    WORKS(payments_response_text(response, TEXT(pointer), &text, &error));
    copy = calloc(1, payments_text_length(text) + 1);
    memcpy(copy, payments_text_data(text), payments_text_length(text));
    payments_text_free(text);
    return copy;
}

const char *header_of(const payments_prepared *prepared, const char *name)
{
    size_t i;
    for (i = 0; i < payments_prepared_header_count(prepared); i++) {
        if (strcasecmp(payments_prepared_header_name(prepared, i), name) == 0) {
            return payments_prepared_header_value(prepared, i);
        }
    }
    return NULL;
}

static size_t base64url_decode(const char *text, uint8_t *bytes)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    size_t length = 0;
    uint32_t value = 0;
    int bits = 0;
    for (; *text != '\0'; text++) {
        value = (value << 6) | (uint32_t)(strchr(letters, *text) - letters);
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            bytes[length++] = (uint8_t)(value >> bits);
        }
    }
    return length;
}

void sign_with(payments_client *by_key, const uint8_t *input, size_t input_length,
               uint8_t signature[SIGNATURE_LENGTH])
{
    const uint8_t *payload = (const uint8_t *)memchr(input, '.', input_length) + 1;
    payments_prepared *prepared = NULL;
    payments_error *error = NULL;
    uint8_t decoded[SIGNATURE_LENGTH + 3];
    WORKS(payments_client_prepare(by_key, LIT("send"),
                                  LIT("{\"method\":\"POST\",\"path\":\"/ws/x\"}"), payload,
                                  input_length - (size_t)(payload - input), NULL, &prepared,
                                  &error));
    CHECK_NUMBER(base64url_decode(strstr(header_of(prepared, "X-JWS-Signature"), "..") + 2,
                                  decoded),
                 SIGNATURE_LENGTH);
    memcpy(signature, decoded, SIGNATURE_LENGTH);
    payments_prepared_free(prepared);
}

/* The control API asks for no credential, and `send` takes any path. */
payments_response *sandbox_response(const char *method, const char *path, const char *body)
{
    char head[512];
    const char *operation = strstr(path, "?operation=");
    int length = operation == NULL ? (int)strlen(path) : (int)(operation - path);
    payments_client *client = client_with(WITH_INTEGRATION_KEY, "", NULL);
    payments_response *response = NULL;
    payments_error *error = NULL;
    snprintf(head, sizeof(head), "{\"method\":\"%s\",\"path\":\"%.*s\",\"query\":[%s%s%s]}", method,
             length, path, operation == NULL ? "" : "[\"operation\",\"",
             operation == NULL ? "" : operation + strlen("?operation="),
             operation == NULL ? "" : "\"]");
    WORKS(payments_client_send(client, TEXT(head), (const uint8_t *)body, strlen(body), NULL,
                               &response, &error));
    payments_client_free(client);
    return response;
}

void sandbox(const char *method, const char *path, const char *body)
{
    payments_response_free(sandbox_response(method, path, body));
}

void sandbox_reset(void)
{
    sandbox("POST", "/sandbox/reset", "");
    /* For clients that were made before. */
    if (client_id[0] != '\0') {
        set_client_id();
    }
    is_used = 1;
}

long long sandbox_count(const char *path, const char *pointer)
{
    payments_response *response = sandbox_response("GET", path, "");
    payments_error *error = NULL;
    int64_t integer = -1;
    size_t count = 0;
    if (payments_response_integer(response, TEXT(pointer), &integer, NULL) != PAYMENTS_STATUS_OK) {
        WORKS(payments_response_count(response, TEXT(pointer), &count, &error));
        integer = (int64_t)count;
    }
    payments_response_free(response);
    return integer;
}

long long count_requests(const char *operation, const char *member, const char *text)
{
    char path[128], pointer[128];
    payments_response *response;
    payments_error *error = NULL;
    size_t count = 0, i;
    long long found = 0;
    snprintf(path, sizeof(path), "/sandbox/requests?operation=%s", operation);
    response = sandbox_response("GET", path, "");
    WORKS(payments_response_count(response, LIT("/requests"), &count, &error));
    for (i = 0; i < count; i++) {
        char *value;
        snprintf(pointer, sizeof(pointer), "/requests/%zu%s", i, member);
        value = text_at(response, pointer);
        found += strcmp(value, text) == 0;
        free(value);
    }
    payments_response_free(response);
    return found;
}

void sandbox_fault(const char *fault)
{
    char script[1024];
    snprintf(script, sizeof(script), "{\"then\":[%s]}", fault);
    sandbox("POST", "/sandbox/faults", script);
}
