/// <reference types="node" />

// Reason for length: all declarations of the package but the requests, to be read in one place.

import type { AccessToken, AnyAnswer } from './answers.js';
import type { OperationMethods, OperationName, Operations } from './operations.js';

/** A text of which some values are known; the service may write others. */
export type Open<Known extends string> = Known | (string & {});

/**
 * A decimal amount, sent with the same digits. Give it as text, `'100.10'`, or
 * as a whole number or bigint. A number that is no safe integer is refused.
 */
export type Amount = string | number | bigint | Decimal;

/** A number that is written with exactly the digits it was made from. */
export interface Decimal {
  toString(): string;
  toJSON(): string;
}

/**
 * A number for members that need one, where JavaScript's numbers would change
 * it: `extra: { rate: decimal('0.50') }`.
 * @throws {PaymentsError} `validation`, if the text is not a number of JSON.
 */
export function decimal(text: string): Decimal;

/** JSON text that is handed over as it is, instead of an object. */
export type JsonText = string | Uint8Array;

// Requests. -----------------------------------------------------------------

export * from './requests.js';
export * from './operations.js';

/** The caller's own bytes, signed and sent unchanged. */
export interface SendRequest {
  method: string;
  /** The path under `base_url`, beginning with `/`. */
  path: string;
  /** Encoded for the wire; pairs where a name comes more than once. */
  query?:
    | Readonly<Record<string, string>>
    | readonly (readonly [name: string, value: string])[]
    | URLSearchParams
    | undefined;
  /** The exact bytes. */
  body?: string | Uint8Array | undefined;
  /** `application/json` when there is a body. */
  content_type?: string | undefined;
  /** Your own reference, which errors carry. It is not sent. */
  reference?: string | undefined;
}

export interface CallOptions {
  /**
   * Ends the call. It then always rejects, as `cancelled`: the error says
   * whether money may have moved, and has the `answer` if it was complete.
   */
  signal?: AbortSignal | undefined;
  /**
   * The deadline of this call in milliseconds, shorter or longer than the
   * `timeout_ms` of the configuration: a whole number above zero.
   */
  timeoutMs?: number | undefined;
}

// Answers. ------------------------------------------------------------------

export * from './answers.js';

export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;
export interface JsonObject {
  [member: string]: JsonValue;
}

/**
 * What every answer of the service has. `util.inspect` and `console.log` show
 * statuses and the length of the body only. All other members hold payer data
 * or may do so, and `JSON.stringify` writes them: keep its text out of logs.
 */
export interface AnswerBase {
  readonly httpStatus: number;
  /** By names in lower case; values that come more than once are joined. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body, byte for byte. */
  readonly raw: Buffer;
}

/** The whole body. Amounts are texts, as are numbers that would lose digits. */
export interface Answer extends AnswerBase {
  readonly answer: JsonObject;
}

export interface SendAnswer extends AnswerBase {
  /** The body if it is JSON, else `null`. */
  readonly answer: JsonValue;
}

/** What is known of the bearer token. Times are seconds. */
export interface TokenStatus {
  readonly is_usable: boolean;
  readonly age: number | null;
  readonly remaining: number | null;
  /** For how long nobody asks the token server. */
  readonly quiet: number | null;
  readonly scope?: string;
  readonly user_name?: string;
  readonly jti?: string;
}

/**
 * Everything but the sending. `fetch(prepared.url, prepared)` sends it, and
 * follows no redirect; another HTTP client must not follow one either.
 * Headers and URL may hold credentials, which `util.inspect` does not show.
 */
export interface PreparedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  /** The exact bytes that were signed; `null` when there are none. */
  readonly body: Buffer | null;
  /** Lest `fetch` takes signature and body to another host: a redirect is an answer of its own. */
  readonly redirect: 'manual';
}

// Configuration. ------------------------------------------------------------

/** Which credentials an operation carries. What is configured is sent. */
export interface AuthOverride {
  integration_key?: boolean;
  signature?: boolean;
  bearer?: boolean;
}

