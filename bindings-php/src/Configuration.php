<?php

// Generated from spec/configuration.toml by generate/templates/Configuration.php.jinja; do not edit.
// To update: cargo xtask generate

declare(strict_types=1);

namespace Libpayments;

/**
 * The members of a configuration: those of a configuration file.
 *
 * Editors, PHPStan and Psalm read this type; other classes import it with
 * `@phpstan-import-type Config from \Libpayments\Configuration`.
 *
 * - `environment`: `sandbox` or `production` (default: `production`). It decides for how long a
 *   token is valid.
 * - `base_url`: Address of the service, up to `/ws`, which the client adds; required.
 * - `auth_url`: Address of the token server, without the path of its endpoint. Required with
 *   `client_id`.
 * - `integration_key`: Merchant key.
 * - `integration_key_file`: File that holds the merchant key.
 * - `client_id`: Client id for the token server. With client id and client secret, calls carry a
 *   bearer token.
 * - `client_secret`: Client secret for the token server.
 * - `client_secret_file`: File that holds the client secret.
 * - `client_auth_encoding`: How the token request writes client id and secret: `raw`, as they
 *   are, or `form`, form-encoded (default: `raw`). It makes a difference for `+`, `%`, `:`, other
 *   punctuation and letters beyond ASCII. A client id with a colon needs `form`.
 * - `key`: RSA private key, PEM text. PKCS#8 or PKCS#1. With it, requests are signed.
 * - `key_file`: File of the private key, PEM or DER.
 * - `key_passphrase`: Passphrase of an encrypted private key.
 * - `key_passphrase_file`: File that holds the passphrase.
 * - `kid`: Key id assigned at registration. Required with a key.
 * - `allow_small_keys`: Accept RSA keys of 2048 and 3072 bits (default: `false`).
 * - `signing_threads`: How many calls of a process sign with a private key at a time (default:
 *   three for each core). The others wait their turn within their deadline, first come, first
 *   served. The cores are those that the scheduler and the quota of a container grant. It does not
 *   limit HSMs and your own signers.
 * - `pkcs11_module`: PKCS#11 module of an HSM that holds the private key.
 * - `pkcs11_token`: Label of the HSM's token.
 * - `pkcs11_slot`: Number of the token's slot, instead of its label.
 * - `pkcs11_key_label`: Label of the private key in the token.
 * - `pkcs11_key_id`: Id of the private key in the token, in hexadecimal.
 * - `pkcs11_pin`: PIN of the token's user.
 * - `pkcs11_pin_file`: File that holds the PIN of the token's user.
 * - `pkcs11_sessions`: Most sessions of a process with the token, and most signatures made at
 *   once; 1 to 256 (default: `8`).
 * - `public_key`: Public key of an external signer, PEM text. It verifies each signature of an
 *   HSM or of your own signer before it is sent.
 * - `public_key_file`: File of the public key of an external signer.
 * - `timeout_ms`: Deadline of a whole call, in milliseconds (default: `30000`). It includes the
 *   token and all attempts.
 * - `connect_timeout_ms`: Limit for connecting, in milliseconds (default: `5000`).
 * - `allow_insecure_http`: Allow `http://` to hosts other than this one (default: `false`).
 *   Everything that is sent can then be read on the way.
 * - `proxy`: `env`, or `http://[user:password@]host:port`. `env` takes the proxy of the
 *   environment.
 * - `ca_file`: PEM file of the only trusted certificates. They replace those of the operating
 *   system, which `SSL_CERT_FILE` and `SSL_CERT_DIR` can change, for the service and for
 *   `token_store`.
 * - `max_response_bytes`: Largest accepted response in bytes (default: `2097152`). Larger
 *   responses are `too_large`.
 * - `max_response_values`: Most JSON values in an accepted response, at any depth (default:
 *   `100000`). Responses with more are `too_large`: values take many times their bytes in memory.
 * - `integration_key_placement`: `beside` or `inside` the object `payment`, or `both` (default:
 *   `beside`).
 * - `query_method`: How `query_payment` is sent: `get`, or `post` (default: `get`). A `post` has
 *   the members as JSON, which are signed like any body.
 * - `signed_query`: Payload of the signature of a request without a body: `empty`; `query`, the
 *   query string as sent, without its `?`; `none`, without a signature (default: `empty`).
 * - `refund_hash_member`: Member of a refund that holds the payment hash (default: `hash`).
 * - `bearer_header`: Header of the bearer token (default: `Authorization`).
 * - `bearer_scheme`: Word before the bearer token (default: `Bearer`). It may be empty.
 * - `auth`: Credentials of single operations: `{"create_payout": {"bearer": false}}`.
 * - `headers`: Fixed headers of all requests to the service: `{"X-Simulate": "503"}`. At most 16,
 *   with 4 KiB of names and values in all. Their values are never shown. The token server does not
 *   get them.
 * - `duplicate_codes`: Service codes of a reference used before, in any case (default: `BP-DR-0,
 *   HP-CM-03`). They count for operations that move money. `[]` in a file turns the rule off; an
 *   empty variable is refused.
 * - `doubtful_codes`: Service codes of a refusal after which money may have moved all the same,
 *   in any case (default: `BP-DR-84, BP-DR-119`). They count for operations that move money, as
 *   `refusal_doubtful`.
 * - `not_found_codes`: Service codes of a refused query that say there is no such payment
 *   (default: `BP-REF-CAN-2`). They are reported as `payment_not_found`.
 * - `payout_query`: Turn on `query_payout`, which the interface does not state (default:
 *   `false`).
 * - `payout_not_found_codes`: Service codes of a refused `query_payout` that say there is no such
 *   payout (default: ``). They are reported as `payment_not_found`. Without one, no payout counts
 *   as not found.
 * - `failure_statuses`: Words that as the top-level `status` say that the operation failed, in
 *   any case (default: `ERROR, FAILURE, FAILED, DENIED, REJECTED, REFUSED`).
 * - `success_signs`: Further signs of success of single operations, as JSON Pointers:
 *   `{"create_payment": ["/data/id"]}`.
 * - `check_references`: Refuse a response that names a different payment or payout than the
 *   request (default: `true`).
 * - `next_action_rule`: Take an unknown address in an open payment for a pay slip (default:
 *   `true`).
 * - `card_guard`: Search requests, also those of `send`, for raw card numbers (default: `true`).
 * - `check_amount_digits`: Refuse the amount of a payment or payout with digits that its currency
 *   does not have, and texts whose point may separate thousands (default: `true`). By ISO 4217: the
 *   numbers `BRL 100.123` and `CLP 100.55` are refused, zeros are fine. The texts `BRL 1.500`, `CLP
 *   150.000` and, for a refund, `1.000` are ambiguous.
 * - `treat_401_as_not_executed`: Take a 401 as proof that an operation which moves money was not
 *   executed (default: `true`). With `false`, the outcome is `unknown`, and it is not sent again
 *   with another token.
 * - `token_store`: `memory`; `file:FOLDER` for all processes of a host; `redis://` or `rediss://`
 *   and `[[user]:password@]host[:port][/database]` for a fleet (default: `memory`). Only the user
 *   that runs the process may see the folder. `rediss://` is Redis over TLS. It is required unless
 *   Redis runs on this host. The command uses the user's cache folder instead of memory.
 * - `token_store_fallback`: Where tokens are kept while a Redis server does not work:
 *   `file:FOLDER`, or `memory` (default: the cache folder of the user).
 * - `allow_insecure_redis`: Allow `redis://` to hosts other than this one (default: `false`). The
 *   password can then be read on the way, and tokens too without `token_store_key`.
 * - `token_store_key`: Key that encrypts stored tokens: 32 bytes in base64. The same for all
 *   clients that share the tokens; `openssl rand -base64 32` makes one.
 * - `token_store_key_file`: File that holds the key for stored tokens.
 * - `journal`: Where calls that move money are recorded before they are sent: `none`, or
 *   `file:PATH` for all processes of a host (default: `none`). `payments journal create` makes the
 *   file.
 * - `journal_scope`: The scope of the journal entries that belong to this client (default: the
 *   host of `base_url`). Clients that could pay the same thing twice must have the same scope.
 * - `settle_after_ms`: Time from a call's deadline until a person may say no to it, in
 *   milliseconds; 0 to 86400000 (default: `900000`). A request held by a proxy or the service may
 *   be executed late. At least a minute always passes.
 * - `ensure_wait_ms`: Time for which `ensure_payment` waits for a payment that may exist and is
 *   not found, in milliseconds; 0 to 600000 (default: `3000`). Then it fails as `unknown`, and the
 *   next call continues. A request under way still has its own deadline, `timeout_ms`.
 * - `query_retries`: How many times a failed query is retried; may be 0 (default: `2`). Other
 *   operations are resent only if no byte of them left, or once after a 401 with a new bearer
 *   token.
 * - `log_references`: Show your own references in events, logs and spans (default: `true`).
 *
 * @phpstan-type Config array{
 *     environment?: 'sandbox'|'production'|null,
 *     base_url: string,
 *     auth_url?: string|null,
 *     integration_key?: string|null,
 *     integration_key_file?: string|null,
 *     client_id?: string|null,
 *     client_secret?: string|null,
 *     client_secret_file?: string|null,
 *     client_auth_encoding?: 'raw'|'form'|null,
 *     key?: string|null,
 *     key_file?: string|null,
 *     key_passphrase?: string|null,
 *     key_passphrase_file?: string|null,
 *     kid?: string|null,
 *     allow_small_keys?: bool|null,
 *     signing_threads?: int|null,
 *     pkcs11_module?: string|null,
 *     pkcs11_token?: string|null,
 *     pkcs11_slot?: int|null,
 *     pkcs11_key_label?: string|null,
 *     pkcs11_key_id?: string|null,
 *     pkcs11_pin?: string|null,
 *     pkcs11_pin_file?: string|null,
 *     pkcs11_sessions?: int|null,
 *     public_key?: string|null,
 *     public_key_file?: string|null,
 *     timeout_ms?: int|null,
 *     connect_timeout_ms?: int|null,
 *     allow_insecure_http?: bool|null,
 *     proxy?: string|null,
 *     ca_file?: string|null,
 *     max_response_bytes?: int|null,
 *     max_response_values?: int|null,
 *     integration_key_placement?: 'beside'|'inside'|'both'|null,
 *     query_method?: 'get'|'post'|null,
 *     signed_query?: 'empty'|'query'|'none'|null,
 *     refund_hash_member?: string|null,
 *     bearer_header?: string|null,
 *     bearer_scheme?: string|null,
 *     auth?: array<string, array{integration_key?: bool, signature?: bool, bearer?: bool}>|null,
 *     headers?: array<string, string>|null,
 *     duplicate_codes?: list<string>|null,
 *     doubtful_codes?: list<string>|null,
 *     not_found_codes?: list<string>|null,
 *     payout_query?: bool|null,
 *     payout_not_found_codes?: list<string>|null,
 *     failure_statuses?: list<string>|null,
 *     success_signs?: array<string, list<string>>|null,
 *     check_references?: bool|null,
 *     next_action_rule?: bool|null,
 *     card_guard?: bool|null,
 *     check_amount_digits?: bool|null,
 *     treat_401_as_not_executed?: bool|null,
 *     token_store?: string|null,
 *     token_store_fallback?: string|null,
 *     allow_insecure_redis?: bool|null,
 *     token_store_key?: string|null,
 *     token_store_key_file?: string|null,
 *     journal?: string|null,
 *     journal_scope?: string|null,
 *     settle_after_ms?: int|null,
 *     ensure_wait_ms?: int|null,
 *     query_retries?: int|null,
 *     log_references?: bool|null,
 * }
 */
interface Configuration
{
}
