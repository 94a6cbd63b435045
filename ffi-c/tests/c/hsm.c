/* A key in an HSM, by configuration alone. */
#include "harness.h"

static payments_error *error = NULL;

static payments_client *on_hsm(const char *more)
{
    char members[2048];
    snprintf(members, sizeof(members),
             ",\"kid\":\"test-kid\",\"pkcs11_module\":\"%s\",\"pkcs11_token\":\"payments\","
             "\"pkcs11_key_label\":\"signing\"%s",
             setting("PAYMENTS_TEST_HSM_MODULE"), more);
    return client_with(WITH_BEARER | WITH_INTEGRATION_KEY, members, NULL);
}

static void a_key_in_an_hsm_signs(void)
{
    char members[256];
    payments_client *client, *other;
    sandbox_reset();
    sandbox("POST", "/sandbox/settings", "{\"require\":[\"jws\",\"bearer\",\"integration_key\"]}");
    snprintf(members, sizeof(members), ",\"pkcs11_pin\":\"%s\"", setting("PAYMENTS_TEST_HSM_PIN"));
    client = on_hsm(members);
    pay(client);
    snprintf(members, sizeof(members),
             ",\"pkcs11_pin\":\"%s\",\"pkcs11_key_id\":\"a1\",\"pkcs11_sessions\":1",
             setting("PAYMENTS_TEST_HSM_PIN"));
    other = on_hsm(members);
    pay(other);
    pay(client);
    payments_client_free(other);
    payments_client_free(client);
    CHECK_NUMBER(sandbox_count("/sandbox/requests?operation=create_payment", "/requests"), 3);
    CHECK_NUMBER(count_requests("create_payment", "/signature", "verified"), 3);
}

static void a_missing_key_is_named_when_the_client_is_made(void)
{
    char config[2048];
    payments_client *client = NULL;
    snprintf(config, sizeof(config),
             "{\"base_url\":\"%s\",\"kid\":\"k\",\"pkcs11_module\":\"%s\","
             "\"pkcs11_token\":\"payments\",\"pkcs11_key_label\":\"none\",\"pkcs11_pin\":\"%s\"}",
             base_url(), setting("PAYMENTS_TEST_HSM_MODULE"), setting("PAYMENTS_TEST_HSM_PIN"));
    CHECK_NUMBER(payments_client_new(TEXT(config), NULL, &client, &error), PAYMENTS_STATUS_CONFIG);
    CHECK(client == NULL);
    CHECK_HAS(payments_error_path(error), "pkcs11_");
    CHECK(strstr(payments_error_text(error), setting("PAYMENTS_TEST_HSM_PIN")) == NULL);
    payments_error_free(error);
    error = NULL;
}

int main(void)
{
    RUN(a_key_in_an_hsm_signs);
    RUN(a_missing_key_is_named_when_the_client_is_made);
    return 0;
}
