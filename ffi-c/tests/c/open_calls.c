/* Calls whose request another HTTP client sends. */
#include "harness.h"

static payments_error *error = NULL;

static const char PAYMENT[] =
    "{\"payment\": {\"name\": \"Maria Souza\", \"email\": \"maria@example.com\", \"country\": \"br\","
    " \"payment_type_code\": \"pix\", \"merchant_payment_code\": \"order-1\", \"currency_code\": \"BRL\","
    " \"amount_total\": \"100.10\", \"document\": \"853.513.468-93\"}}";

static payments_open_call *begin(payments_client *client, const char *operation, const char *input)
{
    payments_open_call *open_call = NULL;
    WORKS(payments_client_begin(client, TEXT(operation), TEXT(input), NULL, 0, NULL, &open_call,
                                &error));
    CHECK(open_call != NULL);
    return open_call;
}

static void fill(payments_open_call *open_call, int32_t status, const char *body)
{
    payments_transport_response *response = payments_open_call_response(open_call);
    CHECK_NUMBER(payments_transport_response_set_status(response, status), PAYMENTS_STATUS_OK);
    CHECK_NUMBER(payments_transport_response_write_body(response, (const uint8_t *)body, strlen(body)),
                 PAYMENTS_STATUS_OK);
}

static void a_response_ends_a_call(void)
{
    payments_client *client = client_with(WITH_KEY, "", NULL);
    payments_open_call *open_call = begin(client, "create_payment", PAYMENT);
    payments_open_call *next = (payments_open_call *)(uintptr_t)1;
    payments_response *response = NULL;
    const payments_prepared *request = payments_open_call_request(open_call);
    payments_text *text = NULL;
    size_t length = 0;
    CHECK_TEXT(payments_prepared_method(request), "POST");
    CHECK_HAS(payments_prepared_url(request), "/ws/direct");
    CHECK(payments_prepared_body(request, &length) != NULL && length > 0);
    CHECK(payments_prepared_max_response_bytes(request) > 0);
    CHECK_NUMBER(payments_prepared_max_response_bytes(NULL), 0);
    CHECK(payments_open_call_remaining_ms(open_call) > 0);
    /* The call keeps its client. */
    payments_client_free(client);
    fill(open_call, 200, "{\"status\": \"SUCCESS\", \"payment\": {\"hash\": \"5f2c\"}}");
    WORKS(payments_open_call_finish(open_call, NULL, &response, &next, &error));
    CHECK(next == NULL);
    WORKS(payments_response_view_text(response, LIT("/hash"), &text, &error));
    CHECK_TEXT(payments_text_data(text), "5f2c");
    payments_text_free(text);
    payments_response_free(response);
    /* It ends once. */
    error = NULL;
    CHECK_NUMBER(payments_open_call_finish(open_call, NULL, &response, &next, &error),
                 PAYMENTS_STATUS_INTERNAL);
    CHECK_TEXT(payments_error_code(error), "already_ended");
    CHECK_NUMBER(payments_error_outcome(error), PAYMENTS_OUTCOME_UNKNOWN);
    CHECK_TEXT(payments_error_reference(error), "order-1");
    CHECK(response == NULL && next == NULL);
    payments_error_free(error);
    error = NULL;
    CHECK_TEXT(payments_prepared_method(request), "POST");
    payments_open_call_free(open_call);
}

static void fails(payments_open_call *open_call, int32_t nothing_left, payments_status status,
                  payments_outcome outcome)
{
    payments_open_call *next = NULL;
    payments_response *response = NULL;
    CHECK_NUMBER(payments_open_call_fail(open_call, nothing_left, NULL, &response, &next, &error), status);
    CHECK_NUMBER(payments_error_outcome(error), outcome);
    payments_error_free(error);
    error = NULL;
    payments_open_call_free(open_call);
}

static void a_failure_says_whether_anything_left(void)
{
    payments_client *client = client_with(WITH_KEY, "", NULL);
    payments_open_call *open_call;
    payments_open_call *next = NULL;
    payments_response *response = NULL;
    fails(begin(client, "create_payment", PAYMENT), 1, PAYMENTS_STATUS_CONNECT,
          PAYMENTS_OUTCOME_NOT_EXECUTED);
    fails(begin(client, "create_payment", PAYMENT), 0, PAYMENTS_STATUS_TRANSPORT,
          PAYMENTS_OUTCOME_UNKNOWN);
    /* The functions of a transport say more. */
    open_call = begin(client, "create_payment", PAYMENT);
    CHECK_NUMBER(payments_transport_response_fail(payments_open_call_response(open_call),
                                                  PAYMENTS_STATUS_TLS, 1, LIT("no trust")),
                 PAYMENTS_STATUS_OK);
    FAILS(PAYMENTS_STATUS_TLS, payments_open_call_finish(open_call, NULL, &response, &next, &error));
    payments_open_call_free(open_call);
    payments_client_free(client);
}

