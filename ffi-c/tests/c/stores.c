/* Tokens, and token stores as callbacks. */
#define _POSIX_C_SOURCE 200809L
#include "harness.h"

#include <pthread.h>

static payments_error *error = NULL;

/* One entry, as a file or a row of a database would hold it. */
struct store {
    pthread_mutex_t mutex;
    char entry[8192];
    uint64_t fence, saved_with;
    int is_locked, locks, unlocks, loads, saves, deletes, destroyed;
    int broken;
    payments_client *reenter;
};

static int32_t load(void *user_data, const payments_context *context, const char *key,
                    payments_sink *entry_out)
{
    struct store *store = user_data;
    int32_t status = 0;
    CHECK_NUMBER(strlen(key), 64);
    CHECK_NUMBER(payments_context_has_ended(context), 0);
    if (store->reenter != NULL) {
        CHECK_NUMBER(payments_client_token_status(store->reenter, NULL, &(payments_text *){NULL},
                                                  NULL),
                     PAYMENTS_STATUS_CONFIG);
    }
    pthread_mutex_lock(&store->mutex);
    store->loads++;
    status = store->broken ? -1
                           : payments_sink_write(entry_out, (const uint8_t *)store->entry,
                                                 strlen(store->entry));
    pthread_mutex_unlock(&store->mutex);
    return status;
}

static int32_t save(void *user_data, const payments_context *context, const char *key,
                    const char *entry, size_t entry_length, uint64_t fence)
{
    struct store *store = user_data;
    int32_t status = 0;
    (void)context, (void)key;
    pthread_mutex_lock(&store->mutex);
    store->saves++;
    if (store->broken) {
        status = -1;
    } else if (fence >= store->saved_with) {
        CHECK(entry_length < sizeof(store->entry));
        memcpy(store->entry, entry, entry_length);
        store->entry[entry_length] = '\0';
        store->saved_with = fence;
        status = 1;
    }
    pthread_mutex_unlock(&store->mutex);
    return status;
}

static int32_t delete_if(void *user_data, const payments_context *context, const char *key,
                         const char *value, size_t value_length)
{
    struct store *store = user_data;
    payments_text *rest = NULL;
    int32_t status = 0;
    (void)context, (void)key;
    pthread_mutex_lock(&store->mutex);
    store->deletes++;
    if (store->broken || payments_entry_without_token(TEXT(store->entry), value, value_length,
                                                      &rest, NULL) != PAYMENTS_STATUS_OK) {
        status = -1;
    } else if (rest != NULL) {
        memcpy(store->entry, payments_text_data(rest), payments_text_length(rest) + 1);
        status = 1;
    }
    pthread_mutex_unlock(&store->mutex);
    payments_text_free(rest);
    return status;
}

static int32_t try_lock(void *user_data, const payments_context *context, const char *key,
                        uint64_t *fence_out)
{
    struct store *store = user_data;
    int32_t status = 0;
    (void)context, (void)key;
    pthread_mutex_lock(&store->mutex);
    if (store->broken) {
        status = -1;
    } else if (!store->is_locked) {
        store->is_locked = 1;
        store->locks++;
        *fence_out = ++store->fence;
        status = 1;
    }
    pthread_mutex_unlock(&store->mutex);
    return status;
}

static void unlock(void *user_data, const char *key, uint64_t fence)
{
    struct store *store = user_data;
    (void)key;
    pthread_mutex_lock(&store->mutex);
    CHECK(fence <= store->fence);
    store->is_locked = 0;
    store->unlocks++;
    pthread_mutex_unlock(&store->mutex);
}

static void destroy(void *user_data)
{
    struct store *store = user_data;
    store->destroyed++;
    pthread_mutex_destroy(&store->mutex);
}

static payments_client *client_on(struct store *store)
{
    static const payments_token_store_callbacks callbacks = {
        sizeof(callbacks), load, save, delete_if, try_lock, unlock};
    payments_options *options = new_options();
    payments_client *client;
    pthread_mutex_init(&store->mutex, NULL);
    WORKS(payments_options_set_token_store(options, store, &callbacks, destroy, &error));
    client = client_with(WITH_ALL, "", options);
    payments_options_free(options);
    return client;
}

