/// <reference types="node" />

import type { Logger, Observer } from './listeners.js';
import type { AccessToken, PaymentResponse, QrPngOptions } from './responses.js';
import type { Config } from './config.js';
import type { Follow } from './following.js';
import type {
  ClientJournal,
  Journal,
  JournalCounted,
  JournalFilter,
  JournalFound,
  JournalRow,
  JournalUpdated,
  PostgresPool,
} from './journal.js';
import type { OperationMethods, Operations } from './operations.js';
import type { PreparedRequest } from './prepared-request.js';
import type { CreatePayment, CreatePayout, QueryPayment, RefundPayment } from './requests.js';

/** A string with some known values; the service may send others. */
export type Open<Known extends string> = Known | (string & {});

/**
 * A decimal amount, sent with the same digits: 10.50, not 1050 cents. Pass a string,
 * `'100.10'`, an integer or a bigint. A number that is not a safe integer is refused.
 */
export type Amount = string | number | bigint | Decimal;

/** A number that keeps exactly the digits it was created from. */
export interface Decimal {
  toString(): string;
  toJSON(): string;
}

/**
 * Creates a number for members that need one, if a JavaScript number would
 * change its digits: `extra: { rate: decimal('0.50') }`.
 * @throws {PaymentsError} `validation`, if the text is not a JSON number.
 */
export function decimal(text: string): Decimal;

/** JSON text instead of an object. It is passed on as it is. */
export type JsonText = string | Uint8Array;

// Requests. -----------------------------------------------------------------

export * from './requests.js';
export * from './operations.js';

/** The caller's own bytes, signed and sent unchanged. */
export interface SendRequest {
  method: string;
  /** The path under `base_url`, starting with `/`. */
  path: string;
  /** The parameters; they are URL-encoded. Use pairs if a name repeats. */
  query?:
    | Readonly<Record<string, string>>
    | readonly (readonly [name: string, value: string])[]
    | URLSearchParams
    | undefined;
  /** The exact bytes. */
  body?: string | Uint8Array | undefined;
  /** By default `application/json` if there is a body. */
  contentType?: string | undefined;
  /** Your own reference for errors. It is not sent. */
  reference?: string | undefined;
}

export interface CallOptions {
  /**
   * Cancels the call. It then always rejects as `cancelled`. The error says
   * whether money may have moved, and has the `response` if the response was
   * already complete.
   */
  signal?: AbortSignal | undefined;
  /**
   * The deadline of this call in milliseconds, a positive integer. It may be
   * shorter or longer than `timeout_ms` of the configuration.
   */
  timeoutMs?: number | undefined;
  /**
   * Sent to the service as the header of that name (W3C Trace Context). It is not
   * signed. Not stated in the interface.
   */
  traceparent?: string | undefined;
}

export interface EnsureOptions extends CallOptions {
  /**
   * How long to wait for a payment that may exist and is not found, in milliseconds, in place of
   * `ensure_wait_ms` of the configuration.
   */
  ensureWaitMs?: number | undefined;
}

// Responses. ------------------------------------------------------------------

export * from './responses.js';

export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;
export interface JsonObject {
  [member: string]: JsonValue;
}

/**
 * The members of every response. `util.inspect` and `console.log` show only
 * statuses and the length of the body. All other members contain or may contain
 * payer data, and `JSON.stringify` and `console.dir` write them: keep their output
 * out of logs.
 */
export interface ResponseBase {
  readonly httpStatus: number;
  /** Header names are in lower case; repeated values are joined. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body, byte for byte. */
  readonly raw: Buffer;
}

/** The response to an operation. Its interface has the operation's members. */
export interface OperationResponse extends ResponseBase {
  /**
   * The whole body, with the service's names. Amounts are strings, as are numbers
   * that would lose digits.
   */
  readonly response: JsonObject;
}

