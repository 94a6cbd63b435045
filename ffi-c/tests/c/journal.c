/* A journal by configuration alone, one behind a callback, and what is open. */
#define _POSIX_C_SOURCE 200809L

#include <unistd.h>

#include "harness.h"

static payments_error *error = NULL;

static payments_client *journaled(void)
{
    static int number = 0;
    char path[512], member[640];
    snprintf(path, sizeof(path), "%s/journal-%ld-%d/journal.db",
             setting("PAYMENTS_TEST_SCRATCH"), (long)getpid(), number++);
    WORKS(payments_journal_create(TEXT(path), &error));
    FAILS(PAYMENTS_STATUS_JOURNAL, payments_journal_create(TEXT(path), &error));
    snprintf(member, sizeof(member), ",\"journal\":\"file:%s\"", path);
    return client_with(WITH_ALL, member, NULL);
}

static char *books(payments_client *client, const char *action, const char *input)
{
    payments_text *text = NULL;
    char *copy;
    WORKS(payments_client_journal(client, TEXT(action), TEXT(input), NULL, &text, &error));
    copy = strdup(payments_text_data(text));
    payments_text_free(text);
    return copy;
}

static payments_status send_to(payments_client *client, payments_call *call)
{
    payments_response *response = NULL;
    payments_status status = payments_client_create_payout(
        client,
        LIT("{\"external_reference\":\"p-1\",\"country\":\"br\",\"amount\":10.00,"
            "\"currency_code\":\"BRL\",\"target\":\"pix_key\",\"target_account\":\"a\","
            "\"payee\":{\"name\":\"Maria\"}}"),
        call, &response, &error);
    payments_response_free(response);
    return status;
}

static void a_reference_is_paid_once(void)
{
    payments_client *client;
    char *listed;
    sandbox_reset();
    client = journaled();
    WORKS(send_to(client, NULL));
    CHECK_NUMBER(send_to(client, NULL), PAYMENTS_STATUS_JOURNAL);
    CHECK_TEXT(payments_error_code(error), "already_done");
    CHECK_NUMBER(payments_error_outcome(error), PAYMENTS_OUTCOME_UNKNOWN);
    CHECK_HAS(payments_error_journal_entry(error), "\"has_same_body\":true");
    payments_error_free(error);
    error = NULL;
    listed = books(client, "list", "");
    CHECK_HAS(listed, "\"state\":\"done\"");
    free(listed);
    free(books(client, "recover", ""));
    payments_client_free(client);
    CHECK_NUMBER(sandbox_count("/sandbox/requests?operation=create_payout", "/requests"), 1);
}

static void a_person_settles_a_lost_payout(void)
{
    payments_client *client;
    payments_text *text = NULL;
    char *shown;
    sandbox_reset();
    client = journaled();
    sandbox_fault("{\"fault\":\"close\",\"execute\":true}");
    CHECK(send_to(client, NULL) != PAYMENTS_STATUS_OK);
    payments_error_free(error);
    error = NULL;
    shown = books(client, "resolve", "{\"entry\":\"p-1\",\"executed\":false,\"note\":\"not there\"}");
    CHECK_HAS(shown, "\"state\":\"failed\"");
    free(shown);
    FAILS(PAYMENTS_STATUS_VALIDATION,
          payments_client_journal(client, LIT("resolve"), LIT("{}"), NULL, &text, &error));
    CHECK(text == NULL);
    WORKS(send_to(client, NULL));
    payments_client_free(client);
}

static void a_call_may_supersede_only_after_the_deadline(void)
{
    payments_client *client;
    payments_call *call = new_call();
    sandbox_reset();
    client = journaled();
    WORKS(payments_call_set_supersede(call, 1, &error));
    REFUSED(payments_call_set_supersede(NULL, 1, &error));
    WORKS(send_to(client, call));
    CHECK_NUMBER(send_to(client, call), PAYMENTS_STATUS_JOURNAL);
    payments_error_free(error);
    error = NULL;
    payments_client_free(client);
    payments_call_free(call);
}

