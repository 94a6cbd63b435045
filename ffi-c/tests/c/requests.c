/* Building bodies and reading responses by JSON Pointer. */
#include "harness.h"

static payments_error *error = NULL;

static payments_request *new_request(void)
{
    payments_request *request = NULL;
    CHECK(payments_request_new(&request) == PAYMENTS_STATUS_OK);
    return request;
}

static void bodies_are_built_in_order_and_to_the_digit(void)
{
    payments_request *request = new_request();
    size_t length = 0;
    CHECK_TEXT(payments_request_text(request, &length), "{}");
    CHECK_NUMBER(length, 2);
    WORKS(payments_request_set_text(request, LIT("/payment/name"), LIT("Ana L\xc3\xb3pez"), &error));
    WORKS(payments_request_set_amount(request, LIT("/payment/amount_total"), LIT("100.10"),
                                      &error));
    WORKS(payments_request_set_amount(request, LIT("/sum"), LIT("7.500"), &error));
    WORKS(payments_request_set_integer(request, LIT("/n"), INT64_MIN, &error));
    WORKS(payments_request_set_boolean(request, LIT("/yes"), -7, &error));
    WORKS(payments_request_set_boolean(request, LIT("/no"), 0, &error));
    WORKS(payments_request_set_json(request, LIT("/j"), LIT(" [1.50, null, {\"a\":\"b\"}] "), &error));
    WORKS(payments_request_set_text(request, LIT("/tracking_code/-"), LIT("AA1"), &error));
    WORKS(payments_request_set_text(request, LIT("/tracking_code/-/tracking_code"), LIT("BB2"),
                                    &error));
    WORKS(payments_request_set_integer(request, LIT("/tracking_code/1/items/-/quantity"), 2,
                                       &error));
    WORKS(payments_request_set_text(request, LIT("/a~1b~0c"), NULL, 0, &error));
    /* Setting again keeps the place of a member. */
    WORKS(payments_request_set_text(request, LIT("/payment/name"), LIT("Bob"), &error));
    CHECK_TEXT(payments_request_text(request, &length),
               "{\"payment\":{\"name\":\"Bob\",\"amount_total\":\"100.10\"},\"sum\":7.500,"
               "\"n\":-9223372036854775808,\"yes\":true,\"no\":false,"
               "\"j\":[1.50,null,{\"a\":\"b\"}],"
               "\"tracking_code\":[\"AA1\",{\"tracking_code\":\"BB2\",\"items\":[{\"quantity\":2}]}],"
               "\"a/b~c\":\"\"}");
    CHECK_NUMBER(length, strlen(payments_request_text(request, NULL)));
    payments_request_free(request);
}

static void a_nul_inside_of_a_value_is_escaped(void)
{
    payments_request *request = new_request();
    WORKS(payments_request_set_text(request, LIT("/a"), LIT("x\0y"), &error));
    CHECK_TEXT(payments_request_text(request, NULL), "{\"a\":\"x\\u0000y\"}");
    WORKS(payments_request_set_text(request, LIT("/b\0c"), LIT(""), &error));
    CHECK_TEXT(payments_request_text(request, NULL), "{\"a\":\"x\\u0000y\",\"b\\u0000c\":\"\"}");
    FAILS(PAYMENTS_STATUS_VALIDATION,
          payments_request_set_amount(request, LIT("/c"), LIT("1\0"), &error));
    FAILS(PAYMENTS_STATUS_VALIDATION,
          payments_request_set_json(request, LIT("/c"), LIT("1\0"), &error));
    payments_request_free(request);
}

