'use strict';

// A journal in PostgreSQL, over the caller's own pool of `pg`.

const { Refusal, captureTrace, errorOfRefusal } = require('./errors.js');
const sql = require('./journal-sql.js');

const NUMBERS = ['version', 'created_at', 'deadline_at', 'ended_at'];
const UNDEFINED_TABLE = '42P01';

/**
 * Begins a transaction whose commit waits for the disk, and tells whether the
 * client was in none before: then the times of transaction and statement agree.
 * A statement_timeout would end the wait of COMMIT for a standby, as if that had
 * the entry.
 */
const BEGIN = `
BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;
SELECT set_config('statement_timeout', '0', true), set_config('synchronous_commit',
    CASE current_setting('synchronous_commit')
    WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, true);
SELECT transaction_timestamp() = statement_timestamp() AS is_own`;

/** A statement with numbered parameters, and the names of their values. */
function numbered(text) {
  const names = [...new Set(text.match(/(?<=:)\w+/g))];
  return {
    text: text
      .replaceAll(/:(\w+)/g, (_, name) => `$${names.indexOf(name) + 1}`)
      .replaceAll('{now}', sql.NOW_POSTGRESQL),
    names,
  };
}

const [INSERT, SUPERSEDE, UPDATE, REINSTATE, NOW, FIND, PRUNE] = [
  sql.INSERT,
  sql.SUPERSEDE,
  sql.UPDATE,
  sql.REINSTATE,
  sql.NOW,
  sql.FIND,
  sql.PRUNE,
].map(numbered);

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

  constructor(pool) {
    if (typeof pool?.connect !== 'function' || typeof pool.totalCount !== 'number') {
      const message = 'must be a Pool of pg, from which each action takes a client of its own';
      const refusal = new Refusal('wrong_type', 'pool', message);
      throw errorOfRefusal(refusal, 'config', undefined, captureTrace(new.target));
    }
    this.#pool = pool;
  }

  async create() {
    await this.#transaction(undefined, (client) => client.query(sql.SCHEMA));
  }

  insert(entry, superseded, { signal } = {}) {
    return this.#transaction(signal, async (client) => {
      for (const { id, version } of superseded) {
        const by = { id, version, superseded_by: entry.id };
        if ((await run(client, SUPERSEDE, by)).rowCount !== 1) {
          return false;
        }
      }
      return (await run(client, INSERT, entry)).rowCount === 1;
    });
  }

  update(entry, { signal } = {}) {
    return this.#transaction(signal, async (client) => {
      if ((await run(client, UPDATE, entry)).rowCount !== 1) {
        return false;
      }
      let isChanged = entry.state === 'failed';
      while (isChanged) {
        // Another transaction may have changed one of them meanwhile.
        isChanged = (await run(client, REINSTATE, entry)).rowCount > 0;
      }
      return true;
    });
  }

  find(filter, { signal } = {}) {
    return this.#transaction(signal, async (client) => {
      const { rows } = await run(client, NOW);
      const values = { ...filter, is_open: Number(filter.is_open) };
      const found = await run(client, FIND, values);
      return { now: Number(rows[0].now), entries: found.rows.map(entryOf) };
    });
  }

  prune(scope, age_ms, { signal } = {}) {
    return this.#transaction(signal, async (client) => {
      return (await run(client, PRUNE, { scope, age_ms })).rowCount;
    });
  }

  /**
   * Runs `act` in a transaction of its own, which is rolled back if it returns
   * `false`. A client that failed, or whose call has ended, is closed.
   */
  async #transaction(signal, act) {
    const client = await this.#pool.connect();
    if (signal?.aborted) {
      client.release();
      throw signal.reason;
    }
    let isHeld = true;
    const release = (error) => {
      if (isHeld) {
        isHeld = false;
        signal?.removeEventListener('abort', end);
        client.release(error);
        client.off('error', ignore);
      }
    };
    const end = () => release(new Error('the call ended'));
    signal?.addEventListener('abort', end, { once: true });
    // The statement that runs reports it too.
    client.on('error', ignore);
    try {
      const begun = await client.query(BEGIN);
      if (!begun.at(-1).rows[0].is_own) {
        throw new Error('the pool lent a client in a transaction; release clients without one');
      }
      const result = await act(client);
      await client.query(result === false ? 'ROLLBACK' : 'COMMIT');
      release();
      return result;
    } catch (error) {
      release(error);
      throw error?.code === UNDEFINED_TABLE
        ? new Error(
            'the database has no table payments_journal; make it once with PostgresJournal.create()',
            {
              cause: error,
            },
          )
        : error;
    }
  }
}

function ignore() {}

/** A row as an entry: `pg` reads large numbers as text. */
function entryOf(row) {
  const entry = { ...row };
  for (const name of NUMBERS) {
    entry[name] = row[name] === null ? null : Number(row[name]);
  }
  return entry;
}

module.exports = { PostgresJournal };
