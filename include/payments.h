/* libpayments: payments, refunds, payouts and package tracking in Latin America.
 *
 * Conventions
 *
 * - Every handle is opaque. It is made by a function that ends in _new, or comes
 *   through a parameter that ends in _out, and is freed exactly once by the
 *   _free of its type. Freeing NULL does nothing. Handles may be freed in any
 *   order; what is freed must not be used again.
 * - Functions return a payments_status, an int32_t; PAYMENTS_STATUS_OK is 0.
 *   Compilers warn where one is dropped. Results come through parameters that
 *   end in _out, which stand last and must not be NULL, but for error_out and
 *   length_out. On failure they are NULL or zero: there is no partial success.
 * - A table of functions begins with its size.
 * - error_out may be NULL. Otherwise it gets NULL on success, and on failure an
 *   error, to be freed with payments_error_free. Should there be no memory for
 *   it, it gets NULL; the status tells of the failure nevertheless.
 * - Texts are UTF-8. Texts that go in have a length and need no NUL after them;
 *   NULL is an empty text if the length is 0. Texts that come out end in NUL.
 *   Arguments are only read during the call.
 * - NULL where a value is needed, text that is not UTF-8 and a length over
 *   PTRDIFF_MAX are PAYMENTS_STATUS_INVALID_ARGUMENT. A pointer to memory that
 *   is not there, and a handle that was freed, cannot be recognized.
 * - Any thread may use any handle. payments_client, payments_response,
 *   payments_error, payments_prepared, payments_text and payments_call (but for
 *   its _set functions) may be used by several threads at once; of
 *   payments_request and payments_options, each by one thread at a time.
 * - Callbacks get their user_data first, are called by the thread that makes the
 *   call, and by several threads at once if the client is. C++ exceptions and
 *   longjmp must not leave a callback. A callback must not call the client that
 *   it serves: that is refused.
 * - A client may be made before fork and used after. No signal handler may call
 *   this library, but for payments_call_cancel. The library blocks no signal and
 *   installs no handler; it never raises SIGPIPE.
 * - pthread_cancel must not hit a thread that is in a function of this library:
 *   end a call with payments_call_cancel. The stack would be unwound past locks
 *   and secrets that are still to be released and wiped.
 * - A thread that uses this library needs 256 KiB of stack, and besides what its
 *   callbacks and the module of an HSM need. Measured were 34 KiB for a call
 *   over TLS, 34 KiB with SoftHSM, and 62 KiB for a body that is nested 120
 *   levels deep: scripts/test-c.sh stack.
 * - Each section says who owns what (Ownership), who may call when (Threads), and
 *   how its functions fail (Errors). The comment of a function adds what is
 *   different for it. A place that gets a handle gets NULL on failure. A function
 *   that frees takes the handle, and no other thread may use it then.
 *
 * Members of a configuration
 *
 * Other members are refused. A path is taken from the working directory.
 *
 * - environment (text): `sandbox` or `production` (default: `production`). It decides for how long a token is valid.
 * - base_url (text): address of the service, up to `/ws`, which the client adds; required.
 * - auth_url (text): address of the token server, without the path of its endpoint. Required with `client_id`.
 * - integration_key (secret): merchant key.
 * - integration_key_file (path): file that holds the merchant key.
 * - client_id (text): client id for the token server. With client id and client secret, calls carry a bearer token.
 * - client_secret (secret): client secret for the token server.
 * - client_secret_file (path): file that holds the client secret.
 * - client_auth_encoding (text): how the token request writes client id and secret: `raw`, as they are, or `form`, form-encoded (default: `raw`). It makes a difference for `+`, `%`, `:`, other punctuation and letters beyond ASCII. A client id with a colon needs `form`.
 * - key (secret): RSA private key, PEM text. PKCS#8 or PKCS#1. With it, requests are signed.
 * - key_file (path): file of the private key, PEM or DER.
 * - key_passphrase (secret): passphrase of an encrypted private key.
 * - key_passphrase_file (path): file that holds the passphrase.
 * - kid (text): key id assigned at registration. Required with a key.
 * - allow_small_keys (switch): accept RSA keys of 2048 and 3072 bits (default: `false`).
 * - signing_threads (integer): how many calls of a process sign with a private key at a time (default: three for each core). The others wait their turn within their deadline, first come, first served. The cores are those that the scheduler and the quota of a container grant. It does not limit HSMs and your own signers.
 * - pkcs11_module (path): PKCS#11 module of an HSM that holds the private key.
 * - pkcs11_token (text): label of the HSM's token.
 * - pkcs11_slot (integer): number of the token's slot, instead of its label.
 * - pkcs11_key_label (text): label of the private key in the token.
 * - pkcs11_key_id (text): id of the private key in the token, in hexadecimal.
 * - pkcs11_pin (secret): PIN of the token's user.
 * - pkcs11_pin_file (path): file that holds the PIN of the token's user.
 * - pkcs11_sessions (integer): most sessions of a process with the token, and most signatures made at once; 1 to 256 (default: `8`).
 * - public_key (text): public key of an external signer, PEM text. It verifies each signature of an HSM or of your own signer before it is sent.
 * - public_key_file (path): file of the public key of an external signer.
 * - timeout_ms (integer): deadline of a whole call, in milliseconds (default: `30000`). It includes the token and all attempts.
 * - connect_timeout_ms (integer): limit for connecting, in milliseconds (default: `5000`).
 * - allow_insecure_http (switch): allow `http://` to hosts other than this one (default: `false`). Everything that is sent can then be read on the way.
 * - proxy (secret): `env`, or `http://[user:password@]host:port`. `env` takes the proxy of the environment.
 * - ca_file (path): PEM file of the only trusted certificates. They replace those of the operating system, which `SSL_CERT_FILE` and `SSL_CERT_DIR` can change, for the service and for `token_store`.
 * - max_response_bytes (integer): largest accepted response in bytes (default: `2097152`). Larger responses are `too_large`.
 * - max_response_values (integer): most JSON values in an accepted response, at any depth (default: `100000`). Responses with more are `too_large`: values take many times their bytes in memory.
 * - integration_key_placement (text): `beside` or `inside` the object `payment`, or `both` (default: `beside`).
 * - query_method (text): how `query_payment` is sent: `get`, or `post` (default: `get`). A `post` has the members as JSON, which are signed like any body.
 * - signed_query (text): payload of the signature of a request without a body: `empty`; `query`, the query string as sent, without its `?`; `none`, without a signature (default: `empty`).
 * - refund_hash_member (text): member of a refund that holds the payment hash (default: `hash`).
 * - bearer_header (text): header of the bearer token (default: `Authorization`).
 * - bearer_scheme (text): word before the bearer token (default: `Bearer`). It may be empty.
 * - auth (object): credentials of single operations: `{"create_payout": {"bearer": false}}`.
 * - headers (object): fixed headers of all requests to the service: `{"X-Simulate": "503"}`. At most 16, with 4 KiB of names and values in all. Their values are never shown. The token server does not get them.
 * - duplicate_codes (list): service codes of a reference used before, in any case (default: `BP-DR-0, HP-CM-03`). They count for operations that move money. `[]` in a file turns the rule off; an empty variable is refused.
 * - doubtful_codes (list): service codes of a refusal after which money may have moved all the same, in any case (default: `BP-DR-84, BP-DR-119`). They count for operations that move money, as `refusal_doubtful`.
 * - not_found_codes (list): service codes of a refused query that say there is no such payment (default: `BP-REF-CAN-2`). They are reported as `payment_not_found`.
 * - payout_query (switch): turn on `query_payout`, which the interface does not state (default: `false`).
 * - payout_not_found_codes (list): service codes of a refused `query_payout` that say there is no such payout (default: ``). They are reported as `payment_not_found`. Without one, no payout counts as not found.
 * - failure_statuses (list): words that as the top-level `status` say that the operation failed, in any case (default: `ERROR, FAILURE, FAILED, DENIED, REJECTED, REFUSED`).
 * - success_signs (object): further signs of success of single operations, as JSON Pointers: `{"create_payment": ["/data/id"]}`.
 * - check_references (switch): refuse a response that names a different payment or payout than the request (default: `true`).
 * - next_action_rule (switch): take an unknown address in an open payment for a pay slip (default: `true`).
 * - card_guard (switch): search requests, also those of `send`, for raw card numbers (default: `true`).
 * - check_amount_digits (switch): refuse the amount of a payment or payout with digits that its currency does not have, and texts whose point may separate thousands (default: `true`). By ISO 4217: the numbers `BRL 100.123` and `CLP 100.55` are refused, zeros are fine. The texts `BRL 1.500`, `CLP 150.000` and, for a refund, `1.000` are ambiguous.
 * - treat_401_as_not_executed (switch): take a 401 as proof that an operation which moves money was not executed (default: `true`). With `false`, the outcome is `unknown`, and it is not sent again with another token.
 * - token_store (secret): `memory`; `file:FOLDER` for all processes of a host; `redis://` or `rediss://` and `[[user]:password@]host[:port][/database]` for a fleet (default: `memory`). Only the user that runs the process may see the folder. `rediss://` is Redis over TLS. It is required unless Redis runs on this host. The command uses the user's cache folder instead of memory.
 * - token_store_fallback (text): where tokens are kept while a Redis server does not work: `file:FOLDER`, or `memory` (default: the cache folder of the user).
 * - allow_insecure_redis (switch): allow `redis://` to hosts other than this one (default: `false`). The password can then be read on the way, and tokens too without `token_store_key`.
 * - token_store_key (secret): key that encrypts stored tokens: 32 bytes in base64. The same for all clients that share the tokens; `openssl rand -base64 32` makes one.
 * - token_store_key_file (path): file that holds the key for stored tokens.
 * - journal (text): where calls that move money are recorded before they are sent: `none`, or `file:PATH` for all processes of a host (default: `none`). `payments journal create` makes the file.
 * - journal_scope (text): the scope of the journal entries that belong to this client (default: the host of `base_url`). Clients that could pay the same thing twice must have the same scope.
 * - settle_after_ms (integer): time from a call's deadline until a person may say no to it, in milliseconds; 0 to 86400000 (default: `900000`). A request held by a proxy or the service may be executed late. At least a minute always passes.
 * - ensure_wait_ms (integer): time for which `ensure_payment` waits for a payment that may exist and is not found, in milliseconds; 0 to 600000 (default: `3000`). Then it fails as `unknown`, and the next call continues. A request under way still has its own deadline, `timeout_ms`.
 * - query_retries (integer): how many times a failed query is retried; may be 0 (default: `2`). Other operations are resent only if no byte of them left, or once after a 401 with a new bearer token.
 * - log_references (switch): show your own references in events, logs and spans (default: `true`).
 *
 * Members of the bodies of operations
 *
 * * marks those that are required. An amount is a number, or a text that
 * holds one: 10.50, not 1050 cents. It keeps its digits. Other members are refused; in
 * payment and next to it, only those that resemble one of these. Each object may hold an
 * object extra, whose members follow the others as they are.
 *
 * payments_client_create_payment
 * - /operation (text): kind of request, known to be `request`
 * - /payment* (object): the payment
 * - /payment/name* (text): payer name
 * - /payment/email* (text): payer e-mail
 * - /payment/country* (lower country): lower-case two-letter country code
 * - /payment/payment_type_code* (text): country-specific method code, for example `pix`
 * - /payment/merchant_payment_code* (text): merchant's own reference for the payment
 * - /payment/currency_code* (currency): three-letter currency code
 * - /payment/amount_total* (amount): amount of the payment in `currency_code`, a decimal above zero: 10.50, not 1050 cents
 * - /payment/document (text): payer tax id; required if country is br
 *
 * payments_client_query_payment
 * - /hash (text): the payment hash; exactly one of these
 * - /merchant_payment_code (text): merchant's own reference for the payment; exactly one of these
 *
 * payments_client_refund_payment
 * - /hash (text): the payment hash of the payment to refund; exactly one of these, unless operation is cancel
 * - /merchant_payment_code (text): merchant's own reference for the payment to refund, without a journal; exactly one of these, unless operation is cancel
 * - /operation (text): kind of request, known to be `request`, or `cancel` to cancel an earlier refund
 * - /amount (amount): amount to refund, a decimal above zero: 10.50, not 1050 cents; everything if left out
 * - /description (text): reason for the refund
 * - /merchant_refund_code (text): merchant's own reference for the refund; at least one of these, if operation is cancel
 * - /refund_id (text): the service's id of the refund to cancel; at least one of these, if operation is cancel
 *
 * payments_client_create_payout
 * - /external_reference* (text): merchant's reference for the payout
 * - /country* (lower country): lower-case two-letter country code
 * - /amount* (amount): amount to send in `currency_code`, a decimal above zero: 10.50, not 1050 cents
 * - /currency_code* (currency): three-letter currency code
 * - /target (text): kind of destination, for example `pix_key`
 * - /target_account (text): destination, for `pix_key` the key itself; required if target is pix_key
 * - /payee (object): recipient of the money; exactly one of these
 * - /payee/name (text): payee name; at least one of these
 * - /payee/email (text): payee e-mail
 * - /payee/document (text): payee tax id; at least one of these
 * - /payee/document_type (text): kind of the tax id, for example `CPF`
 * - /payee/phone (text): payee phone
 * - /payee/birthdate (text): payee date of birth
 * - /payee/payee_document_date_issue (text): date of issue of the document
 * - /payee/bank_info (open): bank account of the payee: its members depend on the country
 * - /payee_uuid (text): the service's id of a registered recipient; exactly one of these
 * - /transaction_type (text): kind of transaction, for example `B2C`
 *
 * payments_client_query_payout
 * - /uid (text): the service's id of the payout; exactly one of these
 * - /external_reference (text): merchant's reference for the payout; exactly one of these
 *
 * payments_client_register_tracking
 * - /order_number* (text): merchant's order reference
 * - /email* (text): customer e-mail
 * - /tracking_code* (texts or objects): one or more tracking codes, plain or with items and address
 * - /tracking_code/-/tracking_code* (text): the code
 * - /tracking_code/-/items (objects): items in the parcel
 * - /tracking_code/-/items/-/sku (text): stock keeping unit
 * - /tracking_code/-/items/-/name (text): name of the item
 * - /tracking_code/-/items/-/description (text): description of the item
 * - /tracking_code/-/items/-/unit_price (integer): price per item, sent as given: ask the provider for its unit
 * - /tracking_code/-/items/-/quantity (integer): number of items
 * - /tracking_code/-/items/-/type (text): category of item
 * - /tracking_code/-/address (object): address the parcel was sent to
 * - /tracking_code/-/address/zipcode (text): postal code
 * - /tracking_code/-/address/address (text): street name
 * - /tracking_code/-/address/street_number (text): street number
 * - /tracking_code/-/address/street_complement (text): floor, apartment and similar
 * - /tracking_code/-/address/city (text): city
 * - /tracking_code/-/address/state (text): state
 * - /tracking_code/-/address/country (upper country): upper-case two-letter country code
 * - /tracking_code/-/payment_hash (text): hash of the payment of the parcel
 * - /payment_hash (text): hash of the related payment
 *
 * payments_client_send (the head)
 * - /method* (text): HTTP method, for example `POST`
 * - /path* (text): path under the base URL, beginning with `/`
 * - /query (parameters): query parameters, encoded for the wire
 * - /content_type (text): media type of the body, `application/json` if left out
 * - /reference (text): your own reference, which is part of errors; not sent
 *
 * Events that an observer receives
 *
 * Each is a JSON object with its name under event, these members, and those
 * listed with it. Members that end in _us are microseconds; those marked with ?
 * may be null.
 *
 * - call: the number of the call, which no other call of the process has.
 * - reference?: your own reference, as logs show it; null without one, or with `log_references` off.
 * - hash?: the hash of the payment, once it is known.
 *
 * - request_started (operation, method, path, host): A call begins: its input was accepted. path: the path without query and configured secrets; that of `send` up to its second segment. host: the host of the service, and its port if the address has one.
 * - attempt (operation, number): A request is about to be sent. number: 1 for the first attempt.
 * - attempt_ended (operation, number, http_status?, kind?, duration_us): An attempt ended, with a response or without one. number: 1 for the first attempt. http_status: the status, if there was a response. kind: why there was no response. duration_us: how long it took, with the connection.
 * - retry (operation, number, kind, wait_us): An attempt failed, and another follows: for a query, or when no connection was made. number: the attempt that failed, 1 for the first. wait_us: how long the client waits first.
 * - token_requested (host): The token server was asked for a bearer token. host: the host of the token server, and its port if the address has one.
 * - token_fetched (duration_us, lifetime_us): The token server issued a bearer token. lifetime_us: how long it is valid.
 * - token_reused (remaining_us): A cached bearer token is used. remaining_us: how long it remains valid.
 * - token_failed (kind, backoff_us?, duration_us): No bearer token could be obtained. backoff_us: how long the token server is not contacted (backoff). duration_us: how long the call waited for the token server.
 * - token_invalidated: A bearer token was refused, and is not used again.
 * - token_kept (backoff_us, reason): A bearer token was refused, and no other is requested now. backoff_us: how long no other is requested. reason: why.
 * - store_bypassed (action, reason): A token store failed, and the call continues without it. action: the action that failed. reason: why, in the store's own words.
 * - journal_failed (id, reason): A call's end could not be recorded in the journal, or contradicts a person's decision. id: the id of the entry. reason: why, in the journal's own words.
 * - request_ended (operation, http_status?, kind?, code?, outcome?, attempts, duration_us, signing_us): A call ended. http_status: the status of the last response, if there was one. kind: the kind of failure, if the call failed. code: the code of the error, if the call failed. outcome: the outcome, if the call failed. attempts: how many attempts were made, including those that could not connect. duration_us: how long the call took, with token and signature. signing_us: how long signing took, with the wait for other calls that sign.
 *
 * This file is generated. Do not change it by hand. Reason for length: it is.
 */

