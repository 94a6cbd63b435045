/* The C process of the soak test; src/soak/mod.rs describes the protocol. */
#define _POSIX_C_SOURCE 200809L
#include <payments.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { AT_ONCE = 8, LONGEST_LINE = 4096 };

static pthread_mutex_t reading = PTHREAD_MUTEX_INITIALIZER;
static payments_client *client;

struct cancellation {
    payments_call *call;
    long after_ms;
};

static void stop_for(const char *why)
{
    fprintf(stderr, "soak in C: %s\n", why);
    exit(1);
}

/* The text after a name. The layout is known: `request` comes last. */
static const char *after(const char *line, const char *name)
{
    const char *found = strstr(line, name);
    if (found == NULL) {
        stop_for(line);
    }
    return found + strlen(name);
}

static void *cancel_later(void *argument)
{
    struct cancellation *cancellation = argument;
    struct timespec pause = {0, cancellation->after_ms * 1000000L};
    nanosleep(&pause, NULL);
    payments_call_cancel(cancellation->call);
    return NULL;
}

static const char *report_of(payments_status status, const payments_error *error)
{
    payments_response *response = NULL;
    if (status == PAYMENTS_STATUS_OK) {
        return "success";
    }
    if (payments_error_response(error, &response) == PAYMENTS_STATUS_OK && response != NULL) {
        payments_response_free(response);
        return "responded";
    }
    switch (payments_error_outcome(error)) {
    case PAYMENTS_OUTCOME_NOT_EXECUTED:
        return "not_executed";
    case PAYMENTS_OUTCOME_UNKNOWN:
        return "unknown";
    case PAYMENTS_OUTCOME_EXECUTED:
        return "executed";
    }
    abort();
}

static void perform(const char *line)
{
    const char *cancel = after(line, "\"cancel_ms\":");
    const char *operation = after(line, "\"operation\":\"");
    const char *request = after(line, "\"request\":");
    struct cancellation cancellation = {NULL, strtol(cancel, NULL, 10)};
    int is_cancelled = *cancel != 'n';
    pthread_t thread;
    payments_response *response = NULL;
    payments_error *error = NULL;
    payments_status status;
    if (payments_call_new(&cancellation.call) != PAYMENTS_STATUS_OK) {
        stop_for("there is no call");
    }
    if (is_cancelled && pthread_create(&thread, NULL, cancel_later, &cancellation) != 0) {
        stop_for("there is no thread");
    }
    status = payments_client_call(client, operation, strcspn(operation, "\""), request,
                                  strlen(request) - 1, cancellation.call, &response, &error);
    if (is_cancelled) {
        pthread_join(thread, NULL);
    }
    printf("{\"id\":%ld,\"report\":\"%s\"}\n", strtol(after(line, "\"id\":"), NULL, 10),
           report_of(status, error));
    fflush(stdout);
    payments_response_free(response);
    payments_error_free(error);
    payments_call_free(cancellation.call);
}

static void recover(void)
{
    payments_text *report = NULL;
    payments_error *error = NULL;
    if (payments_client_journal_recover(client, NULL, 0, NULL, &report, &error) !=
        PAYMENTS_STATUS_OK) {
        /* Another process may be recovering it. */
        if (strcmp(payments_error_code(error), "already_running") != 0) {
            stop_for(payments_error_text(error));
        }
        payments_error_free(error);
    }
    payments_text_free(report);
    puts("recovered");
    fflush(stdout);
}

static void *serve(void *unused)
{
    char line[LONGEST_LINE];
    (void)unused;
    for (;;) {
        int is_line;
        pthread_mutex_lock(&reading);
        is_line = fgets(line, sizeof(line), stdin) != NULL;
        pthread_mutex_unlock(&reading);
        if (!is_line) {
            return NULL;
        }
        line[strcspn(line, "\n")] = '\0';
        if (strcmp(line, "collect") == 0) {
            puts("collected");
            fflush(stdout);
        } else if (strcmp(line, "recover") == 0) {
            recover();
        } else {
            perform(line);
        }
    }
}

int main(void)
{
    char line[LONGEST_LINE];
    pthread_t threads[AT_ONCE];
    payments_error *error = NULL;
    int i;
    if (fgets(line, sizeof(line), stdin) == NULL ||
        payments_client_new(line, strlen(line), NULL, &client, &error) != PAYMENTS_STATUS_OK) {
        stop_for(error == NULL ? "there is no configuration" : payments_error_text(error));
    }
    puts("ready");
    fflush(stdout);
    for (i = 0; i < AT_ONCE; i++) {
        if (pthread_create(&threads[i], NULL, serve, NULL) != 0) {
            stop_for("there is no thread");
        }
    }
    for (i = 0; i < AT_ONCE; i++) {
        pthread_join(threads[i], NULL);
    }
    payments_client_free(client);
    return 0;
}
