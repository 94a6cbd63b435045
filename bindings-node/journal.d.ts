// Entries of a journal, and the interface of your own journal.

import type { Awaitable, CallbackContext, CallOptions, Open } from './index.js';
import type { JournalEntry, JournalNeeds, JournalRow } from './journal-entry.js';

export type { JournalEntry, JournalNeeds, JournalRow, JournalState } from './journal-entry.js';

/** The result of a recovery. */
export interface JournalRecovery {
  /** The entries that a query settled. */
  readonly recovered: readonly JournalEntry[];
  /** The entries that are still open. */
  readonly open: readonly {
    /** The entry that is open. */
    readonly entry: JournalEntry;
    /** The next step that it needs; alert on `person`. */
    readonly needs: Open<JournalNeeds>;
    /** Why it is open, for people. */
    readonly reason: string;
  }[];
}

/** How many entries are older than a moment, and their outcomes. */
export interface JournalPruned {
  /** Whether they were only counted. */
  readonly dryRun: boolean;
  /** Entries that were `done` and are deleted. */
  readonly done: number;
  /** Entries that were `failed` and are deleted. */
  readonly failed: number;
  /** Entries that are open, and stay. */
  readonly open: number;
}

/** `signal` ends the work. Each step has the deadline of the client's configuration. */
export type JournalOptions = Pick<CallOptions, 'signal'>;

/** Reads the entries of a client's journal, and settles those that are open. */
export interface ClientJournal {
  /**
   * Reads the entries, the oldest first, 1,000 at a time as you iterate:
   * `for await (const entry of client.journal.list({ onlyOpen: true }))`.
   */
  list(
    filter?: {
      /** Open entries only: in progress, unknown, or with a `rival`. */
      onlyOpen?: boolean | undefined;
      /** Entries with larger ids than this one only. */
      after?: string | undefined;
    } | null,
    options?: JournalOptions,
  ): AsyncGenerator<JournalEntry, void, undefined>;
  /** Reads all entries with this reference, or the one with this id. */
  show(reference: string, options?: JournalOptions): Promise<JournalEntry[]>;
  /**
   * Queries the outcomes of open entries. Run it every minute, and
   * alert when an entry needs a person.
   */
  recover(options?: JournalOptions): Promise<JournalRecovery>;
  /**
   * Records what a person found out about an open entry, given by its id, or by
   * its reference if one entry of it is open. Resolves to the entry as it is
   * stored: it is `failed` with a `rival` if another call took its reference.
   */
  resolve(
    entry: string,
    decision: {
      /** Whether the call was executed. `false` frees its reference. */
      executed: boolean;
      /** How the person found out. */
      note: string;
    },
    options?: JournalOptions,
  ): Promise<JournalEntry>;
  /**
   * Deletes entries that are not open and were created before a moment. Their
   * references can be used again. The last 30 days are refused.
   */
  prune(
    range: {
      /** A `Date`, a date such as `2026-01-31`, or a time in ISO 8601 with its offset. */
      before: Date | string;
      /** Allows deleting entries of the last 30 days. */
      recent?: boolean | undefined;
      /** Counts the entries and deletes none. */
      dryRun?: boolean | undefined;
    },
    options?: JournalOptions,
  ): Promise<JournalPruned>;
}

/** The earlier call that the journal has under the same reference. */
export interface BlockingEntry
  extends Pick<JournalEntry, 'id' | 'state' | 'hash' | 'uid' | 'createdAt'> {
  /** Whether that call had the same body. */
  readonly hasSameBody: boolean;
}

// Your own journal. ------------------------------------------------------

/** The rows to read. At most one of `id`, `reference` or `hash`, `isOpen` and `endedFrom` is set. */
export interface JournalFilter {
  readonly scope: string;
  readonly id: string | null;
  readonly reference: string | null;
  /** With a reference too, the rows that have either. */
  readonly hash: string | null;
  /** Rows that are in progress or unknown, or have a rival. */
  readonly isOpen: boolean;
  /** Rows whose state was last changed then or later, in milliseconds since 1970; others may be read too. */
  readonly endedFrom?: number;
  /** Rows with larger ids only. */
  readonly after: string | null;
  /** The most rows to read. */
  readonly limit: number;
}

