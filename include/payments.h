/* libpayments: payments, refunds, payouts and package tracking in Latin America.
 *
 * Conventions
 *
 * - Every handle is opaque, made by a function that ends in _new or that gives
 *   it through a parameter, and freed exactly once by the _free of its type.
 *   Freeing NULL does nothing.
 * - Functions return a payments_status; PAYMENTS_STATUS_OK is 0. Results come
 *   through parameters that end in _out, which stand last. On failure they are
 *   NULL or zero: there is no partial success.
 * - error_out may be NULL. Otherwise it gets NULL on success, and on failure an
 *   error to be freed with payments_error_free.
 * - Texts are UTF-8. Texts that go in have a length and need no NUL after them;
 *   NULL is an empty text if the length is 0. Texts that come out end in NUL.
 * - A handle may be used by any thread. payments_client, payments_call (but for
 *   its _set functions), payments_error and payments_response may be used by
 *   several threads at once.
 * - Callbacks get their user_data first. C++ exceptions and longjmp must not
 *   leave a callback. A callback must not call the client that it serves: that
 *   is refused.
 *
 * This file is generated. Do not change it by hand.
 */

#ifndef PAYMENTS_H
#define PAYMENTS_H

#include <stddef.h>
#include <stdint.h>

/**
 * What a function returns. Details stand in the `payments_error`.
 */
typedef enum payments_status {
  /**
   * It worked.
   */
  PAYMENTS_STATUS_OK = 0,
  /**
   * A parameter breaks a rule of this header: NULL where a value is
   * needed, text that is not UTF-8, a length that cannot be.
   */
  PAYMENTS_STATUS_INVALID_ARGUMENT = 1,
  /**
   * The configuration cannot work.
   */
  PAYMENTS_STATUS_CONFIG = 2,
  /**
   * The request breaks a rule that is known locally.
   */
  PAYMENTS_STATUS_VALIDATION = 3,
  /**
   * The signature could not be made.
   */
  PAYMENTS_STATUS_SIGNING = 4,
  /**
   * No bearer token could be had.
   */
  PAYMENTS_STATUS_TOKEN = 5,
  /**
   * No connection could be made.
   */
  PAYMENTS_STATUS_CONNECT = 6,
  /**
   * The TLS handshake failed.
   */
  PAYMENTS_STATUS_TLS = 7,
  /**
   * The connection broke.
   */
  PAYMENTS_STATUS_TRANSPORT = 8,
  /**
   * The deadline passed.
   */
  PAYMENTS_STATUS_TIMEOUT = 9,
  /**
   * The answer is not HTTP, or a redirect.
   */
  PAYMENTS_STATUS_PROTOCOL = 10,
  /**
   * The answer is larger than allowed.
   */
  PAYMENTS_STATUS_TOO_LARGE = 11,
  /**
   * A successful answer is not what the operation promises.
   */
  PAYMENTS_STATUS_DECODE = 12,
  /**
   * The service answered 401.
   */
  PAYMENTS_STATUS_UNAUTHORIZED = 13,
  /**
   * The service answered 429.
   */
  PAYMENTS_STATUS_RATE_LIMITED = 14,
  /**
   * The service answered with another status than 2xx.
   */
  PAYMENTS_STATUS_STATUS = 15,
  /**
   * The service answered 2xx, and the body says that it refused.
   */
  PAYMENTS_STATUS_REJECTED = 16,
  /**
   * The caller cancelled the call.
   */
  PAYMENTS_STATUS_CANCELLED = 17,
  /**
   * A bug, caught at the boundary.
   */
  PAYMENTS_STATUS_INTERNAL = 18,
} payments_status;

/**
 * Whether a failed operation may have been executed by the service.
 */
typedef enum payments_outcome {
  /**
   * The service did not execute the operation: it may be sent again.
   */
  PAYMENTS_OUTCOME_NOT_EXECUTED = 0,
  /**
   * The service may have executed the operation. Find out before anything
   * is sent again: `payments_error_advice` says how.
   */
  PAYMENTS_OUTCOME_UNKNOWN = 1,
} payments_outcome;

