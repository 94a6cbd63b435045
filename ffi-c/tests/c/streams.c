/* A program that closed its standard streams: no descriptor of the library gets their
 * numbers, because code of the program still writes to them, and may close them again.
 * And a program that closes descriptors of the library: files of its own that get their
 * numbers stay as they are. */
#define _GNU_SOURCE
#include "harness.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

enum { COMBINATIONS = 8, PAYOUTS = 10, FILES = 8, KEPT_STDERR = 20 };

static payments_error *error = NULL;

/* A bit for each of the descriptors 0 to 2 that is closed. */
static int closed;
/* The results of taking the locks. */
static int probed_tokens, probed_recovery;
/* The journal, and the folder of the token store. */
static char folder[512], journal[600];

/* Closes them, again and again, as code does that makes a daemon. */
static void close_streams(void)
{
    int fd;
    for (fd = 0; fd <= 2; fd++) {
        if (closed >> fd & 1) {
            close(fd);
        }
    }
}

/* Code that takes standard output and error for harmless. */
static void write_to_streams(void)
{
    int fd;
    for (fd = 0; fd <= 2; fd++) {
        char path[32], file[256] = "";
        if ((closed >> fd & 1) == 0) {
            continue;
        }
        CHECK(write(fd, LIT("a line of a log\n")) == -1);
        CHECK_NUMBER(errno, EBADF);
        snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
        if (readlink(path, file, sizeof(file) - 1) != -1) {
            CHECK_TEXT(file, "/dev/null");
            CHECK_NUMBER(fcntl(fd, F_GETFD), FD_CLOEXEC);
        }
    }
}

static void observe(void *user_data, const char *event, size_t event_length)
{
    int *events = user_data;
    (void)event, (void)event_length;
    /* Once with the library's own descriptors there, and once with nothing
     * there. */
    write_to_streams();
    close_streams();
    write_to_streams();
    (*events)++;
}

/* Its own client with store and journal, which writes to the streams at every
 * event. */
static payments_client *journaled(payments_options *options, const char *more)
{
    char members[2048];
    snprintf(members, sizeof(members),
             ",\"token_store\":\"file:%s/tokens\",\"journal\":\"file:%s\"%s", folder, journal, more);
    return client_with(WITH_ALL, members, options);
}

static void choose_folder(void)
{
    static int number = 0;
    snprintf(folder, sizeof(folder), "%s/streams-%ld-%d", setting("PAYMENTS_TEST_SCRATCH"),
             (long)getpid(), ++number);
    snprintf(journal, sizeof(journal), "%s/journal.db", folder);
}

static void payments_go_through(void)
{
    payments_options *options = new_options();
    payments_text *text = NULL;
    payments_client *client;
    int events = 0;
    sandbox_reset();
    WORKS(payments_journal_create(TEXT(journal), &error));
    WORKS(payments_options_set_observer(options, &events, observe, NULL, &error));
    client = journaled(options, "");
    pay(client);
    write_to_streams();
    close_streams();
    pay(client);
    CHECK(events > 4);
    CHECK_NUMBER(sandbox_count("/sandbox/stats", "/token_requests"), 1);
    CHECK_NUMBER(sandbox_count("/sandbox/requests?operation=create_payment", "/requests"), 2);
    WORKS(payments_client_journal_list(client, LIT("{\"only_open\":true}"), NULL, &text, &error));
    CHECK_HAS(payments_text_data(text), "{\"entries\":[],");
    payments_text_free(text);
    payments_client_free(client);
    payments_options_free(options);
    write_to_streams();
}

/* Whether another process gets the lock of a file. */
static int is_free(const char *path)
{
    int ended;
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
        int fd = open(path, O_RDWR);
        if (fd == -1 || fcntl(fd, F_SETLK, &lock) == -1 || flock(fd, LOCK_EX | LOCK_NB) == -1) {
            _exit(fd == -1 ? 2 : 1);
        }
        _exit(0);
    }
    CHECK(waitpid(child, &ended, 0) == child && WIFEXITED(ended) && WEXITSTATUS(ended) < 2);
    return WEXITSTATUS(ended) == 0;
}