export interface SendResponse extends ResponseBase {
  /** The body if it is JSON, otherwise `null`. */
  readonly response: JsonValue;
}

/** A payment that was found by its reference, or created: the result of `ensurePayment`. */
export interface EnsuredPayment extends PaymentResponse {
  /**
   * Whether this is the response to the creation that this call sent. False for a payment that a
   * query found, even if this call had sent its creation and got no response.
   */
  readonly isCreated: boolean;
  /**
   * The parts of the request that could not be compared with a payment that was found:
   * `currency_code` and `amount_total`, which the response may lack, and `body`, the rest of the
   * request, which only a journal records.
   */
  readonly unchecked: readonly ('currency_code' | 'amount_total' | 'body')[];
  /**
   * The hash of a cancelled payment with this reference, if the payer tried again and this payment
   * is the one that is paid.
   */
  readonly otherHash: string | null;
}

/** The state of the cached bearer token. Times are in seconds. */
export interface TokenStatus {
  readonly isUsable: boolean;
  readonly age: number | null;
  readonly remaining: number | null;
  /** How long the token server is not contacted (backoff). */
  readonly backoff: number | null;
  readonly scope?: string;
  readonly userName?: string;
  readonly jti?: string;
}

export * from './prepared-request.js';

// Configuration. ------------------------------------------------------------

export * from './config.js';
export * from './following.js';

/** `signal` aborts when the call of the callback ends. */
export interface CallbackContext {
  readonly signal: AbortSignal;
}

/** Signs instead of a local key: with an HSM or a key management service. */
export interface Signer {
  /** Key id assigned at registration. */
  readonly kid: string;
  /**
   * Returns the raw RSASSA-PKCS1-v1_5 signature with SHA-256 over `input`, whose
   * digest is `sha256`: 512 bytes, with `allow_small_keys` also fewer. A rejection
   * becomes the `cause` of the call's error.
   */
  sign(
    input: Uint8Array,
    context: CallbackContext & { readonly sha256: Uint8Array },
  ): Uint8Array | Promise<Uint8Array>;
}

/**
 * Keeps bearer tokens for several processes. `entry` is JSON text that contains
 * a token: treat it as a secret. A store that fails is bypassed: the call
 * continues with a token in memory, and the observer gets an event.
 */
export interface TokenStore {
  load(key: string, context: CallbackContext): Awaitable<string | null | undefined>;
  /** Saves the entry unless one with a larger fence is saved. Returns whether it was saved. */
  save(key: string, entry: string, fence: number, context: CallbackContext): Awaitable<boolean>;
  /** Removes the entry's member `token` if its `value` equals `value`. Returns whether it did. */
  deleteIf(key: string, value: string, context: CallbackContext): Awaitable<boolean>;
  /**
   * Takes the lock of the entry, or returns `null` at once if someone else holds
   * it. The result is the fence: a number larger than that of every earlier
   * lock. A lock must expire 15 s after it was taken, so that a process that
   * ends while holding it does not block the others. A lock that is granted
   * after the call has ended is unlocked again.
   */
  tryLock(key: string, context: CallbackContext): Awaitable<number | null | undefined>;
  /** Releases the lock, unless it expired and someone else holds it. The call does not wait. */
  unlock(key: string, fence: number): Awaitable<void>;
}
export type Awaitable<T> = T | Promise<T>;

export * from './events.js';
export * from './listeners.js';

export interface Callbacks {
  signer?: Signer | undefined;
  tokenStore?: TokenStore | undefined;
  /** Takes precedence over `journal` of the configuration. */
  journal?: Journal | undefined;
  /** If it fails, the process emits a warning with the `cause`, and the call continues. */
  observer?: Observer | undefined;
  /** If it fails, the same happens. */
  logger?: Logger | undefined;
}

// The client. ---------------------------------------------------------------