/** The rows that a filter asks for. */
export interface JournalFound {
  /** The journal's clock, in milliseconds since 1970 UTC. */
  readonly now: number;
  /** By their ids, the smallest first. */
  readonly entries: readonly JournalRow[];
}

/** The result of an update. */
export interface JournalUpdated {
  /** Whether the row was changed. */
  readonly changed: boolean;
  /** The id of the row that has taken the reference, if an index refused the update. */
  readonly takenBy?: string | null;
}

/** How many rows of a scope were created before a moment. */
export interface JournalCounted {
  /** The journal's clock, in milliseconds since 1970 UTC. */
  readonly now: number;
  /** When the newest row of the scope was created, whatever the moment. */
  readonly newest: number | null;
  /** Rows that are `done` and have no rival. */
  readonly done: number;
  /** Rows that are `failed` and have no rival. */
  readonly failed: number;
  /** Rows that are in progress or unknown, or have a rival. */
  readonly open: number;
}

/**
 * Records calls that move money in your own database. Each method is one
 * committed transaction. It decides nothing; the unique indexes of the table do.
 * For PostgreSQL there is `PostgresJournal`.
 *
 * If a method throws before the request is sent, the call fails as `journal`,
 * `not_executed`, with the exception as `cause`. Afterwards the call's result
 * stays: its end is recorded again until its deadline, and if that fails, the
 * observer gets `journal_failed` with the `cause`. The call waits for a method
 * until its deadline or its cancellation, and 250 ms longer to record its end.
 * `signal` aborts when the call waits no longer. For `insert` it aborts when the
 * call ends, which then waits 250 ms: let a commit that is under way finish.
 */
export interface Journal {
  /**
   * Inserts `entry`, unless an index refuses it: then it returns `false` and
   * changes nothing. `created_at` becomes the database's now; `deadline_at` and
   * `settles_at` move by the same amount. The row must survive a power failure.
   */
  insert(entry: JournalRow, context: CallbackContext): Awaitable<boolean>;
  /**
   * Stores `state` and the members after it, sets `ended_at` to now, and adds one
   * to the version, if the stored row has the version of `entry`. If an index
   * refuses that, `takenBy` is the id of the row that has taken the reference.
   */
  update(entry: JournalRow, context: CallbackContext): Awaitable<JournalUpdated>;
  /** Reads the rows that `filter` asks for, and the clock. */
  find(filter: JournalFilter, context: CallbackContext): Awaitable<JournalFound>;
  /** Counts the rows of `scope` that were created before a moment. */
  count(scope: string, before: number, context: CallbackContext): Awaitable<JournalCounted>;
  /**
   * Deletes at most `limit` rows of `scope` that were created before a moment, are
   * `done` or `failed`, and have no rival. Returns their number.
   */
  prune(scope: string, before: number, limit: number, context: CallbackContext): Awaitable<number>;
}

/**
 * Thrown by a journal that does not work. Its message becomes part of the call's
 * error or of `journal_failed`, so it must not contain secrets. For anything else
 * that a journal throws, they name only the class.
 */
export class JournalUnavailableError extends Error {
  constructor(message?: string, options?: { cause?: unknown; duringCommit?: boolean | undefined });
  readonly name: 'JournalUnavailableError';
  /** The error of the database's driver. */
  readonly cause?: unknown;
  /**
   * Whether a commit was under way, so that what it changed may appear later. `false`
   * says that nothing will, `undefined` that the journal does not know.
   */
  readonly duringCommit: boolean | undefined;
}

/** The part of a `Pool` of `pg` that a `PostgresJournal` uses. */
export interface PostgresPool {
  readonly totalCount: number;
  connect(callback: (error: Error | undefined, client: PostgresClient | undefined) => void): void;
}

/** The part of a client in a `Pool` of `pg` that a `PostgresJournal` uses. */
export interface PostgresClient {
  query(text: string, values?: unknown[]): Promise<unknown>;
  release(error?: Error | boolean): void;
  on(event: 'error' | 'notice', listener: (error: Error) => void): unknown;
  off(event: 'error' | 'notice', listener: (error: Error) => void): unknown;
}