/**
 * What a transport callback answers. It belongs to the library and is valid
 * until the callback returns.
 */
typedef struct payments_answer payments_answer;

/**
 * How calls may be ended early. One can serve any number of calls, also at
 * once, and must outlive them.
 */
typedef struct payments_call payments_call;

/**
 * Talks to the service for one merchant. Made once, used for every call by
 * any number of threads at once; it may be made before `fork` and used after.
 */
typedef struct payments_client payments_client;

/**
 * What a callback sees of the call it serves. It belongs to the library and
 * is valid until the callback returns.
 */
typedef struct payments_context payments_context;

/**
 * What went wrong. All texts and bytes of an error are valid until it is
 * freed. It may be read by several threads at once.
 */
typedef struct payments_error payments_error;

/**
 * Callbacks for a client that is to be made. A client keeps what it needs of
 * them; several clients can be made from one handle.
 */
typedef struct payments_options payments_options;

/**
 * A request with every credential in place, for an HTTP client of the
 * caller's. All of its texts and bytes are valid until it is freed, and are
 * secrets.
 */
typedef struct payments_prepared payments_prepared;

/**
 * A JSON body that is being built. One thread at a time.
 *
 * Members are named by JSON Pointer (RFC 6901): `/payment/name`, and
 * `/tracking_code/-` to append to an array. What is missing on the way is
 * made.
 */
typedef struct payments_request payments_request;

/**
 * An answer. All of its texts and bytes are valid until it is freed. Several
 * threads may read it at once.
 *
 * Members of the body are named by JSON Pointer (RFC 6901), for example
 * `/payment/hash`.
 */
typedef struct payments_response payments_response;

/**
 * Takes bytes from a callback. It belongs to the library and is valid until
 * the callback returns.
 */
typedef struct payments_sink payments_sink;

/**
 * A text of the library, owned by the caller. It may hold NUL: use its
 * length. After the last byte there is one more NUL.
 */
typedef struct payments_text payments_text;

/**
 * Asked at least every 100 ms while a call waits, on the thread that makes
 * the call. Any value but 0 ends the call. It must not throw.
 */
typedef int32_t (*payments_interrupt_fn)(void *user_data);

/**
 * Frees what `user_data` points to. Called once, on any thread. It must not
 * throw.
 */
typedef void (*payments_destroy_fn)(void *user_data);

/**
 * Told of what a client does: `event` is the JSON text of an object with
 * `event` and its members, `length` bytes and a NUL after them, valid until
 * the function returns. No event holds a secret or payer data.
 *
 * Called on the thread that makes the call. It must not throw.
 */
typedef void (*payments_event_fn)(void *user_data, const char *event, size_t length);

/**
 * Makes the raw RSASSA-PKCS1-v1_5 signature with SHA-256 over `input`, and
 * writes it to `signature_out`: 512 bytes for a key of 4096 bits. `sha256`
 * are the 32 bytes of the digest of `input`, for services that sign digests.
 *
 * Returns 0, or another value after a message for the caller of the
 * operation went to `message_out`. It must not throw, and may be called by
 * several threads at once.
 */
typedef int32_t (*payments_sign_fn)(void *user_data,
                                    const struct payments_context *context,
                                    const uint8_t *input,
                                    size_t input_length,
                                    const uint8_t *sha256,
                                    struct payments_sink *signature_out,
                                    struct payments_sink *message_out);

/**
 * A token store. All functions are needed. `key` is a text of 64 hexadecimal
 * digits that names the entry; entries are JSON texts that hold a token:
 * treat them as secrets. Functions return a negative value when the store
 * does not work: the call then goes on with a token in memory, and the
 * observer is told. They must not throw, and may be called by several threads
 * at once.
 */