#ifndef PAYMENTS_H
#define PAYMENTS_H

#include <stddef.h>
#include <stdint.h>

/* The version of the binary interface that this header describes: compare it
 * with payments_abi_version(). */
#define PAYMENTS_ABI_VERSION 0

/* The version of the library that this header came with, for #if:
 * 1000000 * major + 1000 * minor + patch. */
#define PAYMENTS_VERSION_NUMBER 1000

/* A literal as a text that goes in, with its length. */
#define PAYMENTS_TEXT(literal) ("" literal), (sizeof(literal) - 1)

/* Warns where a result is dropped that says whether it worked, or that has to
 * be freed. Define it as empty to have no such warnings. */
#ifndef PAYMENTS_MUST_USE
#if defined(__GNUC__) || defined(__clang__)
#define PAYMENTS_MUST_USE __attribute__((warn_unused_result))
#else
#define PAYMENTS_MUST_USE
#endif
#endif

/**
 * The result of a function. Details are in the `payments_error`. Later
 * versions may add values.
 */
enum payments_status
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /**
   * It worked.
   */
  PAYMENTS_STATUS_OK = 0,
  /**
   * The configuration cannot work. `payments_error_path` names the member.
   */
  PAYMENTS_STATUS_CONFIG = 1,
  /**
   * The request breaks a rule that is known locally. `payments_error_path`
   * names the member.
   */
  PAYMENTS_STATUS_VALIDATION = 2,
  /**
   * The request could not be signed.
   */
  PAYMENTS_STATUS_SIGNING = 3,
  /**
   * No bearer token could be obtained.
   */
  PAYMENTS_STATUS_TOKEN = 4,
  /**
   * No connection could be made.
   */
  PAYMENTS_STATUS_CONNECT = 5,
  /**
   * The TLS handshake failed.
   */
  PAYMENTS_STATUS_TLS = 6,
  /**
   * The connection broke.
   */
  PAYMENTS_STATUS_TRANSPORT = 7,
  /**
   * The deadline passed.
   */
  PAYMENTS_STATUS_TIMEOUT = 8,
  /**
   * The response is not HTTP, is a redirect, or is about another payment.
   */
  PAYMENTS_STATUS_PROTOCOL = 9,
  /**
   * A successful response is larger than allowed.
   */
  PAYMENTS_STATUS_TOO_LARGE = 10,
  /**
   * A successful response is not what the operation promises.
   */
  PAYMENTS_STATUS_DECODE = 11,
  /**
   * The service responded with 401. `payments_error_diagnosis_message` says
   * what the client knows about its credentials.
   */
  PAYMENTS_STATUS_UNAUTHORIZED = 12,
  /**
   * The service responded with 429. `payments_error_retry_after_ms` says how
   * long to wait.
   */
  PAYMENTS_STATUS_RATE_LIMITED = 13,
  /**
   * The service responded with another status that is not 2xx.
   * `payments_error_http_status` is that status.
   */
  PAYMENTS_STATUS_STATUS = 14,
  /**
   * The service responded with 2xx, and the body says that the operation
   * failed. `payments_error_service_code` is the service's own code.
   */
  PAYMENTS_STATUS_REJECTED = 15,
  /**
   * The caller cancelled the call. The code `interrupted_after_response`
   * means that the response was complete: `payments_error_response` has it.
   */
  PAYMENTS_STATUS_CANCELLED = 16,
  /**
   * A bug in this library was caught. Please report it.
   */
  PAYMENTS_STATUS_INTERNAL = 17,
  /**
   * The journal refused the call, or does not work.
   * `payments_error_journal_entry` says which earlier call refused it.
   */
  PAYMENTS_STATUS_JOURNAL = 18,
  /**
   * A parameter breaks a rule of this header: NULL where a value is
   * needed, text that is not UTF-8, a length that cannot be.
   */
  PAYMENTS_STATUS_INVALID_ARGUMENT = 100,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum payments_status payments_status;
#else
typedef int32_t payments_status;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * Whether the operation of a failed call was executed by the service.
 */
enum payments_outcome
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /**
   * The service did not execute the operation: it may be sent again.
   */
  PAYMENTS_OUTCOME_NOT_EXECUTED = 0,
  /**
   * The service may have executed the operation. Do not send it again: find
   * out what was done, as `payments_error_advice` says.
   */
  PAYMENTS_OUTCOME_UNKNOWN = 1,
  /**
   * The service executed the operation, for this call or for an earlier one
   * with the same body. Do not send it again: `payments_error_advice` says
   * how to continue. It does not mean that anybody has paid.
   */
  PAYMENTS_OUTCOME_EXECUTED = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum payments_outcome payments_outcome;
#else
typedef int32_t payments_outcome;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * The ways to end calls early: a deadline, cancellation from another thread,
 * an interrupt function. One handle serves any number of calls, also at once.
 * It must outlive them, except as stated under `payments_call_free`.
 */
typedef struct payments_call payments_call;

/**
 * Talks to the service for one merchant. Make one and use it for all calls,
 * from any number of threads at once. It may be made before `fork` and used
 * after it.
 */
typedef struct payments_client payments_client;

/**
 * The call that a callback serves. It belongs to the library and is
 * valid until the callback returns.
 */
typedef struct payments_context payments_context;

/**
 * An error. All of its texts and bytes are valid until it is freed. Several
 * threads may read it at once.
 */
typedef struct payments_error payments_error;

/**
 * Callbacks for new clients. A client keeps the callbacks; one handle can
 * serve several clients.
 */
typedef struct payments_options payments_options;

/**
 * A request with all credentials, for your own HTTP client. All of its
 * texts and bytes are valid until it is freed, and are secrets.
 */
typedef struct payments_prepared payments_prepared;

/**
 * A JSON body under construction. Use it from one thread at a time.
 *
 * JSON Pointers (RFC 6901) name the members: `/payment/name`, or
 * `/tracking_code/-` to append to an array. Missing objects and arrays on the
 * way are created.
 */
typedef struct payments_request payments_request;

/**
 * A response. All of its texts and bytes are valid until it is freed. Several
 * threads may read it at once.
 *
 * JSON Pointers (RFC 6901) name the members of the body, for example
 * `/payment/hash`.
 */
typedef struct payments_response payments_response;

/**
 * Receives bytes from a callback. It belongs to the library and is valid until
 * the callback returns.
 */
typedef struct payments_sink payments_sink;

/**
 * A text of the library, owned by the caller. It may contain NUL: use its
 * length. One more NUL follows the last byte. Freeing it wipes its memory.
 */
typedef struct payments_text payments_text;

/**
 * The response of a transport callback. It belongs to the library and is valid
 * until the callback returns.
 */
typedef struct payments_transport_response payments_transport_response;

/**
 * Called at least every 100 ms while a call waits, and once more before it
 * returns, on the thread that makes the call. Any value but 0 ends the call as
 * `payments_call_cancel` does. It must not throw.
 */
typedef int32_t (*payments_interrupt_fn)(void *user_data);

/**
 * Frees what `user_data` points to. Called once, on any thread. It must not
 * throw.
 */
typedef void (*payments_destroy_fn)(void *user_data);

