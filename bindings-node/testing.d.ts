// The sandbox, and stand-ins for responses and errors, for tests of your own.

import type {
  Amount,
  Client,
  Config,
  OperationName,
  PaymentResponse,
  PaymentsError,
  PaymentsErrorDetails,
  PayoutResponse,
  RefundResponse,
  TrackingResponse,
} from './index.js';

/** How a sandbox is started. */
export interface SandboxOptions {
  /** Further options of `payments sandbox`. */
  readonly options?: readonly string[];
  /** The path of the command, if it is not to be looked for. */
  readonly command?: string;
}

/** What a scripted fault has beside its name. */
export interface FaultOptions {
  /** The operation whose requests meet it; by default any of the service, or the one that the fault is for. */
  readonly operation?: OperationName;
  /** How many requests meet it (default: 1). */
  readonly times?: number;
  /** A wait before anything is sent, in milliseconds. */
  readonly delayMs?: number;
  /** Other members of the fault, such as `afterBytes` for `after_bytes`. */
  readonly [member: string]: unknown;
}

/** A payment, payout or request, as the sandbox lists it; its README has the members. */
export type Entry = Readonly<Record<string, any>>;

/**
 * The payments service on loopback, for tests. It ends with this process at the latest.
 *
 * It runs the command `payments`: the one that the variable `PAYMENTS_COMMAND` names, that of the
 * package `libpayments-sandbox`, or the first of `PATH`. A start takes about a second, because an RSA
 * key is made: keep one sandbox for many tests, and call `reset` between them.
 */
export class Sandbox {
  /**
   * Starts a sandbox, and waits until it is ready. Rejects if the command is not installed, or does
   * not start.
   */
  static start(options?: SandboxOptions): Promise<Sandbox>;
  private constructor();
  /** The address of the service. */
  readonly baseUrl: string;
  /** The address of the page that shows requests and payments. */
  readonly pageUrl: string;
  /**
   * Starts over, with a client id that has no token in this process yet: clients of one process share
   * tokens and backoff by client id. Only the registered keys stay.
   */
  reset(): Promise<void>;
  /** The configuration of a client, with `members` over it; `undefined` leaves a member out. */
  configuration(members?: Partial<Config>): Config;
  /** A client that works, with `members` over its configuration. */
  client(members?: Partial<Config>): Client;
  /**
   * Lets the next request meet a fault, such as `response_lost`, `silence`, `declined` or
   * `token_server_blocked`; the page and the README of the sandbox list them.
   */
  failNext(fault: string, options?: FaultOptions): Promise<void>;
  /** Lets the payer pay a payment, named by your reference or its hash. */
  pay(reference: string): Promise<Entry>;
  /** Lets the payer decline a payment, named by your reference or its hash. */
  decline(reference: string): Promise<Entry>;
  /** All payments, oldest first. */
  payments(): Promise<Entry[]>;
  /** All payouts, oldest first. */
  payouts(): Promise<Entry[]>;
  /** All requests, oldest first, or those of one operation. */
  requests(operation?: OperationName): Promise<Entry[]>;
  /** Refuses all token requests, until `unblockTokens` or `reset`. */
  blockTokens(block?: { readonly status?: number; readonly retryAfter?: number }): Promise<void>;
  /** Responds to token requests again. */
  unblockTokens(): Promise<void>;
  /** Revokes all tokens that were issued. */
  revokeTokens(): Promise<void>;
  /**
   * Calls the control API, whose paths begin with `/sandbox/`; `path` leaves that out. Rejects if it
   * refuses the call.
   */
  call(method: string, path: string, body?: unknown): Promise<any>;
  /** Ends the sandbox. Harmless when repeated. */
  stop(): Promise<void>;
}

/** Members of a response, and of what the service sent. */
export interface PaymentParts {
  /** The status of the payment (default: `PE`); `CO` is paid. */
  readonly status?: string;
  readonly hash?: string;
  readonly merchantPaymentCode?: string;
  readonly qrCodeValue?: string | null;
  /** Further members of `payment` as the service names them, such as `amount_ext`. */
  readonly [member: string]: unknown;
}

/** Makes what `createPayment` and `queryPayment` resolve to. */
export function paymentResponse(parts?: PaymentParts): PaymentResponse;

/** Makes what `refundPayment` resolves to; other members are those of `refund`. */
export function refundResponse(parts?: {
  readonly refundId?: string;
  /** The status of the refund (default: `RE`). */
  readonly refundStatus?: string;
  readonly paymentStatus?: string;
  readonly hash?: string;
  readonly [member: string]: unknown;
}): RefundResponse;

/** Makes what `createPayout` resolves to; other members are those of `payout`. */
export function payoutResponse(parts?: {
  readonly uid?: string;
  /** The status of the payout (default: `OP`). */
  readonly status?: string;
  readonly amount?: Amount;
  readonly [member: string]: unknown;
}): PayoutResponse;

/** Makes what `registerTracking` resolves to, with every code registered. */
export function trackingResponse(...trackingCodes: string[]): TrackingResponse;

/**
 * Makes an error as a client rejects with it.
 *
 * @param code its code, as docs/errors.md lists them
 * @param details its other members; `outcome` is `unknown` unless given
 */
export function error(code: string, details: Partial<PaymentsErrorDetails> & { kind: PaymentsErrorDetails['kind'] }): PaymentsError;
