#include "http.h"
#include <arpa/inet.h>
#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LARGEST_BODY 65536

static const char *page_file;
static serve_fn *answer_to;

/* The body of a request, as far as it has come. */
struct upload {
    size_t length;
    char body[LARGEST_BODY];
};

static enum MHD_Result respond(struct MHD_Connection *connection, unsigned status, const char *type,
                               char *text, size_t length)
{
    struct MHD_Response *response =
        MHD_create_response_from_buffer(length, text, MHD_RESPMEM_MUST_FREE);
    enum MHD_Result result;
    MHD_add_response_header(response, "Content-Type", type);
    result = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result respond_with_page(struct MHD_Connection *connection)
{
    char *page = malloc(LARGEST_BODY);
    FILE *file = fopen(page_file, "r");
    size_t length = file != NULL && page != NULL ? fread(page, 1, LARGEST_BODY, file) : 0;
    if (file != NULL)
        fclose(file);
    return respond(connection, length > 0 ? 200 : 500, "text/html; charset=utf-8", page, length);
}

static enum MHD_Result handle(void *unused, struct MHD_Connection *connection, const char *path,
                              const char *method, const char *version, const char *data,
                              size_t *size, void **state)
{
    struct upload *upload = *state;
    struct answer made;
    json_t *body;
    char *text;
    (void)unused;
    (void)version;
    if (upload == NULL) {
        *state = calloc(1, sizeof(*upload));
        return *state != NULL ? MHD_YES : MHD_NO;
    }
    if (*size > 0) {
        if (*size > LARGEST_BODY - upload->length)
            return MHD_NO;
        memcpy(upload->body + upload->length, data, *size);
        upload->length += *size;
        *size = 0;
        return MHD_YES;
    }
    if (strcmp(method, "GET") == 0 && strcmp(path, "/") == 0)
        return respond_with_page(connection);
    body = json_loadb(upload->body, upload->length, 0, NULL);
    made = answer_to(method, path, body);
    text = made.body != NULL ? json_dumps(made.body, 0) : strdup("{}");
    json_decref(made.body);
    json_decref(body);
    return respond(connection, made.status, "application/json", text, text != NULL ? strlen(text) : 0);
}

static void forget(void *unused, struct MHD_Connection *connection, void **state,
                   enum MHD_RequestTerminationCode code)
{
    (void)unused;
    (void)connection;
    (void)code;
    free(*state);
}

int listen_on(const char *host, uint16_t port, const char *page, serve_fn *serve)
{
    struct sockaddr_in address = {0};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = inet_addr(host);
    page_file = page;
    answer_to = serve;
    return MHD_start_daemon(MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION, 0, NULL,
                            NULL, handle, NULL, MHD_OPTION_SOCK_ADDR, &address,
                            MHD_OPTION_NOTIFY_COMPLETED, forget, NULL, MHD_OPTION_END) != NULL;
}
