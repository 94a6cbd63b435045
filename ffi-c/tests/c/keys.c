/* A key pair is made, and a client signs with it. By itself, because it takes
 * long under valgrind. */
#include "harness.h"

static payments_error *error = NULL;

static void a_generated_key_signs(void)
{
    static char config[16384];
    payments_text *private_key = NULL, *public_key = NULL, *report = NULL;
    payments_client *client = NULL;
    payments_prepared *prepared = NULL;
    const char *token = NULL;
    size_t i, used;
    WORKS(payments_generate_key(&private_key, &public_key, &error));
    CHECK_HAS(payments_text_data(private_key), "-----BEGIN PRIVATE KEY-----");
    CHECK_HAS(payments_text_data(public_key), "-----BEGIN PUBLIC KEY-----");
    used = (size_t)snprintf(config, sizeof(config),
                            "{\"base_url\":\"http://127.0.0.1:1\",\"kid\":\"k\",\"key\":\"");
    for (i = 0; i < payments_text_length(private_key); i++) {
        char letter = payments_text_data(private_key)[i];
        used += (size_t)snprintf(config + used, sizeof(config) - used,
                                 letter == '\n' ? "\\n" : "%c", letter);
    }
    snprintf(config + used, sizeof(config) - used, "\"}");
    WORKS(payments_client_new(TEXT(config), NULL, &client, &error));
    WORKS(payments_client_prepare(client, LIT("send"),
                                  LIT("{\"method\":\"POST\",\"path\":\"/ws/x\"}"),
                                  (const uint8_t *)"{}", 2, NULL, &prepared, &error));
    token = header_of(prepared, "X-JWS-Signature");
    WORKS(payments_verify(payments_text_data(public_key), payments_text_length(public_key),
                          TEXT(token), (const uint8_t *)"{}", 2, &report, &error));
    CHECK_HAS(payments_text_data(report), "\"valid\":true");
    /* In any order. */
    payments_text_free(public_key);
    payments_client_free(client);
    payments_text_free(report);
    payments_prepared_free(prepared);
    payments_text_free(private_key);
}

int main(void)
{
    RUN(a_generated_key_signs);
    return 0;
}