/* The file of the token store with this ending. */
static void find_token_file(const char *ending, char path[1024])
{
    const struct dirent *entry;
    char tokens[600];
    DIR *files;
    snprintf(tokens, sizeof(tokens), "%s/tokens", folder);
    files = opendir(tokens);
    CHECK(files != NULL);
    path[0] = '\0';
    while ((entry = readdir(files)) != NULL) {
        const size_t length = strlen(entry->d_name), end = strlen(ending);
        if (length > end && strcmp(entry->d_name + length - end, ending) == 0) {
            snprintf(path, 1024, "%s/%s", tokens, entry->d_name);
        }
    }
    closedir(files);
    CHECK(path[0] != '\0');
}

/* Called while the library holds a lock: that of the token store when it asks
 * for a token, and that of recovery when it queries a payment. The service
 * never answers. */
static int32_t probe_locks(void *user_data, const payments_context *context,
                           const payments_prepared *request,
                           payments_transport_response *response_out)
{
    const char *url = payments_prepared_url(request);
    char path[1024];
    (void)user_data, (void)context;
    close_streams();
    if (strstr(url, "/auth") != NULL) {
        find_token_file(".lock", path);
        CHECK_NUMBER(is_free(path), 0);
        probed_tokens++;
        CHECK_NUMBER(payments_transport_response_set_status(response_out, 200),
                     PAYMENTS_STATUS_OK);
        CHECK_NUMBER(payments_transport_response_write_body(
                         response_out, (const uint8_t *)"{\"access_token\":\"t\",\"expires_in\":600}",
                         37),
                     PAYMENTS_STATUS_OK);
        return 0;
    }
    snprintf(path, sizeof(path), "%s-recovery", journal);
    if (access(path, F_OK) == 0) {
        CHECK_NUMBER(is_free(path), 0);
        probed_recovery++;
    }
    CHECK_NUMBER(payments_transport_response_fail(response_out, PAYMENTS_STATUS_TIMEOUT, 0,
                                                  LIT("no response")),
                 PAYMENTS_STATUS_OK);
    return 0;
}

static void locks_are_kept(void)
{
    payments_options *options = new_options();
    payments_request *request = new_payment();
    payments_response *response = NULL;
    payments_text *text = NULL;
    payments_client *client;
    char path[1024];
    WORKS(payments_journal_create(TEXT(journal), &error));
    WORKS(payments_options_set_transport(options, NULL, probe_locks, NULL, &error));
    client = journaled(options, "");
    close_streams();
    CHECK(create(client, request, NULL, &response, &error) != PAYMENTS_STATUS_OK);
    CHECK_NUMBER(payments_error_outcome(error), PAYMENTS_OUTCOME_UNKNOWN);
    payments_error_free(error);
    error = NULL;
    CHECK_NUMBER(probed_tokens, 1);
    find_token_file(".lock", path);
    CHECK_NUMBER(is_free(path), 1);
    close_streams();
    WORKS(payments_client_journal_recover(client, LIT(""), NULL, &text, &error));
    CHECK(probed_recovery > 0);
    payments_text_free(text);
    payments_request_free(request);
    payments_client_free(client);
    payments_options_free(options);
}

/* As several processes do at once. */
static void write_payouts(void)
{
    payments_client *client = journaled(NULL, "");
    int number;
    for (number = 0; number < PAYOUTS; number++) {
        payments_response *response = NULL;
        char body[512];
        snprintf(body, sizeof(body),
                 "{\"external_reference\":\"p-%ld-%d\",\"country\":\"br\",\"amount\":10.00,"
                 "\"currency_code\":\"BRL\",\"target\":\"pix_key\",\"target_account\":\"a\","
                 "\"payee\":{\"name\":\"Maria\"}}",
                 (long)getpid(), number);
        close_streams();
        WORKS(payments_client_create_payout(client, TEXT(body), NULL, &response, &error));
        payments_response_free(response);
    }
    payments_client_free(client);
}

