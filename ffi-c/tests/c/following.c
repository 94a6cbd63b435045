/* Following open payments, with a callback for each end. */
#define _POSIX_C_SOURCE 200809L
#include "harness.h"

#include <unistd.h>

static payments_error *error = NULL;

struct ends {
    int count;
    int answer;
    char last[1024];
};

static int32_t on_end(void *user_data, const char *end, size_t length)
{
    struct ends *ends = user_data;
    CHECK(end[length] == '\0');
    snprintf(ends->last, sizeof(ends->last), "%s", end);
    ends->count++;
    return ends->answer;
}

static void an_open_payment_is_followed(void)
{
    payments_client *client = client_with(WITH_ALL, "", NULL);
    payments_response *response = NULL;
    payments_text *text = NULL;
    payments_call *call = NULL;
    payments_request *request = new_payment();
    struct ends ends = {0, 1, ""};
    char *hash;
    char path[256];
    char options[512];
    sandbox_reset();
    WORKS(create(client, request, NULL, &response, &error));
    hash = text_at(response, "/payment/hash");
    payments_response_free(response);
    payments_request_free(request);
    snprintf(path, sizeof(path), "/sandbox/payments/%s/confirm", hash);
    payments_response_free(sandbox_response("POST", path, ""));
    snprintf(options, sizeof(options),
             "{\"references\":[\"%s\"],\"by_hash\":true,\"state\":\"follow-%ld.state\"}", hash,
             (long)getpid());
    free(hash);
    CHECK_NUMBER(payments_call_new(&call), PAYMENTS_STATUS_OK);
    payments_call_cancel(call);
    FAILS(PAYMENTS_STATUS_CANCELLED, payments_client_follow(client, TEXT(options), &ends, on_end, call, &error));
    payments_call_free(call);
    CHECK_NUMBER(ends.count, 0);
    /* The end is not handled, so it comes again. */
    WORKS(payments_client_follow(client, TEXT(options), &ends, on_end, NULL, &error));
    CHECK_HAS(ends.last, "\"end\":\"confirmed\",\"status\":\"CO\",\"amount\":\"");
    CHECK_HAS(ends.last, "\"repeated\":false");
    ends.answer = 0;
    WORKS(payments_client_follow(client, TEXT(options), &ends, on_end, NULL, &error));
    CHECK_HAS(ends.last, "\"repeated\":true");
    WORKS(payments_client_follow(client, TEXT(options), &ends, on_end, NULL, &error));
    CHECK_NUMBER(ends.count, 2);
    snprintf(path, sizeof(path), "follow-%ld.state", (long)getpid());
    CHECK_NUMBER(remove(path), 0);
    WORKS(payments_next_step(
        LIT("{\"age_ms\":60000,\"give_up_after_ms\":90000,\"is_over\":false}"), &text, &error));
    CHECK_TEXT(payments_text_data(text), "{\"step\":\"query\",\"wait_ms\":6000,\"failures\":0}");
    payments_text_free(text);
    payments_client_free(client);
}

#define PAYOUT                                                                                     \
    "{\"external_reference\":\"payout-1\",\"country\":\"br\",\"amount\":10.00,"                         \
    "\"currency_code\":\"BRL\",\"target\":\"pix_key\",\"target_account\":\"joao@example.com\","         \
    "\"payee\":{\"name\":\"Maria\"}}"

static void a_payout_is_followed_where_its_query_is_on(void)
{
    payments_client *client = client_with(WITH_ALL, ",\"payout_query\":true", NULL);
    payments_client *without = client_with(WITH_ALL, "", NULL);
    payments_response *response = NULL;
    struct ends ends = {0, 0, ""};
    char *uid;
    char options[512];
    sandbox_reset();
    WORKS(payments_client_create_payout(client, LIT(PAYOUT), NULL, &response, &error));
    uid = text_at(response, "/payout/uid");
    payments_response_free(response);
    snprintf(options, sizeof(options), "/sandbox/payouts/%s/cancel", uid);
    payments_response_free(sandbox_response("POST", options, "{\"code\":\"BANK_INFO\"}"));
    snprintf(options, sizeof(options), "{\"references\":[\"payout-1\"],\"by_external_reference\":true}");
    FAILS(PAYMENTS_STATUS_CONFIG, payments_client_follow(without, TEXT(options), &ends, on_end, NULL, &error));
    CHECK_NUMBER(ends.count, 0);
    WORKS(payments_client_follow(client, TEXT(options), &ends, on_end, NULL, &error));
    CHECK_HAS(ends.last, "{\"operation\":\"create_payout\",\"reference\":\"payout-1\"");
    CHECK_HAS(ends.last, "\"status\":\"CA\",\"amount\":\"10.00\",\"currency\":\"BRL\",\"repeated\":false");
    CHECK_HAS(ends.last, "\"code\":\"BANK_INFO\"");
    snprintf(options, sizeof(options), "{\"references\":[\"%s\"],\"by_uid\":true}", uid);
    WORKS(payments_client_follow(client, TEXT(options), &ends, on_end, NULL, &error));
    CHECK_HAS(ends.last, uid);
    CHECK_NUMBER(ends.count, 2);
    free(uid);
    payments_client_free(without);
    payments_client_free(client);
}

int main(void)
{
    RUN(an_open_payment_is_followed);
    RUN(a_payout_is_followed_where_its_query_is_on);
    return 0;
}
