/// <reference types="node" />

import type { AccessToken } from './answers.js';
import type { Config } from './config.js';
import type { ObserverEvent } from './events.js';
import type { OperationMethods, Operations } from './operations.js';

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
  readonly backoff: number | null;
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

export * from './config.js';

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
export * from './events.js';

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

export * from './errors.js';

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