/**
 * Receives the end of a payment, a refund or a payout: `length` bytes of JSON text
 * followed by a NUL, valid until the function returns. It is an object with
 * `operation` (such as `create_payment`), `reference`, `refund_code`, `uid`,
 * `hash`, `end`, `status` (such as `CO`), `amount` and `currency` (as the service
 * shows them), `repeated` (a flag: it may have been reported before), `final` (a
 * flag: the payment was given up, and is not reported again), `reason`, and `code`:
 * that of the error of the last query, or the service's for a payout that it
 * cancelled.
 *
 * `end` is `confirmed`, `cancelled`, `differs` (it has ended, but differs from the
 * journal), `given_up` (queried once a day from then on), or `failed` (the reference is
 * invalid). Two are no ends: `query_failing` (queries fail, and pause) and `behind`
 * (they are late).
 *
 * Returns 0 when the end is handled. Another value stops following, and the
 * next run with the same state file reports this end again.
 *
 * Called on the thread that follows. It must not throw; it may call the client.
 */
typedef int32_t (*payments_end_fn)(void *user_data, const char *end, size_t length);

/**
 * Performs one action of a journal as one committed transaction.
 * `input` is the JSON text of an object; writes the result to `result_out`, as
 * JSON text. Both texts end in NUL.
 *
 * - `insert` (`entry`): stores the entry. The result is `true`, once the entry
 *   survives a power failure. It is `false`, and nothing changes, if the
 *   journal has an entry that forbids this one. The journal's clock gives the
 *   times: `created_at` becomes now, and `deadline_at` and `settles_at` move by
 *   the same amount.
 * - `update` (`entry`): stores `state` and the members after it, sets
 *   `ended_at` to now, and increases the version by one. The result is
 *   `{"changed": true}`, or `{"changed": false}` if the stored entry has another
 *   version than this one, or `{"changed": false, "taken_by": "…"}` if the entry
 *   with that id has taken the reference.
 * - `find` (`scope`, `id`, `reference`, `hash`, `is_open`, `after`, `limit`; at
 *   most one of `id`, `reference` or `hash`, and `is_open` is set, and those
 *   that do not matter are null or false; entries with `reference` or `hash` are
 *   wanted if both are set): the result is `{"now": …, "entries": […]}`, at most
 *   `limit` entries of the scope by their ids, the smallest first. `is_open`
 *   wants entries that are `in_progress` or `unknown`, or that have a `rival`;
 *   `after` wants larger ids. With `ended_from`, it wants only entries whose
 *   `ended_at` is that or later; others do no harm.
 * - `count` (`scope`, `before`): the result is `{"now": …, "newest": …,
 *   "done": …, "failed": …, "open": …}`: when the newest entry of the scope was
 *   created, or null, and how many of those that were created before `before`
 *   are `done`, `failed` without a `rival`, and open.
 * - `prune` (`scope`, `before`, `limit`): deletes at most `limit` entries that
 *   were created before `before` and are not open. The result is their number.
 *
 * An entry is an object with `id`, `version`, `scope`, `operation`,
 * `reference`, `refund_code`, `amount`, `currency`, `body_sha256`, `host`,
 * `process`, `created_at`, `deadline_at`, `settles_at`, `ended_at`, `state`,
 * `decided_by`, `hash`, `uid`, `kind`, `code`, `note` and `rival`.
 * The version and the times, in milliseconds since 1970 UTC, are numbers; the
 * others are texts, or null. `docs/journal.md` says which entry forbids
 * another; the unique indexes of its table do the same.
 *
 * Returns 0. If it is not certain that the action was performed, writes a message
 * without secrets to `message_out` and returns another value: before the request
 * is sent, the call then fails as PAYMENTS_STATUS_JOURNAL; afterwards, observers
 * receive `journal_failed`. Returns 2 if the commit was under way, for example
 * when the connection was lost: its change may appear later. Returns 3 if it did
 * not reach the commit: then no change will appear. It must not throw, and several
 * threads may call it at once.
 */
typedef int32_t (*payments_journal_fn)(void *user_data,
                                       const struct payments_context *context,
                                       const char *action,
                                       const char *input,
                                       size_t input_length,
                                       struct payments_sink *result_out,
                                       struct payments_sink *message_out);

/**
 * Receives an event of a client. `event` is the JSON text of an object with
 * `event` and its members: `length` bytes followed by a NUL, valid until the
 * function returns. Events contain no secrets or payer data. They are listed
 * above, under "Events that an observer receives".
 *
 * Called on the thread that makes the call. It must not throw.
 */
typedef void (*payments_event_fn)(void *user_data, const char *event, size_t length);

/**
 * Makes the raw RSASSA-PKCS1-v1_5 signature with SHA-256 over `input`, and
 * writes it to `signature_out`: 512 bytes, with `allow_small_keys` also fewer.
 * `sha256` points to the 32 bytes of the digest of `input`, for services that
 * sign digests.
 *
 * Returns 0. On failure, writes a message for the caller of the operation to
 * `message_out` and returns another value. It must not throw, and several
 * threads may call it at once.
 */
typedef int32_t (*payments_sign_fn)(void *user_data,
                                    const struct payments_context *context,
                                    const uint8_t *input,
                                    size_t input_length,
                                    const uint8_t *sha256,
                                    struct payments_sink *signature_out,
                                    struct payments_sink *message_out);

/**
 * A token store. All functions are required. `key` is a text of 64 hexadecimal
 * digits that names the entry. Entries are JSON texts that contain a token:
 * treat them as secrets. All texts end in NUL. Functions return a negative
 * value if the store does not work; the call then continues with a token in
 * memory, and the observer gets an event. They must not throw, and several threads
 * may call them at once.
 */
typedef struct payments_token_store_callbacks {
  /**
   * `sizeof(payments_token_store_callbacks)`. It identifies the members that
   * the caller knows: later versions may append more.
   */
  size_t size;
  /**
   * Writes the entry to `entry_out`, or nothing if there is none. Returns 0.
   */
  int32_t (*load)(void *user_data,
                  const struct payments_context *context,
                  const char *key,
                  struct payments_sink *entry_out);
  /**
   * Saves the entry, unless one was saved with a larger fence. Returns 1 if
   * it saved the entry, otherwise 0.
   */
  int32_t (*save)(void *user_data,
                  const struct payments_context *context,
                  const char *key,
                  const char *entry,
                  size_t entry_length,
                  uint64_t fence);
  /**
   * Removes the token of the entry if it is `value`, and keeps the rest:
   * `payments_entry_without_token` returns what to keep. Must be atomic with
   * other changes of the entry. Returns 1 if it removed the token, otherwise
   * 0.
   */
  int32_t (*delete_if)(void *user_data,
                       const struct payments_context *context,
                       const char *key,
                       const char *value,
                       size_t value_length);
  /**
   * Takes the lock of the entry without waiting. Returns 1 and writes to
   * `fence_out` a number larger than that of every earlier lock. Returns 0
   * if another holder has the lock.
   */
  int32_t (*try_lock)(void *user_data,
                      const struct payments_context *context,
                      const char *key,
                      uint64_t *fence_out);
  /**
   * Releases the lock, unless it lapsed and another holder has it.
   */
  void (*unlock)(void *user_data, const char *key, uint64_t fence);
} payments_token_store_callbacks;

/**
 * Sends `request` once, with headers and body unchanged, without following
 * redirects, and fills `response_out`. Returns 0. Any other value means that
 * there is no response and that bytes may have been sent.
 *
 * An HTTP client that repeats or redirects requests on its own, and cannot be
 * configured otherwise, may pay twice within one call.
 *
 * It must not throw, and several threads may call it at once. It also sends
 * the requests to the token server.
 */
typedef int32_t (*payments_send_fn)(void *user_data,
                                    const struct payments_context *context,
                                    const struct payments_prepared *request,
                                    struct payments_transport_response *response_out);

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/* ==== Clients ====
 *
 * Threads: any, several at once.
 * Ownership: client_out gets a handle; options are not taken, and may be freed
 * at once.
 */

/**
 * Makes a client from a configuration: the JSON text of an object, whose
 * members are listed at the top of this header. Reads the configured files,
 * and connects to nothing. `options` and `error_out` may be NULL.
 *
 * Errors: PAYMENTS_STATUS_CONFIG, whose `payments_error_path` names the
 * member; PAYMENTS_STATUS_INVALID_ARGUMENT.
 */
PAYMENTS_MUST_USE
payments_status payments_client_new(const char *config,
                                    size_t config_length,
                                    const struct payments_options *options,
                                    struct payments_client **client_out,
                                    struct payments_error **error_out);

/**
 * Makes a client from a JSON file. Relative paths in it refer to the folder of
 * that file. With `shared` (any value but 0) it works like
 * `payments_client_shared`, otherwise like `payments_client_new`.
 *
 * Errors: those of `payments_client_new`.
 */
PAYMENTS_MUST_USE
payments_status payments_client_from_file(const char *path,
                                          size_t path_length,
                                          int32_t shared,
                                          const struct payments_options *options,
                                          struct payments_client **client_out,
                                          struct payments_error **error_out);

/**
 * Like `payments_client_from_file`; environment variables, which
 * `payments_client_from_env` names, override the members of the file.
 *
 * Threads: any, while no other thread changes the environment.
 * Errors: those of `payments_client_new`.
 */
PAYMENTS_MUST_USE
payments_status payments_client_from_file_with_env(const char *path,
                                                   size_t path_length,
                                                   int32_t shared,
                                                   const struct payments_options *options,
                                                   struct payments_client **client_out,
                                                   struct payments_error **error_out);

/**
 * Makes a client from environment variables: `PAYMENTS_BASE_URL` and so on,
 * one for each member of a configuration. `shared` is as for
 * `payments_client_from_file`.
 *
 * Threads: any, while no other thread changes the environment.
 * Errors: those of `payments_client_new`.
 */
PAYMENTS_MUST_USE
payments_status payments_client_from_env(int32_t shared,
                                         const struct payments_options *options,
                                         struct payments_client **client_out,
                                         struct payments_error **error_out);

/**
 * Returns the shared client of this configuration, and makes it on the first
 * call in this process: its parsed key, token and connections survive after
 * the handle is freed. The contents of files are part of the configuration: a
 * rotated key leads to a new client. A client with callbacks is never shared;
 * its connections are, unless it has a transport, and its token is, unless it
 * has a token store.
 *
 * Errors: those of `payments_client_new`. An unreadable file is an error; it
 * never leads to the old client.
 */
PAYMENTS_MUST_USE
payments_status payments_client_shared(const char *config,
                                       size_t config_length,
                                       const struct payments_options *options,
                                       struct payments_client **client_out,
                                       struct payments_error **error_out);

/**
 * Prepares for the next call, which then takes one round trip: obtains the
 * bearer token, if there are credentials for one, and opens a connection to the
 * service, which stays open for up to 4 s of idleness. Sends nothing to the
 * service. `call` and `error_out` may be NULL.
 *
 * Errors: PAYMENTS_STATUS_TOKEN, _CONNECT, _TLS, _TIMEOUT, _CANCELLED,
 * _INVALID_ARGUMENT, _INTERNAL. Calls can still be made.
 */
PAYMENTS_MUST_USE
payments_status payments_client_warm_up(const struct payments_client *client,
                                        const struct payments_call *call,
                                        struct payments_error **error_out);

/**
 * Frees a client handle. NULL does nothing. A callback may free the client
 * that it serves; the client then lives until the call ends.
 */
void payments_client_free(struct payments_client *client);

/**
 * Frees the client handles of this owner that this thread tracks. Call it when
 * the program that used them has ended.
 *
 * Ownership: takes these handles, which must not be used again.
 * Threads: any; no other thread may use the handles.
 * Errors: none.
 */
void payments_client_free_tracked(const char *owner, size_t owner_length);

/**
 * Tracks a client handle in this thread until it is freed, so that
 * `payments_client_free_tracked` frees it at the latest: for a host whose
 * program may end without freeing it, while the thread goes on. `owner` is any
 * text that names the host. NULL does nothing, and neither does a text that is
 * not UTF-8.
 *
 * Ownership: none is taken; the text is copied.
 * Threads: the one that frees the handle.
 * Errors: none.
 */
void payments_client_track(struct payments_client *client, const char *owner, size_t owner_length);

/* ==== Requests: a JSON body under construction ====
 *
 * Threads: any; one at a time for one handle.
 * Ownership: arguments are copied.
 * Errors: PAYMENTS_STATUS_INVALID_ARGUMENT, also for a pointer that leads
 * nowhere; the request is then unchanged.
 */