/** The same as in `payments.json`. A value can be given by a file instead. */
export interface Config {
  /** The address of the service. */
  base_url: string;
  /** The address of the token server; required with `client_id`. */
  auth_url?: string | undefined;
  /** `production` by default. Decides how long tokens live. */
  environment?: 'sandbox' | 'production' | undefined;
  integration_key?: string | undefined;
  integration_key_file?: string | undefined;
  client_id?: string | undefined;
  client_secret?: string | undefined;
  client_secret_file?: string | undefined;
  /** RSA private key of 4096 bits, PEM text. */
  key?: string | undefined;
  /** File of the private key, PEM or DER. */
  key_file?: string | undefined;
  key_passphrase?: string | undefined;
  key_passphrase_file?: string | undefined;
  /** Key id assigned at registration; required with a key. */
  kid?: string | undefined;
  /** Accepts RSA keys of 2048 and 3072 bits. */
  allow_small_keys?: boolean | undefined;
  /** How many calls of the process sign with a private key at a time; one for each core. */
  signing_threads?: number | undefined;
  /** Public key of a signer, PEM text: its signatures are verified. */
  public_key?: string | undefined;
  public_key_file?: string | undefined;
  /** Deadline of a whole call, the token included; 30000. */
  timeout_ms?: number | undefined;
  /** 5000. */
  connect_timeout_ms?: number | undefined;
  /** Accepts `http://` for hosts other than this one. */
  allow_insecure_http?: boolean | undefined;
  /** `env`, or the address of an HTTP proxy. */
  proxy?: string | undefined;
  /** PEM roots instead of the operating system's. */
  ca_file?: string | undefined;
  /** Larger answers are `too_large`; 2097152. */
  max_response_bytes?: number | undefined;
  /** Answers with more JSON values are `too_large`; 100000. */
  max_response_values?: number | undefined;
  /** Where the integration key stands in payments; `beside`. */
  integration_key_placement?: 'beside' | 'inside' | 'both' | undefined;
  /** The name of the payment hash in refunds; `hash`. */
  refund_hash_member?: string | undefined;
  /** `Authorization`. */
  bearer_header?: string | undefined;
  /** `Bearer`. */
  bearer_scheme?: string | undefined;
  /** Credentials of single operations. */
  auth?: Partial<Record<Exclude<OperationName, 'access_token'>, AuthOverride>> | undefined;
  /** Codes of the service that say a reference was used before. */
  duplicate_codes?: readonly string[] | undefined;
  /** Codes of a refused query that say there is no such payment, reported as `payment_not_found`. */
  not_found_codes?: readonly string[] | undefined;
  /** Words that as the top-level `status` of an answer say that the operation failed. */
  failure_statuses?: readonly string[] | undefined;
  /** Further signs of success of single operations, as JSON Pointers into their answers. */
  success_signs?: Partial<Record<Exclude<OperationName, 'access_token' | 'send'>, readonly string[]>> | undefined;
  /** Refuses an answer that names another payment or payout than the request; `true`. */
  check_references?: boolean | undefined;
  /** Searches free members for card numbers; `true`. */
  card_guard?: boolean | undefined;
  /** Where bearer tokens are kept: `memory`, one folder for a host, or a Redis server for a fleet. */
  token_store?: 'memory' | `file:${string}` | `redis://${string}` | `rediss://${string}` | undefined;
  /** Where tokens are kept while a Redis server does not work; the cache folder of the user. */
  token_store_fallback?: 'memory' | `file:${string}` | undefined;
  /** Allows `redis://` to other hosts than this one. */
  allow_insecure_redis?: boolean | undefined;
  /** Encrypts stored tokens: 32 bytes as base64. */
  token_store_key?: string | undefined;
  /** File that holds the key that encrypts stored tokens. */
  token_store_key_file?: string | undefined;
  /** PKCS#11 library of an HSM that holds the private key. */
  pkcs11_module?: string | undefined;
  /** Label of the token that holds the key. */
  pkcs11_token?: string | undefined;
  /** Number of the slot, instead of the label of a token. */
  pkcs11_slot?: number | undefined;
  /** Label of the private key. */
  pkcs11_key_label?: string | undefined;
  /** Id of the private key in hexadecimal digits. */
  pkcs11_key_id?: string | undefined;
  /** PIN of the token's user. */
  pkcs11_pin?: string | undefined;
  /** File that holds the PIN. */
  pkcs11_pin_file?: string | undefined;
  /** Sessions that sign at once; 8. */
  pkcs11_sessions?: number | undefined;
  /** How often a failed query is tried again; 2. Nothing else ever is. */
  query_retries?: number | undefined;
}

