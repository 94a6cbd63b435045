/* A journal by configuration alone, one behind a callback, and open entries. */
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

/* Any of the functions that work with a journal. */
typedef payments_status journal_work(const payments_client *, const char *, size_t,
                                     const payments_call *, payments_text **,
                                     payments_error **);

static char *journal_answer(payments_client *client, journal_work *work, const char *input)
{
    payments_text *text = NULL;
    char *copy;
    WORKS(work(client, TEXT(input), NULL, &text, &error));
    copy = strdup(payments_text_data(text));
    payments_text_free(text);
    return copy;
}

static payments_status send_payout(payments_client *client, const char *reference)
{
    payments_response *response = NULL;
    payments_status status;
    char body[512];
    snprintf(body, sizeof(body),
             "{\"external_reference\":\"%s\",\"country\":\"br\",\"amount\":10.00,"
             "\"currency_code\":\"BRL\",\"target\":\"pix_key\",\"target_account\":\"a\","
             "\"payee\":{\"name\":\"Maria\"}}",
             reference);
    status = payments_client_create_payout(client, TEXT(body), NULL, &response, &error);
    payments_response_free(response);
    return status;
}

static void forget_error(void)
{
    payments_error_free(error);
    error = NULL;
}

/* The service executes the payout, and the response is lost. */
static void lose_payout(payments_client *client, const char *reference)
{
    sandbox_fault("{\"fault\":\"close\",\"execute\":true}");
    CHECK(send_payout(client, reference) != PAYMENTS_STATUS_OK);
    CHECK_NUMBER(payments_error_outcome(error), PAYMENTS_OUTCOME_UNKNOWN);
    forget_error();
}

static void journal_refuses(payments_client *client, journal_work *work, const char *input,
                            const char *code)
{
    payments_text *text = NULL;
    CHECK_NUMBER(
        work(client, TEXT(input), NULL, &text, &error),
        PAYMENTS_STATUS_VALIDATION);
    CHECK(text == NULL);
    CHECK_TEXT(payments_error_code(error), code);
    forget_error();
}

/* The result of the work has these parts. */
static void journal_returns(payments_client *client, journal_work *work, const char *input,
                            const char *part, const char *other)
{
    char *result = journal_answer(client, work, input);
    CHECK_HAS(result, part);
    CHECK_HAS(result, other);
    free(result);
}

static void a_reference_is_paid_once(void)
{
    payments_client *client;
    sandbox_reset();
    client = journaled();
    WORKS(send_payout(client, "p-1"));
    CHECK_NUMBER(send_payout(client, "p-1"), PAYMENTS_STATUS_JOURNAL);
    CHECK_TEXT(payments_error_code(error), "already_done");
    CHECK_NUMBER(payments_error_outcome(error), PAYMENTS_OUTCOME_EXECUTED);
    CHECK_HAS(payments_error_advice(error), "it was executed");
    CHECK_HAS(payments_error_journal_entry(error), "\"has_same_body\":true");
    forget_error();
    journal_returns(client, payments_client_journal_list,
               "", "\"state\":\"done\"", "\"rival\":null");
    payments_client_free(client);
    CHECK_NUMBER(sandbox_count("/sandbox/requests?operation=create_payout", "/requests"), 1);
}

static void entries_are_read_settled_and_deleted(void)
{
    payments_client *client;
    sandbox_reset();
    client = journaled();
    WORKS(send_payout(client, "p-1"));
    lose_payout(client, "p-2");

    journal_returns(client, payments_client_journal_list,
               "", "{\"entries\":[{\"id\":\"", "\"needs\":null}");
    journal_returns(client, payments_client_journal_list,
               "{\"only_open\":true}", "\"reference\":\"p-2\"",
               "\"needs\":\"time\"}],\"now\":");
    journal_returns(client, payments_client_journal_list,
               "{\"after\":\"g\"}", "{\"entries\":[],\"now\":", "");
    journal_returns(client, payments_client_journal_show,
               "{\"reference\":\"p-1\"}", "\"state\":\"done\"",
               "\"settles_at\":1");
    journal_returns(client, payments_client_journal_recover,
               "", "{\"recovered\":[],\"open\":[{\"entry\":{",
               "},\"needs\":\"time\",\"reason\":\"");

    journal_refuses(client, payments_client_journal_resolve, "{}", "required");
    journal_refuses(client, payments_client_journal_resolve,
                 "{\"entry\":\"p-2\",\"executed\":false,\"note\":\"not there\"}",
                 "entry_too_early");
    journal_returns(client, payments_client_journal_resolve,
               "{\"entry\":\"p-2\",\"executed\":true,\"note\":\"seen\"}",
               "\"state\":\"done\",\"decided_by\":\"person\"", "\"note\":\"seen\"");

    journal_refuses(client, payments_client_journal_prune,
                 "{\"before\":\"2100-01-31\"}", "not_confirmed");
    journal_returns(client, payments_client_journal_prune,
               "{\"before\":\"2100-01-31\",\"dry_run\":true}",
               "{\"dry_run\":true,\"done\":2,\"failed\":0,\"open\":0}", "");
    journal_returns(client, payments_client_journal_prune,
               "{\"before\":\"2100-01-31T12:00:00-03:00\",\"recent\":true}",
               "{\"dry_run\":false,\"done\":2,\"failed\":0,\"open\":0}", "");
    journal_returns(client, payments_client_journal_command,
               "{\"program\":\"shop\",\"arguments\":[\"list\"]}",
               "{\"stdout\":\"{\\\"entries\\\":[]", "\"exit_code\":0");
    journal_refuses(client, payments_client_journal_list, "[]", "wrong_type");
    journal_returns(client, payments_client_journal_adopt, "", "{\"adopted\":false}", "");
    payments_client_free(client);
}