/**
 * Creates an empty request: the object `{}`.
 */
PAYMENTS_MUST_USE payments_status payments_request_new(struct payments_request **request_out);

/**
 * Sets a member to a text, which may contain NUL.
 */
PAYMENTS_MUST_USE
payments_status payments_request_set_text(struct payments_request *request,
                                          const char *pointer,
                                          size_t pointer_length,
                                          const char *value,
                                          size_t value_length,
                                          struct payments_error **error_out);

/**
 * Sets a member to an amount given as decimal text, which is sent as exactly
 * that number: "10.50", not "1050" cents.
 *
 * An operation reads its amount at `/payment/amount_total` or `/amount`. It
 * stays a text there until the operation has checked that it has one reading,
 * so for a body of `payments_client_send` set such a number with
 * `payments_request_set_json`.
 *
 * Errors: PAYMENTS_STATUS_INVALID_ARGUMENT, also for a pointer that leads
 * nowhere; the request is then unchanged. PAYMENTS_STATUS_VALIDATION if
 * `amount` is not an amount.
 */
PAYMENTS_MUST_USE
payments_status payments_request_set_amount(struct payments_request *request,
                                            const char *pointer,
                                            size_t pointer_length,
                                            const char *amount,
                                            size_t amount_length,
                                            struct payments_error **error_out);

/**
 * Sets a member to a whole number.
 */
PAYMENTS_MUST_USE
payments_status payments_request_set_integer(struct payments_request *request,
                                             const char *pointer,
                                             size_t pointer_length,
                                             int64_t value,
                                             struct payments_error **error_out);

/**
 * Sets a member to true (any value but 0) or false (0).
 */
PAYMENTS_MUST_USE
payments_status payments_request_set_boolean(struct payments_request *request,
                                             const char *pointer,
                                             size_t pointer_length,
                                             int32_t value,
                                             struct payments_error **error_out);

/**
 * Sets a member to any JSON value, given as text.
 *
 * Errors: PAYMENTS_STATUS_INVALID_ARGUMENT, also for a pointer that leads
 * nowhere; the request is then unchanged. PAYMENTS_STATUS_VALIDATION if `json`
 * is not one JSON value, or has a duplicate member.
 */
PAYMENTS_MUST_USE
payments_status payments_request_set_json(struct payments_request *request,
                                          const char *pointer,
                                          size_t pointer_length,
                                          const char *json,
                                          size_t json_length,
                                          struct payments_error **error_out);

/**
 * The body as JSON text, which the operations of a client take. It ends in
 * NUL. `length_out` gets its length without the NUL and may be NULL. NULL
 * and 0 for NULL.
 *
 * Ownership: belongs to the request; valid until the next function on it.
 */
const char *payments_request_text(struct payments_request *request, size_t *length_out);

/**
 * Frees a request. NULL does nothing.
 */
void payments_request_free(struct payments_request *request);

/* ==== Operations ====
 *
 * Threads: any, several at once.
 * Ownership: response_out gets a handle.
 */

/**
 * Creates a payment in one of a country's methods. `body` is the JSON text of
 * an object; the members are listed at the top of this header. `call` and
 * `error_out` may be NULL.
 *
 * Errors: every status. When `payments_error_outcome` is
 * PAYMENTS_OUTCOME_UNKNOWN, the payment may exist. Do not send it again; query
 * it by its `merchant_payment_code` until it is found.
 */
PAYMENTS_MUST_USE
payments_status payments_client_create_payment(const struct payments_client *client,
                                               const char *body,
                                               size_t body_length,
                                               const struct payments_call *call,
                                               struct payments_response **response_out,
                                               struct payments_error **error_out);

/**
 * Returns the payment with the reference of `body`, and creates it if the service
 * has none. A new attempt needs a new reference: a payment that is found is
 * returned in any state, even cancelled. Takes the body of
 * `payments_client_create_payment`. One call sends at most one creation. Two
 * concurrent calls create one payment if they share a journal; without one, that
 * depends on the service. The view has three more members: `is_created`, whether
 * this is the response to the creation that this call sent; `unchecked`, the
 * parts that could not be compared with a payment that was found:
 * `currency_code`, `amount_total` and `body`; and `other_hash`, the hash of a
 * cancelled payment with the reference, if the payer tried again and this one is
 * paid, or null. `call` and `error_out` may be NULL.
 *
 * Errors: those of a failed query, except one that finds no payment: nothing
 * was created. PAYMENTS_STATUS_PROTOCOL or _JOURNAL with the code
 * `reference_used` if the payment is another one. Those of
 * `payments_client_create_payment`.
 */
PAYMENTS_MUST_USE
payments_status payments_client_ensure_payment(const struct payments_client *client,
                                               const char *body,
                                               size_t body_length,
                                               const struct payments_call *call,
                                               struct payments_response **response_out,
                                               struct payments_error **error_out);

/**
 * Queries a payment, by its hash or by your own reference. Try the query by
 * reference with your service before you depend on it. A query moves no money,
 * and is sent again a few times when the connection or the service fails.
 * `body` is the JSON text of an object; the members are listed at the top of
 * this header. `call` and `error_out` may be NULL.
 *
 * Errors: every status. Nothing was moved: call it again.
 */
PAYMENTS_MUST_USE
payments_status payments_client_query_payment(const struct payments_client *client,
                                              const char *body,
                                              size_t body_length,
                                              const struct payments_call *call,
                                              struct payments_response **response_out,
                                              struct payments_error **error_out);

/**
 * Queries a payment until it is over, or until the deadline of `call`; each
 * query has the client's own deadline too. Takes the body of
 * `payments_client_query_payment`. The pauses between queries are a
 * tenth of the elapsed time, but at least 2 s. PAYMENTS_STATUS_OK gives the last
 * response: at the deadline, the payment may still be open. The view has one more
 * member, `other_hash`: that of a cancelled payment with the reference, if the payer
 * tried again and this one is paid, or null. `call` and `error_out` may be NULL.
 *
 * Errors: those of a query, if none had a response or another one would fail
 * the same way; PAYMENTS_STATUS_CANCELLED.
 */
PAYMENTS_MUST_USE
payments_status payments_client_wait_for_payment(const struct payments_client *client,
                                                 const char *body,
                                                 size_t body_length,
                                                 const struct payments_call *call,
                                                 struct payments_response **response_out,
                                                 struct payments_error **error_out);

/**
 * Follows payments, refunds and payouts until all have ended, and calls `on_end`
 * once with the end of each. The interface has no events; this queries each of
 * them, at growing intervals, with one query at a time under a rate, and honors
 * `Retry-After`.
 *
 * `options` is the JSON text of an object; all members are optional:
 *
 * - `references`, an array of texts: `merchant_payment_code`, or payment hashes
 *   if the flag `by_hash` is true; those of payouts if `by_external_reference`
 *   or `by_uid` is, which need `payout_query`. Without it, the payments and
 *   refunds of the journal are followed, `since_ms` back (7 days), and its
 *   payouts if `payout_query` is on.
 * - `state`, a path: the file that remembers what was reported, also after a
 *   crash. An end that may have been reported before is repeated with
 *   `repeated`. One process uses it at a time. Without it, the next run
 *   reports everything again.
 * - `give_up_after_ms`: the age at which an open payment is given up (7 days).
 *   The age of a reference counts from when it was first followed.
 * - `forget_after_ms`: how long the state file keeps a reported end that no run asks
 *   for (90 days, and at least `since_ms` and a day).
 * - `per_second`: the most queries in a second (5).
 *
 * Returns when nothing is followed any more, when `on_end` stops it, or when
 * `call` is cancelled; open items stay open. The deadline of `call` does not
 * count: each query has the client's own. `call`, `user_data` and `error_out`
 * may be NULL.
 *
 * Errors: PAYMENTS_STATUS_CONFIG without a journal, for payouts while `payout_query` is
 * off, or if the state file cannot be used, _VALIDATION, _JOURNAL, _CANCELLED,
 * _INVALID_ARGUMENT, _INTERNAL. A query that fails is made again.
 */
PAYMENTS_MUST_USE
payments_status payments_client_follow(const struct payments_client *client,
                                       const char *options,
                                       size_t options_length,
                                       void *user_data,
                                       payments_end_fn on_end,
                                       const struct payments_call *call,
                                       struct payments_error **error_out);

/**
 * Plans to follow, like `payments_client_follow`; `input` has its options. The
 * result has `follow`, a number that belongs to this handle. Whatever interrupts
 * the caller, `payments_client_follow_end` ends it. `call` and `error_out` may be
 * NULL.
 *
 * Errors: PAYMENTS_STATUS_VALIDATION, also for another number, _CONFIG,
 * _JOURNAL, _CANCELLED, _INVALID_ARGUMENT, _INTERNAL.
 */
PAYMENTS_MUST_USE
payments_status payments_client_follow_begin(const struct payments_client *client,
                                             const char *input,
                                             size_t input_length,
                                             const struct payments_call *call,
                                             struct payments_text **text_out,
                                             struct payments_error **error_out);

/**
 * Begins to follow the first time, and waits for the next end of `follow`
 * (required), at most `wait_ms`.
 * `confirmed`, a flag, says that the end before was handled; otherwise it
 * comes again. The result has `end`, or null if there is none yet, and
 * `is_over`. `call` and `error_out` may be NULL.
 *
 * Errors: PAYMENTS_STATUS_VALIDATION, also for another number, _CONFIG,
 * _JOURNAL, _CANCELLED, _INVALID_ARGUMENT, _INTERNAL.
 */
PAYMENTS_MUST_USE
payments_status payments_client_follow_next(const struct payments_client *client,
                                            const char *input,
                                            size_t input_length,
                                            const struct payments_call *call,
                                            struct payments_text **text_out,
                                            struct payments_error **error_out);

/**
 * Ends `follow` (required), and releases its state file. The result is `null`.
 * `call` and `error_out` may be NULL.
 *
 * Errors: PAYMENTS_STATUS_VALIDATION, also for another number, _CONFIG,
 * _JOURNAL, _CANCELLED, _INVALID_ARGUMENT, _INTERNAL.
 */
PAYMENTS_MUST_USE
payments_status payments_client_follow_end(const struct payments_client *client,
                                           const char *input,
                                           size_t input_length,
                                           const struct payments_call *call,
                                           struct payments_text **text_out,
                                           struct payments_error **error_out);

/**
 * Runs `payments follow` in steps: first with `arguments`, an array
 * of texts, then with the members of `payments_client_follow_next` and the
 * flag `is_terminal`; `explain` is that of `payments_journal_plan`. The result has
 * `stdout` and `stderr`, `follow`, and as `exit_code` null until it is over. With
 * the flag `interrupted`, it ends because of a signal: `exit_code` is null unless
 * something is still given up. `call` and `error_out` may be NULL.
 *
 * Errors: PAYMENTS_STATUS_VALIDATION, also for another number, _CONFIG,
 * _JOURNAL, _CANCELLED, _INVALID_ARGUMENT, _INTERNAL.
 */
PAYMENTS_MUST_USE
payments_status payments_client_follow_command(const struct payments_client *client,
                                               const char *input,
                                               size_t input_length,
                                               const struct payments_call *call,
                                               struct payments_text **text_out,
                                               struct payments_error **error_out);

/**
 * Gives the next step after a query of an open payment, for your own jobs: the
 * rule of `payments_client_follow`. `input` is the JSON text of an object with
 * `age_ms` and `give_up_after_ms` of the payment, and either `is_over` (a flag:
 * its status is `CO` or `CA`) or, of the error of the query, `kind`, `code`,
 * `http_status` and `retry_after_ms`; the flag `was_found` says that the service
 * is known to have it, and `failures` is that of the previous result. `step_out`
 * gets the JSON text of an object with `step`, `wait_ms` and `failures`:
 * `ended`, `query` (again, in that many milliseconds), `give_up`, or `fail` (the
 * query can never work, or the client does not).
 *
 * Errors: PAYMENTS_STATUS_VALIDATION, _INVALID_ARGUMENT.
 */
PAYMENTS_MUST_USE
payments_status payments_next_step(const char *input,
                                   size_t input_length,
                                   struct payments_text **step_out,
                                   struct payments_error **error_out);

/**
 * Refunds a payment, in whole or in part. Check the refunded amount in the
 * response of your first partial refund: a service that ignores `amount`
 * refunds the whole payment. `body` is the JSON text of an object; the members
 * are listed at the top of this header. `call` and `error_out` may be NULL.
 *
 * Errors: every status. When `payments_error_outcome` is
 * PAYMENTS_OUTCOME_UNKNOWN, the refund may exist. Do not send it again; query
 * the payment by its `hash` until its response lists the refund.
 */