/** A signal that aborts when the call ends that a callback works for. */
export interface CallbackContext {
  readonly signal: AbortSignal;
}

/** Signs in place of a key: an HSM, a key management service. */
export interface Signer {
  /** Key id assigned at registration. */
  readonly kid: string;
  /**
   * The raw RSASSA-PKCS1-v1_5 signature with SHA-256 over `input`, whose digest
   * is `sha256`. A rejection becomes the `cause` of the call's error.
   */
  sign(
    input: Uint8Array,
    context: CallbackContext & { readonly sha256: Uint8Array },
  ): Uint8Array | Promise<Uint8Array>;
}

/**
 * Keeps bearer tokens for several processes. `entry` is JSON text that holds a
 * token: treat it as a secret. A store that fails is bypassed; calls go on
 * with a token in memory, and the observer is told.
 */
export interface TokenStore {
  load(key: string, context: CallbackContext): Awaitable<string | null | undefined>;
  /** Keeps the entry unless one was saved with a larger fence; says whether. */
  save(key: string, entry: string, fence: number, context: CallbackContext): Awaitable<boolean>;
  /** Removes the entry's member `token` if its `value` is `value`; says whether. */
  deleteIf(key: string, value: string, context: CallbackContext): Awaitable<boolean>;
  /**
   * Takes the lock of the entry, or gives `null` at once when somebody else has
   * it. The answer is the fence: a number larger than that of every earlier
   * lock. A lock must lapse 15 s after it was taken, lest a process that ends
   * with it keeps everybody waiting. One that is given when the call has ended
   * is unlocked.
   */
  tryLock(key: string, context: CallbackContext): Awaitable<number | null | undefined>;
  /** Gives the lock back, unless it lapsed and somebody else has it. Nobody waits for it. */
  unlock(key: string, fence: number): Awaitable<void>;
}
export type Awaitable<T> = T | Promise<T>;

/**
 * Told of what a client does, in the order in which it happens, and of the end
 * of a call before its promise settles. `call` is one object for all events of
 * a call, and another for each other call: a key for a `WeakMap`.
 */
export type Observer = (event: ObserverEvent, call: object) => void | Promise<void>;
/**
 * Members that end in `_us` are whole microseconds. No event holds a secret,
 * payer data, a query string or text of the service.
 */
export type ObserverEvent =
  /** A call begins: its input was accepted. `path` is without its query. */
  | { event: 'request_started'; operation: OperationName; method: string; path: string }
  /** A request is about to be sent; 1 is the first. */
  | { event: 'attempt'; operation: OperationName; number: number }
  /** The request of that number failed, and will be sent again after the wait. */
  | { event: 'retry'; operation: OperationName; number: number; kind: ErrorKind; wait_us: number }
  /** A token came from the token server. */
  | { event: 'token_fetched'; duration_us: number; lifetime_us: number }
  /** A token that was there is used. */
  | { event: 'token_reused'; remaining_us: number }
  /** No token could be had. Nobody asks for one for as long. */
  | { event: 'token_failed'; kind: ErrorKind; quiet_us: number | null }
  /** A token was refused, and is used no more. */
  | { event: 'token_invalidated' }
  /**
   * A token store failed, and the call goes on. `cause` is what a function of
   * a `TokenStore` failed with: your own object, whatever it holds.
   */
  | {
      event: 'store_bypassed';
      action: 'load' | 'save' | 'delete' | 'lock' | 'unlock';
      reason: string;
      cause?: unknown;
    }
  /** A call ended. It succeeded if `kind` and `outcome` are `null`. */
  | {
      event: 'request_ended';
      operation: OperationName;
      http_status: number | null;
      kind: ErrorKind | null;
      outcome: Outcome | null;
      attempts: number;
      duration_us: number;
      signing_us: number;
    };

