/* A journal by configuration alone, and what is open in it. */
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

int main(void)
{
    RUN(a_reference_is_paid_once);
    RUN(a_person_settles_a_lost_payout);
    RUN(a_call_may_supersede_only_after_the_deadline);
    return 0;
}