PAYMENTS_MUST_USE
payments_status payments_client_refund_payment(const struct payments_client *client,
                                               const char *body,
                                               size_t body_length,
                                               const struct payments_call *call,
                                               struct payments_response **response_out,
                                               struct payments_error **error_out);

/**
 * Sends money to a payee. `body` is the JSON text of an object; the members
 * are listed at the top of this header. `call` and `error_out` may be NULL.
 *
 * Errors: every status. When `payments_error_outcome` is
 * PAYMENTS_OUTCOME_UNKNOWN, the payout may exist. Do not send it again; query
 * it by its `external_reference` if `payout_query` is on, or look for it on
 * the provider's platform.
 */
PAYMENTS_MUST_USE
payments_status payments_client_create_payout(const struct payments_client *client,
                                              const char *body,
                                              size_t body_length,
                                              const struct payments_call *call,
                                              struct payments_response **response_out,
                                              struct payments_error **error_out);

/**
 * Queries a payout, by its uid or by your own reference. It is off until
 * `payout_query` is on: the interface does not state it, so ask your provider
 * whether the service has it. A query moves no money, and is sent again a few
 * times when the connection or the service fails. `body` is the JSON text of
 * an object; the members are listed at the top of this header. `call` and
 * `error_out` may be NULL.
 *
 * Errors: every status. Nothing was moved: call it again.
 */
PAYMENTS_MUST_USE
payments_status payments_client_query_payout(const struct payments_client *client,
                                             const char *body,
                                             size_t body_length,
                                             const struct payments_call *call,
                                             struct payments_response **response_out,
                                             struct payments_error **error_out);

/**
 * Registers the tracking codes of an order. `body` is the JSON text of an
 * object; the members are listed at the top of this header. `call` and
 * `error_out` may be NULL.
 *
 * Errors: every status. When `payments_error_outcome` is
 * PAYMENTS_OUTCOME_UNKNOWN, the codes may be registered, and the interface has
 * no query for them. Registering them moves no money.
 */
PAYMENTS_MUST_USE
payments_status payments_client_register_tracking(const struct payments_client *client,
                                                  const char *body,
                                                  size_t body_length,
                                                  const struct payments_call *call,
                                                  struct payments_response **response_out,
                                                  struct payments_error **error_out);

/**
 * Performs the operation with this name, for example `create_payment`, for
 * hosts that choose it at run time. `body` is the JSON text that the operation
 * takes; `access_token` ignores it. `call` and `error_out` may be NULL.
 *
 * Errors: those of the operation; PAYMENTS_STATUS_VALIDATION for an unknown
 * name.
 */
PAYMENTS_MUST_USE
payments_status payments_client_call(const struct payments_client *client,
                                     const char *operation,
                                     size_t operation_length,
                                     const char *body,
                                     size_t body_length,
                                     const struct payments_call *call,
                                     struct payments_response **response_out,
                                     struct payments_error **error_out);

/**
 * Sends your own bytes to any path under the base URL, signed and unchanged.
 * Any 2xx response is a success. `head` is the JSON text of an object with
 * `method` and `path`, and optionally `query` (an object of texts, or an array
 * of pairs), `content_type` and `reference`. `call` and `error_out` may be
 * NULL.
 *
 * Errors: every status. If `payments_error_outcome` is
 * PAYMENTS_OUTCOME_UNKNOWN, the request may have been executed.
 */
PAYMENTS_MUST_USE
payments_status payments_client_send(const struct payments_client *client,
                                     const char *head,
                                     size_t head_length,
                                     const uint8_t *body,
                                     size_t body_length,
                                     const struct payments_call *call,
                                     struct payments_response **response_out,
                                     struct payments_error **error_out);

/* ==== Responses ====
 *
 * Threads: any, several at once.
 * Ownership: results belong to the response, and are valid until it is freed;
 * text_out gets a handle.
 * Errors: those without a status return NULL or 0 for NULL; otherwise
 * PAYMENTS_STATUS_INVALID_ARGUMENT, also if the body is not JSON or has no
 * such member.
 */

/**
 * Status of the payment (`create_payment`, `query_payment`). Status of the
 * payout (`create_payout`, `query_payout`). Overall result: `SUCCESS` on
 * success (`register_tracking`). NULL if there is none.
 */
const char *payments_response_status(const struct payments_response *response);

/**
 * When the status changed, as the service wrote it (`create_payout`,
 * `query_payout`). NULL if there is none.
 */
const char *payments_response_status_date(const struct payments_response *response);

/**
 * Whether the payment is paid: true for the status `CO` only
 * (`create_payment`, `query_payment`). Whether the payee has the money: true
 * for the status `PA` only (`create_payout`, `query_payout`). 1 or 0; 0 for
 * NULL, and if the response says nothing about it.
 */
int32_t payments_response_is_paid(const struct payments_response *response);

/**
 * Payment hash, by which the payment is queried and refunded
 * (`create_payment`, `query_payment`). Hash of the refunded payment
 * (`refund_payment`). NULL if there is none.
 */
const char *payments_response_hash(const struct payments_response *response);

/**
 * Merchant's own reference for the payment (`create_payment`,
 * `query_payment`). NULL if there is none.
 */
const char *payments_response_merchant_payment_code(const struct payments_response *response);

/**
 * The code that the payer scans or pastes to pay by `pix`; if it is missing,
 * query it (`create_payment`, `query_payment`). Draw it with
 * `payments_qr_svg`. NULL if there is none.
 */
const char *payments_response_qr_code_value(const struct payments_response *response);

/**
 * Page on which the payer continues (`create_payment`, `query_payment`). NULL
 * if there is none.
 */
const char *payments_response_redirect_url(const struct payments_response *response);

/**
 * Page with the pay slip to pay by `oxxo` (`create_payment`, `query_payment`).
 * NULL if there is none.
 */
const char *payments_response_oxxo_url(const struct payments_response *response);

/**
 * Digits of the barcode to pay by `oxxo` (`create_payment`, `query_payment`).
 * NULL if there is none.
 */
const char *payments_response_oxxo_barcode(const struct payments_response *response);

/**
 * Account (CLABE) to which the payer sends the money (`create_payment`,
 * `query_payment`). NULL if there is none.
 */
const char *payments_response_clabe_account(const struct payments_response *response);

/**
 * The service's id of the payout (`create_payout`, `query_payout`). NULL if
 * there is none.
 */
const char *payments_response_uid(const struct payments_response *response);

/**
 * The service's code of a cancelled payout, for example `TAX_ID_MISMATCH`
 * (`create_payout`, `query_payout`). NULL if there is none.
 */
const char *payments_response_code(const struct payments_response *response);

/**
 * The service's id of the refund (`refund_payment`). NULL if there is none.
 */
const char *payments_response_refund_id(const struct payments_response *response);

/**
 * Status of the refund (`refund_payment`). NULL if there is none.
 */
const char *payments_response_refund_status(const struct payments_response *response);

/**
 * Status of the refunded payment (`refund_payment`). NULL if there is none.
 */
const char *payments_response_payment_status(const struct payments_response *response);

/**
 * Whether every code was newly registered, and nothing differs from the
 * request (`register_tracking`). 1 or 0; 0 for NULL, and if the response says
 * nothing about it.
 */
int32_t payments_response_all_created(const struct payments_response *response);

/**
 * The last day on which the payer can pay (`create_payment`, `query_payment`).
 * NULL if there is none.
 */
const char *payments_response_due_date(const struct payments_response *response);

/**
 * The acquirer's code of its decision, for example `OK` or `NOK`
 * (`create_payment`, `query_payment`). NULL if there is none.
 */
const char *payments_response_decline_code(const struct payments_response *response);

/**
 * The acquirer's decision in words (`create_payment`, `query_payment`). NULL
 * if there is none.
 */
const char *payments_response_decline_reason(const struct payments_response *response);

/**
 * Whether a card payment is authorized and waits for its capture
 * (`create_payment`, `query_payment`). 1 or 0; 0 for NULL, and if the response
 * says nothing about it.
 */
int32_t payments_response_capture_available(const struct payments_response *response);

/**
 * Merchant's reference for the payout (`create_payout`, `query_payout`). NULL
 * if there is none.
 */
const char *payments_response_external_reference(const struct payments_response *response);

/**
 * Amount in `currency`, as it was requested: 10.50, not 1050 cents
 * (`create_payout`, `query_payout`). NULL if there is none.
 */
const char *payments_response_amount(const struct payments_response *response);

/**
 * Three-letter currency code of `amount` (`create_payout`, `query_payout`).
 * NULL if there is none.
 */
const char *payments_response_currency(const struct payments_response *response);

/**
 * When the payout was requested, as the service wrote it (`create_payout`,
 * `query_payout`). NULL if there is none.
 */
const char *payments_response_request_date(const struct payments_response *response);

/**
 * When the payee got the money, as the service wrote it (`create_payout`,
 * `query_payout`). NULL if there is none.
 */
const char *payments_response_paid_date(const struct payments_response *response);

/**
 * When the payout was cancelled, as the service wrote it (`create_payout`,
 * `query_payout`). NULL if there is none.
 */
const char *payments_response_cancel_date(const struct payments_response *response);

/**
 * Reads a text or a number of the view: `/hash`, `/status`, `/qr_code_value`
 * and `/merchant_payment_code` wherever the service put them, `/access_token`,
 * or anything under `/response`.
 *
 * Errors: PAYMENTS_STATUS_INVALID_ARGUMENT, also if the view has no such
 * member.
 */
PAYMENTS_MUST_USE
payments_status payments_response_view_text(const struct payments_response *response,
                                            const char *pointer,
                                            size_t pointer_length,
                                            struct payments_text **text_out,
                                            struct payments_error **error_out);

/**
 * The response as the packages for other languages see it: the JSON text of an
 * object with the typed members, and under `response` the whole body with
 * amounts as text. `length_out` gets its length without the NUL after it
 * and may be NULL. NULL for NULL.
 */
const char *payments_response_view(const struct payments_response *response, size_t *length_out);

/**
 * Whether the body has the member: 1 or 0. Also 0 if the body is not JSON or
 * an argument cannot be read.
 */
int32_t payments_response_has(const struct payments_response *response,
                              const char *pointer,
                              size_t pointer_length);

/**
 * Reads a text of the body, or a number as its text.
 *
 * Errors: PAYMENTS_STATUS_INVALID_ARGUMENT, also if the body is not JSON or
 * has no such member.
 */
PAYMENTS_MUST_USE
payments_status payments_response_text(const struct payments_response *response,
                                       const char *pointer,
                                       size_t pointer_length,
                                       struct payments_text **text_out,
                                       struct payments_error **error_out);

/**
 * Reads a whole number of the body that fits into 64 bits.
 *
 * Ownership: none is given; `integer_out` gets 0 on failure.
 */
PAYMENTS_MUST_USE
payments_status payments_response_integer(const struct payments_response *response,
                                          const char *pointer,
                                          size_t pointer_length,
                                          int64_t *integer_out,
                                          struct payments_error **error_out);

/**
 * Reads true (1) or false (0) from the body.
 *
 * Ownership: none is given; `boolean_out` gets 0 on failure.
 */
PAYMENTS_MUST_USE
payments_status payments_response_boolean(const struct payments_response *response,
                                          const char *pointer,
                                          size_t pointer_length,
                                          int32_t *boolean_out,
                                          struct payments_error **error_out);

/**
 * Counts the elements of an array or the members of an object in the body.
 *
 * Ownership: none is given; `count_out` gets 0 on failure.
 */
PAYMENTS_MUST_USE
payments_status payments_response_count(const struct payments_response *response,
                                        const char *pointer,
                                        size_t pointer_length,
                                        size_t *count_out,
                                        struct payments_error **error_out);

/**
 * Reads any member of the body as JSON text.
 */
PAYMENTS_MUST_USE
payments_status payments_response_json(const struct payments_response *response,
                                       const char *pointer,
                                       size_t pointer_length,
                                       struct payments_text **text_out,
                                       struct payments_error **error_out);

/**
 * The HTTP status; 0 for NULL.
 */
int32_t payments_response_http_status(const struct payments_response *response);

/**
 * The body as received. `length_out` gets its length and may be NULL. No
 * NUL follows. NULL for NULL.
 */
const uint8_t *payments_response_body(const struct payments_response *response, size_t *length_out);

/**
 * The number of headers; 0 for NULL.
 */
size_t payments_response_header_count(const struct payments_response *response);

