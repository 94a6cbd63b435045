// Generated from spec/journal.toml by generate/templates/journal-entry.d.ts.jinja; do not edit. To update: cargo xtask generate

// The columns of a journal's table.

import type { Open } from './index.js';

export type JournalState = 'in_progress' | 'done' | 'failed' | 'unknown';

/**
 * The next step that an open entry needs.
 *
 * - `time`: The call may still run, or its effect may still appear. Recover again later.
 * - `query`: A query that works: recover again.
 * - `person`: A person who looks it up on the provider's platform and resolves the entry.
 */
export type JournalNeeds = 'time' | 'query' | 'person';

/**
 * One call in the journal. It holds no payer data, key, token or body. Times are
 * those of the journal's clock.
 */
export interface JournalEntry {
  /** 32 lower-case hexadecimal digits. Later entries have larger ids. */
  readonly id: string;
  /** Counts the changes of the entry, from 1. */
  readonly version: number;
  /** Which service and merchant the entry belongs to: `journal_scope`. */
  readonly scope: string;
  /** `cancel_refund`, `create_payment`, `create_payout`, `refund_payment` or `send`. */
  readonly operation: Open<'cancel_refund' | 'create_payment' | 'create_payout' | 'refund_payment' | 'send'>;
  /** The merchant's reference; for a refund and its cancellation the payment hash. */
  readonly reference: string;
  /** The `merchant_refund_code` of a refund, or of the refund that is cancelled. */
  readonly refundCode: string | null;
  /** The amount as it is sent: 10.50, not 1050 cents. A refund without one is a full refund. */
  readonly amount: string | null;
  /** Three-letter currency code. */
  readonly currency: string | null;
  /** SHA-256 of the body without `integration_key`, in hexadecimal. */
  readonly bodySha256: string;
  /** The host that made the call; for people only. */
  readonly host: string;
  /** The process that made the call; for people only. */
  readonly process: string;
  /** When the entry was written. */
  readonly createdAt: Date;
  /** The latest moment at which the call ends. */
  readonly deadlineAt: Date;
  /** When a person may say that the call was not executed. */
  readonly settlesAt: Date;
  /** When the state was last changed. */
  readonly endedAt: Date | null;
  /**
   * How far the call has come.
   *
   * - `in_progress`: The call began, and nobody recorded its end. A minute after its deadline it
   * counts as `unknown`.
   * - `done`: The operation was executed.
   * - `failed`: The operation was not executed. Its reference can be used again.
   * - `unknown`: The operation may have been executed.
   */
  readonly state: Open<JournalState>;
  /** The recorder of the state; none while the call is in progress. */
  readonly decidedBy: Open<'call' | 'recovery' | 'person'> | null;
  /** The hash of the payment. */
  readonly hash: string | null;
  /** The service's id of the payout or of the refund. */
  readonly uid: string | null;
  /** The kind of the call's error. */
  readonly kind: string | null;
  /**
   * The code of the call's error. Without a kind, the service's code for a payout that it
   * created and cancelled at once, or `CA`.
   */
  readonly code: string | null;
  /** The note of a person. */
  readonly note: string | null;
  /**
   * The id of the entry that took the reference after a person's `no`. It is there if
   * this call was executed after all: both may have moved money.
   */
  readonly rival: string | null;
  /** The next step that the entry needs; `null` if it is not open. */
  readonly needs: Open<JournalNeeds> | null;
}

/**
 * A row of the table: one call, with the columns as members. `JournalEntry`
 * explains them. Times are in milliseconds since 1970 UTC.
 */
export interface JournalRow {
  readonly id: string;
  readonly version: number;
  readonly scope: string;
  readonly operation: string;
  readonly reference: string;
  readonly refund_code: string | null;
  readonly amount: string | null;
  readonly currency: string | null;
  readonly body_sha256: string;
  readonly host: string;
  readonly process: string;
  readonly created_at: number;
  readonly deadline_at: number;
  readonly settles_at: number;
  readonly ended_at: number | null;
  readonly state: JournalState;
  readonly decided_by: 'call' | 'recovery' | 'person' | null;
  readonly hash: string | null;
  readonly uid: string | null;
  readonly kind: string | null;
  readonly code: string | null;
  readonly note: string | null;
  readonly rival: string | null;
}