/* Runs a test in a child that closed its streams. Its failures go to a copy of
 * standard error. */
static pid_t begin(int combination, void (*test)(void))
{
    pid_t child;
    fflush(NULL);
    child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        int copy = fcntl(STDERR_FILENO, F_DUPFD, KEPT_STDERR);
        closed = combination;
        close_streams();
        stderr = fdopen(copy, "w");
        test();
        exit(0);
    }
    return child;
}

static void must_end_well(pid_t child)
{
    int ended;
    CHECK(waitpid(child, &ended, 0) == child);
    CHECK(WIFEXITED(ended) && WEXITSTATUS(ended) == 0);
}

static void in_each_combination(void (*test)(void))
{
    int combination;
    for (combination = 0; combination < COMBINATIONS; combination++) {
        choose_folder();
        must_end_well(begin(combination, test));
    }
}

static void make_journal(void)
{
    WORKS(payments_journal_create(TEXT(journal), &error));
}

/* Closes all descriptors from 3 on, as code does that makes a daemon. */
static void close_others(void)
{
    int fd;
    for (fd = 3; fd < 200; fd++) {
        if (fd != KEPT_STDERR) {
            close(fd);
        }
    }
}

static void files_of_the_program_are_left_alone(void)
{
    payments_client *client;
    int files[FILES], number;
    char path[700], text[64];
    sandbox_reset();
    make_journal();
    client = journaled(NULL, "");
    pay(client);
    close_others();
    for (number = 0; number < FILES; number++) {
        snprintf(path, sizeof(path), "%s/own-%d", folder, number);
        files[number] = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
        CHECK(files[number] >= 0);
        CHECK_NUMBER(write(files[number], LIT("own\n")), 4);
    }
    pay(client);
    pay(client);
    payments_client_free(client);
    for (number = 0; number < FILES; number++) {
        CHECK_NUMBER(write(files[number], LIT("log\n")), 4);
        memset(text, 0, sizeof(text));
        CHECK_NUMBER(pread(files[number], text, sizeof(text) - 1, 0), 8);
        CHECK_TEXT(text, "own\nlog\n");
        CHECK_NUMBER(close(files[number]), 0);
    }
    CHECK_NUMBER(sandbox_count("/sandbox/requests?operation=create_payment", "/requests"), 3);
}

static void descriptors_may_be_closed_between_calls(void)
{
    choose_folder();
    must_end_well(begin(0, files_of_the_program_are_left_alone));
}

static void nothing_is_written_into_a_payment_or_a_journal(void)
{
    in_each_combination(payments_go_through);
}

static void no_lock_is_lost(void)
{
    in_each_combination(locks_are_kept);
}

static void count_payouts(void)
{
    payments_client *client = journaled(NULL, "");
    payments_text *text = NULL;
    WORKS(payments_client_journal_prune(client, LIT("{\"before\":\"2100-01-31\",\"dry_run\":true}"),
                                        NULL, &text, &error));
    CHECK_HAS(payments_text_data(text), "\"done\":80,\"failed\":0,\"open\":0");
    payments_text_free(text);
    payments_client_free(client);
}

static void processes_share_a_journal(void)
{
    pid_t children[COMBINATIONS];
    int combination;
    sandbox_reset();
    /* All have one client id, and with it one token. */
    free(config_text(WITH_BEARER, ""));
    choose_folder();
    must_end_well(begin(7, make_journal));
    for (combination = 0; combination < COMBINATIONS; combination++) {
        children[combination] = begin(combination, write_payouts);
    }
    for (combination = 0; combination < COMBINATIONS; combination++) {
        must_end_well(children[combination]);
    }
    must_end_well(begin(7, count_payouts));
    CHECK_NUMBER(sandbox_count("/sandbox/stats", "/token_requests"), 1);
}

int main(void)
{
    RUN(descriptors_may_be_closed_between_calls);
    RUN(nothing_is_written_into_a_payment_or_a_journal);
    RUN(no_lock_is_lost);
    RUN(processes_share_a_journal);
    return 0;
}
