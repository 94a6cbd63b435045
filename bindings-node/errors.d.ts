/// <reference types="node" />
// Generated from spec by generate/templates/errors.d.ts.jinja; do not edit. To update: cargo xtask generate

// Failures, and whether money may have moved.

import type { AnyResponse, BlockingEntry, Diagnosis, OperationName } from './index.js';

/** The kind of failure. */
export type ErrorKind =
  /** The configuration cannot work. `path` names the member. */
  | 'config'
  /** The request breaks a rule that is known locally. `path` names the member. */
  | 'validation'
  /** The request could not be signed. */
  | 'signing'
  /** No bearer token could be obtained. */
  | 'token'
  /** No connection could be made. */
  | 'connect'
  /** The TLS handshake failed. */
  | 'tls'
  /** The connection broke. */
  | 'transport'
  /** The deadline passed. */
  | 'timeout'
  /** The response is not HTTP, is a redirect, or is about another payment. */
  | 'protocol'
  /** A successful response is larger than allowed. */
  | 'too_large'
  /** A successful response is not what the operation promises. */
  | 'decode'
  /**
   * The service responded with 401. `diagnosis` says what the client knows about its
   * credentials.
   */
  | 'unauthorized'
  /** The service responded with 429. `retryAfter` says how long to wait. */
  | 'rate_limited'
  /** The service responded with another status that is not 2xx. `httpStatus` is that status. */
  | 'status'
  /**
   * The service responded with 2xx, and the body says that the operation failed.
   * `serviceCode` is the service's own code.
   */
  | 'rejected'
  /**
   * The caller cancelled the call. The code `interrupted_after_response` means that the
   * response was complete: `response` has it.
   */
  | 'cancelled'
  /** A bug in this library was caught. Please report it. */
  | 'internal'
  /**
   * The journal refused the call, or does not work. `journalEntry` says which earlier
   * call refused it.
   */
  | 'journal';

/** Whether the operation was executed. Send it again only after `not_executed`. */
export type Outcome = 'not_executed' | 'unknown' | 'executed';

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
  journalEntry?: BlockingEntry;
  attempts?: number;
  help?: string;
  response?: AnyResponse;
  requestBody?: Buffer;
  responseBody?: Buffer;
}

/** An error without the members that may hold payer data, as its `toJSON` returns it. */
export interface PaymentsErrorReport
  extends Omit<
    PaymentsErrorDetails,
    'serviceMessage' | 'response' | 'requestBody' | 'responseBody'
  > {
  name: 'PaymentsError';
  message: string;
  help: string;
}

/**
 * Why a call failed, and whether money may have moved. Neither its message nor
 * its inspected form holds a secret, payer data or the service's own words; the
 * inspected form has the `cause`, which is your own object.
 */
export class PaymentsError extends Error {
  /** The package makes these; this is for your tests. */
  constructor(message: string, details: PaymentsErrorDetails, options?: { cause?: unknown });
  readonly name: 'PaymentsError';
  /** The exception of your signer or journal, or the reason of your `AbortSignal`. */
  readonly cause?: unknown;
  /** The kind of failure, for example `rejected`. */
  readonly kind: ErrorKind;
  /** The code, stable within the kind, for example `token_backoff`. */
  readonly code: string;
  /** Whether the operation was executed. */
  readonly outcome: Outcome;
  /** The next step instead of sending it again, unless it was not executed. */
  readonly advice?: string;
  /** The member at fault, for example `payment.document`. */
  readonly path?: string;
  /** The operation that failed. */
  readonly operation?: OperationName;
  /** Your own reference for this request. */
  readonly reference?: string;
  /** The status of the service's response. */
  readonly httpStatus?: number;
  /** The service's own code, for example `BP-DR-0`. */
  readonly serviceCode?: string;
  /** The service's own message. It may repeat payer data: do not log it. */
  get serviceMessage(): string | undefined;
  /** The hash of a payment that the response names. */
  readonly paymentHash?: string;
  /** Seconds to wait before asking again. */
  readonly retryAfter?: number;
  /** On a 401: the client's findings about its credentials. */
  readonly diagnosis?: Diagnosis;
  /** The earlier call that the journal has under the same reference. */
  readonly journalEntry?: BlockingEntry;
  /** How many attempts were made, including those that could not connect. */
  readonly attempts?: number;
  /** The command that explains the code, for example `npx libpayments explain refused`. */
  readonly help: string;
  /** Whether the outcome is anything but `not_executed`: do not send it again. */
  get mayHaveBeenExecuted(): boolean;
  /**
   * The error as a plain object. It survives `postMessage`, `structuredClone` and JSON, and
   * `PaymentsError.from` makes the error again. It has no `cause`, and none of the members
   * that may hold payer data, such as `serviceMessage` and `requestBody`.
   */
  toJSON(): PaymentsErrorReport;
  /**
   * Makes the error again from its `toJSON()`.
   * @throws {TypeError} if `report` is something else, such as a clone of the error itself.
   */
  static from(report: unknown): PaymentsError;
  /**
   * The response of a call that was cancelled when its response was complete: it has the
   * result of the operation.
   */
  get response(): AnyResponse | undefined;
  /** The body that was signed and sent, at most its first 64 KiB. */
  get requestBody(): Buffer | undefined;
  /** The body of the response, at most its first 64 KiB. */
  get responseBody(): Buffer | undefined;
}