typedef struct payments_token_store_callbacks {
  /**
   * Writes the entry to `entry_out`, or nothing when there is none.
   * Returns 0.
   */
  int32_t (*load)(void *user_data,
                  const struct payments_context *context,
                  const char *key,
                  struct payments_sink *entry_out);
  /**
   * Keeps the entry unless one was saved with a larger fence. Returns 1 if
   * it did, else 0.
   */
  int32_t (*save)(void *user_data,
                  const struct payments_context *context,
                  const char *key,
                  const char *entry,
                  size_t entry_length,
                  uint64_t fence);
  /**
   * Removes the member `token` of the entry if its `value` is `value`, and
   * leaves the rest. Returns 1 if it did, else 0.
   */
  int32_t (*delete_if)(void *user_data,
                       const struct payments_context *context,
                       const char *key,
                       const char *value,
                       size_t value_length);
  /**
   * Takes the lock of the entry, or gives up at once. Returns 1 after a
   * number larger than that of every earlier lock went to `fence_out`, or 0
   * when somebody else has the lock.
   */
  int32_t (*try_lock)(void *user_data,
                      const struct payments_context *context,
                      const char *key,
                      uint64_t *fence_out);
  /**
   * Gives the lock back, unless it lapsed and somebody else has it.
   */
  void (*unlock)(void *user_data, const char *key, uint64_t fence);
} payments_token_store_callbacks;

/**
 * Sends `request` once, with every header and byte as it is, follows no
 * redirect, and fills `answer_out`. Returns 0; any other value says that
 * there is no answer and that bytes may have left.
 *
 * It must not throw, and may be called by several threads at once. It serves
 * the token server as well.
 */
typedef int32_t (*payments_send_fn)(void *user_data,
                                    const struct payments_context *context,
                                    const struct payments_prepared *request,
                                    struct payments_answer *answer_out);

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Sets the status of the answer, 100 to 599.
 */
enum payments_status payments_answer_set_status(struct payments_answer *answer,
                                                int32_t http_status);

/**
 * Adds a header of the answer. Both texts are copied.
 */
enum payments_status payments_answer_add_header(struct payments_answer *answer,
                                                const char *name,
                                                size_t name_length,
                                                const char *value,
                                                size_t value_length);

/**
 * Appends bytes to the body of the answer. They are copied.
 */
enum payments_status payments_answer_write_body(struct payments_answer *answer,
                                                const uint8_t *data,
                                                size_t length);

/**
 * Says that there is no answer, or, after a status was set, that its body is
 * not whole.
 *
 * `kind` is PAYMENTS_STATUS_CONNECT, _TLS, _TRANSPORT, _TIMEOUT, _CANCELLED,
 * _PROTOCOL or _TOO_LARGE. `nothing_sent` is 1 only if it is certain that no
 * byte of the request left: then the operation counts as not executed.
 * `message` must hold no secret.
 */
enum payments_status payments_answer_fail(struct payments_answer *answer,
                                          int32_t kind,
                                          int32_t nothing_sent,
                                          const char *message,
                                          size_t message_length);

/**
 * Makes a call handle with the deadline of the client.
 *
 * `call_out` gets the handle, to be freed with `payments_call_free`.
 */
enum payments_status payments_call_new(struct payments_call **call_out);

/**
 * Sets the deadline of the calls made with this handle from now on, in
 * milliseconds from their start. 0 is refused: every call has a deadline.
 * Not while a call runs.
 */
enum payments_status payments_call_set_timeout_ms(struct payments_call *call,
                                                  uint64_t timeout_ms,
                                                  struct payments_error **error_out);

/**
 * Sets a function that is asked while a call waits, such as one that looks
 * for pending signals. `destroy` may be NULL. Not while a call runs.
 *
 * The handle owns `user_data` from here on, also when this fails.
 */
enum payments_status payments_call_set_interrupt(struct payments_call *call,
                                                 void *user_data,
                                                 payments_interrupt_fn interrupt,
                                                 payments_destroy_fn destroy,
                                                 struct payments_error **error_out);

/**
 * Ends every call that was made with this handle, now and later. Any thread
 * may do that at any time. NULL does nothing.
 */
void payments_call_cancel(const struct payments_call *call);

/**
 * Frees a call handle, when no call uses it any more. NULL does nothing.
 */
void payments_call_free(struct payments_call *call);

/**
 * How many milliseconds the call has left; 0 for NULL.
 */
