/* A response within the limits takes a bounded part of the memory, whatever it
 * is made of. Each is read by its own process. */
#define _POSIX_C_SOURCE 200809L
#include "harness.h"

#include <sys/wait.h>
#include <unistd.h>

enum { MOST_KIB = 64 * 1024 };

static payments_error *error = NULL;

/* Of this process, in KiB. */
static long status_of(const char *member)
{
    char line[256];
    long found = -1;
    FILE *lines = fopen("/proc/self/status", "r");
    CHECK(lines != NULL);
    while (found < 0 && fgets(line, sizeof(line), lines) != NULL) {
        if (strncmp(line, member, strlen(member)) == 0) {
            found = strtol(line + strlen(member) + 1, NULL, 10);
        }
    }
    fclose(lines);
    CHECK(found >= 0);
    return found;
}

static void reads(void)
{
    payments_client *client = client_with(WITH_ALL, "", NULL);
    payments_request *request = new_payment();
    payments_response *response = NULL;
    size_t length = 0;
    long before = status_of("VmRSS"), growth;
    char *status;
    WORKS(create(client, request, NULL, &response, &error));
    CHECK(payments_response_view(response, &length) != NULL);
    CHECK(length > 100000);
    status = text_at(response, "/status");
    CHECK_TEXT(status, "SUCCESS");
    growth = status_of("VmHWM") - before;
    if (growth > MOST_KIB) {
        fprintf(stderr, "%ld KiB\n", growth);
    }
    CHECK(growth <= MOST_KIB);
    free(status);
    payments_response_free(response);
    payments_request_free(request);
    payments_client_free(client);
}

static void no_response_takes_more_than_64_mib(void)
{
    static const char *const parts[] = {"numbers", "names", "nesting", "text", "escapes"};
    size_t i;
    sandbox_reset();
    for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        char fault[64];
        int ended;
        pid_t child;
        snprintf(fault, sizeof(fault), "{\"fault\":\"large\",\"of\":\"%s\"}", parts[i]);
        sandbox_fault(fault);
        fflush(stdout);
        child = fork();
        CHECK(child >= 0);
        if (child == 0) {
            reads();
            exit(0);
        }
        CHECK(waitpid(child, &ended, 0) == child);
        CHECK(WIFEXITED(ended) && WEXITSTATUS(ended) == 0);
    }
}

int main(void)
{
    RUN(no_response_takes_more_than_64_mib);
    return 0;
}