static void a_member_that_cannot_be_set_changes_nothing(void)
{
    payments_request *request = new_request();
    WORKS(payments_request_set_text(request, LIT("/a"), LIT("x"), &error));

    REFUSED(payments_request_set_text(NULL, LIT("/b"), LIT("x"), &error));
    REFUSED(payments_request_set_text(request, NULL, 2, LIT("x"), &error));
    REFUSED(payments_request_set_text(request, "/b", SIZE_MAX, LIT("x"), &error));
    REFUSED(payments_request_set_text(request, LIT("/\xc3"), LIT("x"), &error));
    REFUSED(payments_request_set_text(request, LIT("/b"), NULL, 1, &error));
    REFUSED(payments_request_set_text(request, LIT("/b"), "x", SIZE_MAX, &error));
    REFUSED(payments_request_set_text(request, LIT("/b"), LIT("\xed\xa0\x80"), &error));
    REFUSED(payments_request_set_text(request, LIT("b"), LIT("x"), &error));
    REFUSED(payments_request_set_text(request, LIT("/b~2"), LIT("x"), &error));
    REFUSED(payments_request_set_text(request, LIT("/a/b"), LIT("x"), &error));
    REFUSED(payments_request_set_amount(NULL, LIT("/b"), LIT("1"), &error));
    REFUSED(payments_request_set_amount(request, NULL, 1, LIT("1"), &error));
    REFUSED(payments_request_set_amount(request, LIT("/b"), NULL, 1, &error));
    REFUSED(payments_request_set_integer(NULL, LIT("/b"), 1, &error));
    REFUSED(payments_request_set_integer(request, NULL, 1, 1, &error));
    REFUSED(payments_request_set_boolean(NULL, LIT("/b"), 1, &error));
    REFUSED(payments_request_set_boolean(request, NULL, 1, 1, &error));
    REFUSED(payments_request_set_json(NULL, LIT("/b"), LIT("1"), &error));
    REFUSED(payments_request_set_json(request, NULL, 1, LIT("1"), &error));
    REFUSED(payments_request_set_json(request, LIT("/b"), NULL, 1, &error));
    REFUSED(payments_request_set_json(request, LIT("/b"), LIT("\"\xff\""), &error));
    FAILS(PAYMENTS_STATUS_VALIDATION,
          payments_request_set_amount(request, LIT("/b"), LIT("1,00"), &error));
    FAILS(PAYMENTS_STATUS_VALIDATION,
          payments_request_set_amount(request, LIT("/b"), NULL, 0, &error));
    FAILS(PAYMENTS_STATUS_VALIDATION,
          payments_request_set_json(request, LIT("/b"), LIT("{\"a\":1,\"a\":2}"), &error));
    FAILS(PAYMENTS_STATUS_VALIDATION,
          payments_request_set_json(request, LIT("/b"), LIT("{"), &error));
    CHECK_NUMBER(payments_request_set_text(request, LIT("b"), LIT("x"), NULL),
                 PAYMENTS_STATUS_INVALID_ARGUMENT);

    CHECK_TEXT(payments_request_text(request, NULL), "{\"a\":\"x\"}");
    payments_request_free(request);
}

/* The sandbox responds as scripted. */
static payments_response *responded(const char *fault)
{
    payments_client *client = client_with(WITH_INTEGRATION_KEY, "", NULL);
    payments_response *response = NULL;
    sandbox_reset();
    sandbox_fault(fault);
    WORKS(payments_client_send(client, LIT("{\"method\":\"POST\",\"path\":\"/ws/any\"}"), NULL, 0,
                               NULL, &response, &error));
    payments_client_free(client);
    return response;
}

/* A response with a member of each type. */
#define MEMBERS                                                                              \
    "{\"fault\":\"response\",\"headers\":{\"X-Two\":\"2\"},\"json\":{\"text\":\"a\\u0000b\","   \
    "\"n\":-42,\"d\":1.5,\"t\":true,\"f\":false,\"nil\":null,\"list\":[{\"a/b\":7},8],"        \
    "\"obj\":{\"x\":1,\"y\":2},\"big\":9223372036854775808}}"

static void members_are_read_by_pointer(void)
{
    payments_response *response = responded(MEMBERS);
    payments_text *text = NULL;
    int64_t integer = 5;
    int32_t boolean = 5;
    size_t count = 5;
    char *copy;

    WORKS(payments_response_text(response, LIT("/text"), &text, &error));
    CHECK_NUMBER(payments_text_length(text), 3);
    CHECK(memcmp(payments_text_data(text), "a\0b", 4) == 0);
    payments_text_free(text);
    copy = text_at(response, "/d");
    CHECK_TEXT(copy, "1.5");
    free(copy);
    WORKS(payments_response_integer(response, LIT("/n"), &integer, &error));
    CHECK_NUMBER(integer, -42);
    WORKS(payments_response_integer(response, LIT("/list/0/a~1b"), &integer, &error));
    CHECK_NUMBER(integer, 7);
    WORKS(payments_response_boolean(response, LIT("/t"), &boolean, &error));
    CHECK_NUMBER(boolean, 1);
    WORKS(payments_response_boolean(response, LIT("/f"), &boolean, &error));
    CHECK_NUMBER(boolean, 0);
    WORKS(payments_response_count(response, LIT("/list"), &count, &error));
    CHECK_NUMBER(count, 2);
    WORKS(payments_response_count(response, LIT(""), &count, &error));
    CHECK_NUMBER(count, 9);
    WORKS(payments_response_json(response, LIT("/obj"), &text, &error));
    CHECK_TEXT(payments_text_data(text), "{\"x\":1,\"y\":2}");
    payments_text_free(text);
    WORKS(payments_response_view_text(response, LIT("/response/n"), &text, &error));
    CHECK_TEXT(payments_text_data(text), "-42");
    payments_text_free(text);
    CHECK_NUMBER(payments_response_has(response, LIT("/nil")), 1);
    CHECK_NUMBER(payments_response_has(response, LIT("/none")), 0);
    CHECK_NUMBER(payments_response_has(response, NULL, 4), 0);
    CHECK_NUMBER(payments_response_has(response, "/nil", SIZE_MAX), 0);
    payments_response_free(response);
}