/* One entry in memory, as a row of a database would hold it. */
struct row {
    char entry[2048];
    char last[16];
    const char *broken, *answers, *taken_by;
    int32_t fails_with;
    int updates, destroyed;
};

/* Keeps the one member of an input. */
static void keep(struct row *row, const char *input, size_t length)
{
    const size_t before = strlen("{\"entry\":");
    CHECK(strncmp(input, "{\"entry\":", before) == 0);
    CHECK(length < sizeof(row->entry));
    snprintf(row->entry, sizeof(row->entry), "%.*s", (int)(length - before - 1), input + before);
}

static int32_t answer(payments_sink *result_out, const char *text)
{
    return payments_sink_write(result_out, (const uint8_t *)text, strlen(text));
}

static int32_t act(void *user_data, const payments_context *context, const char *action,
                   const char *input, size_t input_length, payments_sink *result_out,
                   payments_sink *message_out)
{
    struct row *row = user_data;
    char found[4096];
    CHECK_NUMBER(input_length, strlen(input));
    CHECK(payments_context_remaining_ms(context) > 0);
    snprintf(row->last, sizeof(row->last), "%s", action);
    if (row->broken != NULL && strcmp(row->broken, action) == 0) {
        static const char *const message = "the disk is gone";
        CHECK_NUMBER(answer(message_out, message), 0);
        return row->fails_with != 0 ? row->fails_with : -1;
    }
    if (row->answers != NULL) {
        return answer(result_out, row->answers);
    }
    if (strcmp(action, "insert") == 0) {
        if (row->entry[0] != '\0') {
            return answer(result_out, "false");
        }
        keep(row, input, input_length);
        return answer(result_out, "true");
    }
    if (strcmp(action, "update") == 0) {
        row->updates++;
        if (row->taken_by != NULL && strstr(input, "\"state\":\"done\"") != NULL) {
            snprintf(found, sizeof(found), "{\"changed\":false,\"taken_by\":\"%s\"}",
                     row->taken_by);
            return answer(result_out, found);
        }
        keep(row, input, input_length);
        return answer(result_out, "{\"changed\":true}");
    }
    if (strcmp(action, "find") == 0) {
        snprintf(found, sizeof(found), "{\"now\":0,\"entries\":[%s]}", row->entry);
        return answer(result_out, found);
    }
    if (strcmp(action, "count") == 0) {
        return answer(result_out,
                      "{\"now\":9,\"newest\":8,\"done\":3,\"failed\":2,\"open\":1}");
    }
    CHECK_TEXT(action, "prune");
    CHECK_HAS(input, "\"before\":4105036800000,\"limit\":");
    return answer(result_out, "3");
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
    /* The end of a call is recorded again until its deadline. */
    client = client_with(WITH_ALL, ",\"timeout_ms\":15000", options);
    payments_options_free(options);
    return client;
}

static long long payouts(void)
{
    return sandbox_count("/sandbox/requests?operation=create_payout", "/requests");
}

static void refused(payments_client *client, const char *code)
{
    CHECK_NUMBER(send_payout(client, "p-1"), PAYMENTS_STATUS_JOURNAL);
    CHECK_TEXT(payments_error_code(error), code);
}

static void a_journal_of_the_host_refuses_a_second_call(void)
{
    struct row row = {0};
    payments_client *client = client_on(&row, NULL, NULL);
    WORKS(send_payout(client, "p-1"));
    CHECK_NUMBER(row.updates, 1);
    CHECK_HAS(row.entry, "\"reference\":\"p-1\"");
    CHECK_HAS(row.entry, "\"state\":\"done\"");
    refused(client, "already_done");
    CHECK_NUMBER(payments_error_outcome(error), PAYMENTS_OUTCOME_EXECUTED);
    forget_error();
    journal_returns(client, payments_client_journal_list,
               "", "\"state\":\"done\"", "\"needs\":null");
    journal_returns(client, payments_client_journal_prune,
               "{\"before\":\"2100-01-31\",\"recent\":true}",
               "{\"dry_run\":false,\"done\":3,\"failed\":2,\"open\":1}", "");
    CHECK_TEXT(row.last, "prune");
    CHECK_NUMBER(payouts(), 1);
    payments_client_free(client);
    CHECK_NUMBER(row.destroyed, 1);
}

