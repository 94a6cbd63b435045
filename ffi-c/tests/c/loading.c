/* The library as a plug-in: it stays mapped after dlclose, and works when it
 * is opened again. Not linked to it. */
#define _POSIX_C_SOURCE 200809L
#include "payments.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition); \
            exit(1); \
        } \
    } while (0)

typedef payments_status (*client_new)(const char *, size_t, const payments_options *,
                                      payments_client **, payments_error **);
typedef payments_status (*client_query)(const payments_client *, const char *, size_t,
                                        const payments_call *, payments_response **,
                                        payments_error **);

/* ISO C knows no conversion from an object to a function. */
static void look_up(void *library, const char *name, void *function_out)
{
    void *symbol = dlsym(library, name);
    CHECK(symbol != NULL);
    memcpy(function_out, &symbol, sizeof(symbol));
}

/* Looks at the names of mapped files alone: a folder may have any name. */
static int is_mapped(void)
{
    char line[4096];
    int found = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    CHECK(maps != NULL);
    while (fgets(line, sizeof(line), maps) != NULL) {
        const char *folders_end = strrchr(line, '/');
        found |= folders_end != NULL && strncmp(folders_end, "/libpayments", 12) == 0;
    }
    fclose(maps);
    return found;
}

static void use(void *library)
{
    client_new make;
    client_query query;
    void (*free_client)(payments_client *);
    void (*free_error)(payments_error *);
    payments_client *client = NULL;
    payments_response *response = NULL;
    payments_error *error = NULL;
    char config[512];
    look_up(library, "payments_client_new", &make);
    look_up(library, "payments_client_query_payment", &query);
    look_up(library, "payments_client_free", &free_client);
    look_up(library, "payments_error_free", &free_error);
    snprintf(config, sizeof(config), "{\"base_url\":\"%s\",\"integration_key\":\"sandbox-integration-key\"}",
             getenv("PAYMENTS_TEST_SANDBOX"));
    CHECK(make(config, strlen(config), NULL, &client, &error) == PAYMENTS_STATUS_OK);
    CHECK(query(client, "{\"hash\":\"none\"}", 15, NULL, &response, &error) ==
          PAYMENTS_STATUS_REJECTED);
    free_error(error);
    free_client(client);
}

int main(void)
{
    const char *path = getenv("PAYMENTS_TEST_LIBRARY");
    uint32_t (*abi_version)(void);
    void *library;
    int round;
    CHECK(path != NULL && !is_mapped());
    for (round = 0; round < 3; round++) {
        library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (library == NULL) {
            fprintf(stderr, "%s\n", dlerror());
            return 1;
        }
        use(library);
        look_up(library, "payments_abi_version", &abi_version);
        CHECK(dlclose(library) == 0);
        CHECK(is_mapped());
        /* The code is still there for a thread that is in it. */
        (void)abi_version();
    }
    puts("  the_library_stays_mapped_after_dlclose");
    return 0;
}
