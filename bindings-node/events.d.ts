// Generated from spec/events.toml by generate/templates/events.d.ts.jinja; do not edit. To update: cargo xtask generate

// The events that an observer receives.

import type { ErrorKind, Outcome } from './errors.js';
import type { OperationName } from './index.js';

/** A call begins: its input was accepted. */
export interface RequestStartedEvent {
  event: 'request_started';
  /** The number of the call, which no other call of the process has. */
  call: number;
  /** Your own reference, as logs show it; null without one, or with `log_references` off. */
  reference: string | null;
  /** The hash of the payment, once it is known. */
  hash: string | null;
  operation: OperationName;
  method: string;
  /** The path without query and configured secrets; that of `send` up to its second segment. */
  path: string;
  /** The host of the service, and its port if the address has one. */
  host: string;
}

/** A request is about to be sent. */
export interface AttemptEvent {
  event: 'attempt';
  /** The number of the call, which no other call of the process has. */
  call: number;
  /** Your own reference, as logs show it; null without one, or with `log_references` off. */
  reference: string | null;
  /** The hash of the payment, once it is known. */
  hash: string | null;
  operation: OperationName;
  /** 1 for the first attempt. */
  number: number;
}

/** An attempt ended, with a response or without one. */
export interface AttemptEndedEvent {
  event: 'attempt_ended';
  /** The number of the call, which no other call of the process has. */
  call: number;
  /** Your own reference, as logs show it; null without one, or with `log_references` off. */
  reference: string | null;
  /** The hash of the payment, once it is known. */
  hash: string | null;
  operation: OperationName;
  /** 1 for the first attempt. */
  number: number;
  /** The status, if there was a response. */
  httpStatus: number | null;
  /** Why there was no response. */
  kind: ErrorKind | null;
  /** How long it took, with the connection. */
  durationUs: number;
}

/** An attempt failed, and another follows: for a query, or when no connection was made. */
export interface RetryEvent {
  event: 'retry';
  /** The number of the call, which no other call of the process has. */
  call: number;
  /** Your own reference, as logs show it; null without one, or with `log_references` off. */
  reference: string | null;
  /** The hash of the payment, once it is known. */
  hash: string | null;
  operation: OperationName;
  /** The attempt that failed, 1 for the first. */
  number: number;
  kind: ErrorKind;
  /** How long the client waits first. */
  waitUs: number;
}

/** The token server was asked for a bearer token. */
export interface TokenRequestedEvent {
  event: 'token_requested';
  /** The number of the call, which no other call of the process has. */
  call: number;
  /** Your own reference, as logs show it; null without one, or with `log_references` off. */
  reference: string | null;
  /** The hash of the payment, once it is known. */
  hash: string | null;
  /** The host of the token server, and its port if the address has one. */
  host: string;
}

/** The token server issued a bearer token. */
export interface TokenFetchedEvent {
  event: 'token_fetched';
  /** The number of the call, which no other call of the process has. */
  call: number;
  /** Your own reference, as logs show it; null without one, or with `log_references` off. */
  reference: string | null;
  /** The hash of the payment, once it is known. */
  hash: string | null;
  durationUs: number;
  /** How long it is valid. */
  lifetimeUs: number;
}

/** A cached bearer token is used. */
export interface TokenReusedEvent {
  event: 'token_reused';
  /** The number of the call, which no other call of the process has. */
  call: number;
  /** Your own reference, as logs show it; null without one, or with `log_references` off. */
  reference: string | null;
  /** The hash of the payment, once it is known. */
  hash: string | null;
  /** How long it remains valid. */
  remainingUs: number;
}

/** No bearer token could be obtained. */
export interface TokenFailedEvent {
  event: 'token_failed';
  /** The number of the call, which no other call of the process has. */
  call: number;
  /** Your own reference, as logs show it; null without one, or with `log_references` off. */
  reference: string | null;
  /** The hash of the payment, once it is known. */
  hash: string | null;
  kind: ErrorKind;
  /** How long the token server is not contacted (backoff). */
  backoffUs: number | null;
  /** How long the call waited for the token server. */
  durationUs: number;
}

/** A bearer token was refused, and is not used again. */
export interface TokenInvalidatedEvent {
  event: 'token_invalidated';
  /** The number of the call, which no other call of the process has. */
  call: number;
  /** Your own reference, as logs show it; null without one, or with `log_references` off. */
  reference: string | null;
  /** The hash of the payment, once it is known. */
  hash: string | null;
}

/** A bearer token was refused, and no other is requested now. */
export interface TokenKeptEvent {
  event: 'token_kept';
  /** The number of the call, which no other call of the process has. */
  call: number;
  /** Your own reference, as logs show it; null without one, or with `log_references` off. */
  reference: string | null;
  /** The hash of the payment, once it is known. */
  hash: string | null;
  /** How long no other is requested. */
  backoffUs: number;
  /** Why. */
  reason: string;
}

/** A token store failed, and the call continues without it. */
export interface StoreBypassedEvent {
  event: 'store_bypassed';
  /** The number of the call, which no other call of the process has. */
  call: number;
  /** Your own reference, as logs show it; null without one, or with `log_references` off. */
  reference: string | null;
  /** The hash of the payment, once it is known. */
  hash: string | null;
  /** The action that failed. */
  action: 'load' | 'save' | 'delete' | 'lock' | 'unlock';
  /** Why, in the store's own words. */
  reason: string;
  /**
   * The exception of a function of a `TokenStore`: your own object, which may hold
   * secrets. It is not enumerable, so that a log of the event does not have it.
   */
  readonly cause?: unknown;
}

/** A call's end could not be recorded in the journal, or contradicts a person's decision. */
export interface JournalFailedEvent {
  event: 'journal_failed';
  /** The number of the call, which no other call of the process has. */
  call: number;
  /** Your own reference, as logs show it; null without one, or with `log_references` off. */
  reference: string | null;
  /** The hash of the payment, once it is known. */
  hash: string | null;
  /** The id of the entry. */
  id: string;
  /** Why, in the journal's own words. */
  reason: string;
  /**
   * The exception of a function of a `Journal`: your own object, which may hold
   * secrets. It is not enumerable, so that a log of the event does not have it.
   */
  readonly cause?: unknown;
}

/** A call ended. */
export interface RequestEndedEvent {
  event: 'request_ended';
  /** The number of the call, which no other call of the process has. */
  call: number;
  /** Your own reference, as logs show it; null without one, or with `log_references` off. */
  reference: string | null;
  /** The hash of the payment, once it is known. */
  hash: string | null;
  operation: OperationName;
  /** The status of the last response, if there was one. */
  httpStatus: number | null;
  /** The kind of failure, if the call failed. */
  kind: ErrorKind | null;
  /** The code of the error, if the call failed. */
  code: string | null;
  /** The outcome, if the call failed. */
  outcome: Outcome | null;
  /** How many attempts were made, including those that could not connect. */
  attempts: number;
  /** How long the call took, with token and signature. */
  durationUs: number;
  /** How long signing took, with the wait for other calls that sign. */
  signingUs: number;
}

/**
 * Members that end in `Us` are whole microseconds. No event holds a secret,
 * payer data, a query string or text of the service.
 */
export type ObserverEvent =
  | RequestStartedEvent
  | AttemptEvent
  | AttemptEndedEvent
  | RetryEvent
  | TokenRequestedEvent
  | TokenFetchedEvent
  | TokenReusedEvent
  | TokenFailedEvent
  | TokenInvalidatedEvent
  | TokenKeptEvent
  | StoreBypassedEvent
  | JournalFailedEvent
  | RequestEndedEvent;
