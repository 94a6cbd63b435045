/* Every event of the table in docs/monitoring.md: it arrives, with the members
 * that stand there, and holds nothing that it must not. */
#define _POSIX_C_SOURCE 200809L
#include "harness.h"

#include <unistd.h>

static payments_error *error = NULL;

/* The table, as far as it is needed: names and members, in backquotes. */
static char table[16384];

struct log {
    char text[65536];
    /* The call to cancel when an attempt is reported. */
    payments_call *cancel;
    /* The journal that vanishes during the event of an attempt. */
    const char *journal;
    int events;
};

static void read_table(void)
{
    static char page[131072];
    FILE *file = fopen(setting("PAYMENTS_TEST_EVENTS"), "rb");
    const char *begin, *end;
    CHECK(file != NULL);
    CHECK(fread(page, 1, sizeof(page) - 1, file) > 0);
    fclose(file);
    begin = strstr(page, "<!-- events:begin -->");
    CHECK(begin != NULL);
    end = strstr(begin, "<!-- events:end -->");
    CHECK(end != NULL && (size_t)(end - begin) < sizeof(table));
    memcpy(table, begin, (size_t)(end - begin));
}

/* The member that begins at `json`; the values of events hold no objects. */
static const char *read_member(const char *json, char *name, int *is_null)
{
    const char *end;
    CHECK(*json == '"');
    end = strchr(++json, '"');
    CHECK(end != NULL && end - json < 32 && end[1] == ':');
    memcpy(name, json, (size_t)(end - json));
    name[end - json] = '\0';
    json = end + 2;
    *is_null = strncmp(json, "null", 4) == 0;
    if (*json == '"') {
        for (json++; *json != '"'; json++) {
            CHECK(*json != '\0');
            json += *json == '\\';
        }
    }
    while (*json != ',' && *json != '}') {
        CHECK(*json != '\0');
        json++;
    }
    return json;
}

static const char *const every_event[] = {"call", "reference", "hash"};

/* The members of an event are those of every event and those of its row, in that
 * order, and only those that are marked are null. */
static void check_members(const char *json)
{
    char name[32], event[32], quoted[48];
    const char *row, *end_of_cell;
    int is_null;
    size_t i;
    CHECK(sscanf(json, "{\"event\":\"%31[a-z_]\"", event) == 1);
    snprintf(quoted, sizeof(quoted), "\n| `%s` |", event);
    row = strstr(table, quoted);
    CHECK_HAS(table, quoted);
    row += strlen(quoted);
    end_of_cell = strchr(row, '|');
    json = strchr(json, ',');
    for (i = 0; i < sizeof(every_event) / sizeof(*every_event); i++) {
        CHECK(json != NULL && *json == ',');
        json = read_member(json + 1, name, &is_null);
        CHECK_TEXT(name, every_event[i]);
        CHECK(!is_null || strcmp(name, "call") != 0);
    }
    while (json != NULL && *json == ',') {
        json = read_member(json + 1, name, &is_null);
        row = strchr(row, '`');
        CHECK(row != NULL && row < end_of_cell);
        snprintf(quoted, sizeof(quoted), "`%s`", name);
        CHECK(strncmp(row, quoted, strlen(quoted)) == 0);
        row += strlen(quoted);
        CHECK(!is_null || *row == '?');
    }
    row = strchr(row, '`');
    CHECK(row == NULL || row > end_of_cell);
}

static void on_event(void *user_data, const char *event, size_t length)
{
    struct log *log = user_data;
    CHECK_NUMBER(strlen(event), length);
    check_members(event);
    CHECK(strlen(log->text) + length + 2 < sizeof(log->text));
    strcat(strcat(log->text, event), "\n");
    log->events++;
    if (log->cancel != NULL && strstr(event, "\"attempt\"") != NULL) {
        payments_call_cancel(log->cancel);
    }
    if (log->journal != NULL && strstr(event, "\"attempt\"") != NULL) {
        CHECK(remove(log->journal) == 0);
    }
}

static payments_client *observed(struct log *log, const char *more)
{
    payments_options *options = new_options();
    payments_client *client;
    WORKS(payments_options_set_observer(options, log, on_event, NULL, &error));
    client = client_with(WITH_ALL, more, options);
    payments_options_free(options);
    return client;
}