static void a_query_is_sent_again(void)
{
    payments_client *client = client_with(WITH_KEY, "", NULL);
    payments_open_call *open_call = begin(client, "query_payment", "{\"hash\": \"5f2c\"}");
    payments_open_call *next = NULL;
    payments_response *response = (payments_response *)(uintptr_t)1;
    fill(open_call, 503, "");
    WORKS(payments_open_call_finish(open_call, NULL, &response, &next, &error));
    CHECK(response == NULL && next != NULL);
    payments_open_call_free(open_call);
    fill(next, 200, "{\"status\": \"SUCCESS\", \"payment\": {\"hash\": \"5f2c\", \"status\": \"CO\"}}");
    open_call = NULL;
    WORKS(payments_open_call_finish(next, NULL, &response, &open_call, &error));
    CHECK_NUMBER(payments_response_is_paid(response), 1);
    CHECK(open_call == NULL);
    payments_response_free(response);
    payments_open_call_free(next);
    payments_client_free(client);
}

static void an_end_can_be_cancelled_and_tells_of_its_response(void)
{
    payments_client *client = client_with(WITH_KEY, "", NULL);
    payments_open_call *open_call = begin(client, "create_payment", PAYMENT);
    payments_open_call *next = NULL;
    payments_response *response = NULL;
    payments_call *call = new_call();
    payments_call_cancel(call);
    fill(open_call, 200, "{\"status\": \"SUCCESS\", \"payment\": {\"hash\": \"5f2c\"}}");
    CHECK_NUMBER(payments_open_call_finish(open_call, call, &response, &next, &error),
                 PAYMENTS_STATUS_CANCELLED);
    CHECK_NUMBER(payments_error_outcome(error), PAYMENTS_OUTCOME_EXECUTED);
    payments_error_free(error);
    error = NULL;
    payments_call_free(call);
    payments_open_call_free(open_call);
    payments_client_free(client);
}

static void wrong_arguments_end_nothing(void)
{
    payments_client *client = client_with(WITH_KEY, "", NULL);
    payments_open_call *open_call = (payments_open_call *)(uintptr_t)1;
    payments_open_call *next = NULL;
    payments_response *response = NULL;
    REFUSED(payments_client_begin(NULL, LIT("create_payment"), TEXT(PAYMENT), NULL, 0, NULL, &open_call,
                                  &error));
    CHECK(open_call == NULL);
    REFUSED(payments_client_begin(client, LIT("create_payment"), LIT("\xff"), NULL, 0, NULL, &open_call,
                                  &error));
    REFUSED(payments_client_begin(client, LIT("create_payment"), TEXT(PAYMENT), NULL, 0, NULL, NULL,
                                  &error));
    FAILS(PAYMENTS_STATUS_VALIDATION,
          payments_client_begin(client, LIT("access_token"), LIT(""), NULL, 0, NULL, &open_call, &error));
    CHECK(payments_open_call_request(NULL) == NULL);
    CHECK(payments_open_call_response(NULL) == NULL);
    CHECK_NUMBER(payments_open_call_remaining_ms(NULL), 0);
    payments_open_call_free(NULL);
    open_call = begin(client, "create_payment", PAYMENT);
    REFUSED(payments_open_call_finish(NULL, NULL, &response, &next, &error));
    REFUSED(payments_open_call_finish(open_call, NULL, NULL, &next, &error));
    REFUSED(payments_open_call_finish(open_call, NULL, &response, NULL, &error));
    REFUSED(payments_open_call_fail(open_call, 2, NULL, &response, &next, &error));
    fails(open_call, 1, PAYMENTS_STATUS_CONNECT, PAYMENTS_OUTCOME_NOT_EXECUTED);
    /* What is freed without an end is gone. */
    payments_open_call_free(begin(client, "create_payment", PAYMENT));
    payments_client_free(client);
}

int main(void)
{
    RUN(a_response_ends_a_call);
    RUN(a_failure_says_whether_anything_left);
    RUN(a_query_is_sent_again);
    RUN(an_end_can_be_cancelled_and_tells_of_its_response);
    RUN(wrong_arguments_end_nothing);
    return 0;
}
