// The shared cases of journals in a database.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { JournalUnavailableError, PostgresJournal } from 'libpayments';

import { assertHas, listed, payout, sent } from './support/journal.mjs';
import { CASES } from './support/level.mjs';
import { JournalTests } from './support/postgres.mjs';
import { readShared, rejection } from './support/sandbox.mjs';
import { withOwnNames } from './support/tree.mjs';

const shared = JSON.parse(readShared('journal_databases.json'));
const tests = new JournalTests();

test('the cases are those of the level', () => {
  assert.equal(shared.actions.length + shared.tables.length, CASES['journal_databases.json']);
});

async function found(journal, filter) {
  const { entries } = await journal.find(withOwnNames({ ...shared.filter, ...filter }));
  for (const { created_at, deadline_at, settles_at, ended_at, version } of entries) {
    assert.ok(Math.abs(created_at - Date.now()) < 60_000);
    // The clock may advance between the two.
    assert.equal(Math.floor((deadline_at - created_at) / 1_000), 30);
    assert.equal(Math.floor((settles_at - created_at) / 1_000), 930);
    assert.equal(ended_at === null, version === 1);
  }
  return entries;
}

/** Runs a step; `entries` are those that were inserted, by their ids. */
async function act(journal, entries, { sql, upgrade, insert, update, find, count, prune }) {
  if (sql !== undefined) {
    const statements = sql === 'format_1' ? shared.format_1 : sql;
    await tests.poolOf().query(statements.join(';'));
    return;
  }
  if (upgrade) {
    return await journal.upgrade();
  }
  if (insert !== undefined) {
    entries[insert.id] = { ...shared.entry, ...insert };
    return await journal.insert(entries[insert.id]);
  }
  if (update !== undefined) {
    return await journal.update({ ...entries[update.id], ...update });
  }
  if (find !== undefined) {
    return await found(journal, find);
  }
  if (prune !== undefined) {
    return await journal.prune(...prune);
  }
  const counted = await journal.count(...count);
  const newest = Math.max(...(await found(journal, {})).map(({ created_at }) => created_at));
  assert.ok(Math.abs(counted.now - newest) < 60_000);
  return { ...counted, newest: counted.newest === newest ? 'newest' : counted.newest };
}

/** The pools of a journal: over connections to PostgreSQL, and behind PgBouncer. */
const POOLS = [
  ['', () => tests.poolOf()],
  [' (PgBouncer)', () => tests.pooledPoolOf()],
];

for (const [place, poolOf] of POOLS) {
  for (const { name, steps } of shared.actions) {
    test(`${name}${place}`, async () => {
      const journal = new PostgresJournal(poolOf());
      const entries = {};
      for (const step of steps) {
        if (step.fails) {
          const error = await rejection(act(journal, entries, step));
          assert.equal(error.message, 'could not use the database: 23514');
        } else if (step.refused !== undefined) {
          const { message } = await rejection(act(journal, entries, step));
          assert.ok(
            step.refused.every((text) => message.includes(text)),
            message,
          );
        } else {
          const gives = step.update === undefined ? step.gives : withOwnNames(step.gives);
          assertHas(await act(journal, entries, step), gives);
        }
      }
    });
  }

  for (const { name, database = 'postgresql', steps } of shared.tables) {
    if (database !== 'postgresql') {
      continue;
    }
    test(`table: ${name}${place}`, async () => {
      const pool = tests.poolOf();
      for (const { sql, refused, remedy = 'repair it' } of steps) {
        await pool.query(sql.join(';'));
        const shop = tests.clientOf(poolOf());
        if (refused === undefined) {
          await shop.createPayout(payout('p-1'));
          assert.equal((await listed(shop))[0].state, 'done');
          continue;
        }
        const error = await rejection(shop.createPayout(payout('p-1')));
        assert.deepEqual([error.code, error.outcome], ['unavailable', 'not_executed']);
        assert.ok(error.cause instanceof JournalUnavailableError);
        const says = remedy === 'create' ? 'make it with PostgresJournal.create()' : remedy;
        assert.ok(error.message.includes(`${refused}; ${says}`), error.message);
        assert.deepEqual(await sent(tests.sandbox), []);
      }
    });
  }
}
