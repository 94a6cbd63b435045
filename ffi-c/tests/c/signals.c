/* A host with the default action for SIGPIPE survives a connection that is
 * reset while it writes, plain and in TLS. */
#define _POSIX_C_SOURCE 200809L
#include "harness.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LARGE = 8 * 1024 * 1024 };

static payments_error *error = NULL;

/* The action in a child that has the default one; how it ended. */
static int in_a_child(void (*action)(const char *), const char *setting_name)
{
    int ended = 0;
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        signal(SIGPIPE, SIG_DFL);
        action(setting_name);
        exit(0);
    }
    CHECK(waitpid(child, &ended, 0) == child);
    return ended;
}

/* Shows that the server resets connections. */
static void write_plainly(const char *setting_name)
{
    struct sockaddr_in address;
    uint8_t *bytes = calloc(1, LARGE);
    ssize_t written = 1;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    memset(&address, 0, sizeof(address));
    address.sin_family = AF_INET;
    address.sin_port = htons((uint16_t)atoi(setting(setting_name)));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    CHECK(connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0);
    while (written > 0) {
        written = write(fd, bytes, LARGE);
    }
    written = write(fd, bytes, LARGE);
    free(bytes);
}

static void send_much(const char *scheme, const char *port)
{
    char config[1024];
    uint8_t *bytes = calloc(1, LARGE);
    payments_client *client = NULL;
    payments_response *response = NULL;
    int round;
    snprintf(config, sizeof(config), "{\"base_url\":\"%s://127.0.0.1:%s\",\"ca_file\":\"%s\",\"integration_key\":\"k\"}",
             scheme, port, setting("PAYMENTS_TEST_CA"));
    WORKS(payments_client_new(TEXT(config), NULL, &client, &error));
    for (round = 0; round < 4; round++) {
        CHECK_NUMBER(payments_client_send(client, LIT("{\"method\":\"POST\",\"path\":\"/x\"}"),
                                          bytes, LARGE, NULL, &response, &error),
                     PAYMENTS_STATUS_TRANSPORT);
        CHECK_NUMBER(payments_error_outcome(error), PAYMENTS_OUTCOME_UNKNOWN);
        payments_error_free(error);
        error = NULL;
    }
    payments_client_free(client);
    free(bytes);
}

static void send_plainly(const char *setting_name)
{
    send_much("http", setting(setting_name));
}

static void send_in_tls(const char *setting_name)
{
    send_much("https", setting(setting_name));
}

static void a_plain_reset_does_not_kill_the_host(void)
{
    int ended = in_a_child(write_plainly, "PAYMENTS_TEST_RESET_PORT");
    CHECK(WIFSIGNALED(ended) && WTERMSIG(ended) == SIGPIPE);
    ended = in_a_child(send_plainly, "PAYMENTS_TEST_RESET_PORT");
    CHECK(WIFEXITED(ended) && WEXITSTATUS(ended) == 0);
}

static void a_reset_in_tls_does_not_kill_the_host(void)
{
    int ended = in_a_child(send_in_tls, "PAYMENTS_TEST_RESET_TLS_PORT");
    CHECK(WIFEXITED(ended) && WEXITSTATUS(ended) == 0);
}

int main(void)
{
    RUN(a_plain_reset_does_not_kill_the_host);
    RUN(a_reset_in_tls_does_not_kill_the_host);
    return 0;
}
