// The tables that a journal in PostgreSQL accepts: one without an index would let a
// reference be paid twice.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { PostgresJournal } from 'libpayments';

import { payout, sent } from './support/journal.mjs';
import { JournalTests } from './support/postgres.mjs';
import { rejection } from './support/sandbox.mjs';

const tests = new JournalTests();

/** The error of a new client for a payout, which must not be sent. */
async function refusal(pool) {
  const error = await rejection(tests.clientOf(pool).createPayout(payout('p-1')));
  assert.deepEqual(
    [error.kind, error.code, error.outcome],
    ['journal', 'unavailable', 'not_executed'],
  );
  assert.deepEqual(await sent(tests.sandbox), []);
  return error.message;
}

const REFERENCE_INDEX = `CREATE UNIQUE INDEX payments_journal_reference
  ON payments_journal (scope, operation, reference)
  WHERE operation NOT IN ('refund_payment', 'cancel_refund') AND state <> 'failed'`;

test('a repaired table is used, and a missing one is named', async () => {
  const pool = tests.poolOf();
  const shop = tests.clientOf(pool);
  await pool.query('DROP INDEX payments_journal_reference');
  await rejection(shop.createPayout(payout('p-1')));
  await pool.query(REFERENCE_INDEX);
  await shop.createPayout(payout('p-1'));
  await pool.query('ALTER TABLE payments_journal RENAME TO moved');
  assert.match(
    (await rejection(shop.createPayout(payout('p-2')))).message,
    /there is no table payments_journal \(42P01\); nothing/,
  );
  const next = await rejection(shop.createPayout(payout('p-2')));
  assert.match(next.message, /there is no table payments_journal; make it with/);
  await pool.query('ALTER TABLE moved RENAME TO payments_journal');
  await shop.createPayout(payout('p-2'));
});

test('a temporary table of the same name is not used', async () => {
  const watch = tests.poolOf();
  for (const options of ['', '-c search_path=public', '-c search_path="$user",public']) {
    await tests.sandbox.reset();
    const pool = tests.poolOf({ max: 1, options });
    const shop = tests.clientOf(pool);
    await pool.query('CREATE TEMPORARY TABLE payments_journal (LIKE public.payments_journal)');
    await shop.createPayout(payout(`p${options}`));
    const { rows } = await watch.query(
      'SELECT state FROM public.payments_journal ORDER BY id DESC LIMIT 1',
    );
    assert.deepEqual(rows, [{ state: 'done' }]);
    const own = await pool.query('SELECT count(*) FROM pg_temp.payments_journal');
    assert.equal(own.rows[0].count, '0');
    assert.equal((await rejection(shop.createPayout(payout(`p${options}`)))).code, 'already_done');
    const { rows: after } = await pool.query('SHOW search_path');
    assert.ok(!after[0].search_path.includes('pg_temp'), 'the client is as it was');
  }
});

test('an empty search path has no table and gets none', async () => {
  const pool = tests.poolOf({ max: 1, options: '-c search_path=' });
  assert.match(await refusal(pool), /there is no table payments_journal/);
  await rejection(new PostgresJournal(pool).create());
  await pool.query('CREATE TEMPORARY TABLE payments_journal (LIKE public.payments_journal)');
  assert.match(await refusal(pool), /is no table that survives a crash/);
});

for (const [name, left] of [
  ['pg_dump', "SELECT set_config('search_path', '', false)"],
  ['quotes', 'SET quote_all_identifiers = on'],
  ['read only', 'SET default_transaction_read_only = on'],
  ['limits', "SET lock_timeout = '1ms'; SET idle_in_transaction_session_timeout = '1ms'"],
]) {
  test(`settings of another program do no harm (${name})`, async () => {
    const pool = tests.poolOf({ max: 1 });
    await pool.query(left);
    const shop = tests.clientOf(pool);
    await shop.createPayout(payout('p-1'));
    assert.deepEqual(
      (await shop.journal.show('p-1')).map(({ state }) => state),
      ['done'],
    );
    await tests.poolOf().query('DROP INDEX payments_journal_reference');
    const refused = await rejection(tests.clientOf(pool).createPayout(payout('p-2')));
    assert.match(refused.message, /lacks the valid unique index payments_journal_reference/);
  });
}