static void a_token_is_kept_in_the_store(void)
{
    struct store store = {0};
    struct store other = {0};
    payments_client *client = client_on(&store);
    payments_client *later;
    sandbox_reset();
    pay(client);
    pay(client);
    CHECK_HAS(store.entry, "\"token\"");
    CHECK_NUMBER(store.locks, 1);
    CHECK_NUMBER(store.unlocks, 1);
    CHECK(store.loads >= 1 && store.saves >= 1);
    /* Another client finds it there, as another process would. */
    memcpy(other.entry, store.entry, sizeof(other.entry));
    later = client_on(&other);
    pay(later);
    CHECK_NUMBER(sandbox_count("/sandbox/stats", "/token_requests"), 1);
    payments_client_free(later);
    payments_client_free(client);
    CHECK_NUMBER(store.destroyed, 1);
    CHECK_NUMBER(other.destroyed, 1);
}

static void a_refused_token_is_deleted_by_value(void)
{
    struct store store = {0};
    payments_client *client = client_on(&store);
    sandbox_reset();
    pay(client);
    sandbox("POST", "/sandbox/tokens/revoke", "");
    pay(client);
    CHECK(store.deletes >= 1);
    CHECK_HAS(store.entry, "\"token\"");
    CHECK_NUMBER(sandbox_count("/sandbox/stats", "/token_requests"), 2);
    payments_client_free(client);
}

static void a_store_that_fails_is_bypassed(void)
{
    struct store store = {0};
    payments_client *client = client_on(&store);
    sandbox_reset();
    store.broken = 1;
    pay(client);
    pay(client);
    CHECK_TEXT(store.entry, "");
    CHECK_NUMBER(sandbox_count("/sandbox/stats", "/token_requests"), 1);
    store.broken = 0;
    pay(client);
    payments_client_free(client);
    CHECK_NUMBER(store.destroyed, 1);
}

static void spoiled_entries_heal(void)
{
    struct store store = {0};
    payments_client *client = client_on(&store);
    sandbox_reset();
    strcpy(store.entry, "{\"token\":{\"value\":\"\xff");
    pay(client);
    CHECK_HAS(store.entry, "\"expires_at\"");
    payments_client_free(client);
}

static void a_store_cannot_call_the_client_that_it_serves(void)
{
    struct store store = {0};
    payments_client *client = client_on(&store);
    sandbox_reset();
    store.reenter = client;
    pay(client);
    store.reenter = NULL;
    pay(client);
    payments_client_free(client);
}

/* Programs that were compiled with a later header, or with one that is none. */
static void tables_of_other_sizes(void)
{
    struct {
        payments_token_store_callbacks known;
        void (*later)(void);
    } table = {{0, load, save, delete_if, try_lock, unlock}, NULL};
    struct store store = {0};
    const size_t refused[] = {0, 1, sizeof(size_t), offsetof(payments_token_store_callbacks, unlock),
                              sizeof(payments_token_store_callbacks) - 1};
    payments_options *options = new_options();
    payments_client *client;
    size_t i;
    for (i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        table.known.size = refused[i];
        FAILS(PAYMENTS_STATUS_INVALID_ARGUMENT,
              payments_options_set_token_store(options, &store, &table.known, NULL, &error));
    }
    pthread_mutex_init(&store.mutex, NULL);
    table.known.size = sizeof(table);
    WORKS(payments_options_set_token_store(options, &store, &table.known, destroy, &error));
    client = client_with(WITH_ALL, "", options);
    payments_options_free(options);
    sandbox_reset();
    pay(client);
    CHECK_HAS(store.entry, "\"token\"");
    payments_client_free(client);
    CHECK_NUMBER(store.destroyed, 1);
}

/* Texts and handles that are freed. */
static void a_token_and_its_status_are_texts(void)
{
    payments_client *client = client_with(WITH_ALL, "", NULL);
    payments_response *response = NULL;
    payments_text *text = NULL;
    size_t length = 1;
    sandbox_reset();
    WORKS(payments_client_access_token(client, NULL, &response, &error));
    payments_response_body(response, &length);
    CHECK_NUMBER(length, 0);
    payments_response_free(response);
    WORKS(payments_client_token_status(client, NULL, &text, &error));
    CHECK_HAS(payments_text_data(text), "\"is_usable\":true");
    payments_text_free(text);
    WORKS(payments_client_forget_token(client, NULL, &error));
    payments_client_free(client);
}

int main(void)
{
    RUN(a_token_and_its_status_are_texts);
    RUN(tables_of_other_sizes);
    RUN(a_token_is_kept_in_the_store);
    RUN(a_refused_token_is_deleted_by_value);
    RUN(a_store_that_fails_is_bypassed);
    RUN(spoiled_entries_heal);
    RUN(a_store_cannot_call_the_client_that_it_serves);
    return 0;
}
