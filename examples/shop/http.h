/* A web server that answers with JSON, by libmicrohttpd and jansson. */
#ifndef SHOP_HTTP_H
#define SHOP_HTTP_H

#include <jansson.h>
#include <stdint.h>

/* A status and a JSON object, which belongs to the server; NULL is an empty one. */
struct answer {
    unsigned status;
    json_t *body;
};

/* Answers a request, in its own thread. The body is NULL if it is no JSON. */
typedef struct answer serve_fn(const char *method, const char *path, const json_t *body);

/* Listens in the background; `page` is the file at `/`. Returns 0 if it cannot. */
int listen_on(const char *host, uint16_t port, const char *page, serve_fn *serve);

#endif
