/* The base of every test in C: checks that end the program, a client of the
 * sandbox, and the sandbox's control API through the library itself. */
#ifndef HARNESS_H
#define HARNESS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "payments.h"

/* A text as pointer and length. */
#define LIT(text) PAYMENTS_TEXT(text)
#define TEXT(text) (text), strlen(text)

#define CHECK(condition) check((condition) != 0, #condition, __FILE__, __LINE__)
#define CHECK_TEXT(actual, expected) check_text((actual), (expected), #actual, __FILE__, __LINE__)
#define CHECK_HAS(actual, part) check_has((actual), (part), #actual, __FILE__, __LINE__)
#define CHECK_NUMBER(actual, expected) \
    check_number((long long)(actual), (long long)(expected), #actual, __FILE__, __LINE__)

/* A call that must work; it may use `error`, which must be NULL afterwards. */
#define WORKS(call) \
    do { \
        payments_status works_status = (call); \
        check_works(works_status, error, #call, __FILE__, __LINE__); \
    } while (0)

/* A call that must fail with this status; it must fill `error`, which is freed. */
#define FAILS(status, call) \
    do { \
        error = (payments_error *)(uintptr_t)1; \
        payments_status fails_status = (call); \
        check_fails(fails_status, (status), error, #call, __FILE__, __LINE__); \
        payments_error_free(error); \
        error = NULL; \
    } while (0)
#define REFUSED(call) FAILS(PAYMENTS_STATUS_INVALID_ARGUMENT, call)

#define RUN(test) \
    do { \
        printf("  %s\n", #test); \
        fflush(stdout); \
        test(); \
    } while (0)

void check(int holds, const char *what, const char *file, int line);
void check_text(const char *actual, const char *expected, const char *what, const char *file,
                int line);
void check_has(const char *actual, const char *part, const char *what, const char *file, int line);
void check_number(long long actual, long long expected, const char *what, const char *file,
                  int line);
void check_works(payments_status status, const payments_error *error, const char *what,
                 const char *file, int line);
void check_fails(payments_status status, payments_status expected, const payments_error *error,
                 const char *what, const char *file, int line);

/* The value of an environment variable that the script sets. */
const char *setting(const char *name);
/* The address of the sandbox. */
const char *base_url(void);
/* The content of a file of tests/vectors/keys; to be freed. */
char *key_text(const char *name);

/* The credentials of a configuration. */
enum { WITH_KEY = 1, WITH_BEARER = 2, WITH_INTEGRATION_KEY = 4, WITH_ALL = 7 };

/* The JSON text of a configuration for the sandbox; `more` are members with a
 * comma before them, or "". To be freed. */
char *config_text(int credentials, const char *more);
payments_client *client_with(int credentials, const char *more, const payments_options *options);
payments_options *new_options(void);
payments_call *new_call(void);

/* Fills the registry of shared clients with others, so that its earlier clients
 * go, with all that they hold. */
void forget_shared_clients(void);

/* A payment with a reference that was not used before. */
payments_request *new_payment(void);
payments_status create(payments_client *client, payments_request *request, payments_call *call,
                       payments_response **response_out, payments_error **error_out);
/* Creates a payment, which must work. */
void pay(payments_client *client);
/* The text at a pointer of a response, which is freed with free(). */
char *text_at(const payments_response *response, const char *pointer);

enum { SIGNATURE_LENGTH = 512 };

/* Signs the input of a signer's callback with the key of another client. */
void sign_with(payments_client *by_key, const uint8_t *input, size_t input_length,
               uint8_t signature[SIGNATURE_LENGTH]);

/* The value of a header of a prepared request, or NULL. */
const char *header_of(const payments_prepared *prepared, const char *name);

/* The control API: resets the sandbox, calls it, reads a counter. */
void sandbox_reset(void);
void sandbox(const char *method, const char *path, const char *body);
long long sandbox_count(const char *path, const char *pointer);
/* Its result, to be freed. A path may end in "?operation=" and a name. */
payments_response *sandbox_response(const char *method, const char *path, const char *body);
/* How many requests of an operation the service saw with this text at a
 * pointer of its record. */
long long count_requests(const char *operation, const char *member, const char *text);
/* Scripts one fault for the next request. */
void sandbox_fault(const char *fault);

#endif