/**
 * The name of the header `index`, from 0, as the service wrote it: compare it
 * ignoring case. NULL if there is none.
 */
const char *payments_response_header_name(const struct payments_response *response, size_t index);

/**
 * The value of the header `index`, from 0; NULL if there is none.
 */
const char *payments_response_header_value(const struct payments_response *response, size_t index);

/**
 * Frees a response. NULL does nothing.
 */
void payments_response_free(struct payments_response *response);

/* ==== Texts ====
 *
 * Threads: any, several at once.
 * Ownership: the data belongs to the text, and is valid until it is freed.
 * Errors: none.
 */

/**
 * The first byte of a text, which ends in NUL. NULL for NULL.
 */
const char *payments_text_data(const struct payments_text *text);

/**
 * The first byte of data that is not text, such as a picture; the same address
 * as that of `payments_text_data`. NULL for NULL.
 */
const uint8_t *payments_text_bytes(const struct payments_text *text);

/**
 * The length of a text in bytes, without the final NUL. 0 for NULL.
 */
size_t payments_text_length(const struct payments_text *text);

/**
 * Frees a text and wipes its memory. NULL does nothing.
 */
void payments_text_free(struct payments_text *text);

/* ==== Errors ====
 *
 * Threads: any, several at once.
 * Ownership: results belong to the error, and are valid until it is freed.
 * Errors: none; NULL or 0 for a NULL error.
 */

/**
 * Whether the operation was executed.
 *
 * Errors: none; PAYMENTS_OUTCOME_UNKNOWN for a NULL error, which says nothing.
 */
payments_outcome payments_error_outcome(const struct payments_error *error);

/**
 * Operation, member, message, advice, kind and outcome in one line, for a log.
 * It contains no secrets or payer data. Never NULL for an error.
 */
const char *payments_error_text(const struct payments_error *error);

/**
 * The kind of failure: the value that the function returned.
 *
 * Errors: none; PAYMENTS_STATUS_OK for a NULL error.
 */
payments_status payments_error_status(const struct payments_error *error);

/**
 * The code, stable within the kind, for example `token_backoff`. Never NULL
 * for an error.
 */
const char *payments_error_code(const struct payments_error *error);

/**
 * The failure and the next step, in one or two sentences. It contains no
 * secrets or payer data. Never NULL for an error.
 */
const char *payments_error_message(const struct payments_error *error);

/**
 * The next step instead of sending it again, unless it was not executed. NULL
 * if there is none.
 */
const char *payments_error_advice(const struct payments_error *error);

/**
 * Your own reference for this request. Use it to find out an unknown outcome.
 * NULL if there is none.
 */
const char *payments_error_reference(const struct payments_error *error);

/**
 * The cause of a 401 as the interface names it, for example
 * `signature_mismatch`, or NULL.
 */
const char *payments_error_diagnosis_cause(const struct payments_error *error);

/**
 * On a 401, the cause if the facts leave no other, for example
 * `bearer_refused`; otherwise `cannot_tell`. NULL for other errors.
 */
const char *payments_error_diagnosis_finding(const struct payments_error *error);

/**
 * On a 401, what the client knows about its credentials, or NULL.
 */
const char *payments_error_diagnosis_message(const struct payments_error *error);

/**
 * The body that was signed and sent, at most its first 64 KiB; NULL and a
 * length of 0 if nothing was signed. It contains payer data. `length_out` may
 * be NULL.
 */
const uint8_t *payments_error_request_body(const struct payments_error *error, size_t *length_out);

/**
 * The body of the response, at most its first 64 KiB; NULL and a length of 0
 * if there was none. It may contain payer data. `length_out` may be NULL.
 */
const uint8_t *payments_error_response_body(const struct payments_error *error, size_t *length_out);

/**
 * The complete response of a call that was cancelled after it arrived, with
 * the result of the operation. `response_out` gets NULL if there is none.
 * Errors with a response have the code `interrupted_after_response`.
 *
 * Ownership: `response_out` gets a handle, to be freed with
 * `payments_response_free`, which may outlive the error; each call makes
 * another.
 * Errors: PAYMENTS_STATUS_INVALID_ARGUMENT if `response_out` is NULL. A NULL
 * error has no response.
 */
PAYMENTS_MUST_USE
payments_status payments_error_response(const struct payments_error *error,
                                        struct payments_response **response_out);

/**
 * Everything the error knows except the bytes, as the JSON text of one object.
 * `service_message` in it may contain payer data. Never NULL for an error.
 */
const char *payments_error_json(const struct payments_error *error);

/**
 * Frees an error. NULL does nothing.
 */
void payments_error_free(struct payments_error *error);

/**
 * The member at fault, for example `payment.document`. NULL if there is none.
 */
const char *payments_error_path(const struct payments_error *error);

/**
 * The operation that failed. NULL if there is none.
 */
const char *payments_error_operation(const struct payments_error *error);

/**
 * The status of the service's response. 0 if there is none.
 */
int32_t payments_error_http_status(const struct payments_error *error);

/**
 * The service's own code, for example `BP-DR-0`. Left out if it does not look
 * like one, or is a secret of the configuration. NULL if there is none.
 */
const char *payments_error_service_code(const struct payments_error *error);

/**
 * The service's own message. It may repeat payer data: do not log it. NULL if
 * there is none.
 */
const char *payments_error_service_message(const struct payments_error *error);

/**
 * The hash of a payment that the response names. Left out if it is longer than
 * 128 characters or not printable ASCII, or is a secret of the configuration.
 * NULL if there is none.
 */
const char *payments_error_payment_hash(const struct payments_error *error);

/**
 * Milliseconds to wait before asking again. -1 if there is none.
 *
 * Errors: none; -1 for a NULL error.
 */
int64_t payments_error_retry_after_ms(const struct payments_error *error);

/**
 * The earlier call that the journal has under the same reference. It has `id`,
 * `state`, `hash`, `uid`, `has_same_body`, and `created_at` in milliseconds
 * since 1970 UTC. JSON text. NULL if there is none.
 */
const char *payments_error_journal_entry(const struct payments_error *error);

/**
 * How many attempts were made, including those that could not connect. 0 if
 * there is none.
 */
uint32_t payments_error_attempts(const struct payments_error *error);

/**
 * The command that explains the code, for example `payments explain refused`.
 * Never NULL for an error.
 */
const char *payments_error_help(const struct payments_error *error);

/**
 * The name of a status, for example `rate_limited`; `unknown` for an unknown
 * number.
 *
 * Ownership: the text is static and must not be freed.
 */
const char *payments_status_name(int32_t status);

/* ==== Calls: deadlines, cancellation, traces ====
 *
 * Threads: any, while no call runs with the handle.
 * Ownership: call_out gets a handle; arguments are copied.
 * Errors: PAYMENTS_STATUS_INVALID_ARGUMENT.
 */

/**
 * Creates a call handle with the deadline from the client's configuration.
 */
PAYMENTS_MUST_USE payments_status payments_call_new(struct payments_call **call_out);

/**
 * Sets the deadline of later calls with this handle, in milliseconds from the
 * start of each call. 0 is refused: every call has a deadline.
 */
PAYMENTS_MUST_USE
payments_status payments_call_set_timeout_ms(struct payments_call *call,
                                             uint64_t timeout_ms,
                                             struct payments_error **error_out);

/**
 * Sets how long later calls of `payments_client_ensure_payment` with this handle wait
 * for a payment that may exist and is not found, in milliseconds, in place of the
 * configuration's `ensure_wait_ms`. That call refuses more than 600000 as
 * PAYMENTS_STATUS_VALIDATION. Other calls ignore it.
 *
 * Errors: PAYMENTS_STATUS_INVALID_ARGUMENT for a NULL handle.
 */
PAYMENTS_MUST_USE
payments_status payments_call_set_ensure_wait_ms(struct payments_call *call,
                                                 uint64_t ensure_wait_ms,
                                                 struct payments_error **error_out);

/**
 * Sends the header `traceparent` with the requests to the service of later
 * calls with this handle: `00-TRACE-SPAN-FLAGS` of W3C Trace Context. The
 * interface does not state it. It is not signed. Replaces an earlier one.
 *
 * An observer may also use it on `request_started`, if one call runs with the
 * handle: the request of that event carries it. This gives each query of a
 * `wait_for_payment` its own header.
 *
 * Threads: any, while no call runs with the handle; and as stated above.
 * Errors: PAYMENTS_STATUS_VALIDATION if it is not a traceparent,
 * PAYMENTS_STATUS_INVALID_ARGUMENT; an earlier one then stays.
 */
PAYMENTS_MUST_USE
payments_status payments_call_set_traceparent(struct payments_call *call,
                                              const char *traceparent,
                                              size_t traceparent_length,
                                              struct payments_error **error_out);

/**
 * Sets a function that is called while a call waits, for example to check for
 * pending signals. Replaces an earlier one.
 *
 * Ownership: the handle owns `user_data` from here on, even if this fails:
 * `destroy`, which may be NULL, is called once, when the handle and all calls
 * made with it are gone or another function is set.
 * Errors: PAYMENTS_STATUS_INVALID_ARGUMENT for a NULL handle or function.
 */
PAYMENTS_MUST_USE
payments_status payments_call_set_interrupt(struct payments_call *call,
                                            void *user_data,
                                            payments_interrupt_fn interrupt,
                                            payments_destroy_fn destroy,
                                            struct payments_error **error_out);

/**
 * Cancels all calls with this handle, running and future ones. A call that has
 * not yet reported `request_ended` returns PAYMENTS_STATUS_CANCELLED. If its
 * response is complete by then, the error has the code
 * `interrupted_after_response` and the response: see `payments_error_response`.
 * NULL does nothing.
 *
 * Threads: any, at any time, also within a callback.
 */
void payments_call_cancel(const struct payments_call *call);

/**
 * Frees a call handle. NULL does nothing. A callback may free the handle of
 * the call that it serves.
 */
void payments_call_free(struct payments_call *call);

/* ==== Tokens and journals ====
 *
 * Threads: any, several at once.
 * Ownership: response_out and text_out get a handle.
 */

/**
 * Obtains a valid bearer token: the cached one or a new one. Read it with
 * `payments_response_view_text` at `/access_token`, and its expiry at
 * `/expires_at`. The response has no body. `call` and `error_out` may be NULL.
 *
 * Ownership: `response_out` gets a handle, to be freed with
 * `payments_response_free`; NULL on failure. The token is a secret.
 * Errors: PAYMENTS_STATUS_TOKEN if none could be obtained,
 * PAYMENTS_STATUS_CONFIG without client credentials, _TIMEOUT, _CANCELLED,
 * _INVALID_ARGUMENT, _INTERNAL.
 */
PAYMENTS_MUST_USE
payments_status payments_client_access_token(const struct payments_client *client,
                                             const struct payments_call *call,
                                             struct payments_response **response_out,
                                             struct payments_error **error_out);

/**
 * Returns the state of the bearer token, without requesting one: JSON text
 * with `is_usable`, and `age`, `remaining` and `backoff` in seconds. `call`
 * and `error_out` may be NULL.
 *
 * Errors: PAYMENTS_STATUS_CONFIG without client credentials,
 * _INVALID_ARGUMENT, _INTERNAL.
 */
PAYMENTS_MUST_USE
payments_status payments_client_token_status(const struct payments_client *client,
                                             const struct payments_call *call,
                                             struct payments_text **text_out,
                                             struct payments_error **error_out);

/**
 * Drops the bearer token from this process and the token store, so that the
 * next call requests another one. Nothing else changes: pauses continue, and
 * that request counts like one after a 401. `call` and `error_out` may be
 * NULL.
 *
 * Errors: PAYMENTS_STATUS_CONFIG without client credentials, _TOKEN if the
 * token store does not work, _TIMEOUT, _CANCELLED, _INVALID_ARGUMENT,
 * _INTERNAL.
 */
PAYMENTS_MUST_USE
payments_status payments_client_forget_token(const struct payments_client *client,
                                             const struct payments_call *call,
                                             struct payments_error **error_out);

/**
 * Makes the file of a journal, with its folder if that does not exist. A
 * client never makes one on its own.
 *
 * Errors: PAYMENTS_STATUS_JOURNAL if it cannot be made there,
 * PAYMENTS_STATUS_INVALID_ARGUMENT.
 */
PAYMENTS_MUST_USE
payments_status payments_journal_create(const char *path,
                                        size_t path_length,
                                        struct payments_error **error_out);