static void status_headers_and_body_are_read(void)
{
    payments_response *response = responded(MEMBERS);
    size_t length = 0, i;
    CHECK_NUMBER(payments_response_is_paid(response), 0);
    CHECK_NUMBER(payments_response_http_status(response), 200);
    CHECK(payments_response_body(response, &length) != NULL && length > 0);
    CHECK_HAS(payments_response_view(response, &length), "\"response\"");
    CHECK_NUMBER(length, strlen(payments_response_view(response, NULL)));
    for (i = 0; i < payments_response_header_count(response); i++) {
        if (strcmp(payments_response_header_name(response, i), "X-Two") == 0) {
            CHECK_TEXT(payments_response_header_value(response, i), "2");
            break;
        }
    }
    CHECK(i < payments_response_header_count(response));
    CHECK(payments_response_header_name(response, SIZE_MAX) == NULL);
    CHECK(payments_response_header_value(response, payments_response_header_count(response)) ==
          NULL);
    payments_response_free(response);
}

static void members_that_are_absent_or_of_another_type_are_refused(void)
{
    payments_response *response = responded(MEMBERS);
    payments_text *text = (payments_text *)(uintptr_t)1;
    int64_t integer = 5;
    int32_t boolean = 5;
    size_t count = 5;
    REFUSED(payments_response_text(response, LIT("/none"), &text, &error));
    CHECK(text == NULL);
    REFUSED(payments_response_text(response, LIT("/nil"), &text, &error));
    REFUSED(payments_response_text(response, LIT("no slash"), &text, &error));
    REFUSED(payments_response_text(response, NULL, 1, &text, &error));
    REFUSED(payments_response_text(response, LIT("/text"), NULL, &error));
    REFUSED(payments_response_text(NULL, LIT("/text"), &text, &error));
    REFUSED(payments_response_view_text(NULL, LIT("/response"), &text, &error));
    REFUSED(payments_response_view_text(response, LIT("/response"), &text, &error));
    REFUSED(payments_response_view_text(response, NULL, 1, &text, &error));
    REFUSED(payments_response_view_text(response, LIT("/response/n"), NULL, &error));
    REFUSED(payments_response_integer(response, LIT("/d"), &integer, &error));
    CHECK_NUMBER(integer, 0);
    REFUSED(payments_response_integer(response, LIT("/big"), &integer, &error));
    REFUSED(payments_response_integer(response, LIT("/n"), NULL, &error));
    REFUSED(payments_response_integer(NULL, LIT("/n"), &integer, &error));
    REFUSED(payments_response_boolean(response, LIT("/n"), &boolean, &error));
    REFUSED(payments_response_boolean(response, LIT("/t"), NULL, &error));
    REFUSED(payments_response_boolean(NULL, LIT("/t"), &boolean, &error));
    REFUSED(payments_response_count(response, LIT("/n"), &count, &error));
    CHECK_NUMBER(count, 0);
    REFUSED(payments_response_count(response, LIT("/list"), NULL, &error));
    REFUSED(payments_response_count(NULL, LIT("/list"), &count, &error));
    REFUSED(payments_response_json(response, LIT("/none"), &text, &error));
    REFUSED(payments_response_json(response, LIT("/n"), NULL, &error));
    REFUSED(payments_response_json(NULL, LIT("/n"), &text, &error));
    /* After all of that it reads as before. */
    WORKS(payments_response_integer(response, LIT("/n"), &integer, &error));
    CHECK_NUMBER(integer, -42);
    payments_response_free(response);
}

static void a_body_that_is_not_json_is_given_as_it_is(void)
{
    payments_response *response =
        responded("{\"fault\":\"response\",\"body\":\"plain\",\"status\":202}");
    payments_text *text = NULL;
    size_t length = 0;
    CHECK_NUMBER(payments_response_http_status(response), 202);
    CHECK(memcmp(payments_response_body(response, &length), "plain", 5) == 0);
    CHECK_NUMBER(length, 5);
    REFUSED(payments_response_text(response, LIT(""), &text, &error));
    CHECK_NUMBER(payments_response_has(response, LIT("")), 0);
    payments_response_free(response);
}

int main(void)
{
    RUN(bodies_are_built_in_order_and_to_the_digit);
    RUN(a_nul_inside_of_a_value_is_escaped);
    RUN(a_member_that_cannot_be_set_changes_nothing);
    RUN(members_are_read_by_pointer);
    RUN(status_headers_and_body_are_read);
    RUN(members_that_are_absent_or_of_another_type_are_refused);
    RUN(a_body_that_is_not_json_is_given_as_it_is);
    return 0;
}
