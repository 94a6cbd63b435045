/* Signs a request, and verifies the signature: sign KEY_FILE PUBLIC_KEY_FILE.
 * It uses no network. With BESIDE, it also uses another library in Rust. */

#include <payments.h>
#include <stdio.h>
#include <string.h>

#ifdef BESIDE
#include <stdint.h>
/* In other.rs. */
uint32_t other_unwinds(uint32_t number);
#else
#define other_unwinds(number) (number)
#endif

static const char PAYMENT[] =
    "{\"payment\": {\"name\": \"Maria Souza\", \"email\": \"maria@example.com\","
    " \"document\": \"853.513.468-93\", \"country\": \"br\", \"payment_type_code\": \"pix\","
    " \"currency_code\": \"BRL\", \"merchant_payment_code\": \"order-1001\", \"amount_total\": \"100.10\"}}";

static int fail(payments_error *error)
{
    fprintf(stderr, "%s\n", payments_error_text(error));
    payments_error_free(error);
    return 1;
}

/* Prints what payments_verify says about the request. */
static int verify(const payments_prepared *prepared, const char *path)
{
    char key[4096];
    const char *token = NULL;
    size_t length, body_length, i;
    const uint8_t *body = payments_prepared_body(prepared, &body_length);
    payments_text *report = NULL;
    payments_error *error = NULL;
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        perror(path);
        return 1;
    }
    length = fread(key, 1, sizeof key, file);
    fclose(file);
    for (i = 0; i < payments_prepared_header_count(prepared); i++) {
        if (strcmp(payments_prepared_header_name(prepared, i), "x-jws-signature") == 0) {
            token = payments_prepared_header_value(prepared, i);
        }
    }
    if (token == NULL) {
        fputs("the request has no signature\n", stderr);
        return 1;
    }
    if (payments_verify(key, length, token, strlen(token), body, body_length, &report, &error) !=
        PAYMENTS_STATUS_OK) {
        return fail(error);
    }
    printf("%s %s\n", payments_version(), payments_text_data(report));
    payments_text_free(report);
    return 0;
}

int main(int count, char **arguments)
{
    char config[1024];
    payments_client *client = NULL;
    payments_prepared *prepared = NULL;
    payments_error *error = NULL;
    int status;
    if (count != 3 || other_unwinds(7) != 7) {
        return 2;
    }
    snprintf(config, sizeof config,
             "{\"base_url\": \"http://127.0.0.1:1\", \"integration_key\": \"key\","
             " \"kid\": \"test-kid\", \"key_file\": \"%s\"}",
             arguments[1]);
    if (payments_client_new(config, strlen(config), NULL, &client, &error) != PAYMENTS_STATUS_OK) {
        return fail(error);
    }
    if (payments_client_prepare(client, "create_payment", strlen("create_payment"), PAYMENT, strlen(PAYMENT),
                                NULL, 0, NULL, &prepared, &error) != PAYMENTS_STATUS_OK) {
        payments_client_free(client);
        return fail(error);
    }
    status = verify(prepared, arguments[2]);
    payments_prepared_free(prepared);
    payments_client_free(client);
    return status != 0 || other_unwinds(8) != 8;
}
