/* The C worker; src/crew.rs describes the protocol. */
#define _POSIX_C_SOURCE 200809L
#include <payments.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { AT_ONCE = 16, PAUSE_S = 1, LONGEST_LINE = 4096 };

/* Totals of all threads, guarded by the lock. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long responded, lacked, refused;
static char other[64];
static int is_over;

static payments_client *client;
static char query[LONGEST_LINE];

static void stop_for(const char *why)
{
    fprintf(stderr, "worker in C: %s\n", why);
    exit(1);
}

/* Reads a line without its line break; returns whether there was one. */
static int read_line(char *line)
{
    if (fgets(line, LONGEST_LINE, stdin) == NULL) {
        return 0;
    }
    line[strcspn(line, "\n")] = '\0';
    return 1;
}

/* Kind and code need no JSON escapes. */
static void count(payments_status status, const payments_error *error)
{
    pthread_mutex_lock(&lock);
    if (status == PAYMENTS_STATUS_OK) {
        responded++;
    } else if (status == PAYMENTS_STATUS_TOKEN && payments_error_retry_after_ms(error) >= 0) {
        lacked++;
    } else if (status == PAYMENTS_STATUS_UNAUTHORIZED) {
        refused++;
    } else {
        snprintf(other, sizeof(other), "%s %s", payments_status_name(status),
                 payments_error_code(error));
    }
    pthread_mutex_unlock(&lock);
}

static void *ask(void *unused)
{
    static const struct timespec pause = {PAUSE_S, 0};
    int ended = 0;
    (void)unused;
    while (!ended) {
        payments_response *response = NULL;
        payments_error *error = NULL;
        payments_status status = payments_client_query_payment(client, query, strlen(query), NULL,
                                                               &response, &error);
        count(status, error);
        payments_response_free(response);
        payments_error_free(error);
        nanosleep(&pause, NULL);
        pthread_mutex_lock(&lock);
        ended = is_over;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

static void report(void)
{
    const char *quote;
    pthread_mutex_lock(&lock);
    quote = other[0] == '\0' ? "" : "\"";
    printf("{\"responded\":%lu,\"lacked\":%lu,\"refused\":%lu,\"other\":%s%s%s}\n", responded,
           lacked, refused, quote, other[0] == '\0' ? "null" : other, quote);
    responded = lacked = refused = 0;
    other[0] = '\0';
    pthread_mutex_unlock(&lock);
    fflush(stdout);
}

int main(void)
{
    char line[LONGEST_LINE];
    pthread_t threads[AT_ONCE];
    payments_error *error = NULL;
    int i;
    if (!read_line(line) ||
        payments_client_new(line, strlen(line), NULL, &client, &error) != PAYMENTS_STATUS_OK) {
        stop_for(error == NULL ? "there is no configuration" : payments_error_text(error));
    }
    if (!read_line(line)) {
        stop_for("there is no payment");
    }
    snprintf(query, sizeof(query), "{\"hash\":\"%.100s\"}", line);
    puts("ready");
    fflush(stdout);
    if (!read_line(line)) {
        stop_for("it never began");
    }
    for (i = 0; i < AT_ONCE; i++) {
        if (pthread_create(&threads[i], NULL, ask, NULL) != 0) {
            stop_for("there is no thread");
        }
    }
    while (read_line(line)) {
        report();
    }
    pthread_mutex_lock(&lock);
    is_over = 1;
    pthread_mutex_unlock(&lock);
    for (i = 0; i < AT_ONCE; i++) {
        pthread_join(threads[i], NULL);
    }
    payments_client_free(client);
    return 0;
}
