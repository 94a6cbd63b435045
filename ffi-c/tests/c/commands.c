/* Plans and failures of a package that was started as a command. */
#define _POSIX_C_SOURCE 200809L

#include <unistd.h>

#include "harness.h"

static payments_error *error = NULL;

static void commands_are_planned(const char *arguments, const char *expected)
{
    char input[512];
    payments_text *text = NULL;
    snprintf(input, sizeof(input),
             "{\"program\":\"shop\",\"database\":\"pgsql:shop\",\"arguments\":%s}", arguments);
    WORKS(payments_journal_plan(TEXT(input), &text, &error));
    CHECK_HAS(payments_text_data(text), expected);
    payments_text_free(text);
}

static void a_package_gets_the_plan_of_its_command(void)
{
    char path[1024], config[1200], arguments[1300];
    char *members = config_text(WITH_ALL, "");
    payments_client *client = NULL;
    payments_text *text = NULL;
    FILE *file;
    commands_are_planned("[\"journal\",\"--help\"]", "shop journal resolve --from");
    commands_are_planned("[\"jurnal\"]", "invalid_arguments");
    commands_are_planned("[\"journal\",\"create\",\"--database=d\"]", "\"action\":\"create\"");
    snprintf(path, sizeof(path), "%s/command-%d.json", setting("PAYMENTS_TEST_SCRATCH"),
             (int)getpid());
    file = fopen(path, "w");
    CHECK(file != NULL && fputs(members, file) >= 0 && fclose(file) == 0);
    free(members);
    snprintf(arguments, sizeof(arguments),
             "[\"--database=d\",\"--config\",\"%s\",\"--with-env\",\"journal\",\"list\"]", path);
    snprintf(config, sizeof(config), "\"file\":\"%s\",\"with_env\":true", path);
    commands_are_planned(arguments, config);
    CHECK(setenv("PAYMENTS_BASE_URL", "nowhere", 1) == 0);
    FAILS(PAYMENTS_STATUS_CONFIG,
          payments_client_from_file_with_env(TEXT(path), 0, NULL, &client, &error));
    CHECK(client == NULL);
    CHECK(unsetenv("PAYMENTS_BASE_URL") == 0);
    WORKS(payments_client_from_file_with_env(TEXT(path), 0, NULL, &client, &error));
    payments_client_free(client);
    remove(path);
    REFUSED(payments_client_from_file_with_env(TEXT(path), 0, NULL, NULL, &error));

    WORKS(payments_journal_failure(LIT("{\"problem\":\"output\",\"message\":\"full\"}"), &text,
                                   &error));
    CHECK_HAS(payments_text_data(text), "output_failed");
    CHECK_HAS(payments_text_data(text), "\"exit_code\":1");
    payments_text_free(text);
    FAILS(PAYMENTS_STATUS_VALIDATION, payments_journal_failure(LIT("{}"), &text, &error));
    REFUSED(payments_journal_failure(LIT("{}"), NULL, &error));
    FAILS(PAYMENTS_STATUS_VALIDATION, payments_journal_plan(LIT("{}"), &text, &error));
    REFUSED(payments_journal_plan(NULL, 1, &text, &error));
}

int main(void)
{
    RUN(a_package_gets_the_plan_of_its_command);
    return 0;
}