uint64_t payments_context_remaining_ms(const struct payments_context *context);

/**
 * Whether the call has ended, by its deadline or because it was cancelled: 1
 * or 0; 1 for NULL. A callback that waits asks at least every 100 ms, and
 * fails when it has.
 */
int32_t payments_context_has_ended(const struct payments_context *context);

/**
 * Makes a client from a configuration: the JSON text of an object whose
 * members the README lists. Files are read now; nothing is connected yet.
 * `options` may be NULL.
 *
 * `client_out` gets the handle, to be freed with `payments_client_free`.
 * `error_out` may be NULL. Fails with PAYMENTS_STATUS_CONFIG.
 */
enum payments_status payments_client_new(const char *config,
                                         size_t config_length,
                                         const struct payments_options *options,
                                         struct payments_client **client_out,
                                         struct payments_error **error_out);

/**
 * Gives the client of this configuration, made when it is asked for the
 * first time in this process: parsed key, token and connections live on after
 * the handle is freed. The contents of files count: a rotated key gives a new
 * client. A client with options is never shared; its connections are, and
 * its token unless a token store is among the options.
 *
 * Ownership and errors are those of `payments_client_new`.
 */
enum payments_status payments_client_shared(const char *config,
                                            size_t config_length,
                                            const struct payments_options *options,
                                            struct payments_client **client_out,
                                            struct payments_error **error_out);

/**
 * Frees a client handle, when no call uses it any more. NULL does nothing.
 */
void payments_client_free(struct payments_client *client);

/**
 * What kind of failure it is: the same value that the function returned.
 * PAYMENTS_STATUS_OK for NULL.
 */
enum payments_status payments_error_status(const struct payments_error *error);

/**
 * Whether the operation may have been executed.
 */
enum payments_outcome payments_error_outcome(const struct payments_error *error);

/**
 * A stable code within the kind, for example `token_quiet_period`.
 */
const char *payments_error_code(const struct payments_error *error);

/**
 * What happened and what to do next. It holds no secret and no payer data.
 */
const char *payments_error_message(const struct payments_error *error);

/**
 * What to do about an unknown outcome: how to find out what was done. NULL
 * when the operation was not executed.
 */
const char *payments_error_advice(const struct payments_error *error);

/**
 * The member of the request or of the configuration at fault, for example
 * `payment.document`, or the parameter. NULL when none is.
 */
const char *payments_error_path(const struct payments_error *error);

/**
 * The operation that failed, for example `create_payment`, or NULL.
 */
const char *payments_error_operation(const struct payments_error *error);

/**
 * The merchant's own reference for what was asked, or NULL.
 */
const char *payments_error_reference(const struct payments_error *error);

/**
 * The status of the service's answer, or 0 if there was none.
 */
int32_t payments_error_http_status(const struct payments_error *error);

/**
 * The service's own code, for example `BP-DR-0`, or NULL.
 */
const char *payments_error_service_code(const struct payments_error *error);

/**
 * The service's own message, or NULL. It may repeat payer data: do not log
 * it.
 */
const char *payments_error_service_message(const struct payments_error *error);

/**
 * The hash of a payment that the answer names, or NULL.
 */
const char *payments_error_payment_hash(const struct payments_error *error);

/**
 * How many milliseconds to wait before asking again, or -1.
 */
int64_t payments_error_retry_after_ms(const struct payments_error *error);

/**
 * Which of the interface's causes of a 401 it is, for example
 * `signature_mismatch`, or NULL.
 */
const char *payments_error_diagnosis_cause(const struct payments_error *error);

/**
 * What the doctor found on a 401, for example `kid_unregistered`, or NULL.
 */
const char *payments_error_diagnosis_finding(const struct payments_error *error);

/**
 * What the doctor found on a 401 and what to do about it, or NULL.
 */
const char *payments_error_diagnosis_message(const struct payments_error *error);

/**
 * How often the request was tried.
 */
uint32_t payments_error_attempts(const struct payments_error *error);

/**
 * The body that was signed and sent, at most its first 64 KiB, and its
 * length; NULL and 0 if nothing was signed. It holds payer data.
 */
