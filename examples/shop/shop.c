/* A shop that sells mugs, with libmicrohttpd, and jansson for JSON:
 *
 *   cc shop.c $(pkg-config --cflags --libs libpayments libmicrohttpd jansson) -o shop
 *   ./shop 8080 127.0.0.1
 *
 * It needs shop.html and merchant/payments.json beside it, which
 * `payments sandbox --config-out merchant` writes; PAYMENTS_CONFIG names another.
 */
#include <arpa/inet.h>
#include <jansson.h>
#include <microhttpd.h>
#include <payments.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LARGEST_BODY 65536
#define NUMBER_SIZE 21

static payments_client *client;
static pthread_mutex_t orders = PTHREAD_MUTEX_INITIALIZER;

/* The body of a request, as far as it has come. */
struct upload {
    size_t length;
    char body[LARGEST_BODY + 1];
};

/* A status and a JSON object, which this owns. */
struct answer {
    unsigned status;
    json_t *body;
};

/* Takes ownership of the error. */
static struct answer failure(const char *about, const char *what, payments_error *error)
{
    const char *text = error != NULL ? payments_error_text(error) : "out of memory";
    struct answer made = {202, json_pack("{s:s}", "message", "One moment, please: click again.")};
    fprintf(stderr, "%s: %s\n", about, text);
    if (error != NULL && payments_error_outcome(error) == PAYMENTS_OUTCOME_NOT_EXECUTED) {
        json_decref(made.body);
        made = (struct answer){422, json_pack("{s:s+}", "message", what, text)};
    }
    payments_error_free(error);
    return made;
}

/* The file of an order. In your shop, this is a row of your database. */
static void file_of(const char *number, const char *ending, char file[64])
{
    snprintf(file, 64, "orders/%s.%s", number, ending);
}

/* The order; NULL if there is none. */
static json_t *order_of(const char *number)
{
    char file[64];
    file_of(number, "json", file);
    return json_load_file(file, 0, NULL);
}

static int save(const char *number, const json_t *order)
{
    char file[64], draft[64];
    file_of(number, "json", file);
    file_of(number, "new", draft);
    return json_dump_file(order, draft, 0) == 0 && rename(draft, file) == 0;
}

/* Saves members of an order, and returns its state as it was before, which is empty
 * if there is no such order. Takes ownership of the members. */
static void change(const char *number, json_t *members, char before[16])
{
    json_t *order;
    pthread_mutex_lock(&orders);
    order = order_of(number);
    snprintf(before, 16, "%s", order != NULL ? json_string_value(json_object_get(order, "state")) : "");
    if (order != NULL && (json_object_update(order, members) != 0 || !save(number, order))) {
        fprintf(stderr, "order-%s cannot be saved\n", number);
    }
    pthread_mutex_unlock(&orders);
    json_decref(order);
    json_decref(members);
}

/* Changes the order, and delivers it once it is paid. */
static int32_t take(void *user_data, const char *text, size_t length)
{
    json_t *end = json_loadb(text, length, 0, NULL);
    const char *operation = json_string_value(json_object_get(end, "operation"));
    const char *reference = json_string_value(json_object_get(end, "reference"));
    const char *code = json_string_value(json_object_get(end, "refund_code"));
    const char *kind = json_string_value(json_object_get(end, "end"));
    const char *number = strchr(code != NULL ? code : reference, '-');
    int is_refund = strcmp(operation, "refund_payment") == 0;
    const char *state = strcmp(kind, "confirmed") == 0   ? (is_refund ? "refunded" : "paid")
                        : strcmp(kind, "cancelled") == 0 ? (is_refund ? "paid" : "cancelled")
                                                         : NULL; /* Ask a person. */
    char before[16];
    (void)user_data;
    fprintf(stderr, "%s of %s: %s\n", operation, reference, kind);
    if (state != NULL && number != NULL) {
        change(number + 1, json_pack("{s:s}", "state", state), before);
        if (strcmp(before, "waiting") == 0 && strcmp(state, "paid") == 0) {
            fprintf(stderr, "deliver order%s\n", number);
        }
    }
    json_decref(end);
    return 0;
}

/* Learns how payments and refunds end, even if their page was closed. */
static void *follow(void *unused)
{
    static const char options[] = "{\"state\": \"follow.state\"}";
    for (;;) {
        payments_error *error = NULL;
        payments_status status =
            payments_client_follow(client, options, sizeof(options) - 1, NULL, take, NULL, &error);
        if (status != PAYMENTS_STATUS_OK) {
            fprintf(stderr, "follow: %s\n", error != NULL ? payments_error_text(error) : "failed");
            payments_error_free(error);
        }
        sleep(1);
    }
    return unused;
}