export interface Callbacks {
  signer?: Signer | undefined;
  tokenStore?: TokenStore | undefined;
  /** A failure of it is a warning of the process, and none of the call. */
  observer?: Observer | undefined;
}

// The client. ---------------------------------------------------------------

/**
 * Talks to the service for one merchant. It is made once and used for every
 * call: it holds the parsed key, the bearer token and the open connections.
 *
 * Calls run on threads of the addon. Everything that is wrong rejects with a
 * `PaymentsError`, which says whether money may have moved.
 */
export interface Client extends OperationMethods {}
export class Client {
  /**
   * Reads the files of the configuration and parses the key, or logs in to the
   * HSM and looks for it there. The event loop waits for that, here and in
   * `fromFile`, `fromEnv` and `shared`: make clients when the program starts.
   * @throws {PaymentsError} `config`, which names the member.
   */
  constructor(config: Config, callbacks?: Callbacks);
  /** By a JSON file; paths in it are taken from its folder. */
  static fromFile(path: string | URL, callbacks?: Callbacks): Client;
  /** By environment variables: `PAYMENTS_BASE_URL` and so on. */
  static fromEnv(callbacks?: Callbacks): Client;
  /**
   * The client of this configuration that all threads of the process share,
   * made when it is asked for the first time. With callbacks, only connections
   * and token are shared. Closing it closes it for this object only.
   */
  static shared(config: Config, callbacks?: Callbacks): Client;

  /** A bearer token that is valid now: the cached one, or a new one. */
  accessToken(options?: CallOptions): Promise<AccessToken>;
  /** What is known of the bearer token, without asking for one. */
  tokenStatus(options?: CallOptions): Promise<TokenStatus>;

  /** Signs the caller's own bytes and sends them unchanged. */
  send(request: SendRequest, options?: CallOptions): Promise<SendAnswer>;
  /** Everything of an operation but the sending. It may fetch a token. */
  prepare<Name extends keyof Operations>(
    operation: Name,
    request: Operations[Name]['request'] | JsonText,
    options?: CallOptions,
  ): Promise<PreparedRequest>;
  prepare(operation: 'send', request: SendRequest, options?: CallOptions): Promise<PreparedRequest>;
  /** Performs the operation of that name, as its own method does. */
  call<Name extends keyof Operations>(
    operation: Name,
    request: Operations[Name]['request'] | JsonText,
    options?: CallOptions,
  ): Promise<Operations[Name]['answer']>;
  /** Nothing is asked of it. */
  call(
    operation: 'access_token',
    request?: Record<string, never> | null,
    options?: CallOptions,
  ): Promise<AccessToken>;

  /**
   * Refuses further calls, and lets go of key and connections when none is in
   * flight. With the key in an HSM the event loop may wait while its sessions end.
   */
  close(): void;
  [Symbol.dispose](): void;
}

// Errors. -------------------------------------------------------------------

export type ErrorKind =
  | 'config'
  | 'validation'
  | 'signing'
  | 'token'
  | 'connect'
  | 'tls'
  | 'transport'
  | 'timeout'
  | 'protocol'
  | 'too_large'
  | 'decode'
  | 'unauthorized'
  | 'rate_limited'
  | 'status'
  | 'rejected'
  | 'cancelled'
  | 'internal';

/** `unknown`: money may have moved. Find out before you send it again. */
export type Outcome = 'not_executed' | 'unknown';

/** Why a signature does not verify. */
export type VerifyCause =
  | 'missing_signature'
  | 'invalid_token_format'
  | 'payload_not_detached'
  | 'invalid_header'
  | 'signature_mismatch';

