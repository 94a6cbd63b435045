'use strict';

// A journal in PostgreSQL, over the caller's own pool of `pg`.

const { JournalUnavailableError, captureTrace, errorOfRefusal, wrongType } = require('./errors.js');
const sql = require('./journal-sql.js');

const UNIQUE_VIOLATION = '23505';
/** How long a commit may take when its call has ended. */
const COMMIT_WITHIN_MS = 250;
const IN_TRANSACTION = 'the pool lent a client in a transaction; release clients without one';
const NO_CLIENT =
  'the pool lent no client before the call ended; raise its max, or give the journal its own pool';
const LATE = 'the call ended before COMMIT did, as when a standby is away';
const UNANSWERED =
  'the call ended before the database answered, as when a transaction keeps a lock';
const NOT_REPLICATED = 'the database committed, and its standby may lack the change';
const MEANINGS = {
  25001: IN_TRANSACTION,
  '42P07': 'the database already has a table payments_journal; nothing was changed',
};

/**
 * Begins a transaction, and reads whether the client was in none before: then the times
 * of transaction and statement agree. The end of a call closes a client that waits for a lock.
 */
const BEGIN = `
BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;
${sql.SETTINGS_POSTGRESQL.trim().replace(':lock_timeout', '0')};
SELECT transaction_timestamp() = statement_timestamp() AS is_own`;

/** A statement as PostgreSQL writes it. */
function inDialect(text) {
  return text.replaceAll(/\{\w+\}/g, (name) => sql.POSTGRESQL[name]);
}

/** A statement with numbered parameters, and the names of their values. */
function numbered(text) {
  const names = [...new Set(text.match(/(?<=:)\w+/g))];
  const withNumbers = text.replaceAll(/:(\w+)/g, (_, name) => `$${names.indexOf(name) + 1}`);
  return { text: inDialect(withNumbers), names };
}

const UPGRADE = inDialect(sql.UPGRADE);
const REMEDIES = {
  create: 'make it with PostgresJournal.create()',
  upgrade:
    'call PostgresJournal.upgrade(), or run `npx libpayments journal upgrade`, which keeps every ' +
    `entry, or run in one transaction: ${UPGRADE.trim().replaceAll(/\s+/g, ' ')}`,
  repair: 'repair it, and keep its rows',
};
const CHECK = numbered(sql.CHECK_POSTGRESQL);
const INSERT = numbered(sql.INSERT);
const UPDATE = numbered(sql.UPDATE);
const TAKEN_BY = numbered(sql.TAKEN_BY);
const NOW = numbered(sql.NOW);
const FIND = numbered(sql.FIND);
const FIND_ID = numbered(sql.FIND_ID);
const FIND_REFERENCE = numbered(sql.FIND_REFERENCE);
const FIND_OPEN = numbered(sql.FIND_OPEN);
const FIND_ENDED = numbered(sql.FIND_ENDED);
const COUNT = numbered(sql.COUNT);
const PRUNE = numbered(sql.PRUNE);

/** Runs a statement with the values of these names. */
function run(client, { text, names }, values = {}) {
  return client.query(
    text,
    names.map((name) => values[name]),
  );
}

/** Records calls in a table of PostgreSQL. */
class PostgresJournal {
  #pool;
  /** Whether the table passed its check. */
  #isChecked = false;

  constructor(pool) {
    if (typeof pool?.connect !== 'function' || typeof pool.totalCount !== 'number') {
      const message = 'must be a Pool of pg, from which each action takes a client of its own';
      const refusal = wrongType('pool', message);
      throw errorOfRefusal(refusal, 'config', undefined, captureTrace(new.target));
    }
    this.#pool = pool;
  }

