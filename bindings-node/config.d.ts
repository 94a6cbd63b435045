// Generated from spec/configuration.toml by generate/templates/config.d.ts.jinja; do not edit. To update: cargo xtask generate

// The configuration of a client.

import type { OperationName } from './index.js';

/** Which credentials an operation carries. Configured credentials are sent. */
export interface AuthOverride {
  integration_key?: boolean;
  signature?: boolean;
  bearer?: boolean;
}

/** The same as in `payments.json`. A value can be given by a file instead. */
export interface Config {
  /**
   * `sandbox` or `production` (default: `production`). It decides for how long a token is
   * valid.
   */
  environment?: 'sandbox' | 'production' | undefined;
  /** Address of the service, up to `/ws`, which the client adds; required. */
  base_url: string;
  /** Address of the token server, without the path of its endpoint. Required with `client_id`. */
  auth_url?: string | undefined;
  /** Merchant key. */
  integration_key?: string | undefined;
  /** File that holds the merchant key. */
  integration_key_file?: string | undefined;
  /**
   * Client id for the token server. With client id and client secret, calls carry a
   * bearer token.
   */
  client_id?: string | undefined;
  /** Client secret for the token server. */
  client_secret?: string | undefined;
  /** File that holds the client secret. */
  client_secret_file?: string | undefined;
  /**
   * How the token request writes client id and secret: `raw`, as they are, or `form`,
   * form-encoded (default: `raw`). It makes a difference for `+`, `%`, `:`, other
   * punctuation and letters beyond ASCII. A client id with a colon needs `form`.
   */
  client_auth_encoding?: 'raw' | 'form' | undefined;
  /** RSA private key, PEM text. PKCS#8 or PKCS#1. With it, requests are signed. */
  key?: string | undefined;
  /** File of the private key, PEM or DER. */
  key_file?: string | undefined;
  /** Passphrase of an encrypted private key. */
  key_passphrase?: string | undefined;
  /** File that holds the passphrase. */
  key_passphrase_file?: string | undefined;
  /** Key id assigned at registration. Required with a key. */
  kid?: string | undefined;
  /** Accept RSA keys of 2048 and 3072 bits (default: `false`). */
  allow_small_keys?: boolean | undefined;
  /**
   * How many calls of a process sign with a private key at a time (default: three for
   * each core). The others wait their turn within their deadline, first come, first
   * served. The cores are those that the scheduler and the quota of a container grant. It
   * does not limit HSMs and your own signers.
   */
  signing_threads?: number | undefined;
  /** PKCS#11 module of an HSM that holds the private key. */
  pkcs11_module?: string | undefined;
  /** Label of the HSM's token. */
  pkcs11_token?: string | undefined;
  /** Number of the token's slot, instead of its label. */
  pkcs11_slot?: number | undefined;
  /** Label of the private key in the token. */
  pkcs11_key_label?: string | undefined;
  /** Id of the private key in the token, in hexadecimal. */
  pkcs11_key_id?: string | undefined;
  /** PIN of the token's user. */
  pkcs11_pin?: string | undefined;
  /** File that holds the PIN of the token's user. */
  pkcs11_pin_file?: string | undefined;
  /**
   * Most sessions of a process with the token, and most signatures made at once; 1 to 256
   * (default: `8`).
   */
  pkcs11_sessions?: number | undefined;
  /**
   * Public key of an external signer, PEM text. It verifies each signature of an HSM or
   * of your own signer before it is sent.
   */
  public_key?: string | undefined;
  /** File of the public key of an external signer. */
  public_key_file?: string | undefined;
  /**
   * Deadline of a whole call, in milliseconds (default: `30000`). It includes the token
   * and all attempts.
   */
  timeout_ms?: number | undefined;
  /** Limit for connecting, in milliseconds (default: `5000`). */
  connect_timeout_ms?: number | undefined;
  /**
   * Allow `http://` to hosts other than this one (default: `false`). Everything that is
   * sent can then be read on the way.
   */
  allow_insecure_http?: boolean | undefined;
  /** `env`, or `http://[user:password@]host:port`. `env` takes the proxy of the environment. */
  proxy?: string | undefined;
  /**
   * PEM file of the only trusted certificates. They replace those of the operating
   * system, which `SSL_CERT_FILE` and `SSL_CERT_DIR` can change, for the service and for
   * `token_store`.
   */
  ca_file?: string | undefined;
  /** Largest accepted response in bytes (default: `2097152`). Larger responses are `too_large`. */
  max_response_bytes?: number | undefined;
  /**
   * Most JSON values in an accepted response, at any depth (default: `100000`). Responses
   * with more are `too_large`: values take many times their bytes in memory.
   */
  max_response_values?: number | undefined;
  /** `beside` or `inside` the object `payment`, or `both` (default: `beside`). */
  integration_key_placement?: 'beside' | 'inside' | 'both' | undefined;
  /**
   * How `query_payment` is sent: `get`, or `post` (default: `get`). A `post` has the
   * members as JSON, which are signed like any body.
   */
  query_method?: 'get' | 'post' | undefined;
  /**
   * Payload of the signature of a request without a body: `empty`; `query`, the query
   * string as sent, without its `?`; `none`, without a signature (default: `empty`).
   */
  signed_query?: 'empty' | 'query' | 'none' | undefined;
  /** Member of a refund that holds the payment hash (default: `hash`). */
  refund_hash_member?: string | undefined;
  /** Header of the bearer token (default: `Authorization`). */
  bearer_header?: string | undefined;
  /** Word before the bearer token (default: `Bearer`). It may be empty. */
  bearer_scheme?: string | undefined;
  /** Credentials of single operations: `{"create_payout": {"bearer": false}}`. */
  auth?: Partial<Record<Exclude<OperationName, 'access_token'>, AuthOverride>> | undefined;
  /**
   * Fixed headers of all requests to the service: `{"X-Simulate": "503"}`. At most 16,
   * with 4 KiB of names and values in all. Their values are never shown. The token server
   * does not get them.
   */
  headers?: Readonly<Record<string, string>> | undefined;
  /**
   * Service codes of a reference used before, in any case (default: `BP-DR-0, HP-CM-03`).
   * They count for operations that move money. `[]` in a file turns the rule off; an
   * empty variable is refused.
   */
  duplicate_codes?: readonly string[] | undefined;
  /**
   * Service codes of a refusal after which money may have moved all the same, in any case
   * (default: `BP-DR-84, BP-DR-119`). They count for operations that move money, as
   * `refusal_doubtful`.
   */
  doubtful_codes?: readonly string[] | undefined;
  /**
   * Service codes of a refused query that say there is no such payment (default:
   * `BP-REF-CAN-2`). They are reported as `payment_not_found`.
   */
  not_found_codes?: readonly string[] | undefined;
  /** Turn on `query_payout`, which the interface does not state (default: `false`). */
  payout_query?: boolean | undefined;
  /**
   * Service codes of a refused `query_payout` that say there is no such payout (default:
   * ``). They are reported as `payment_not_found`. Without one, no payout counts as not
   * found.
   */
  payout_not_found_codes?: readonly string[] | undefined;
  /**
   * Words that as the top-level `status` say that the operation failed, in any case
   * (default: `ERROR, FAILURE, FAILED, DENIED, REJECTED, REFUSED`).
   */
  failure_statuses?: readonly string[] | undefined;
  /**
   * Further signs of success of single operations, as JSON Pointers: `{"create_payment":
   * ["/data/id"]}`.
   */
  success_signs?: Partial<Record<Exclude<OperationName, 'access_token' | 'send'>, readonly string[]>> | undefined;
  /**
   * Refuse a response that names a different payment or payout than the request (default:
   * `true`).
   */
  check_references?: boolean | undefined;
  /** Take an unknown address in an open payment for a pay slip (default: `true`). */
  next_action_rule?: boolean | undefined;
  /** Search requests, also those of `send`, for raw card numbers (default: `true`). */
  card_guard?: boolean | undefined;
  /**
   * Refuse the amount of a payment or payout with digits that its currency does not have,
   * and texts whose point may separate thousands (default: `true`). By ISO 4217: the
   * numbers `BRL 100.123` and `CLP 100.55` are refused, zeros are fine. The texts `BRL
   * 1.500`, `CLP 150.000` and, for a refund, `1.000` are ambiguous.
   */
  check_amount_digits?: boolean | undefined;
  /**
   * Take a 401 as proof that an operation which moves money was not executed (default:
   * `true`). With `false`, the outcome is `unknown`, and it is not sent again with
   * another token.
   */
  treat_401_as_not_executed?: boolean | undefined;
  /**
   * `memory`; `file:FOLDER` for all processes of a host; `redis://` or `rediss://` and
   * `[[user]:password@]host[:port][/database]` for a fleet (default: `memory`). Only the
   * user that runs the process may see the folder. `rediss://` is Redis over TLS. It is
   * required unless Redis runs on this host. The command uses the user's cache folder
   * instead of memory.
   */
  token_store?: 'memory' | `file:${string}` | `redis://${string}` | `rediss://${string}` | undefined;
  /**
   * Where tokens are kept while a Redis server does not work: `file:FOLDER`, or `memory`
   * (default: the cache folder of the user).
   */
  token_store_fallback?: 'memory' | `file:${string}` | undefined;
  /**
   * Allow `redis://` to hosts other than this one (default: `false`). The password can
   * then be read on the way, and tokens too without `token_store_key`.
   */
  allow_insecure_redis?: boolean | undefined;
  /**
   * Key that encrypts stored tokens: 32 bytes in base64. The same for all clients that
   * share the tokens; `openssl rand -base64 32` makes one.
   */
  token_store_key?: string | undefined;
  /** File that holds the key for stored tokens. */
  token_store_key_file?: string | undefined;
  /**
   * Where calls that move money are recorded before they are sent: `none`, or `file:PATH`
   * for all processes of a host (default: `none`). `payments journal create` makes the
   * file.
   */
  journal?: 'none' | `file:${string}` | undefined;
  /**
   * The scope of the journal entries that belong to this client (default: the host of
   * `base_url`). Clients that could pay the same thing twice must have the same scope.
   */
  journal_scope?: string | undefined;
  /**
   * Time from a call's deadline until a person may say no to it, in milliseconds; 0 to
   * 86400000 (default: `900000`). A request held by a proxy or the service may be
   * executed late. At least a minute always passes.
   */
  settle_after_ms?: number | undefined;
  /**
   * Time for which `ensure_payment` waits for a payment that may exist and is not found,
   * in milliseconds; 0 to 600000 (default: `3000`). Then it fails as `unknown`, and the
   * next call continues. A request under way still has its own deadline, `timeout_ms`.
   */
  ensure_wait_ms?: number | undefined;
  /**
   * How many times a failed query is retried; may be 0 (default: `2`). Other operations
   * are resent only if no byte of them left, or once after a 401 with a new bearer token.
   */
  query_retries?: number | undefined;
  /** Show your own references in events, logs and spans (default: `true`). */
  log_references?: boolean | undefined;
}