/* The picture of a code as SVG; NULL for none. */
static json_t *picture_of(const char *code)
{
    payments_text *svg = NULL;
    json_t *picture;
    int is_drawn = code != NULL &&
                   payments_qr_svg(code, strlen(code), &svg, NULL) == PAYMENTS_STATUS_OK;
    picture = is_drawn && svg != NULL ? json_string(payments_text_data(svg)) : NULL;
    payments_text_free(svg);
    return picture;
}

/* Saves a new order: before the call, so that a crash loses nothing. */
static void begin(const char *number, const json_t *items)
{
    json_int_t mugs = json_integer_value(json_object_get(items, "mug"));
    json_int_t shirts = json_integer_value(json_object_get(items, "shirt"));
    json_int_t cents = 1050 * mugs + 4500 * shirts;
    char reference[32], total[32];
    json_t *order;
    snprintf(reference, sizeof(reference), "order-%s", number);
    snprintf(total, sizeof(total), "%" JSON_INTEGER_FORMAT ".%02d", cents / 100, (int)(cents % 100));
    order = json_pack("{s:s, s:s, s:s}", "reference", reference, "total", total, "state", "waiting");
    pthread_mutex_lock(&orders);
    mkdir("orders", 0700);
    if (!save(number, order)) {
        fprintf(stderr, "%s cannot be saved\n", reference);
    }
    pthread_mutex_unlock(&orders);
    json_decref(order);
}

/* Pays an order. A second click finds the payment of the first. */
static struct answer pay(const char *number, const json_t *asked)
{
    json_t *order = order_of(number), *payer = json_object_get(asked, "payer"), *request;
    payments_response *payment = NULL;
    payments_error *error = NULL;
    struct answer made;
    char before[16], *text = NULL;
    payments_status status = PAYMENTS_STATUS_INTERNAL;
    if (order == NULL) {
        begin(number, json_object_get(asked, "items"));
        order = order_of(number);
    }
    request = json_pack("{s:{s:O?, s:O?, s:O?, s:s, s:s, s:s, s:O?, s:O?}}", "payment", "name",
                        json_object_get(payer, "name"), "email", json_object_get(payer, "email"),
                        "document", json_object_get(payer, "document"), "country", "br",
                        "payment_type_code", "pix", "currency_code", "BRL", "merchant_payment_code",
                        json_object_get(order, "reference"), "amount_total",
                        json_object_get(order, "total"));
    if (request != NULL && (text = json_dumps(request, 0)) != NULL) {
        status = payments_client_ensure_payment(client, text, strlen(text), NULL, &payment, &error);
    }
    if (status == PAYMENTS_STATUS_OK) {
        const char *code = payments_response_qr_code_value(payment);
        change(number,
               json_pack("{s:s?, s:s?, s:o?}", "hash", payments_response_hash(payment), "code", code,
                         "picture", picture_of(code)),
               before);
        made = (struct answer){200, order_of(number)};
    } else {
        made = failure(json_string_value(json_object_get(order, "reference")), "Not paid: ", error);
    }
    payments_response_free(payment);
    free(text);
    json_decref(request);
    json_decref(order);
    return made;
}

/* Refunds an order. A second click is refused by the journal. */
static struct answer refund(const char *number)
{
    json_t *order = order_of(number), *request;
    payments_response *response = NULL;
    payments_error *error = NULL;
    char before[16], code[32], *text = NULL;
    payments_status status = PAYMENTS_STATUS_INTERNAL;
    struct answer made;
    snprintf(code, sizeof(code), "refund-%s", number);
    request = json_pack("{s:O?, s:s, s:O?, s:s, s:s}", "hash", json_object_get(order, "hash"),
                        "operation", "request", "amount", json_object_get(order, "total"),
                        "description", "order returned", "merchant_refund_code", code);
    if (request != NULL && (text = json_dumps(request, 0)) != NULL) {
        status = payments_client_refund_payment(client, text, strlen(text), NULL, &response, &error);
    }
    if (status == PAYMENTS_STATUS_OK ||
        (error != NULL && payments_error_outcome(error) != PAYMENTS_OUTCOME_NOT_EXECUTED)) {
        payments_error_free(error);
        change(number, json_pack("{s:s}", "state", "refunding"), before);
        made = (struct answer){200, order_of(number)};
    } else {
        made = failure(code, "Not refunded: ", error);
    }
    payments_response_free(response);
    free(text);
    json_decref(request);
    json_decref(order);
    return made;
}