const uint8_t *payments_error_request_bytes(const struct payments_error *error, size_t *length_out);

/**
 * The body of the answer, at most its first 64 KiB, and its length; NULL and
 * 0 if there was none.
 */
const uint8_t *payments_error_response_bytes(const struct payments_error *error,
                                             size_t *length_out);

/**
 * Everything the error knows but the bytes, as the JSON text of one object.
 * NULL for NULL.
 */
const char *payments_error_json(const struct payments_error *error);

/**
 * Frees an error. NULL does nothing.
 */
void payments_error_free(struct payments_error *error);

/**
 * Tells a callback what the client does.
 *
 * The options own `user_data` from here on, also when this fails; `destroy`
 * may be NULL.
 */
enum payments_status payments_options_set_observer(struct payments_options *options,
                                                   void *user_data,
                                                   payments_event_fn on_event,
                                                   payments_destroy_fn destroy,
                                                   struct payments_error **error_out);

/**
 * Creates a payment. `body` is the JSON text of an object with the member
 * `payment`. `call` and `error_out` may be NULL.
 *
 * `response_out` gets the answer, to be freed with `payments_response_free`;
 * NULL on failure. Fails with every status. When `payments_error_outcome` is
 * PAYMENTS_OUTCOME_UNKNOWN the payment may exist: query it by its
 * `merchant_payment_code`. Any thread, also several at once.
 */
enum payments_status payments_client_create_payment(const struct payments_client *client,
                                                    const char *body,
                                                    size_t body_length,
                                                    const struct payments_call *call,
                                                    struct payments_response **response_out,
                                                    struct payments_error **error_out);

/**
 * Tells the status of a payment. `body` is the JSON text of an object with
 * either `hash` or `merchant_payment_code`. It moves no money, and is tried
 * again a few times when the connection or the service fails.
 *
 * The rest is as for `payments_client_create_payment`.
 */
enum payments_status payments_client_query_payment(const struct payments_client *client,
                                                   const char *body,
                                                   size_t body_length,
                                                   const struct payments_call *call,
                                                   struct payments_response **response_out,
                                                   struct payments_error **error_out);

/**
 * Refunds a payment. `body` is the JSON text of an object with `hash`, and
 * optional members such as `amount`.
 *
 * The rest is as for `payments_client_create_payment`; after an unknown
 * outcome query the payment, whose answer lists its refunds.
 */
enum payments_status payments_client_refund_payment(const struct payments_client *client,
                                                    const char *body,
                                                    size_t body_length,
                                                    const struct payments_call *call,
                                                    struct payments_response **response_out,
                                                    struct payments_error **error_out);

/**
 * Sends money to a payee. `body` is the JSON text of a payout.
 *
 * The rest is as for `payments_client_create_payment`; the interface has no
 * query for payouts, so look for one of unknown outcome on the provider's
 * platform before anything is sent again.
 */
enum payments_status payments_client_create_payout(const struct payments_client *client,
                                                   const char *body,
                                                   size_t body_length,
                                                   const struct payments_call *call,
                                                   struct payments_response **response_out,
                                                   struct payments_error **error_out);

/**
 * Registers tracking codes for an order. `body` is the JSON text of an
 * object with `order_number`, `email` and the array `tracking_code`.
 *
 * The rest is as for `payments_client_create_payment`.
 */
enum payments_status payments_client_register_tracking(const struct payments_client *client,
                                                       const char *body,
                                                       size_t body_length,
                                                       const struct payments_call *call,
                                                       struct payments_response **response_out,
                                                       struct payments_error **error_out);

/**
 * Gives a bearer token that is valid now: the cached one, or a new one. The
 * view of the answer has `access_token`, `token_type` and `expires_at`.
 *
 * The rest is as for `payments_client_create_payment`.
 */
enum payments_status payments_client_access_token(const struct payments_client *client,
                                                  const struct payments_call *call,
                                                  struct payments_response **response_out,
                                                  struct payments_error **error_out);