/**
 * Talks to the service for one merchant. Create one client and use it for every
 * call: it holds the parsed key, the bearer token and the open connections.
 *
 * Calls run on the addon's own threads. Every failure rejects with a
 * `PaymentsError`, which says whether money may have moved.
 */
export interface Client extends OperationMethods {}
export class Client {
  /**
   * Reads the files of the configuration and parses the key, or looks it up in the HSM. This blocks
   * the event loop, here and in the three below: create clients when the program starts.
   * @throws {PaymentsError} `config`, which names the member.
   */
  constructor(config: Config, callbacks?: Callbacks);
  /** Creates a client from a JSON file. Paths in it are relative to its folder. */
  static fromFile(path: string | URL, callbacks?: Callbacks): Client;
  /** Creates a client from environment variables: `PAYMENTS_BASE_URL` and so on. */
  static fromEnv(callbacks?: Callbacks): Client;
  /**
   * Returns the client that all threads of the process share for this configuration. With a signer,
   * a token store or a journal, only connections and token are shared. `close()` closes one object.
   */
  static shared(config: Config, callbacks?: Callbacks): Client;

  /**
   * Returns a bearer token that is valid now: the cached one, or a new one. Its `accessToken` is an
   * accessor: logs, JSON and copies do not have it.
   */
  accessToken(options?: CallOptions): Promise<AccessToken>;
  /** Returns the state of the bearer token, without fetching one. */
  tokenStatus(options?: CallOptions): Promise<TokenStatus>;
  /**
   * Drops the token, also from the token store: the next call requests another. Pauses continue.
   */
  forgetToken(options?: CallOptions): Promise<void>;
  /**
   * Obtains the token and opens a connection, which stays open for up to 4 seconds of idleness, so
   * that the next call takes one round trip. Sends nothing to the service.
   */
  warmUp(options?: CallOptions): Promise<void>;
  /**
   * Returns the payment with this reference, and creates it if the service has none. A new attempt
   * needs a new reference: a payment that is found is returned in any state, even cancelled.
   *
   * One call sends at most one creation. Two calls at a time create one payment if they share a
   * journal; without one, that depends on the service. Rejects with the code `reference_used` if the
   * payment with this reference is another one.
   */
  ensurePayment(
    request: CreatePayment | JsonText,
    options?: EnsureOptions,
  ): Promise<EnsuredPayment>;
  /**
   * Queries a payment until it is over, or until `timeoutMs` (by default the client's) has passed:
   * the last response may be of an open payment. Queries follow later and later.
   */
  waitForPayment(request: QueryPayment | JsonText, options?: CallOptions): Promise<PaymentResponse>;
  /** Follows payments, refunds and payouts by queries, and gives the end of each once. */
  follow: Follow;

  /** The client's journal: its entries, and the open ones among them. */
  readonly journal: ClientJournal;

  /** Signs the caller's own bytes and sends them unchanged. */
  send(request: SendRequest, options?: CallOptions): Promise<SendResponse>;
  /** Prepares an operation without sending it: see {@link PreparedRequest}. This may fetch a token. */
  prepare<Name extends keyof Operations>(
    operation: Name,
    request: Operations[Name]['request'] | JsonText,
    options?: CallOptions,
  ): Promise<PreparedRequest>;
  prepare(operation: 'send', request: SendRequest, options?: CallOptions): Promise<PreparedRequest>;
  /** Runs the operation with this name, as its own method does. */
  call<Name extends keyof Operations>(
    operation: Name,
    request: Operations[Name]['request'] | JsonText,
    options?: CallOptions,
  ): Promise<Operations[Name]['response']>;
  /** `access_token` has no request members. */
  call(
    operation: 'access_token',
    request?: Record<string, never> | null,
    options?: CallOptions,
  ): Promise<AccessToken>;

