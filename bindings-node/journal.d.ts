// The journal: what is read from it, and what a journal of your own does.

import type { Awaitable, CallbackContext } from './index.js';

export type JournalState = 'in_progress' | 'done' | 'failed' | 'unknown';

/** One call in a journal. Times are in milliseconds since 1970 UTC. */
export interface JournalEntry {
  readonly id: string;
  readonly version: number;
  readonly scope: string;
  readonly operation: string;
  /** Your own reference; for a refund the payment hash. */
  readonly reference: string;
  readonly refund_code: string | null;
  readonly amount: string | null;
  readonly currency: string | null;
  readonly body_sha256: string;
  readonly host: string;
  readonly process: string;
  readonly created_at: number;
  readonly deadline_at: number;
  readonly ended_at: number | null;
  readonly state: JournalState;
  readonly decided_by: 'call' | 'recovery' | 'person' | null;
  readonly hash: string | null;
  readonly uid: string | null;
  readonly kind: string | null;
  readonly code: string | null;
  readonly note: string | null;
  readonly conflict: JournalState | null;
  readonly superseded_by: string | null;
}

export interface JournalEntries {
  readonly entries: readonly JournalEntry[];
}

export interface JournalRecovery {
  readonly recovered: readonly JournalEntry[];
  readonly open: readonly {
    readonly entry: JournalEntry;
    readonly needs: 'time' | 'query' | 'person';
    readonly reason: string;
  }[];
  readonly deleted: number;
}

/** The earlier call that the journal has under the same reference. */
export interface BlockingEntry {
  readonly id: string;
  readonly state: JournalState;
  readonly hash: string | null;
  readonly uid: string | null;
  readonly has_same_body: boolean;
  readonly created_at: number;
}

/** Which entries to read. All conditions must hold; those that are `null` always do. */
export interface JournalFilter {
  readonly scope: string;
  readonly id: string | null;
  readonly reference: string | null;
  /** Open entries only: in progress or unknown, and not superseded. */
  readonly is_open: boolean;
  /** Entries with larger ids only. */
  readonly after: string | null;
  /** The most entries to read. */
  readonly limit: number;
}

/** `now` is the journal's clock, in milliseconds since 1970 UTC. */
export interface JournalFound {
  readonly now: number;
  /** By their ids, the smallest first. */
  readonly entries: readonly JournalEntry[];
}

/**
 * Records calls that move money in a database of your own. Each method is one
 * committed transaction. It decides nothing; the unique indexes of the table do.
 * For PostgreSQL there is `PostgresJournal`.
 *
 * What a method throws before the request is sent fails the call as `journal`,
 * `not_executed`, with the exception as `cause`. Afterwards the call's result
 * stays, and the observer gets `journal_failed` with the `cause`. The call waits
 * for a method until its deadline or its cancellation, and 250 ms longer to record
 * its end. `signal` aborts when the call waits no longer.
 */
export interface Journal {
  /**
   * Inserts `entry`, unless an index refuses it, and marks the entries of
   * `superseded` with its id, in one transaction. `created_at` becomes the
   * database's now, and `deadline_at` moves by the same amount. Returns `false`,
   * and changes nothing, if an index refuses the entry or if one of `superseded`
   * has another version by now. The entry must survive a power failure.
   */
  insert(
    entry: JournalEntry,
    superseded: readonly JournalEntry[],
    context: CallbackContext,
  ): Awaitable<boolean>;
  /**
   * Stores `state`, `decided_by`, `hash`, `uid`, `kind`, `code`, `note` and
   * `conflict`. Sets `ended_at` to now, and adds one to the version. Returns
   * `false` if the stored entry has another version than `entry`. If the state is
   * `failed`, what the entry had superseded is in force again, in the same
   * transaction: it gets the entry's own `superseded_by`, mostly `null`, and one is
   * added to its version.
   */
  update(entry: JournalEntry, context: CallbackContext): Awaitable<boolean>;
  find(filter: JournalFilter, context: CallbackContext): Awaitable<JournalFound>;
  /**
   * Deletes the entries of `scope` that are not open and older, both now and when the
   * newest entry that is `done` was created, since a clock may be wrong. Returns their
   * number.
   */
  prune(scope: string, age_ms: number, context: CallbackContext): Awaitable<number>;
}

/** What a `PostgresJournal` needs of a `Pool` of `pg`. */
export interface PostgresPool {
  readonly totalCount: number;
  connect(): Promise<PostgresClient>;
}

/** What a `PostgresJournal` needs of a client in a `Pool` of `pg`. */
export interface PostgresClient {
  query(text: string, values?: unknown[]): Promise<unknown>;
  release(error?: Error | boolean): void;
  on(event: 'error', listener: (error: Error) => void): unknown;
  off(event: 'error', listener: (error: Error) => void): unknown;
}