/* One entry in memory, as a row of a database would hold it. */
struct row {
    char entry[2048], superseded[2048];
    char last[16];
    long long now;
    const char *broken, *answers;
    int inserts, updates, destroyed;
};

static long long number_at(const char *text, const char *member)
{
    const char *found = strstr(text, member);
    CHECK(found != NULL);
    return atoll(found + strlen(member));
}

/* The entry of an input, without what surrounds it. */
static void keep(struct row *row, const char *input, const char *end)
{
    const char *begin = strstr(input, "{\"entry\":") + strlen("{\"entry\":");
    const size_t length = (size_t)(end - begin);
    CHECK(length < sizeof(row->entry));
    memcpy(row->entry, begin, length);
    row->entry[length] = '\0';
}

static int32_t answer(payments_sink *result_out, const char *text)
{
    return payments_sink_write(result_out, (const uint8_t *)text, strlen(text));
}

static int32_t act(void *user_data, const payments_context *context, const char *action,
                   const char *input, size_t input_length, payments_sink *result_out,
                   payments_sink *message_out)
{
    static const char *const others = ",\"superseded\":";
    struct row *row = user_data;
    char found[4096];
    CHECK_NUMBER(input_length, strlen(input));
    CHECK(payments_context_remaining_ms(context) > 0);
    snprintf(row->last, sizeof(row->last), "%s", action);
    if (row->broken != NULL && strcmp(row->broken, action) == 0) {
        static const char *const message = "the disk is gone";
        CHECK_NUMBER(answer(message_out, message), 0);
        return -1;
    }
    if (row->answers != NULL) {
        return answer(result_out, row->answers);
    }
    if (strcmp(action, "insert") == 0) {
        const char *end = strstr(input, others);
        CHECK(end != NULL);
        row->inserts++;
        snprintf(row->superseded, sizeof(row->superseded), "%s", end + strlen(others));
        if (row->entry[0] != '\0' && strncmp(row->superseded, "[]", 2) == 0) {
            return answer(result_out, "false");
        }
        keep(row, input, end);
        return answer(result_out, "true");
    }
    if (strcmp(action, "update") == 0) {
        row->updates++;
        keep(row, input, input + input_length - 1);
        return answer(result_out, "true");
    }
    if (strcmp(action, "find") == 0) {
        /* The entry has ended. */
        const int is_open = strstr(input, "\"is_open\":true") != NULL;
        snprintf(found, sizeof(found), "{\"now\":%lld,\"entries\":[%s]}", row->now,
                 is_open ? "" : row->entry);
        return answer(result_out, found);
    }
    CHECK_TEXT(action, "prune");
    return answer(result_out, "0");
}

static void destroy_row(void *user_data)
{
    ((struct row *)user_data)->destroyed++;
}

static payments_client *client_on(struct row *row, payments_event_fn on_event, void *events)
{
    payments_options *options = new_options();
    payments_client *client;
    sandbox_reset();
    WORKS(payments_options_set_journal(options, row, act, destroy_row, &error));
    if (on_event != NULL) {
        WORKS(payments_options_set_observer(options, events, on_event, NULL, &error));
    }
    client = client_with(WITH_ALL, "", options);
    payments_options_free(options);
    return client;
}

static long long payouts(void)
{
    return sandbox_count("/sandbox/requests?operation=create_payout", "/requests");
}

static void refused(payments_client *client, payments_call *call, const char *code)
{
    CHECK_NUMBER(send_to(client, call), PAYMENTS_STATUS_JOURNAL);
    CHECK_TEXT(payments_error_code(error), code);
}

static void forget_error(void)
{
    payments_error_free(error);
    error = NULL;
}