  /**
   * Refuses further calls, and releases the key and the connections once no call
   * is in flight. With a key in an HSM, ending its sessions may block the event
   * loop.
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

/** The client's findings about a request that got a 401. */
export interface Diagnosis {
  readonly cause: VerifyCause | null;
  readonly finding: Open<
    'see_cause' | 'kid_unregistered' | 'bearer_missing' | 'bearer_refused' | 'cannot_tell'
  >;
  readonly message: string;
}

// The journal. --------------------------------------------------------------

export * from './journal.js';

/**
 * Makes the file of a journal, with its folder if that does not exist. A client
 * never makes one on its own: name it as `file:PATH` in `journal`.
 */
export function createJournal(path: string): Promise<void>;

/**
 * A journal in a table of PostgreSQL, for all hosts that use the database:
 * `new Client(config, { journal: new PostgresJournal(pool) })`.
 *
 * Each action takes a client from the pool and runs one transaction, which waits
 * for the disk (`synchronous_commit` at least `on`). Times are those of the
 * database. A client that fails, or that is still busy when the call has ended,
 * is closed. The first action checks the table, and refuses one that lacks a
 * unique index. If the server sends bytes that are not a message of
 * PostgreSQL, `pg` throws where no caller can catch it: the process may end, and
 * the entry stays open.
 */
export class PostgresJournal implements Journal {
  /** @throws {PaymentsError} `config`, if it is not a pool. */
  constructor(pool: PostgresPool);
  /**
   * Makes the table and its indexes, once for a database. Like all methods, it rejects
   * with a `JournalUnavailableError` whose `cause` is the error of `pg`.
   */
  create(): Promise<void>;
  /** Gives a table of an earlier version the format of this one, and keeps every entry. */
  upgrade(): Promise<void>;
  insert(entry: JournalRow, context?: CallbackContext): Promise<boolean>;
  update(entry: JournalRow, context?: CallbackContext): Promise<JournalUpdated>;
  find(filter: JournalFilter, context?: CallbackContext): Promise<JournalFound>;
  count(scope: string, before: number, context?: CallbackContext): Promise<JournalCounted>;
  prune(scope: string, before: number, limit: number, context?: CallbackContext): Promise<number>;
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

/** The token of `X-JWS-Signature`, if there was one, and the exact body. */
export interface SignedBody {
  token?: string | null | undefined;
  body?: string | Uint8Array | null | undefined;
}

/** A value of a request that is probably wrong; never the value itself. */
export interface LintWarning {
  /** The member, for example `payee.document`. */
  readonly path: string;
  /** The mistake, for example `cpf_check_digits`. */
  readonly code: string;
  /** Whether it is surely a mistake. */
  readonly certainty: 'certain' | 'perhaps';
  /** The mistake, and the remedy. */
  readonly message: string;
}

/**
 * Finds values in the request for a payment, a payout or a refund that are well-formed and probably
 * wrong: Brazilian tax documents whose check digits fail, Pix keys of no known form, methods and
 * currencies of another country, and a refund without an amount. Sends nothing, and refuses nothing.
 */
export function lint(
  request: CreatePayment | CreatePayout | RefundPayment | JsonText,
): Promise<readonly LintWarning[]>;

/** Draws a text as a QR code, an SVG document; `null` if it does not fit into one (2,331 bytes). */
export function qrSvg(text: string): string | null;

/** Draws a text as a QR code, a PNG file; `null` if it does not fit into one (2,331 bytes). */
export function qrPng(text: string, options?: QrPngOptions): Buffer | null;

/** Checks a detached signature over a body. */
export function verify(given: SignedBody & { publicKey: string }): Promise<Verification>;

export interface KeyPair {
  /** PKCS#8 PEM. Keep it secret. An accessor: logs, JSON and copies of the pair do not have it. */
  readonly privateKeyPem: string;
  /** SPKI PEM, for the provider, who registers it and returns the kid. */
  readonly publicKeyPem: string;
}

/** Generates an RSA key pair of 4096 bits. This takes up to a few seconds. */
export function generateKey(): Promise<KeyPair>;