export interface Diagnosis {
  readonly cause: VerifyCause | null;
  readonly finding: Open<
    | 'valid'
    | 'see_cause'
    | 'body_reserialized'
    | 'body_pretty_printed'
    | 'trailing_newline'
    | 'line_ends'
    | 'byte_order_mark'
    | 'escaped_non_ascii'
    | 'escaped_slashes'
    | 'padded_base64'
    | 'payload_base64_encoded'
    | 'empty_payload_signed'
    | 'pss_instead_of_pkcs1'
    | 'other_key'
    | 'other_bytes_signed'
    | 'kid_unregistered'
    | 'bearer_refused'
    | 'altered_on_the_way'
    | 'cannot_tell'
    | 'nothing_fits'
  >;
  readonly message: string;
}

export interface PaymentsErrorDetails {
  kind: ErrorKind;
  code: string;
  outcome: Outcome;
  advice?: string;
  path?: string;
  operation?: OperationName;
  reference?: string;
  httpStatus?: number;
  serviceCode?: string;
  serviceMessage?: string;
  paymentHash?: string;
  retryAfter?: number;
  diagnosis?: Diagnosis;
  attempts?: number;
  requestBytes?: Buffer;
  responseBytes?: Buffer;
  answer?: AnyAnswer;
}

/**
 * Why a call failed, and whether money may have moved. Neither its message nor
 * its inspected form holds a secret, payer data or the service's own words.
 */
export class PaymentsError extends Error {
  /** The package makes these; this is for your tests. */
  constructor(message: string, details: PaymentsErrorDetails, options?: ErrorOptions);
  readonly name: 'PaymentsError';
  readonly kind: ErrorKind;
  /** Stable within the kind, for example `token_quiet_period`. */
  readonly code: string;
  readonly outcome: Outcome;
  /** How to find out what an unknown outcome is. */
  readonly advice?: string;
  /** The member at fault, for example `payment.document`. */
  readonly path?: string;
  readonly operation?: OperationName;
  /** Your own reference for what was asked. */
  readonly reference?: string;
  readonly httpStatus?: number;
  /** The service's own code, for example `BP-DR-0`. */
  readonly serviceCode?: string;
  /** The hash of a payment that the answer names. */
  readonly paymentHash?: string;
  /** Seconds to wait before asking again. */
  readonly retryAfter?: number;
  /** What was found of the signature on a 401. */
  readonly diagnosis?: Diagnosis;
  /** How often the request was sent. */
  readonly attempts?: number;
  /** The service's own message. It may repeat payer data. */
  get serviceMessage(): string | undefined;
  /** The body that was signed and sent, at most its first 64 KiB. */
  get requestBytes(): Buffer | undefined;
  /** The body of the answer, at most its first 64 KiB. */
  get responseBytes(): Buffer | undefined;
  /**
   * The answer of a call that was aborted when its answer was complete: the
   * operation was executed, and this says what came of it. The `code` is
   * `interrupted_after_answer`.
   */
  get answer(): AnyAnswer | undefined;
}

// Keys and signatures without a client. -------------------------------------

export type Verification =
  | { readonly valid: true; readonly kid: string }
  | {
      readonly valid: false;
      readonly cause: VerifyCause;
      readonly detail: string;
      readonly remedy: string;
    };

/** The token of `X-JWS-Signature`, if it was there, and the exact body. */
export interface SignedBody {
  token?: string | null | undefined;
  body?: string | Uint8Array | null | undefined;
}

/** Checks a detached signature over a body. */
export function verify(given: SignedBody & { publicKey: string }): Promise<Verification>;

/**
 * Says why a detached signature does not verify, and what would have. It needs
 * no client, and asks no service. Each key may be given with the kid that it is
 * registered under.
 *
 * Rejects with `config` for a key that cannot be read, and with `validation`
 * for what is no text or bytes.
 */
export function doctor(
  given: SignedBody & { publicKeys: readonly (string | { publicKey: string; kid?: string })[] },
): Promise<Diagnosis>;

export interface KeyPair {
  /** PKCS#8 PEM. Keep it secret; `util.inspect` does not show it. */
  readonly privateKeyPem: string;
  /** SPKI PEM, for the provider, who registers it and returns the kid. */
  readonly publicKeyPem: string;
}

/** Makes an RSA key pair of 4096 bits. That takes up to a few seconds. */
export function generateKey(): Promise<KeyPair>;