/**
 * Reads entries of the journal by their ids, the oldest first, at most 1,000.
 * `input` may have `only_open`, a flag, and `after`, an id: then larger ids.
 * The result has `entries` and `now`. After the last page, `entries` is empty.
 *
 * In all functions of the journal and of following in steps, `input` and the
 * result are JSON texts of objects. `input` may be empty, and members that are
 * not required may be left out or null. `call` and `error_out` may be NULL.
 *
 * An entry has the members that `payments_journal_fn` names, and `needs`:
 * `time` (the call may still run or take effect), `query` (recover), `person`
 * (resolve), or null if it is not open. It is open while its `state` is
 * `in_progress` or `unknown`, or while it has a `rival`. `now` and all times
 * are milliseconds since 1970 UTC by the journal's clock.
 *
 * Errors: PAYMENTS_STATUS_CONFIG without a journal, _VALIDATION, _JOURNAL,
 * _CANCELLED, _INVALID_ARGUMENT, _INTERNAL.
 */
PAYMENTS_MUST_USE
payments_status payments_client_journal_list(const struct payments_client *client,
                                             const char *input,
                                             size_t input_length,
                                             const struct payments_call *call,
                                             struct payments_text **text_out,
                                             struct payments_error **error_out);

/**
 * Reads all entries of a `reference` (required), or the one with that id. The
 * result has `entries`, which may be empty, and `now`. `call` and `error_out`
 * may be NULL.
 *
 * Errors: PAYMENTS_STATUS_CONFIG without a journal, _VALIDATION, _JOURNAL,
 * _CANCELLED, _INVALID_ARGUMENT, _INTERNAL.
 */
PAYMENTS_MUST_USE
payments_status payments_client_journal_show(const struct payments_client *client,
                                             const char *input,
                                             size_t input_length,
                                             const struct payments_call *call,
                                             struct payments_text **text_out,
                                             struct payments_error **error_out);

/**
 * Queries the outcomes of open entries. The result has `recovered`, the
 * entries that are no longer open; `open`, objects with `entry`, `needs` and
 * `reason`; and `now`. Each query has the client's own deadline. `call` and
 * `error_out` may be NULL.
 *
 * Errors: PAYMENTS_STATUS_CONFIG without a journal, _VALIDATION, _JOURNAL,
 * _CANCELLED, _INVALID_ARGUMENT, _INTERNAL.
 */
PAYMENTS_MUST_USE
payments_status payments_client_journal_recover(const struct payments_client *client,
                                                const char *input,
                                                size_t input_length,
                                                const struct payments_call *call,
                                                struct payments_text **text_out,
                                                struct payments_error **error_out);

/**
 * Records a person's decision: `entry`, an id, or a reference with one open
 * entry; `executed`, a flag; and `note`; all are required. The result has
 * `entries`, with the entry as it is stored: if another entry has taken the
 * reference of one that was executed, it is `failed` with a `rival`. `call`
 * and `error_out` may be NULL.
 *
 * Errors: PAYMENTS_STATUS_CONFIG without a journal, _VALIDATION, _JOURNAL,
 * _CANCELLED, _INVALID_ARGUMENT, _INTERNAL.
 */
PAYMENTS_MUST_USE
payments_status payments_client_journal_resolve(const struct payments_client *client,
                                                const char *input,
                                                size_t input_length,
                                                const struct payments_call *call,
                                                struct payments_text **text_out,
                                                struct payments_error **error_out);

/**
 * Deletes entries that were created before `before` (required, a date such as
 * `2026-01-31` or an ISO 8601 time with its offset) and are not open; with the
 * flag `dry_run`, only counts them. Without the flag `recent`, the last 30
 * days are refused. The result has `dry_run`, and the numbers `done` and
 * `failed`, which are deleted, and `open`, which stay. `call` and `error_out`
 * may be NULL.
 *
 * Errors: PAYMENTS_STATUS_CONFIG without a journal, _VALIDATION, _JOURNAL,
 * _CANCELLED, _INVALID_ARGUMENT, _INTERNAL.
 */
PAYMENTS_MUST_USE
payments_status payments_client_journal_prune(const struct payments_client *client,
                                              const char *input,
                                              size_t input_length,
                                              const struct payments_call *call,
                                              struct payments_text **text_out,
                                              struct payments_error **error_out);

/**
 * Says how a paid payment differs from the journal's entry: `reference`, and
 * `payment`, the body of the response to a query by it; both are required. With
 * `amount` and `currency` of an order, it must have these too, or, where the
 * service does not show them, the hash of an entry that has them. `difference` in
 * the result is null if it does not differ. `call` and `error_out` may be NULL.
 *
 * Errors: PAYMENTS_STATUS_CONFIG without a journal, _VALIDATION, _JOURNAL,
 * _CANCELLED, _INVALID_ARGUMENT, _INTERNAL.
 */
PAYMENTS_MUST_USE
payments_status payments_client_journal_compare(const struct payments_client *client,
                                                const char *input,
                                                size_t input_length,
                                                const struct payments_call *call,
                                                struct payments_text **text_out,
                                                struct payments_error **error_out);

/**
 * Lets calls write to the journal of the client, if it is the copy of a file,
 * on a person's word: a copy lacks all later entries. `adopted` in the result
 * is false if there was nothing to adopt. `input` has no members. `call` and
 * `error_out` may be NULL.
 *
 * Errors: PAYMENTS_STATUS_CONFIG without a journal, _VALIDATION, _JOURNAL,
 * _CANCELLED, _INVALID_ARGUMENT, _INTERNAL.
 */
PAYMENTS_MUST_USE
payments_status payments_client_journal_adopt(const struct payments_client *client,
                                              const char *input,
                                              size_t input_length,
                                              const struct payments_call *call,
                                              struct payments_text **text_out,
                                              struct payments_error **error_out);

/**
 * Runs `payments journal` with `arguments` (required, an array of texts).
 * `program` (required) names the command in texts, such as `payments journal`;
 * `is_terminal` is a flag, and `explain` that of `payments_journal_plan`. The
 * result has `stdout`, `stderr` and `exit_code`, also after a failure. `call` and
 * `error_out` may be NULL.
 *
 * Errors: PAYMENTS_STATUS_CONFIG without a journal, _VALIDATION, _JOURNAL,
 * _CANCELLED, _INVALID_ARGUMENT, _INTERNAL.
 */
PAYMENTS_MUST_USE
payments_status payments_client_journal_command(const struct payments_client *client,
                                                const char *input,
                                                size_t input_length,
                                                const struct payments_call *call,
                                                struct payments_text **text_out,
                                                struct payments_error **error_out);

/**
 * Takes the line of a `journal_failed` of this process that no observer received,
 * for the log of a host: the event's name and its members, as PAYMENTS_LOG
 * writes them. `text_out` gets NULL if there is none. Up to 16 are kept.
 *
 * Ownership: `text_out` gets a handle, to be freed with `payments_text_free`.
 * Errors: PAYMENTS_STATUS_INVALID_ARGUMENT if the place is NULL.
 */
PAYMENTS_MUST_USE
payments_status payments_take_journal_failed(struct payments_text **text_out,
                                             struct payments_error **error_out);

/* ==== Requests for your own HTTP client ====
 *
 * Threads: any, several at once.
 * Ownership: results belong to the prepared request, and are valid until it is
 * freed.
 * Errors: those without a status return NULL or 0 for NULL.
 */

/**
 * Does everything but send the operation with this name, for example
 * `create_payment`, for your own HTTP client. `input` is the JSON text
 * that the operation takes. For `send` it is the head, and `body` holds the
 * bytes; for all others `body_length` is 0. It may fetch a token. `call` and
 * `error_out` may be NULL.
 *
 * The request has no journal and no protection against a second payment:
 * sending it twice, as an HTTP client may do on its own, can pay twice. It has
 * no outcome: the library does not learn whether it was sent or executed.
 *
 * Errors: PAYMENTS_STATUS_VALIDATION, _SIGNING, _TOKEN, _CONFIG, _TIMEOUT,
 * _CANCELLED, _INVALID_ARGUMENT, _INTERNAL.
 */
