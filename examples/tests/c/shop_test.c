/* Tests of a C program against the sandbox: how to start it, let something go
 * wrong, and look at what arrived.
 *
 *   cc shop_test.c $(pkg-config --cflags --libs libpayments) -o shop_test
 *   ./shop_test
 *
 * The sandbox is the command `payments`: the one that the variable
 * PAYMENTS_COMMAND names, or the first of PATH.
 */
#define _POSIX_C_SOURCE 200809L
#include <payments.h>

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* Every function takes text as a pointer and a length. */
#define TEXT(text) (text), strlen(text)

#define PAYMENT(reference)                                                                       \
    "{\"payment\":{\"name\":\"Maria Souza\",\"email\":\"maria@example.com\",\"country\":\"br\"," \
    "\"document\":\"853.513.468-93\",\"payment_type_code\":\"pix\",\"currency_code\":\"BRL\","   \
    "\"amount_total\":\"100.10\",\"merchant_payment_code\":\"" reference "\"}}"

static void check(int is_true, const char *what)
{
    if (!is_true) {
        fprintf(stderr, "failed: %s\n", what);
        exit(1);
    }
    printf("ok: %s\n", what);
}

/* The sandbox: a child process that ends when `input` is closed, which the end
 * of this process does too. */
typedef struct sandbox {
    pid_t process;
    int input;
    unsigned short port;
    /* The configuration of a client, with a registered key. */
    char configuration[16384];
} sandbox;

static void start(sandbox *sandbox)
{
    const char *command = getenv("PAYMENTS_COMMAND");
    const char *address;
    int input[2], output[2];
    FILE *lines;
    check(pipe(input) == 0 && pipe(output) == 0, "pipes");
    sandbox->process = fork();
    if (sandbox->process == 0) {
        dup2(input[0], STDIN_FILENO);
        dup2(output[1], STDOUT_FILENO);
        close(input[0]);
        close(input[1]);
        close(output[0]);
        close(output[1]);
        command = command == NULL ? "payments" : command;
        execlp(command, command, "sandbox", "--json", "--stdin-lifetime", (char *)NULL);
        perror("payments: install it, or set PAYMENTS_COMMAND to its path");
        _exit(127);
    }
    close(input[0]);
    close(output[1]);
    sandbox->input = input[1];
    /* One line, when it is ready. */
    lines = fdopen(output[0], "r");
    check(fgets(sandbox->configuration, sizeof(sandbox->configuration), lines) != NULL,
          "the sandbox starts");
    fclose(lines);
    address = strstr(sandbox->configuration, "http://127.0.0.1:");
    check(address != NULL, "the configuration has an address");
    sandbox->port = (unsigned short)atoi(address + strlen("http://127.0.0.1:"));
}

static void stop(sandbox *sandbox)
{
    int status = -1;
    close(sandbox->input);
    check(waitpid(sandbox->process, &status, 0) == sandbox->process && status == 0,
          "the sandbox ends");
}

/* Calls the control API; the response with its head is in `reply`. */
static void control(const sandbox *sandbox, const char *method, const char *path,
                    const char *body, char *reply, size_t size)
{
    struct sockaddr_in address = {0};
    char request[1024];
    size_t length = 0;
    ssize_t count;
    int connection = socket(AF_INET, SOCK_STREAM, 0);
    address.sin_family = AF_INET;
    address.sin_port = htons(sandbox->port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    snprintf(request, sizeof(request),
             "%s /sandbox/%s HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
             "Content-Length: %lu\r\n\r\n%s",
             method, path, (unsigned long)strlen(body), body);
    if (connect(connection, (struct sockaddr *)&address, sizeof(address)) != 0 ||
        write(connection, TEXT(request)) != (ssize_t)strlen(request)) {
        check(0, path);
    }
    while ((count = read(connection, reply + length, size - 1 - length)) > 0) {
        length += (size_t)count;
    }
    reply[length] = '\0';
    close(connection);
    check(strncmp(reply, "HTTP/1.1 200", 12) == 0, path);
}

/* The status of a payment, queried by the shop's own reference. */
static void check_status(const payments_client *client, const char *request, const char *status)
{
    payments_response *response = NULL;
    const char *queried = NULL;
    if (payments_client_query_payment(client, TEXT(request), NULL, &response, NULL) ==
        PAYMENTS_STATUS_OK) {
        queried = payments_response_status(response);
    }
    check(queried != NULL && strcmp(queried, status) == 0, status);
    payments_response_free(response);
}

int main(void)
{
    static sandbox sandbox;
    static char reply[65536];
    payments_client *client = NULL;
    payments_response *response = NULL;
    payments_error *error = NULL;
    start(&sandbox);
    check(payments_client_new(TEXT(sandbox.configuration), NULL, &client, &error) ==
              PAYMENTS_STATUS_OK,
          "a client");

    check(payments_client_create_payment(client, TEXT(PAYMENT("order-1")), NULL, &response,
                                         &error) == PAYMENTS_STATUS_OK,
          "a payment is created");
    payments_response_free(response);
    check_status(client, "{\"merchant_payment_code\":\"order-1\"}", "PE");
    control(&sandbox, "POST", "payments/order-1/confirm", "", reply, sizeof(reply));
    check_status(client, "{\"merchant_payment_code\":\"order-1\"}", "CO");

    control(&sandbox, "POST", "faults",
            "{\"operation\":\"create_payment\",\"then\":[{\"fault\":\"response_lost\"}]}", reply,
            sizeof(reply));
    check(payments_client_create_payment(client, TEXT(PAYMENT("order-2")), NULL, &response,
                                         &error) != PAYMENTS_STATUS_OK &&
              payments_error_outcome(error) == PAYMENTS_OUTCOME_UNKNOWN,
          "after a lost response, the outcome is unknown");
    payments_error_free(error);
    check_status(client, "{\"merchant_payment_code\":\"order-2\"}", "PE");

    control(&sandbox, "GET", "requests?operation=create_payment", "", reply, sizeof(reply));
    check(strstr(reply, "\"signature\":\"verified\"") != NULL, "signatures are verified");
    payments_client_free(client);
    stop(&sandbox);
    return 0;
}
