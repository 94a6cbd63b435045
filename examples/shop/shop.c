/* A shop that sells mugs, with libmicrohttpd, and jansson for JSON:
 *
 *   cc shop.c http.c $(pkg-config --cflags --libs libpayments libmicrohttpd jansson) -o shop
 *   ./shop 8080 127.0.0.1
 *
 * It needs shop.html and merchant/payments.json beside it, which
 * `payments sandbox --config-out merchant` writes; PAYMENTS_CONFIG names another. SHOP_KEY is
 * the owner's password: without it, nothing is refunded.
 */
#include "http.h"
#include <dirent.h>
#include <fcntl.h>
#include <payments.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define NUMBER_SIZE 17

static payments_client *client;
static json_int_t lease; /* In seconds. Two calls have ended by then. */
static char sandbox[256]; /* The address of its payments; empty for a real service. */
static pthread_mutex_t orders = PTHREAD_MUTEX_INITIALIZER;

static const char *text(const json_t *object, const char *name)
{
    const char *value = json_string_value(json_object_get(object, name));
    return value != NULL ? value : "";
}

static json_int_t integer(const json_t *object, const char *name)
{
    return json_integer_value(json_object_get(object, name));
}

static int is(const json_t *object, const char *name, const char *value)
{
    return strcmp(text(object, name), value) == 0;
}

/* Whether it is the number of an order, and so a name of a file. */
static int is_number(const char *text)
{
    size_t length = strspn(text, "0123456789abcdef-");
    return length >= 6 && length < NUMBER_SIZE && text[length] == '\0';
}

/* An order, which is empty if there is none. In your shop, this is a row of your database. */
static json_t *load(const char *number)
{
    char file[64];
    json_t *order;
    snprintf(file, sizeof(file), "orders/%s.json", number);
    order = json_load_file(file, 0, NULL);
    return order != NULL ? order : json_object();
}

/* Lets no other thread change an order until `end_change`. */
static json_t *begin_change(const char *number)
{
    pthread_mutex_lock(&orders);
    return load(number);
}

/* Stores the changes, if there are any, and owns them. Returns whether there are, or -1 if
 * they cannot be stored. */