static void fails_as(payments_client *client, payments_call *call, payments_status status)
{
    payments_request *request = new_payment();
    payments_response *response = NULL;
    CHECK_NUMBER(create(client, request, call, &response, &error), status);
    payments_error_free(error);
    error = NULL;
    payments_request_free(request);
}

/* A token that the service refuses, and one that it does not give. */
static void refuse_tokens(struct log *log)
{
    payments_client *client = observed(log, "");
    pay(client);
    pay(client);
    sandbox("POST", "/sandbox/tokens/revoke", "");
    pay(client);
    payments_client_free(client);
    /* The next client has no token. */
    sandbox_reset();
    sandbox("POST", "/sandbox/tokens/block", "{\"status\":429,\"retry_after\":30}");
    client = observed(log, "");
    fails_as(client, NULL, PAYMENTS_STATUS_TOKEN);
    payments_client_free(client);
    sandbox_reset();
}

/* A response to a query that gets lost, and a payment that is cancelled. */
static void lose_and_cancel(struct log *log)
{
    payments_client *client = observed(log, "");
    payments_call *call = new_call();
    payments_response *response = NULL;
    sandbox_fault("{\"fault\":\"close\"}");
    CHECK_NUMBER(payments_client_query_payment(client,
                                               LIT("{\"merchant_payment_code\":\"canary@example.com\"}"), NULL,
                                               &response, &error),
                 PAYMENTS_STATUS_REJECTED);
    payments_error_free(error);
    error = NULL;
    log->cancel = call;
    fails_as(client, call, PAYMENTS_STATUS_CANCELLED);
    log->cancel = NULL;
    CHECK_HAS(log->text, "\"kind\":\"cancelled\",\"code\":\"cancelled\",\"outcome\":\"not_executed\"");
    payments_call_free(call);
    payments_client_free(client);
}

/* A store that is not there: nothing listens on port 1. */
static void bypass_the_store(struct log *log)
{
    payments_client *client = observed(log, ",\"token_store\":\"redis://:canary@127.0.0.1:1\"");
    pay(client);
    payments_client_free(client);
}

/* The end of a call that cannot be recorded. */
static void lose_the_journal(struct log *log)
{
    char path[512], member[640];
    payments_client *client;
    snprintf(path, sizeof(path), "%s/events-%ld/journal.db", setting("PAYMENTS_TEST_SCRATCH"),
             (long)getpid());
    snprintf(member, sizeof(member), ",\"journal\":\"file:%s\"", path);
    WORKS(payments_journal_create(TEXT(path), &error));
    client = observed(log, member);
    log->journal = path;
    pay(client);
    log->journal = NULL;
    payments_client_free(client);
}

static struct log everything;

static void every_event_of_the_table_arrives_with_its_members(void)
{
    const char *row = table;
    int rows = 0;
    sandbox_reset();
    read_table();
    refuse_tokens(&everything);
    lose_and_cancel(&everything);
    bypass_the_store(&everything);
    lose_the_journal(&everything);
    while ((row = strstr(row, "\n| `")) != NULL) {
        char event[32], quoted[64];
        CHECK(sscanf(row, "\n| `%31[a-z_]`", event) == 1);
        snprintf(quoted, sizeof(quoted), "{\"event\":\"%s\"", event);
        CHECK_HAS(everything.text, quoted);
        row++;
        rows++;
    }
    CHECK(rows >= 10 && everything.events > rows);
}

static void no_event_holds_a_secret_or_what_is_of_the_payer(void)
{
    /* "eyJ" begins every signature. */
    static const char *const secrets[] = {
        "sandbox-client-secret", "sandbox-integration-key", "canary", "eyJ",
        "Maria",                 "maria@",                  "853.513", "?", "Bearer"};
    payments_text *token = NULL;
    payments_client *client = observed(&everything, "");
    payments_response *response = NULL;
    size_t i;
    WORKS(payments_client_access_token(client, NULL, &response, &error));
    WORKS(payments_response_view_text(response, LIT("/access_token"), &token, &error));
    payments_response_free(response);
    CHECK_NUMBER(payments_client_send(client,
                                      LIT("{\"method\":\"GET\",\"path\":\"/ws/query\",\"query\":"
                                          "[[\"merchant_payment_code\",\"canary\"]]}"),
                                      NULL, 0, NULL, &response, &error),
                 PAYMENTS_STATUS_OK);
    payments_response_free(response);
    pay(client);
    payments_client_free(client);
    CHECK_HAS(everything.text, "\"path\":\"/ws/query\"");
    for (i = 0; i < sizeof(secrets) / sizeof(secrets[0]); i++) {
        CHECK(strstr(everything.text, secrets[i]) == NULL);
    }
    CHECK(payments_text_length(token) > 8);
    CHECK(strstr(everything.text, payments_text_data(token)) == NULL);
    payments_text_free(token);
}