static void a_journal_of_the_host_refuses_a_second_call(void)
{
    struct row row = {0};
    payments_client *client = client_on(&row, NULL, NULL);
    char *listed;
    WORKS(send_to(client, NULL));
    CHECK_NUMBER(row.updates, 1);
    CHECK_HAS(row.entry, "\"reference\":\"p-1\"");
    CHECK_HAS(row.entry, "\"state\":\"done\"");
    refused(client, NULL, "already_done");
    CHECK_NUMBER(payments_error_outcome(error), PAYMENTS_OUTCOME_UNKNOWN);
    forget_error();
    listed = books(client, "list", "");
    CHECK_HAS(listed, "\"state\":\"done\"");
    free(listed);
    free(books(client, "recover", ""));
    CHECK_TEXT(row.last, "prune");
    CHECK_NUMBER(payouts(), 1);
    payments_client_free(client);
    CHECK_NUMBER(row.destroyed, 1);
}

/* The clock of the journal decides when a deadline has passed. */
static void a_journal_of_the_host_gets_the_entries_that_are_superseded(void)
{
    struct row row = {0};
    payments_client *client = client_on(&row, NULL, NULL);
    payments_call *call = new_call();
    long long deadline;
    WORKS(payments_call_set_supersede(call, 1, &error));
    WORKS(send_to(client, call));
    deadline = number_at(row.entry, "\"deadline_at\":");
    row.now = deadline;
    refused(client, call, "already_done");
    forget_error();
    CHECK_NUMBER(payouts(), 1);
    row.now = deadline + 1;
    WORKS(send_to(client, call));
    CHECK_NUMBER(payouts(), 2);
    CHECK_NUMBER(number_at(row.superseded, "\"deadline_at\":"), deadline);
    payments_call_free(call);
    payments_client_free(client);
}

static void without_a_journal_nothing_is_sent(void)
{
    struct row row = {0};
    payments_client *client = client_on(&row, NULL, NULL);
    payments_text *text = NULL;
    row.broken = "insert";
    refused(client, NULL, "unavailable");
    CHECK_NUMBER(payments_error_outcome(error), PAYMENTS_OUTCOME_NOT_EXECUTED);
    CHECK_HAS(payments_error_message(error), "the disk is gone");
    forget_error();
    row.broken = NULL;
    row.answers = "perhaps";
    refused(client, NULL, "unavailable");
    CHECK_HAS(payments_error_message(error), "insert of the journal returned something unreadable");
    forget_error();
    row.answers = NULL;
    row.broken = "find";
    FAILS(PAYMENTS_STATUS_JOURNAL,
          payments_client_journal(client, LIT("list"), NULL, 0, NULL, &text, &error));
    CHECK_NUMBER(payouts(), 0);
    payments_client_free(client);
}

static void note_failure(void *user_data, const char *event, size_t length)
{
    char (*failure)[512] = user_data;
    if (strstr(event, "\"journal_failed\"") != NULL) {
        CHECK(length < sizeof(*failure));
        memcpy(*failure, event, length + 1);
    }
}

static void what_is_not_recorded_is_told_to_the_observer(void)
{
    struct row row = {0};
    char failure[512] = "";
    payments_client *client = client_on(&row, note_failure, &failure);
    row.broken = "update";
    WORKS(send_to(client, NULL));
    CHECK_HAS(failure, "the disk is gone");
    CHECK_HAS(row.entry, "\"state\":\"in_progress\"");
    CHECK_NUMBER(payouts(), 1);
    payments_client_free(client);
}

int main(void)
{
    RUN(a_reference_is_paid_once);
    RUN(a_person_settles_a_lost_payout);
    RUN(a_call_may_supersede_only_after_the_deadline);
    RUN(a_journal_of_the_host_refuses_a_second_call);
    RUN(a_journal_of_the_host_gets_the_entries_that_are_superseded);
    RUN(without_a_journal_nothing_is_sent);
    RUN(what_is_not_recorded_is_told_to_the_observer);
    return 0;
}
