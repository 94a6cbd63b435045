/* A program with its own SQLite, linked with libpayments.a, which has
 * another: takes a payment that the journal records. The arguments are those
 * of pay.c. */

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#define main pay
#include "pay.c"
#undef main

int main(int count, char **arguments)
{
    sqlite3 *database = NULL;
    sqlite3_stmt *query = NULL;
    int status = 1;
    if (sqlite3_open(":memory:", &database) == SQLITE_OK &&
        sqlite3_prepare_v2(database, "SELECT sqlite_source_id()", -1, &query, NULL) == SQLITE_OK &&
        sqlite3_step(query) == SQLITE_ROW) {
        const char *used = (const char *)sqlite3_column_text(query, 0);
        if (strcmp(used, SQLITE_SOURCE_ID) == 0) {
            status = pay(count, arguments);
        } else {
            fprintf(stderr, "the program was compiled with SQLite %s and uses %s\n", SQLITE_SOURCE_ID, used);
        }
    }
    sqlite3_finalize(query);
    sqlite3_close(database);
    return status;
}