/**
 * Tells what is known of the bearer token, without asking for one: JSON text
 * with `is_usable`, and `age`, `remaining` and `quiet` in seconds.
 *
 * `text_out` gets a handle to be freed with `payments_text_free`.
 */
enum payments_status payments_client_token_status(const struct payments_client *client,
                                                  const struct payments_call *call,
                                                  struct payments_text **text_out,
                                                  struct payments_error **error_out);

/**
 * Sends the caller's own bytes to any path, signed and unchanged. `head` is
 * the JSON text of an object with `method`, `path`, and where wanted `query`
 * (an object of texts), `content_type` and `reference`.
 *
 * The rest is as for `payments_client_create_payment`; any 2xx answer is
 * success.
 */
enum payments_status payments_client_send(const struct payments_client *client,
                                          const char *head,
                                          size_t head_length,
                                          const uint8_t *body,
                                          size_t body_length,
                                          const struct payments_call *call,
                                          struct payments_response **response_out,
                                          struct payments_error **error_out);

/**
 * Does everything but the sending of the operation of that name, for an HTTP
 * client of the caller's. `input` is the JSON text that the operation takes;
 * for `send` it is the head, and `body` are the bytes, which are 0 for all
 * others. It may fetch a token.
 *
 * `prepared_out` gets a handle to be freed with `payments_prepared_free`.
 */
enum payments_status payments_client_prepare(const struct payments_client *client,
                                             const char *operation,
                                             size_t operation_length,
                                             const char *input,
                                             size_t input_length,
                                             const uint8_t *body,
                                             size_t body_length,
                                             const struct payments_call *call,
                                             struct payments_prepared **prepared_out,
                                             struct payments_error **error_out);

/**
 * Makes an empty set of options.
 *
 * `options_out` gets the handle, to be freed with `payments_options_free`.
 */
enum payments_status payments_options_new(struct payments_options **options_out);

/**
 * Frees the options. Clients that were made from them keep their callbacks.
 * NULL does nothing.
 */
void payments_options_free(struct payments_options *options);

/**
 * The method, in upper case. NULL for NULL.
 */
const char *payments_prepared_method(const struct payments_prepared *prepared);

/**
 * The whole URL. NULL for NULL.
 */
const char *payments_prepared_url(const struct payments_prepared *prepared);

/**
 * How many headers there are. `Host` and `Content-Length` are left to the
 * HTTP client.
 */
size_t payments_prepared_header_count(const struct payments_prepared *prepared);

/**
 * The name of the header `index`, from 0; NULL if there is none.
 */
const char *payments_prepared_header_name(const struct payments_prepared *prepared, size_t index);

/**
 * The value of the header `index`, from 0; NULL if there is none.
 */
const char *payments_prepared_header_value(const struct payments_prepared *prepared, size_t index);

/**
 * The exact bytes that were signed and must be sent, and their number.
 */
const uint8_t *payments_prepared_body(const struct payments_prepared *prepared, size_t *length_out);

/**
 * Frees a prepared request. NULL does nothing. One that a transport callback
 * got belongs to the library and must not be freed.
 */
void payments_prepared_free(struct payments_prepared *prepared);

/**
 * Makes an empty request: the object `{}`.
 *
 * `request_out` gets the handle, to be freed with `payments_request_free`.
 */
enum payments_status payments_request_new(struct payments_request **request_out);

/**
 * Sets a member to a text. It may hold NUL.
 */
enum payments_status payments_request_set_text(struct payments_request *request,
                                               const char *pointer,
                                               size_t pointer_length,
                                               const char *value,
                                               size_t value_length,
                                               struct payments_error **error_out);

/**
 * Sets a member to an amount given as decimal text, for example "100.10",
 * which reaches the wire as that same number.
 */
enum payments_status payments_request_set_amount(struct payments_request *request,
                                                 const char *pointer,
                                                 size_t pointer_length,
                                                 const char *amount,
                                                 size_t amount_length,
                                                 struct payments_error **error_out);

/**
 * Sets a member to a whole number.
 */
