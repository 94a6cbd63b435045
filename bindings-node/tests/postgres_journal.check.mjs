// A journal in PostgreSQL, over a pool of `pg`.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { inspect } from 'node:util';

import { PostgresJournal } from 'libpayments';
import pg from 'pg';

import { listed, payout, sent } from './support/journal.mjs';
import { ALL, JournalTests, entryOf } from './support/postgres.mjs';
import { run } from './support/programs.mjs';
import { readShared, rejection } from './support/sandbox.mjs';

const tests = new JournalTests();

/** How an entry ends. */
const ended = (entry, state, over = {}) => ({ ...entry, state, decided_by: 'call', ...over });

test('one of many calls with one reference is executed', async () => {
  const config = { ...tests.sandbox.config(), journal_scope: 'shop' };
  const program = `
    import { Client, PostgresJournal } from 'libpayments';
    import pg from 'pg';
    const pool = new pg.Pool({ connectionString: ${JSON.stringify(tests.server.url)} });
    const journal = new PostgresJournal(pool);
    const client = new Client(${JSON.stringify(config)}, { journal });
    const calls = Array.from({ length: 8 }, () => client.createPayout(${JSON.stringify(payout('p-1'))}));
    const codes = (await Promise.allSettled(calls)).map(({ reason }) => reason?.code ?? 'executed');
    await pool.end();
    console.log(JSON.stringify(codes));
  `;
  const ended = await Promise.all([run(program), run(program)]);
  assert.deepEqual(
    ended.map(({ stderr }) => stderr),
    ['', ''],
  );
  const codes = ended.flatMap(({ stdout }) => JSON.parse(stdout));
  assert.equal(codes.length, 16);
  assert.equal(codes.filter((code) => code === 'executed').length, 1);
  const refused = codes.filter((code) => code !== 'executed');
  assert.ok(
    refused.every((code) => ['in_progress', 'already_done'].includes(code)),
    codes,
  );
  assert.deepEqual(await sent(tests.sandbox), ['create_payout']);
});

test('entries are read with any parser of large numbers', async () => {
  const getTypeParser = (oid, format) =>
    oid === pg.types.builtins.INT8 ? BigInt : pg.types.getTypeParser(oid, format);
  const pool = tests.poolOf({ types: { getTypeParser } });
  await pool.query('ALTER TABLE payments_journal ADD COLUMN shop_id BIGINT');
  const shop = tests.clientOf(pool);
  await shop.createPayout(payout('p-1'));
  await pool.query('UPDATE payments_journal SET shop_id = 7');
  assert.equal((await listed(shop))[0].version, 2);
  const before = new Date(Date.now() + 60_000);
  assert.equal((await shop.journal.prune({ before, dryRun: true })).done, 1);
});

test('a commit waits for the disk with any setting of the pool', async () => {
  const watch = tests.poolOf();
  await watch.query(`
    CREATE FUNCTION note_setting() RETURNS trigger LANGUAGE plpgsql AS
    $$BEGIN
      NEW.host := current_setting('synchronous_commit');
      NEW.process := current_setting('statement_timeout');
      RETURN NEW;
    END$$;
    CREATE TRIGGER note_setting BEFORE INSERT ON payments_journal
    FOR EACH ROW EXECUTE FUNCTION note_setting()`);
  const weak = { off: 'on', local: 'on', remote_write: 'on' };
  const expected = { ...weak, on: 'on', remote_apply: 'remote_apply' };
  for (const [index, given] of Object.keys(expected).entries()) {
    const options = `-c synchronous_commit=${given} -c statement_timeout=60000`;
    const pool = tests.poolOf({ max: 1, options });
    const journal = new PostgresJournal(pool);
    await journal.insert(entryOf(index, given));
    const { entries } = await journal.find({ ...ALL, reference: given });
    assert.deepEqual([entries[0].host, entries[0].process], [expected[given], '0'], given);
    const { rows } = await pool.query('SHOW synchronous_commit');
    assert.equal(rows[0].synchronous_commit, given, 'the client is as it was');
  }
  await watch.query('DROP FUNCTION note_setting CASCADE');
});

test('the isolation and access mode of the pool do not matter', async () => {
  const options =
    '-c default_transaction_isolation=serializable -c default_transaction_read_only=on';
  const pool = tests.poolOf({ options });
  const shop = tests.clientOf(pool);
  const calls = Array.from({ length: 8 }, () => shop.createPayout(payout('p-1')));
  const ended = await Promise.allSettled(calls);
  const codes = ended.map(({ reason }) => reason?.code ?? 'executed').sort();
  assert.equal(codes.filter((code) => code === 'executed').length, 1, codes);
  assert.ok(
    codes.every((code) => code !== 'unavailable'),
    codes,
  );
});

test('a client in a transaction is refused and closed', async () => {
  const pool = tests.poolOf({ max: 1 });
  for (const begin of ['BEGIN', 'BEGIN ISOLATION LEVEL SERIALIZABLE; SELECT 1']) {
    const lent = await pool.connect();
    const { processID } = lent;
    await lent.query(begin);
    lent.release();
    const error = await rejection(tests.clientOf(pool).createPayout(payout('p-1')));
    assert.deepEqual([error.kind, error.outcome], ['journal', 'not_executed']);
    assert.match(error.message, /lent a client in a transaction; release/);
    const next = await pool.connect();
    assert.notEqual(next.processID, processID);
    next.release();
  }
  assert.deepEqual(await sent(tests.sandbox), []);
  await tests.clientOf(pool).createPayout(payout('p-1'));
});

test('the example of the page runs', async () => {
  const page = readShared('..', 'docs', 'getting-started', 'node.md');
  const blocks = [...page.matchAll(/^```js,excerpt\n(.*?)^```$/gms)].map(([, block]) => block);
  const [example, ...others] = blocks.filter((block) => block.includes('new PostgresJournal'));
  assert.deepEqual(others, []);
  const project = mkdtempSync(join(import.meta.dirname, 'page-'));
  try {
    writeFileSync(join(project, 'payments.json'), JSON.stringify(tests.sandbox.config()));
    const program = `${example}
      const call = () => client.createPayout(${JSON.stringify(payout('p-1'))});
      await call();
      console.log((await call().catch((error) => error)).code);
      await pool.end();`;
    const { stdout, stderr } = await run(program, {
      cwd: project,
      env: { DATABASE_URL: tests.server.url },
    });
    assert.deepEqual([stdout, stderr], ['already_done\n', '']);
  } finally {
    rmSync(project, { recursive: true });
  }
});

test('a pool is needed, not a client of the application', () => {
  for (const wrong of [undefined, {}, new pg.Client(tests.server.url), tests.server.url]) {
    assert.throws(() => new PostgresJournal(wrong), { code: 'wrong_type', path: 'pool' });
  }
});

test('exceptions of a journal hold no values', async () => {
  const pool = tests.poolOf();
  const journal = new PostgresJournal(pool);
  await journal.insert(entryOf(1, 'p-1'));
  const wrong = ended(entryOf(1, 'p-1'), 'lost', { note: 'private-note' });
  const error = await rejection(journal.update(wrong));
  assert.equal(error.message, 'could not use the database: 23514');
  assert.match(error.cause.message, /violates check constraint/);
  assert.ok(!inspect(error).includes('private-note'), inspect(error));
});