/* The answer to a request for an order. */
static struct answer serve(const char *method, const char *path, const struct upload *upload)
{
    static const char digits[] = "0123456789abcdef-";
    char number[NUMBER_SIZE] = "";
    json_t *asked, *order;
    struct answer made = {404, NULL};
    size_t length = strspn(path, digits);
    const char *rest = path + length;
    if (length < 6 || length >= NUMBER_SIZE) {
        return made;
    }
    memcpy(number, path, length);
    order = order_of(number);
    if (strcmp(method, "PUT") == 0 && *rest == '\0') {
        asked = json_loadb(upload->body, upload->length, 0, NULL);
        made = asked != NULL ? pay(number, asked) : (struct answer){400, NULL};
        json_decref(asked);
    } else if (order != NULL && strcmp(method, "GET") == 0 && *rest == '\0') {
        made = (struct answer){200, json_incref(order)};
    } else if (order != NULL && strcmp(method, "POST") == 0 && strcmp(rest, "/refund") == 0) {
        made = refund(number);
    }
    json_decref(order);
    return made;
}

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
    FILE *file = fopen("shop.html", "r");
    size_t length = file != NULL && page != NULL ? fread(page, 1, LARGEST_BODY, file) : 0;
    if (file != NULL) {
        fclose(file);
    }
    return respond(connection, length > 0 ? 200 : 500, "text/html; charset=utf-8", page, length);
}

static enum MHD_Result handle(void *unused, struct MHD_Connection *connection, const char *path,
                              const char *method, const char *version, const char *data,
                              size_t *size, void **state)
{
    struct upload *upload = *state;
    struct answer made;
    char *text;
    (void)unused;
    (void)version;
    if (upload == NULL) {
        *state = calloc(1, sizeof(*upload));
        return *state != NULL ? MHD_YES : MHD_NO;
    }
    if (*size > 0) {
        if (*size > LARGEST_BODY - upload->length) {
            return MHD_NO;
        }
        memcpy(upload->body + upload->length, data, *size);
        upload->length += *size;
        *size = 0;
        return MHD_YES;
    }
    if (strcmp(method, "GET") == 0 && strcmp(path, "/") == 0) {
        return respond_with_page(connection);
    }
    made = strncmp(path, "/orders/", 8) == 0 ? serve(method, path + 8, upload) : (struct answer){404, NULL};
    text = made.body != NULL ? json_dumps(made.body, 0) : strdup("{}");
    json_decref(made.body);
    return respond(connection, made.status, "application/json", text, strlen(text));
}

static void forget(void *unused, struct MHD_Connection *connection, void **state,
                   enum MHD_RequestTerminationCode code)
{
    (void)unused;
    (void)connection;
    (void)code;
    free(*state);
}

int main(int count, char **arguments)
{
    const char *given = getenv("PAYMENTS_CONFIG");
    const char *file = given != NULL ? given : "merchant/payments.json";
    struct sockaddr_in address = {0};
    struct MHD_Daemon *daemon;
    payments_error *error = NULL;
    pthread_t follower;
    if (payments_client_from_file(file, strlen(file), 0, NULL, &client, &error) !=
        PAYMENTS_STATUS_OK) {
        fprintf(stderr, "%s\n", error != NULL ? payments_error_text(error) : "out of memory");
        return 1;
    }
    address.sin_family = AF_INET;
    address.sin_port = htons((uint16_t)(count > 1 ? atoi(arguments[1]) : 8080));
    address.sin_addr.s_addr = inet_addr(count > 2 ? arguments[2] : "127.0.0.1");
    daemon = MHD_start_daemon(MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION, 0,
                              NULL, NULL, handle, NULL, MHD_OPTION_SOCK_ADDR, &address,
                              MHD_OPTION_NOTIFY_COMPLETED, forget, NULL, MHD_OPTION_END);
    if (daemon == NULL || pthread_create(&follower, NULL, follow, NULL) != 0) {
        fputs("the port is in use, or there are no threads\n", stderr);
        return 1;
    }
    fprintf(stderr, "shop on port %d\n", ntohs(address.sin_port));
    return pause();
}
