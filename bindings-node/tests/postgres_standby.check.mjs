// A journal in PostgreSQL with a synchronous standby, which is away.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { listed, payout, sent } from './support/journal.mjs';
import { JournalTests } from './support/postgres.mjs';
import { rejection, until } from './support/sandbox.mjs';

const tests = new JournalTests();

async function setStandbys(names) {
  const pool = tests.poolOf();
  await pool.query(`ALTER SYSTEM SET synchronous_standby_names = '${names}'`);
  await pool.query('SELECT pg_reload_conf()');
  const shown = async () => (await pool.query('SHOW synchronous_standby_names')).rows[0];
  await until(async () => (await shown()).synchronous_standby_names === names, 'the setting');
}

/** A person ends the wait of a COMMIT. */
async function cancelCommit() {
  const pool = tests.poolOf();
  const cancel = "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
  await until(async () => (await pool.query(cancel)).rowCount > 0, 'the wait of COMMIT');
}

test('a commit that warns sends nothing', async () => {
  await setStandbys('away');
  const shop = tests.clientOf(tests.poolOf());
  const call = rejection(shop.createPayout(payout('p-1')));
  await cancelCommit();
  await cancelCommit();
  const error = await call;
  assert.deepEqual([error.code, error.outcome], ['unavailable', 'not_executed']);
  assert.match(error.message, /committed, and its standby may lack the change; nothing was sent/);
  assert.match(error.cause.cause.message, /canceling wait for synchronous replication/);
  await setStandbys('');
  assert.deepEqual(
    (await listed(shop)).map(({ state }) => state),
    ['failed'],
  );
  assert.deepEqual(await sent(tests.sandbox), []);
});

test('a commit that waits for a standby ends with its call', async () => {
  await setStandbys('away');
  const shop = tests.clientOf(tests.poolOf());
  const error = await rejection(shop.createPayout(payout('p-1'), { timeoutMs: 1000 }));
  assert.deepEqual([error.code, error.outcome], ['unavailable', 'not_executed']);
  assert.match(error.message, /may still be stored, and block the reference until/);
  await cancelCommit();
  await setStandbys('');
  assert.deepEqual(await sent(tests.sandbox), []);
});