/* The lines that a payment writes to standard error. */
static void log_of_a_payment(char *text, size_t size)
{
    payments_client *client = client_with(WITH_ALL, "", NULL);
    FILE *file = tmpfile();
    int kept = dup(STDERR_FILENO);
    CHECK(file != NULL && kept >= 0);
    CHECK(dup2(fileno(file), STDERR_FILENO) >= 0);
    pay(client);
    CHECK(dup2(kept, STDERR_FILENO) >= 0);
    close(kept);
    rewind(file);
    text[fread(text, 1, size - 1, file)] = '\0';
    fclose(file);
    payments_client_free(client);
}

static void the_log_of_the_environment_has_a_line_for_each_event(void)
{
    static char text[4096];
    CHECK(setenv("PAYMENTS_LOG", "debug", 1) == 0);
    log_of_a_payment(text, sizeof(text));
    CHECK_HAS(text, " operation=create_payment method=POST path=/ws/direct host=");
    CHECK_HAS(text, "] attempt ");
    CHECK_HAS(text, "] request_ended call=");
    CHECK_HAS(text, " operation=create_payment http_status=200 ");
    CHECK(strstr(text, "eyJ") == NULL && strstr(text, "maria@") == NULL);
    CHECK(unsetenv("PAYMENTS_LOG") == 0);
    log_of_a_payment(text, sizeof(text));
    CHECK_TEXT(text, "");
}

#define TRACE "00-4bf92f3577b34da6a3ce929d0e0e4736-"

struct tracer {
    payments_call *call;
    int spans;
};

/* Gives each request its own span. */
static void trace(void *user_data, const char *event, size_t length)
{
    struct tracer *tracer = user_data;
    char traceparent[64];
    (void)length;
    if (strstr(event, "\"request_started\"") != NULL) {
        snprintf(traceparent, sizeof(traceparent), TRACE "%016d-01", ++tracer->spans);
        WORKS(payments_call_set_traceparent(tracer->call, TEXT(traceparent), NULL));
    }
}

static void an_observer_gives_each_query_of_a_wait_its_traceparent(void)
{
    struct tracer tracer = {new_call(), 0};
    payments_options *options = new_options();
    payments_response *response = NULL;
    payments_client *client = client_with(WITH_ALL, "", NULL);
    payments_request *request = new_payment();
    char body[256];
    char *hash;
    sandbox_reset();
    WORKS(create(client, request, NULL, &response, &error));
    hash = text_at(response, "/payment/hash");
    snprintf(body, sizeof(body), "{\"hash\":\"%s\"}", hash);
    free(hash);
    payments_response_free(response);
    payments_request_free(request);
    payments_client_free(client);
    WORKS(payments_options_set_observer(options, &tracer, trace, NULL, &error));
    client = client_with(WITH_ALL, "", options);
    payments_options_free(options);
    /* Long enough for a second query. */
    WORKS(payments_call_set_timeout_ms(tracer.call, 3500, &error));
    WORKS(payments_client_wait_for_payment(client, TEXT(body), tracer.call, &response, &error));
    payments_response_free(response);
    CHECK(tracer.spans > 1);
    response = sandbox_response("GET", "/sandbox/requests?operation=query_payment", "");
    CHECK_HAS(payments_response_view(response, NULL), TRACE "0000000000000001-01");
    CHECK_HAS(payments_response_view(response, NULL), TRACE "0000000000000002-01");
    payments_response_free(response);
    payments_call_free(tracer.call);
    payments_client_free(client);
}

int main(void)
{
    RUN(every_event_of_the_table_arrives_with_its_members);
    RUN(an_observer_gives_each_query_of_a_wait_its_traceparent);
    RUN(no_event_holds_a_secret_or_what_is_of_the_payer);
    RUN(the_log_of_the_environment_has_a_line_for_each_event);
    return 0;
}