static void without_a_journal_nothing_is_sent(void)
{
    struct row row = {0};
    payments_client *client = client_on(&row, NULL, NULL);
    payments_text *text = NULL;
    row.broken = "insert";
    refused(client, "unavailable");
    CHECK_NUMBER(payments_error_outcome(error), PAYMENTS_OUTCOME_NOT_EXECUTED);
    CHECK_HAS(payments_error_message(error), "the disk is gone");
    forget_error();
    row.broken = NULL;
    row.answers = "perhaps";
    refused(client, "unavailable");
    CHECK_HAS(payments_error_message(error), "insert of the journal returned something unreadable");
    forget_error();
    row.answers = NULL;
    row.broken = "find";
    FAILS(PAYMENTS_STATUS_JOURNAL,
          payments_client_journal_list(client, NULL, 0, NULL, &text, &error));
    CHECK_NUMBER(payouts(), 0);
    payments_client_free(client);
}

/* An insert that fails before its commit needs no end; one that fails during it may appear later. */
static void an_error_names_an_entry_that_may_still_be_stored(void)
{
    static const char *const part = "may still be stored, and block the reference until";
    struct row row = {0};
    payments_client *client = client_on(&row, NULL, NULL);
    row.broken = "insert";
    row.fails_with = 3;
    refused(client, "unavailable");
    CHECK(strstr(payments_error_message(error), part) == NULL);
    CHECK_NUMBER(row.updates, 0);
    forget_error();
    /* The answers to an update, and to a search for the entry. */
    row.answers = "{\"changed\":false,\"now\":0,\"entries\":[]}";
    row.fails_with = 2;
    refused(client, "unavailable");
    CHECK_NUMBER(payments_error_outcome(error), PAYMENTS_OUTCOME_NOT_EXECUTED);
    CHECK_HAS(payments_error_message(error), "the disk is gone; nothing was sent; its entry ");
    CHECK_HAS(payments_error_message(error), part);
    forget_error();
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

static void the_observer_gets_an_end_that_is_not_recorded(void)
{
    struct row row = {0};
    char failure[512] = "";
    payments_client *client = client_on(&row, note_failure, &failure);
    row.broken = "update";
    WORKS(send_payout(client, "p-1"));
    CHECK_HAS(failure, "the disk is gone");
    CHECK_HAS(row.entry, "\"state\":\"in_progress\"");
    CHECK_NUMBER(payouts(), 1);
    payments_client_free(client);
}

static void an_entry_whose_reference_was_taken_names_its_rival(void)
{
    struct row row = {0};
    char failure[512] = "";
    payments_client *client = client_on(&row, note_failure, &failure);
    row.taken_by = "22222222222222222222222222222222";
    WORKS(send_payout(client, "p-1"));
    CHECK_NUMBER(row.updates, 2);
    CHECK_HAS(row.entry, "\"state\":\"failed\"");
    CHECK_HAS(row.entry, "\"rival\":\"22222222222222222222222222222222\"");
    CHECK_HAS(failure, row.taken_by);
    journal_returns(client, payments_client_journal_list,
               "", "\"rival\":\"2222", "\"needs\":\"person\"");
    payments_client_free(client);
}

/* A line is taken once. Clients of the tests before left some. */
static void a_host_without_an_observer_takes_what_is_wrong_with_an_entry(void)
{
    struct row row = {0};
    payments_text *line = NULL;
    payments_client *client = client_on(&row, NULL, NULL);
    do {
        payments_text_free(line);
        WORKS(payments_take_journal_failed(&line, &error));
    } while (line != NULL);
    row.taken_by = "22222222222222222222222222222222";
    WORKS(send_payout(client, "p-1"));
    WORKS(payments_take_journal_failed(&line, &error));
    CHECK_HAS(payments_text_data(line), "journal_failed call=");
    CHECK_HAS(payments_text_data(line), row.taken_by);
    payments_text_free(line);
    WORKS(payments_take_journal_failed(&line, &error));
    CHECK(line == NULL);
    payments_client_free(client);
}

int main(void)
{
    RUN(a_reference_is_paid_once);
    RUN(entries_are_read_settled_and_deleted);
    RUN(a_journal_of_the_host_refuses_a_second_call);
    RUN(without_a_journal_nothing_is_sent);
    RUN(an_error_names_an_entry_that_may_still_be_stored);
    RUN(the_observer_gets_an_end_that_is_not_recorded);
    RUN(an_entry_whose_reference_was_taken_names_its_rival);
    RUN(a_host_without_an_observer_takes_what_is_wrong_with_an_entry);
    return 0;
}