PAYMENTS_MUST_USE
payments_status payments_client_prepare(const struct payments_client *client,
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
 * The method, in upper case; NULL for NULL.
 */
const char *payments_prepared_method(const struct payments_prepared *prepared);

/**
 * The whole URL; NULL for NULL.
 */
const char *payments_prepared_url(const struct payments_prepared *prepared);

/**
 * The number of headers; 0 for NULL. The HTTP client adds `Host` and
 * `Content-Length`.
 */
size_t payments_prepared_header_count(const struct payments_prepared *prepared);

/**
 * The name of the header `index`, from 0; NULL if there is none.
 */
const char *payments_prepared_header_name(const struct payments_prepared *prepared, size_t index);

/**
 * The value of the header `index`, from 0; NULL if there is none. It may be a
 * secret.
 */
const char *payments_prepared_header_value(const struct payments_prepared *prepared, size_t index);

/**
 * The exact bytes that were signed and must be sent. `length_out` gets
 * their number and may be NULL. NULL for NULL.
 */
const uint8_t *payments_prepared_body(const struct payments_prepared *prepared, size_t *length_out);

/**
 * Frees a prepared request. NULL does nothing. One passed to a transport
 * callback belongs to the library and must not be freed.
 */
void payments_prepared_free(struct payments_prepared *prepared);

/* ==== Tools that need no client ====
 *
 * Threads: any, several at once.
 * Ownership: each place gets a handle, to be freed with payments_text_free.
 * Errors: PAYMENTS_STATUS_INVALID_ARGUMENT.
 */

/**
 * Generates a 4096-bit RSA key pair, which takes about a second. The private
 * key is PKCS#8 PEM: keep it secret. Send the public key to the provider, who
 * returns the kid.
 *
 * Ownership: both places get a handle, to be freed with
 * `payments_text_free`; NULL on failure.
 * Errors: PAYMENTS_STATUS_INVALID_ARGUMENT if a place is NULL,
 * PAYMENTS_STATUS_INTERNAL.
 */
PAYMENTS_MUST_USE
payments_status payments_generate_key(struct payments_text **private_key_out,
                                      struct payments_text **public_key_out,
                                      struct payments_error **error_out);

/**
 * Verifies a token of X-JWS-Signature over the bytes of a body with a public
 * key (PEM). A NULL `token` means that there was none. PAYMENTS_STATUS_OK
 * means that the token could be checked, not that it is valid: `report_out`
 * gets JSON text with `valid`, and for a refused token `cause`, `detail`
 * and `remedy`.
 *
 * Errors: PAYMENTS_STATUS_CONFIG if the key cannot be used,
 * PAYMENTS_STATUS_INVALID_ARGUMENT.
 */
PAYMENTS_MUST_USE
payments_status payments_verify(const char *public_key,
                                size_t public_key_length,
                                const char *token,
                                size_t token_length,
                                const uint8_t *body,
                                size_t body_length,
                                struct payments_text **report_out,
                                struct payments_error **error_out);

/**
 * Finds values in the request for a payment, a payout or a refund that are
 * well-formed and probably wrong: Brazilian tax documents whose check digits
 * fail, Pix keys of no known form, and a refund without an amount. `request` is
 * the JSON text of the operation's body. It sends nothing and refuses nothing:
 * `warnings_out` gets the JSON text of an array, empty for most requests, of
 * objects with `path`, `code`, `certainty` (`certain` or `perhaps`) and
 * `message`.
 *
 * Errors: PAYMENTS_STATUS_VALIDATION if it is not a JSON object,
 * PAYMENTS_STATUS_INVALID_ARGUMENT.
 */
PAYMENTS_MUST_USE
payments_status payments_lint(const char *request,
                              size_t request_length,
                              struct payments_text **warnings_out,
                              struct payments_error **error_out);

/**
 * Explains what an error, a journal, a response or a configuration names: a code, a
 * kind (`timeout`), an outcome (`unknown`), a state (`CO`, `in_progress`), a member of
 * the configuration (`timeout_ms`), or a code of the service. `text_out` gets text in
 * lines of at most 80 characters: what it means, whether money may have moved, and
 * what to do.
 *
 * Ownership: `text_out` gets a handle, to be freed with `payments_text_free`; NULL
 * on failure.
 * Threads: any, several at once.
 * Errors: PAYMENTS_STATUS_VALIDATION if nothing has this name,
 * PAYMENTS_STATUS_INVALID_ARGUMENT.
 */
PAYMENTS_MUST_USE
payments_status payments_explain(const char *name,
                                 size_t name_length,
                                 struct payments_text **text_out,
                                 struct payments_error **error_out);

/**
 * Writes functions and options in a text of this library as languages in camel case
 * have them, for packages that are built on it: `queryPayment()` for
 * `query_payment()`, `timeoutMs` for `timeout_ms`. `text` may be the JSON text of an
 * error, whose messages and advice name functions in backticks.
 *
 * Errors: PAYMENTS_STATUS_INVALID_ARGUMENT.
 */
PAYMENTS_MUST_USE
payments_status payments_in_camel_case(const char *text,
                                       size_t text_length,
                                       struct payments_text **text_out,
                                       struct payments_error **error_out);

/**
 * Draws a text as a QR code, for example the one that
 * `payments_response_view_text` reads at `/qr_code_value`: an SVG document,
 * black on white, with its margin. `svg_out` gets NULL if the text does not
 * fit into a code (2,331 bytes).
 */
PAYMENTS_MUST_USE
payments_status payments_qr_svg(const char *text,
                                size_t text_length,
                                struct payments_text **svg_out,
                                struct payments_error **error_out);

/**
 * Draws a text as a QR code: the bytes of a PNG file, black on white, with its
 * margin. Read them with `payments_text_bytes` and `payments_text_length`.
 * `module_size` is the side of a module in pixels, from 1 to 64: 6 suits a screen.
 * `png_out` gets NULL if the text does not fit into a code (2,331 bytes).
 *
 * Errors: PAYMENTS_STATUS_VALIDATION for another size,
 * PAYMENTS_STATUS_INVALID_ARGUMENT.
 */
PAYMENTS_MUST_USE
payments_status payments_qr_png(const char *text,
                                size_t text_length,
                                uint32_t module_size,
                                struct payments_text **png_out,
                                struct payments_error **error_out);

/**
 * The plan for a package of another language that was started as the command
 * `journal`, `follow` or `explain`. `input` is the JSON text of an object with `program`
 * (the command as people type it), `arguments` (an array of texts), `database`
 * (how the package names one, for help), `is_terminal` (a flag) of standard
 * output, and `explain` (the command of the package that explains a code, for
 * `help` of a failure; by default `payments explain`). Without `database`, a
 * framework has the client, and `program` is its command for the journal.
 *
 * `plan_out` gets the JSON text of an object: print its `stdout` and `stderr`,
 * and exit with `exit_code`. With `is_list`, a reader that has left ends the
 * command quietly. Or `exit_code` is null, and `action` says what to do:
 *
 * - `create`: make the table in `database`, then print `stdout`.
 * - `journal`: open `database`, make a client with it, and give `program`,
 *   `arguments` and `is_terminal` to `payments_client_journal_command`.
 * - `follow`: the same with `payments_client_follow_command`; `database` may be
 *   null.
 *
 * The client is that of the configuration in `file`, or null, which the
 * environment overrides if `with_env` says so.
 *
 * Threads: any, while no other thread changes the environment.
 * Errors: PAYMENTS_STATUS_VALIDATION if `input` is another object,
 * PAYMENTS_STATUS_INVALID_ARGUMENT.
 */
PAYMENTS_MUST_USE
payments_status payments_journal_plan(const char *input,
                                      size_t input_length,
                                      struct payments_text **plan_out,
                                      struct payments_error **error_out);

/**
 * The output of such a command if its package failed. `input` is the JSON text
 * of an object with `explain`, as above, and `report`, that of an error, or
 * `message` and `problem`: `database` (the package cannot open it), `driver` (it
 * is not installed), `journal` (it does not work), or `output` (standard output
 * could not be written). `text_out` gets the JSON text of an object with `stdout`,
 * `stderr`, `stderr_text` for a terminal, and `exit_code`.
 *
 * Errors: PAYMENTS_STATUS_VALIDATION if `input` is another object,
 * PAYMENTS_STATUS_INVALID_ARGUMENT.
 */
PAYMENTS_MUST_USE
payments_status payments_journal_failure(const char *input,
                                         size_t input_length,
                                         struct payments_text **text_out,
                                         struct payments_error **error_out);

/* ==== Options: callbacks of a client ====
 *
 * Threads: any; one at a time for one handle.
 * Ownership: the options own user_data from here on, even if this fails:
 * destroy, which may be NULL, is called once, when the options and all clients
 * made from them are gone.
 * Errors: PAYMENTS_STATUS_INVALID_ARGUMENT for NULL options or function.
 */

/**
 * Creates an empty set of options.
 */
PAYMENTS_MUST_USE payments_status payments_options_new(struct payments_options **options_out);

/**
 * Records calls that move money in your own journal, instead of the configured
 * one. Replaces an earlier one.
 */
PAYMENTS_MUST_USE
payments_status payments_options_set_journal(struct payments_options *options,
                                             void *user_data,
                                             payments_journal_fn run,
                                             payments_destroy_fn destroy,
                                             struct payments_error **error_out);

/**
 * Passes the events of a client to a callback. Replaces an earlier one.
 */
PAYMENTS_MUST_USE
payments_status payments_options_set_observer(struct payments_options *options,
                                              void *user_data,
                                              payments_event_fn on_event,
                                              payments_destroy_fn destroy,
                                              struct payments_error **error_out);

/**
 * Frees the options. NULL does nothing. Clients made from them keep their
 * callbacks.
 */
void payments_options_free(struct payments_options *options);

/**
 * Signs with a callback instead of a key, for example with an HSM or a key
 * management service. `kid` is the key id assigned at registration. Set
 * `public_key` in the configuration to have every signature verified before
 * anything is sent. Replaces an earlier signer.
 *
 * Errors: PAYMENTS_STATUS_INVALID_ARGUMENT for NULL options or function, or a
 * `kid` that is not UTF-8.
 */
PAYMENTS_MUST_USE
payments_status payments_options_set_signer(struct payments_options *options,
                                            void *user_data,
                                            const char *kid,
                                            size_t kid_length,
                                            payments_sign_fn sign,
                                            payments_destroy_fn destroy,
                                            struct payments_error **error_out);

/**
 * Keeps bearer tokens in your own store. The callbacks are copied.
 * Replaces an earlier store.
 *
 * Errors: PAYMENTS_STATUS_INVALID_ARGUMENT for NULL options or callbacks, or
 * if one of the functions is NULL or `size` is too small for it.
 */
PAYMENTS_MUST_USE
payments_status payments_options_set_token_store(struct payments_options *options,
                                                 void *user_data,
                                                 const struct payments_token_store_callbacks *callbacks,
                                                 payments_destroy_fn destroy,
                                                 struct payments_error **error_out);

/**
 * Sends through a callback instead of the library's own HTTP client. Replaces
 * an earlier transport.
 */
PAYMENTS_MUST_USE
payments_status payments_options_set_transport(struct payments_options *options,
                                               void *user_data,
                                               payments_send_fn send,
                                               payments_destroy_fn destroy,
                                               struct payments_error **error_out);

/**
 * Removes the token from an entry of a token store, if that token is `value`.
 * For the callback `delete_if`, which then needs no JSON library. `text_out`
 * gets the entry to keep, or NULL if the entry has another token
 * or none: then change nothing.
 *
 * Threads: any, several at once.
 */
PAYMENTS_MUST_USE
payments_status payments_entry_without_token(const char *entry,
                                             size_t entry_length,
                                             const char *value,
                                             size_t value_length,
                                             struct payments_text **text_out,
                                             struct payments_error **error_out);

/**
 * Makes the error for a caller that was interrupted after a call returned, and
 * so cannot receive its response: kind `cancelled`, code
 * `interrupted_after_response`, with the reference of the request and the
 * response. `operation`, `input` and `body` are as for
 * `payments_client_prepare`. A NULL `response` means that nothing was sent.
 *
 * Ownership: `error_out` gets an error, to be freed with
 * `payments_error_free`. Everything else is only read.
 * Threads: any, several at once.
 * Errors: PAYMENTS_STATUS_INVALID_ARGUMENT; otherwise
 * PAYMENTS_STATUS_CANCELLED, which is the status of the error made.
 */
PAYMENTS_MUST_USE
payments_status payments_client_interrupted_after_response(const struct payments_client *client,
                                                           const char *operation,
                                                           size_t operation_length,
                                                           const char *input,
                                                           size_t input_length,
                                                           const uint8_t *body,
                                                           size_t body_length,
                                                           const struct payments_response *response,
                                                           struct payments_error **error_out);

/* ==== Within callbacks ====
 *
 * Threads: only within the callback that received it.
 * Ownership: arguments are copied.
 * Errors: PAYMENTS_STATUS_INVALID_ARGUMENT, or none.
 */

/**
 * The remaining time of the call in milliseconds; 0 for NULL.
 */
uint64_t payments_context_remaining_ms(const struct payments_context *context);

/**
 * Whether the call has ended, by its deadline or a cancellation, or because a
 * callback forked and this is the child: 1 or 0; 1 for NULL. A callback that
 * waits checks this at least every 100 ms, and fails once the call has ended.
 */
int32_t payments_context_has_ended(const struct payments_context *context);

/**
 * Appends the `length` bytes at `data`. Returns 0, or -1 if an argument is
 * NULL or the total exceeds 64 MiB.
 *
 * Errors: -1, and nothing is appended.
 */
int32_t payments_sink_write(struct payments_sink *sink, const uint8_t *data, size_t length);

/**
 * Sets the HTTP status of the response, 100 to 599.
 *
 * Errors: PAYMENTS_STATUS_INVALID_ARGUMENT for NULL or another number.
 */
PAYMENTS_MUST_USE
payments_status payments_transport_response_set_status(struct payments_transport_response *response,
                                                       int32_t http_status);

/**
 * Adds a header to the response. Names may repeat.
 *
 * Errors: PAYMENTS_STATUS_INVALID_ARGUMENT for NULL or text that is not UTF-8.
 */
PAYMENTS_MUST_USE
payments_status payments_transport_response_add_header(struct payments_transport_response *response,
                                                       const char *name,
                                                       size_t name_length,
                                                       const char *value,
                                                       size_t value_length);

/**
 * Appends bytes to the body of the response. Stop after `max_response_bytes`
 * of the configuration.
 */
PAYMENTS_MUST_USE
payments_status payments_transport_response_write_body(struct payments_transport_response *response,
                                                       const uint8_t *data,
                                                       size_t length);

/**
 * Reports that there is no response, or, after a status was set, that its body
 * is incomplete.
 *
 * `kind` is PAYMENTS_STATUS_CONNECT, _TLS, _TRANSPORT, _TIMEOUT, _CANCELLED,
 * _PROTOCOL or _TOO_LARGE. `message` appears in the error and must not contain
 * secrets.
 *
 * Set `nothing_sent` to 1 only with proof that no byte of the request was
 * sent: the operation then counts as not executed. Proof is
 *
 * - that the name was not found;
 * - that the connection opened for this request was never established: the
 *   host, the proxy or the TLS handshake (without early data) failed;
 * - that the callback refused the request before it wrote, because its URL is
 *   invalid, or because there was no connection within the deadline.
 *
 * Everything else counts as sent: a failed write, a reset or a timeout on a
 * connection that was established or used before, and an error that does not
 * say which step failed. So does every failure of an HTTP client that may have
 * repeated or redirected the request on its own: its error is about the last
 * attempt. Set `nothing_sent` to 0 then.
 *
 * Errors: PAYMENTS_STATUS_INVALID_ARGUMENT for NULL, another `kind` or
 * `nothing_sent`, or text that is not UTF-8; nothing is changed then.
 */
PAYMENTS_MUST_USE
payments_status payments_transport_response_fail(struct payments_transport_response *response,
                                                 int32_t kind,
                                                 int32_t nothing_sent,
                                                 const char *message,
                                                 size_t message_length);

/* ==== Versions, and the process ====
 *
 * Threads: any, several at once.
 * Ownership: texts are static, and must not be freed.
 * Errors: none.
 */

/**
 * The version of the binary interface. A program whose PAYMENTS_ABI_VERSION,
 * from the header it was compiled with, differs must not continue.
 *
 * The number changes whenever a function or layout is changed or removed; a
 * new function does not change it. The name `libpayments.so.N` contains the
 * same number.
 */
uint32_t payments_abi_version(void);

/**
 * The version of the library, for example "0.1.0".
 */
const char *payments_version(void);

/**
 * Keeps a descriptor in reserve, or gives it up: for a host that must open a
 * file to report the outcome of a call, as PHP does to load a class, when no
 * other descriptor is left. The process has one; forked children have a copy.
 *
 * keep is 1 to take one, unless one is kept, and 0 to close it. Returns 1 if one
 * is kept now, otherwise 0.
 */
int32_t payments_spare_descriptor(int32_t keep);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* PAYMENTS_H */