static int end_change(const char *number, json_t *order, json_t *changes)
{
    char file[64];
    int result = 0;
    snprintf(file, sizeof(file), "orders/%s.json", number);
    if (changes != NULL) {
        int draft = open("orders/draft", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        result = draft >= 0 && json_object_update(order, changes) == 0 &&
                 json_dumpfd(order, draft, 0) == 0 && fsync(draft) == 0 &&
                 rename("orders/draft", file) == 0 ? 1 : -1;
        close(draft);
    }
    if (result < 0)
        perror(file);
    pthread_mutex_unlock(&orders);
    json_decref(changes);
    return result;
}

/* Begins a call for an order: until it has ended for sure, no other request makes one. */
static json_t *attempt(json_t *changes)
{
    static int attempts; /* Guarded by the lock of the orders. */
    json_object_set_new(changes, "attempt", json_sprintf("%d-%d", (int)getpid(), ++attempts));
    json_object_set_new(changes, "until", json_integer(time(NULL) + lease));
    return changes;
}

/* Stores how a call ended, unless the order has moved on. Takes ownership of the changes. */
static void settle(const char *number, const json_t *was, json_t *changes)
{
    json_t *order = begin_change(number);
    int is_same = is(order, "state", text(was, "state")) && is(order, "attempt", text(was, "attempt"));
    json_object_set_new(changes, "until", json_integer(0));
    end_change(number, order, is_same ? json_incref(changes) : NULL);
    json_decref(order);
    json_decref(changes);
}

/* Whether the service shows another amount or currency, or too little and another hash. */
static int differs(const json_t *order, const json_t *end)
{
    const char *amount = text(end, "amount"), *currency = text(end, "currency");
    int is_amount = *amount != '\0' && strspn(amount, "0123456789.") == strlen(amount);
    int is_other = is_amount && strtod(amount, NULL) != strtod(text(order, "total"), NULL);
    int is_hash = *text(order, "hash") == '\0' || is(end, "hash", text(order, "hash"));
    return is_other || (*currency != '\0' && strcmp(currency, "BRL") != 0) ||
           ((!is_amount || *currency == '\0') && !is_hash);
}

/* Changes the order that ended. If it waits for no such end, ask a person. */
static int take(const char *number, const json_t *end)
{
    json_t *order = begin_change(number), *changes = NULL;
    json_t *its = json_pack("[s, s, s*]", text(end, "operation"), text(end, "reference"),
                            json_string_value(json_object_get(end, "refund_code")));
    const char *state = text(json_object_get(order, "ends"), text(end, "end"));
    const char *hash = text(*text(order, "hash") != '\0' ? order : end, "hash");
    int is_open = is(order, "state", "waiting") || is(order, "state", "not_paid") ||
                  is(order, "state", "refunding");
    int result;
    if (is_open && json_equal(its, json_object_get(order, "expects")) && !differs(order, end) &&
        *state != '\0')
        changes = json_pack("{s:s, s:s, s:i, s:i}", "state", state, "hash", hash, "tries", 0, "until", 0);
    result = end_change(number, order, changes);
    json_decref(its);
    json_decref(order);
    return result >= 0;
}

static int32_t on_end(void *unused, const char *json, size_t length)
{
    json_t *end = json_loadb(json, length, 0, NULL);
    const char *code = text(end, *text(end, "refund_code") != '\0' ? "refund_code" : "reference");
    const char *number = strchr(code, '-');
    int is_taken = number == NULL || !is_number(number + 1) || take(number + 1, end);
    (void)unused;
    fprintf(stderr, "%s of %s: %s\n", text(end, "operation"), text(end, "reference"), text(end, "end"));
    json_decref(end);
    return !is_taken; /* Then it comes again. */
}

/* Learns how payments and refunds end, even if their page was closed. */
static void *follow(void *unused)
{
    static const char options[] = "{\"state\": \"follow.state\"}";
    for (;; sleep(1)) {
        payments_error *error = NULL;
        payments_status status =
            payments_client_follow(client, options, sizeof(options) - 1, NULL, on_end, NULL, &error);
        if (status != PAYMENTS_STATUS_OK)
            fprintf(stderr, "follow: %s\n", error != NULL ? payments_error_text(error) : "failed");
        payments_error_free(error);
    }
    return unused;
}

/* Delivers an order. After a failure or a crash, it is called again. */
static int deliver(const json_t *order)
{
    FILE *file = fopen("orders/deliveries.txt", "a");
    int is_written = file != NULL && fprintf(file, "%s\n", text(order, "reference")) > 0;
    int is_delivered = file != NULL && fclose(file) == 0 && is_written;
    fprintf(stderr, is_delivered ? "deliver %s\n" : "%s is delivered later\n", text(order, "reference"));
    return is_delivered;
}

/* Delivers an order that is paid. The pause before the next try doubles, up to an hour. */
static void try_to_deliver(const char *number)
{
    json_t *order = begin_change(number), *changes = NULL;
    json_int_t tries = integer(order, "tries");
    json_int_t pause = tries < 10 ? (json_int_t)5 << tries : 3600;
    if (is(order, "state", "delivering") && integer(order, "until") < time(NULL))
        changes = json_pack("{s:I, s:I}", "tries", tries + 1, "until", (json_int_t)time(NULL) + pause);
    if (end_change(number, order, changes) == 1 && deliver(order))
        settle(number, order, json_pack("{s:s}", "state", "delivered"));
    json_decref(order);
}

static void *deliver_all(void *unused)
{
    for (;; sleep(1)) {
        DIR *folder = opendir("orders");
        struct dirent *file;
        while (folder != NULL && (file = readdir(folder)) != NULL) {
            char number[NUMBER_SIZE] = "";
            if (sscanf(file->d_name, "%16[0-9a-f-].json", number) == 1 && is_number(number))
                try_to_deliver(number);
        }
        if (folder != NULL)
            closedir(folder);
    }
    return unused;
}

/* The members of an order for its page, which asks for them every second. */
static struct answer look(const char *number)
{
    static const char *const names[] = {"reference", "total", "state", "problem", "code", "picture"};
    json_t *order = load(number), *shown = json_object();
    size_t count = is(order, "state", "waiting") ? 6 : 4, i;
    unsigned status = json_object_size(order) > 0 ? 200 : 404;
    for (i = 0; i < count; i++)
        json_object_set(shown, names[i], json_object_get(order, names[i]));
    json_object_set_new(shown, "sandbox", *sandbox != '\0' ? json_string(sandbox) : json_null());
    json_decref(order);
    return (struct answer){status, shown};
}

/* The picture of a code as SVG; NULL for none. */
static json_t *picture_of(const char *code)
{
    payments_text *svg = NULL;
    json_t *picture;
    if (code != NULL)
        (void)!payments_qr_svg(code, strlen(code), &svg, NULL);
    picture = svg != NULL ? json_string(payments_text_data(svg)) : NULL;
    payments_text_free(svg);
    return picture;
}

/* Writes the error to the log, and returns what it changes. Takes ownership of it. */
static json_t *failure(const char *about, payments_error *error, const char *state)
{
    const char *code = error != NULL ? payments_error_code(error) : "internal_error";
    json_t *changes = json_pack("{s:s}", "problem", code);
    fprintf(stderr, "%s: %s\n", about, error != NULL ? payments_error_text(error) : "out of memory");
    if (error != NULL && payments_error_outcome(error) == PAYMENTS_OUTCOME_NOT_EXECUTED)
        json_object_set_new(changes, "state", json_string(state));
    else if (strcmp(code, "reference_used") == 0)
        json_object_set_new(changes, "state", json_string("conflict"));
    payments_error_free(error);
    return changes;
}

typedef payments_status operation(const payments_client *, const char *, size_t, const payments_call *,
                                  payments_response **, payments_error **);

/* Makes a call with a request, which this owns. Returns NULL with an error. */
static payments_response *call(operation *made, json_t *request, payments_error **error_out)
{
    char *body = json_dumps(request, 0);
    payments_response *response = NULL;
    if (body != NULL && made(client, body, strlen(body), NULL, &response, error_out) != PAYMENTS_STATUS_OK)
        response = NULL;
    free(body);
    json_decref(request);
    return response;
}

/* Finds or creates the payment, and returns the changes. */
static json_t *ensure(const json_t *order)
{
    const json_t *payer = json_object_get(order, "payer");
    json_t *request = json_pack("{s:{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s}}", "payment", "name",
                                text(payer, "name"), "email", text(payer, "email"), "document",
                                text(payer, "document"), "country", "br", "payment_type_code", "pix",
                                "currency_code", "BRL", "merchant_payment_code",
                                text(order, "reference"), "amount_total", text(order, "total"));
    payments_error *error = NULL;
    payments_response *payment = call(payments_client_ensure_payment, request, &error);
    const char *code = payments_response_qr_code_value(payment);
    json_t *changes = payment == NULL
                          ? failure(text(order, "reference"), error, "not_paid")
                          : json_pack("{s:s?, s:s?, s:o?}", "hash", payments_response_hash(payment),
                                      "code", code, "picture", picture_of(code));
    payments_response_free(payment);
    return changes;
}

/* The cents of an order; 0 if it is none. The page chooses no price. */
static json_int_t cents_of(const json_t *asked)
{
    static const char *const texts[] = {"name", "email", "document"};
    const json_t *items = json_object_get(asked, "items"), *payer = json_object_get(asked, "payer");
    json_int_t mugs = integer(items, "mug"), shirts = integer(items, "shirt");
    int is_order = json_is_integer(json_object_get(items, "mug")) && mugs >= 0 && mugs <= 99 &&
                   json_is_integer(json_object_get(items, "shirt")) && shirts >= 0 && shirts <= 99;
    size_t i;
    for (i = 0; i < 3; i++) {
        const json_t *value = json_object_get(payer, texts[i]);
        is_order = is_order && json_is_string(value) && json_string_length(value) <= 100;
    }
    return is_order ? 1050 * mugs + 4500 * shirts : 0;
}

/* Pays an order. A second click finds the payment of the first. */
static struct answer pay(const char *number, const json_t *asked)
{
    json_int_t cents = cents_of(asked);
    json_t *order, *changes = NULL;
    if (cents == 0)
        return (struct answer){422, NULL};
    order = begin_change(number);
    if (json_object_size(order) == 0 || is(order, "state", "not_paid")) {
        changes = json_pack("{s:s, s:O, s:O, s:s+, s:[s, s+], s:{s:s, s:s}, s:o}", "state", "waiting",
                            "items", json_object_get(asked, "items"), "payer",
                            json_object_get(asked, "payer"), "reference", "order-", number, "expects",
                            "create_payment", "order-", number, "ends", "confirmed", "delivering",
                            "cancelled", "cancelled", "total",
                            json_sprintf("%d.%02d", (int)cents / 100, (int)cents % 100));
        attempt(changes);
    } else if (is(order, "state", "waiting") && *text(order, "code") == '\0' &&
               integer(order, "until") < time(NULL)) {
        changes = attempt(json_object());
    }
    if (end_change(number, order, changes) == 1)
        settle(number, order, ensure(order));
    json_decref(order);
    return look(number);
}

/* The state by the status of a refund in the list of its payment; NULL if it is not there. */
static const char *listed_state(const json_t *order, const char *code, payments_response *payment)
{
    const char *json = payments_response_view(payment, NULL), *state = NULL;
    json_t *view = json_loads(json != NULL ? json : "{}", 0, NULL), *refund;
    size_t i;
    json_array_foreach(json_object_get(view, "refunds"), i, refund) {
        const char *end = is(refund, "status", "CO") ? "confirmed" : "cancelled";
        int is_open = !is(refund, "status", "CO") && !is(refund, "status", "CA");
        if (is(refund, "merchant_refund_code", code))
            state = is_open || state != NULL ? "refunding" : text(json_object_get(order, "ends"), end);
    }
    json_decref(view);
    return state;
}

/* Asks for a refund, or sends it, and returns what changes. The journal sends none twice. */
static json_t *refund_once(const json_t *order)
{
    const char *code = json_string_value(json_array_get(json_object_get(order, "expects"), 2));
    const char *hash = text(order, "hash"), *state = NULL;
    int is_new = json_is_true(json_object_get(order, "is_new"));
    const char *before = is_new ? text(json_object_get(order, "ends"), "cancelled") : "refunding";
    payments_error *error = NULL;
    payments_response *refunded = NULL, *payment =
        call(payments_client_query_payment, json_pack("{s:s}", "hash", hash), &error);
    json_t *changes;
    if (payment != NULL && (state = listed_state(order, code, payment)) == NULL)
        refunded = call(payments_client_refund_payment,
                        json_pack("{s:s, s:s, s:s, s:s, s:s}", "hash", hash, "operation", "request",
                                  "amount", text(order, "total"), "description", "order returned",
                                  "merchant_refund_code", code),
                        &error);
    changes = state != NULL || refunded != NULL
                  ? json_pack("{s:s}", "state", state != NULL ? state : "refunding")
                  : failure(code, error, before);
    payments_response_free(payment);
    payments_response_free(refunded);
    return changes;
}

/* Whether it is the owner's password. The time that this takes does not depend on it. */
static int is_owner(const json_t *given)
{
    const char *key = getenv("SHOP_KEY"), *text = json_string_value(given);
    size_t length = json_string_length(given), i;
    int differs = 0;
    if (key == NULL || *key == '\0' || text == NULL || length != strlen(key))
        return 0;
    for (i = 0; i < length; i++)
        differs |= text[i] ^ key[i];
    return differs == 0;
}

/* Refunds an order. A second click asks for the refund of the first. */
static struct answer refund(const char *number)
{
    json_t *order = begin_change(number), *changes = NULL;
    json_int_t refunds = integer(order, "refunds") + 1;
    if (is(order, "state", "delivering") || is(order, "state", "delivered")) {
        changes = json_pack("{s:s, s:I, s:b, s:[s, s, o], s:{s:s, s:s}}", "state", "refunding",
                            "refunds", refunds, "is_new", 1, "expects", "refund_payment",
                            text(order, "hash"), json_sprintf("r%d-%s", (int)refunds, number), "ends",
                            "confirmed", "refunded", "cancelled", text(order, "state"));
        attempt(changes);
    } else if (is(order, "state", "refunding") && integer(order, "until") < time(NULL)) {
        changes = attempt(json_pack("{s:b}", "is_new", 0));
    }
    if (end_change(number, order, changes) == 1)
        settle(number, order, refund_once(order));
    json_decref(order);
    return look(number);
}

/* The answer to a request, whose body is NULL if it is no JSON. */
static struct answer serve(const char *method, const char *path, const json_t *asked)
{
    char number[NUMBER_SIZE] = "", rest[9] = "";
    int parts = sscanf(path, "/orders/%16[0-9a-f-]%8s", number, rest);
    if (parts < 1 || !is_number(number))
        return (struct answer){404, NULL};
    if (parts == 1 && strcmp(method, "GET") == 0)
        return look(number);
    if (parts == 1 && strcmp(method, "PUT") == 0)
        return pay(number, asked);
    if (strcmp(rest, "/refund") != 0 || strcmp(method, "POST") != 0)
        return (struct answer){404, NULL};
    return is_owner(json_object_get(asked, "key")) ? refund(number) : (struct answer){403, NULL};
}

/* Makes the client, which needs a journal. */
static payments_error *configure(const char *file)
{
    static const char any[] = "{\"reference\": \"order-1\"}";
    json_t *configuration = json_load_file(file, 0, NULL);
    const char *base = text(configuration, "base_url");
    json_int_t timeout_ms = integer(configuration, "timeout_ms");
    payments_error *error = NULL;
    payments_text *entries = NULL;
    if (payments_client_from_file(file, strlen(file), 0, NULL, &client, &error) == PAYMENTS_STATUS_OK)
        (void)!payments_client_journal_show(client, any, sizeof(any) - 1, NULL, &entries, &error);
    payments_text_free(entries);
    if (strncmp(base, "http://127.0.0.1:", 17) == 0)
        snprintf(sandbox, sizeof(sandbox), "%s/sandbox/#payments", base);
    lease = (timeout_ms > 0 ? timeout_ms : 30000) / 500 + 2;
    json_decref(configuration);
    return error;
}

int main(int count, char **arguments)
{
    const char *given = getenv("PAYMENTS_CONFIG");
    payments_error *error = configure(given != NULL ? given : "merchant/payments.json");
    int port = count > 1 ? atoi(arguments[1]) : 8080;
    const char *host = count > 2 ? arguments[2] : "127.0.0.1";
    pthread_t threads[2];
    mkdir("orders", 0700);
    if (client == NULL || error != NULL)
        fprintf(stderr, "%s\n", error != NULL ? payments_error_text(error) : "out of memory");
    else if (!listen_on(host, (uint16_t)port, "shop.html", serve) ||
             pthread_create(&threads[0], NULL, follow, NULL) != 0 ||
             pthread_create(&threads[1], NULL, deliver_all, NULL) != 0)
        fputs("the port is in use, or there are no threads\n", stderr);
    else
        pause();
    return 1;
}