enum payments_status payments_request_set_integer(struct payments_request *request,
                                                  const char *pointer,
                                                  size_t pointer_length,
                                                  int64_t value,
                                                  struct payments_error **error_out);

/**
 * Sets a member to true (any value but 0) or false.
 */
enum payments_status payments_request_set_boolean(struct payments_request *request,
                                                  const char *pointer,
                                                  size_t pointer_length,
                                                  int32_t value,
                                                  struct payments_error **error_out);

/**
 * Sets a member to any JSON value, given as text.
 */
enum payments_status payments_request_set_json(struct payments_request *request,
                                               const char *pointer,
                                               size_t pointer_length,
                                               const char *json,
                                               size_t json_length,
                                               struct payments_error **error_out);

/**
 * The body as JSON text, and its length: what the operations of a client
 * take. Valid until the request is changed or freed. NULL for NULL.
 */
const char *payments_request_text(struct payments_request *request, size_t *length_out);

/**
 * Frees a request. NULL does nothing.
 */
void payments_request_free(struct payments_request *request);

/**
 * The HTTP status; 0 for NULL.
 */
int32_t payments_response_http_status(const struct payments_response *response);

/**
 * The body as it came, and its length.
 */
const uint8_t *payments_response_body(const struct payments_response *response, size_t *length_out);

/**
 * The answer as the packages for other languages see it: the JSON text of an
 * object with the typed members, and under `answer` the whole body with every
 * amount as text. Its length goes to `length_out`, which may be NULL.
 */
const char *payments_response_view(const struct payments_response *response, size_t *length_out);

/**
 * How many headers the answer has.
 */
size_t payments_response_header_count(const struct payments_response *response);

/**
 * The name of the header `index`, from 0; NULL if there is none.
 */
const char *payments_response_header_name(const struct payments_response *response, size_t index);

/**
 * The value of the header `index`, from 0; NULL if there is none.
 */
const char *payments_response_header_value(const struct payments_response *response, size_t index);

/**
 * Whether the answer says that the payment is paid: 1 or 0. Only the payment
 * status CO is.
 */
int32_t payments_response_is_paid(const struct payments_response *response);

/**
 * Whether the body has the member: 1 or 0.
 */
int32_t payments_response_has(const struct payments_response *response,
                              const char *pointer,
                              size_t pointer_length);

/**
 * Reads a text or a number as text. `text_out` gets a handle to be freed
 * with `payments_text_free`.
 */
enum payments_status payments_response_text(const struct payments_response *response,
                                            const char *pointer,
                                            size_t pointer_length,
                                            struct payments_text **text_out,
                                            struct payments_error **error_out);

/**
 * Reads a whole number.
 */
enum payments_status payments_response_integer(const struct payments_response *response,
                                               const char *pointer,
                                               size_t pointer_length,
                                               int64_t *integer_out,
                                               struct payments_error **error_out);

/**
 * Reads true (1) or false (0).
 */
enum payments_status payments_response_boolean(const struct payments_response *response,
                                               const char *pointer,
                                               size_t pointer_length,
                                               int32_t *boolean_out,
                                               struct payments_error **error_out);

/**
 * Counts the elements of an array or the members of an object.
 */
enum payments_status payments_response_count(const struct payments_response *response,
                                             const char *pointer,
                                             size_t pointer_length,
                                             size_t *count_out,
                                             struct payments_error **error_out);

/**
 * Reads any member as JSON text. `text_out` gets a handle to be freed with
 * `payments_text_free`.
 */
enum payments_status payments_response_json(const struct payments_response *response,
                                            const char *pointer,
                                            size_t pointer_length,
                                            struct payments_text **text_out,
                                            struct payments_error **error_out);

/**
 * Frees an answer. NULL does nothing.
 */
void payments_response_free(struct payments_response *response);

/**
 * Signs with a callback instead of a key: an HSM, a key management service.
 * `kid` is the key id assigned at registration. Give `public_key` in the
 * configuration to have every signature verified before anything is sent.
 *
 * The options own `user_data` from here on, also when this fails; `destroy`
 * may be NULL.
 */