  async create() {
    await this.#transaction(undefined, async (client) => {
      await client.query(inDialect(sql.SCHEMA));
      await check(client);
    });
  }

  async upgrade() {
    await this.#transaction(undefined, async (client) => {
      if ((await problemOf(client))?.remedy === 'upgrade') {
        await client.query(UPGRADE);
      }
      await check(client);
    });
  }

  async insert(entry, { signal } = {}) {
    return (await this.#run(signal, INSERT, entry)).rowCount === 1;
  }

  async update(entry, { signal } = {}) {
    try {
      return { changed: (await this.#run(signal, UPDATE, entry)).rowCount === 1 };
    } catch (error) {
      if (error.cause?.code !== UNIQUE_VIOLATION) {
        throw error;
      }
    }
    const { rows } = await this.#run(signal, TAKEN_BY, entry);
    return { changed: false, takenBy: rows[0]?.id ?? null };
  }

  find(filter, { signal } = {}) {
    return this.#checkedTransaction(signal, async (client) => {
      const { rows } = await run(client, NOW);
      const values = { ...filter, after: filter.after ?? '', ended_from: filter.endedFrom };
      const found = await run(client, findOf(filter), values);
      return { now: Number(rows[0].now), entries: found.rows.map(entryOf) };
    });
  }

  async count(scope, before, { signal } = {}) {
    const { rows } = await this.#run(signal, COUNT, { scope, before });
    const members = Object.entries(rows[0]).map(([name, value]) => [name, numberOf(value)]);
    return Object.fromEntries(members);
  }

  async prune(scope, before, limit, { signal } = {}) {
    return (await this.#run(signal, PRUNE, { scope, before, limit })).rowCount;
  }

  /** Runs one statement. */
  #run(signal, statement, values) {
    return this.#checkedTransaction(signal, (client) => run(client, statement, values));
  }

  /** Runs `act` on a table that was checked. */
  #checkedTransaction(signal, act) {
    return this.#transaction(signal, async (client) => {
      if (!this.#isChecked) {
        await check(client);
        this.#isChecked = true;
      }
      return act(client);
    });
  }

  /**
   * Runs `act` in a new transaction. A client that failed, or whose call
   * has ended, is closed; but a commit that is under way may finish, since closing
   * would not stop it.
   */
  async #transaction(signal, act) {
    const client = await clientOf(this.#pool, signal);
    let isHeld = true;
    let isCommitting = false;
    let timer;
    let warning;
    const warn = (notice) => {
      warning = notice;
    };
    const release = (error) => {
      if (isHeld) {
        isHeld = false;
        clearTimeout(timer);
        signal?.removeEventListener('abort', end);
        client.off('notice', warn);
        client.release(error);
        client.off('error', ignore);
      }
    };
    const close = () => release(new Error('the call ended'));
    const end = () => {
      if (isCommitting) {
        timer = setTimeout(close, COMMIT_WITHIN_MS);
      } else {
        close();
      }
    };
    signal?.addEventListener('abort', end, { once: true });
    try {
      const begun = await client.query(BEGIN);
      if (!begun.at(-1).rows[0].is_own) {
        throw new JournalUnavailableError(IN_TRANSACTION, { duringCommit: false });
      }
      const result = await act(client);
      if (!isHeld) {
        throw callEnded(signal);
      }
      isCommitting = true;
      client.on('notice', warn);
      await client.query('COMMIT');
      release();
      if (warning !== undefined) {
        // A person ended its wait for a standby.
        throw new JournalUnavailableError(NOT_REPLICATED, { cause: warning, duringCommit: true });
      }
      return result;
    } catch (error) {
      // By now, the table may be another one.
      this.#isChecked &&= !/^42/.test(error?.code);
      const ended = isCommitting ? LATE : UNANSWERED;
      const reason = isHeld ? undefined : ended;
      release(error);
      throw unavailable(error, isCommitting, reason);
    }
  }
}

/**
 * Takes a client from the pool, unless `signal` aborts first. It may fail before a
 * promise settles, and would end the process without a listener; the statement that
 * runs reports it too.
 */
function clientOf(pool, signal) {
  return new Promise((resolve, reject) => {
    const end = () => reject(callEnded(signal, NO_CLIENT));
    if (signal?.aborted) {
      end();
      return;
    }
    signal?.addEventListener('abort', end, { once: true });
    pool.connect((error, client) => {
      signal?.removeEventListener('abort', end);
      if (client === undefined) {
        reject(unavailable(error));
      } else if (signal?.aborted) {
        client.release();
      } else {
        client.on('error', ignore);
        resolve(client);
      }
    });
  });
}

function ignore() {}

function callEnded({ reason: cause }, message = 'the call ended') {
  return new JournalUnavailableError(message, { cause, duringCommit: false });
}

/** Refuses a table that would let a reference be paid twice. */
async function check(client) {
  const found = await problemOf(client);
  if (found !== undefined) {
    const message = `${found.problem}; ${REMEDIES[found.remedy]}`;
    throw new JournalUnavailableError(message, { duringCommit: false });
  }
}

/** The mistake in the table, and the remedy. */
async function problemOf(client) {
  const { rows } = await run(client, CHECK);
  return rows[0];
}

/** The texts of PostgreSQL and of the driver may hold values: the code is shown. */
function unavailable(error, duringCommit = false, reason = undefined) {
  if (error instanceof JournalUnavailableError) {
    return error;
  }
  if (typeof error?.detail === 'string') {
    error.detail = undefined;
  }
  const code = /^\w+$/.test(error?.code ?? '') ? error.code : undefined;
  const message =
    reason ?? MEANINGS[code] ?? `could not use the database: ${meaningOf(code, error)}`;
  return new JournalUnavailableError(message, { cause: error, duringCommit });
}

/** The failure in words, and its code. Errors without a code are those of `pg` itself. */
function meaningOf(code, error) {
  if (code === undefined) {
    const isOfPool = /^timeout exceeded/.test(error?.message);
    const meaning = isOfPool
      ? 'the pool gave no client in time; raise its max, or give the journal its own pool'
      : sql.FAILURES['08'];
    return `${meaning} (see the cause)`;
  }
  const prefixes = [code, code.slice(0, 3), code.slice(0, 2)];
  const known = prefixes.find((it) => Object.hasOwn(sql.FAILURES, it));
  return known === undefined ? code : `${sql.FAILURES[known]} (${code})`;
}

/** The statement that reads the rows of `filter`. */
function findOf({ id, reference, hash, isOpen, endedFrom }) {
  if (id !== null) {
    return FIND_ID;
  }
  if (reference !== null || hash !== null) {
    return FIND_REFERENCE;
  }
  if (isOpen) {
    return FIND_OPEN;
  }
  return endedFrom === undefined ? FIND : FIND_ENDED;
}

/** A row as an entry. */
function entryOf(row) {
  const members = Object.entries(row).map(([name, value]) => {
    const isNumber = typeof value === 'bigint' || sql.NUMBERS.includes(name);
    return [name, isNumber ? numberOf(value) : value];
  });
  return Object.fromEntries(members);
}

/** `pg` reads large numbers as text, unless the pool says otherwise. */
function numberOf(value) {
  return value === null ? null : Number(value);
}

module.exports = { PostgresJournal };