enum payments_status payments_options_set_signer(struct payments_options *options,
                                                 void *user_data,
                                                 const char *kid,
                                                 size_t kid_length,
                                                 payments_sign_fn sign,
                                                 payments_destroy_fn destroy,
                                                 struct payments_error **error_out);

/**
 * Appends `length` bytes at `data` to what the callback gives. Returns 0, or
 * -1 when the sink is NULL or the bytes cannot be taken.
 *
 * To be called from within the callback that got the sink only.
 */
int32_t payments_sink_write(struct payments_sink *sink, const uint8_t *data, size_t length);

/**
 * The name of a status, for example `rate_limited`; `unknown` for a number
 * that is none. The text is static: it must not be freed.
 */
const char *payments_status_name(int32_t status);

/**
 * Keeps bearer tokens in a store of the caller's. The callbacks are copied.
 *
 * The options own `user_data` from here on, also when this fails; `destroy`
 * may be NULL.
 */
enum payments_status payments_options_set_token_store(struct payments_options *options,
                                                      void *user_data,
                                                      const struct payments_token_store_callbacks *callbacks,
                                                      payments_destroy_fn destroy,
                                                      struct payments_error **error_out);

/**
 * The first byte of a text. It is valid until the text is freed. NULL for
 * NULL.
 */
const char *payments_text_data(const struct payments_text *text);

/**
 * How many bytes a text has, without the NUL after them. 0 for NULL.
 */
size_t payments_text_length(const struct payments_text *text);

/**
 * Frees a text. NULL does nothing.
 */
void payments_text_free(struct payments_text *text);

/**
 * Makes an RSA key pair of 4096 bits, which takes about a second. The private
 * key is PKCS#8 PEM: keep it secret. The public key goes to the provider, who
 * returns the kid.
 *
 * Both places get a handle to be freed with `payments_text_free`.
 */
enum payments_status payments_generate_key(struct payments_text **private_key_out,
                                           struct payments_text **public_key_out,
                                           struct payments_error **error_out);

/**
 * Checks a token of X-JWS-Signature over the bytes of a body with a public
 * key (PEM). `token` may be NULL: there was none.
 *
 * `report_out` gets JSON text with `valid`, and for a refused token `cause`,
 * `detail` and `remedy`, as a handle to be freed with `payments_text_free`.
 * PAYMENTS_STATUS_OK means that the token could be checked, not that it is
 * valid.
 */
enum payments_status payments_verify(const char *public_key,
                                     size_t public_key_length,
                                     const char *token,
                                     size_t token_length,
                                     const uint8_t *body,
                                     size_t body_length,
                                     struct payments_text **report_out,
                                     struct payments_error **error_out);

/**
 * Says what is wrong with a token, and what would have verified: another
 * serialization of the body, another of the given keys, and so on.
 * `public_keys` is the JSON text of an array of PEM texts, or of objects with
 * `public_key` and `kid`. `token` may be NULL.
 *
 * `report_out` gets JSON text with `cause`, `finding` and `message`, as a
 * handle to be freed with `payments_text_free`.
 */
enum payments_status payments_doctor(const char *public_keys,
                                     size_t public_keys_length,
                                     const char *token,
                                     size_t token_length,
                                     const uint8_t *body,
                                     size_t body_length,
                                     struct payments_text **report_out,
                                     struct payments_error **error_out);

/**
 * Sends through a callback instead of the library's own HTTP client.
 *
 * The options own `user_data` from here on, also when this fails; `destroy`
 * may be NULL.
 */
enum payments_status payments_options_set_transport(struct payments_options *options,
                                                    void *user_data,
                                                    payments_send_fn send,
                                                    payments_destroy_fn destroy,
                                                    struct payments_error **error_out);

/**
 * The version of the binary interface. A program that was compiled against
 * another number must not go on.
 *
 * It changes whenever a function or a layout changes or goes; new functions
 * leave it as it is. The name `libpayments.so.N` carries the same number.
 */
uint32_t payments_abi_version(void);

/**
 * The version of the library, for example "0.1.0". The text is static: it
 * must not be freed.
 */
const char *payments_version(void);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* PAYMENTS_H */
