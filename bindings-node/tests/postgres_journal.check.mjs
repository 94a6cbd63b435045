// A journal in PostgreSQL, over a pool of `pg`.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { inspect } from 'node:util';

import { PostgresJournal } from 'libpayments';
import pg from 'pg';

import { listed, loseNext, payout, sent } from './support/journal.mjs';
import { ALL, JournalTests, entryOf } from './support/postgres.mjs';
import { run } from './support/programs.mjs';
import { readShared, rejection, until } from './support/sandbox.mjs';

const tests = new JournalTests();

/** How an entry ends. */
const ended = (entry, state, over = {}) => ({ ...entry, state, decided_by: 'call', ...over });

test('a reference is paid once, and a person settles a lost one', async () => {
  const shop = tests.clientOf(tests.poolOf());
  const { uid } = await shop.createPayout(payout('p-1'));
  const done = await rejection(shop.createPayout(payout('p-1')));
  assert.deepEqual([done.kind, done.code, done.journalEntry.uid], ['journal', 'already_done', uid]);
  await loseNext(tests.sandbox);
  await rejection(shop.createPayout(payout('p-2')));
  assert.equal((await rejection(shop.createPayout(payout('p-2')))).code, 'unresolved');
  const { open } = await shop.journal.recover();
  assert.deepEqual([open[0].entry.reference, open[0].needs], ['p-2', 'time']);
  const openEntries = await listed(shop, { onlyOpen: true });
  assert.deepEqual(
    openEntries.map(({ reference }) => reference),
    ['p-2'],
  );
  const decision = { executed: true, note: 'on the platform' };
  await shop.journal.resolve('p-2', decision);
  const [shown] = await shop.journal.show('p-2');
  assert.deepEqual(
    [shown.state, shown.decidedBy, shown.note],
    ['done', 'person', 'on the platform'],
  );
  const limit = shown.deadlineAt - shown.createdAt;
  assert.ok(0 < limit && limit <= 30_000, String(limit));
  assert.ok(shown.settlesAt > shown.deadlineAt);
  assert.ok(Math.abs(shown.endedAt - Date.now()) < 60_000);
  assert.deepEqual(await sent(tests.sandbox), ['create_payout', 'create_payout']);
});

test('of many calls in two processes with one reference, one is executed', async () => {
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

test('the unique indexes decide', async () => {
  const journal = new PostgresJournal(tests.poolOf());
  const [first, second] = [1, 2].map((number) => entryOf(number, 'p-1'));
  assert.equal(await journal.insert(first), true);
  assert.equal(await journal.insert(second), false);
  const stale = ended({ ...first, version: 2 }, 'done');
  assert.deepEqual(await journal.update(stale), { changed: false });
  assert.deepEqual(await journal.update(ended(first, 'failed')), { changed: true });
  assert.equal(await journal.insert(second), true);
  const late = ended({ ...first, version: 2 }, 'done');
  assert.deepEqual(await journal.update(late), { changed: false, taken_by: second.id });
  const named = { ...late, state: 'failed', rival: second.id };
  assert.deepEqual(await journal.update(named), { changed: true });
  const { entries } = await journal.find({ ...ALL, is_open: true });
  assert.deepEqual(
    entries.map(({ id, rival, version }) => [id, rival, version]),
    [
      [first.id, second.id, 3],
      [second.id, null, 1],
    ],
  );
});

test('of refunds of a payment, one is open, and codes and full refunds are unique', async () => {
  const journal = new PostgresJournal(tests.poolOf());
  const refund = (number, over) => entryOf(number, 'h', { operation: 'refund_payment', ...over });
  const part = refund(1, { refund_code: 'a' });
  assert.equal(await journal.insert(part), true);
  assert.equal(await journal.insert(refund(2, { refund_code: 'b' })), false);
  await journal.update(ended(part, 'done'));
  assert.equal(await journal.insert(refund(3, { refund_code: 'a' })), false);
  const full = refund(4, { amount: null });
  assert.equal(await journal.insert(full), true);
  await journal.update(ended(full, 'failed'));
  const again = refund(5, { amount: null, refund_code: 'c' });
  assert.equal(await journal.insert(again), true);
  const late = ended({ ...full, version: 2 }, 'done');
  assert.deepEqual(await journal.update(late), { changed: false, taken_by: again.id });
});

test('an executed call whose reference was taken names its rival', async () => {
  const pool = tests.poolOf();
  const events = [];
  const shop = tests.clientOf(pool, {}, (event) => void events.push(event));
  await tests.sandbox.faults({
    operation: 'create_payout',
    then: [{ fault: 'pass', delay_ms: 1_000 }],
  });
  const call = shop.createPayout(payout('p-1'));
  await until(async () => (await sent(tests.sandbox)).length > 0, 'the request to arrive');
  await pool.query(`UPDATE payments_journal
    SET state = 'failed', decided_by = 'person', note = 'too early', version = version + 1`);
  assert.equal(await new PostgresJournal(pool).insert(entryOf(1, 'p-1')), true);
  const { uid } = await call;
  const [, own] = await shop.journal.show('p-1');
  assert.deepEqual([own.state, own.uid, own.rival], ['failed', uid, entryOf(1).id]);
  assert.equal(own.needs, 'person');
  assert.ok(events.some(({ event }) => event === 'journal_failed'));
});

test('entries are filtered, and old ones deleted', async () => {
  const pool = tests.poolOf();
  const journal = new PostgresJournal(pool);
  for (const number of [1, 2, 3]) {
    assert.equal(await journal.insert(entryOf(number, `p-${number}`)), true);
  }
  await journal.update(ended(entryOf(2, 'p-2'), 'failed', { kind: 'status' }));
  const found = async (over) => {
    const { now, entries } = await journal.find({ ...ALL, ...over });
    assert.ok(Math.abs(now - Date.now()) < 60_000);
    return entries.map(({ reference }) => reference);
  };
  assert.deepEqual(await found({}), ['p-1', 'p-2', 'p-3']);
  assert.deepEqual(await found({ is_open: true }), ['p-1', 'p-3']);
  assert.deepEqual(await found({ reference: 'p-3' }), ['p-3']);
  assert.deepEqual(await found({ id: entryOf(1).id }), ['p-1']);
  assert.deepEqual(await found({ after: entryOf(1).id, limit: 1 }), ['p-2']);
  assert.deepEqual(await found({ scope: 'another' }), []);
  const { rows } = await pool.query('SELECT max(created_at) AS newest FROM payments_journal');
  const newest = Number(rows[0].newest);
  const { now, ...counted } = await journal.count('shop', newest + 1);
  assert.ok(now >= newest && now - Date.now() < 60_000);
  assert.deepEqual(counted, { newest, done: 0, failed: 1, open: 2 });
  assert.deepEqual(
    { ...(await journal.count('shop', 0)), now },
    { now, newest, done: 0, failed: 0, open: 0 },
  );
  assert.equal((await journal.count('another', newest)).newest, null);
  assert.equal(await journal.prune('shop', 0, 10), 0);
  assert.equal(await journal.prune('another', newest + 1, 10), 0);
  await journal.update(ended(entryOf(3, 'p-3'), 'done'));
  assert.equal(await journal.prune('shop', newest + 1, 1), 1);
  assert.deepEqual(await found({}), ['p-1', 'p-3']);
  assert.equal(await journal.prune('shop', newest + 1, 10), 1);
  assert.deepEqual(await found({}), ['p-1'], 'open entries stay');
});

test('old entries are deleted on demand, and open ones stay', async () => {
  const pool = tests.poolOf();
  const shop = tests.clientOf(pool);
  await shop.createPayout(payout('p-1'));
  await loseNext(tests.sandbox);
  await rejection(shop.createPayout(payout('p-2')));
  await pool.query('UPDATE payments_journal SET created_at = created_at - 86400000 * 60::bigint');
  await shop.createPayout(payout('p-3'));
  const before = new Date(Date.now() - 86_400_000 * 31);
  const numbers = { done: 1, failed: 0, open: 1 };
  const counted = await shop.journal.prune({ before, dryRun: true });
  assert.deepEqual(counted, { dryRun: true, ...numbers });
  const deleted = await shop.journal.prune({ before });
  assert.deepEqual(deleted, { dryRun: false, ...numbers });
  assert.deepEqual(
    (await listed(shop)).map(({ reference }) => reference),
    ['p-2', 'p-3'],
  );
});

test('entries are read whatever the pool reads large numbers as', async () => {
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

test('a commit waits for the disk, whatever the pool sets', async () => {
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
  const page = readShared('..', 'docs', 'journal.md');
  const blocks = [...page.matchAll(/^```js\n(.*?)^```$/gms)].map(([, block]) => block);
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

test('what a journal throws holds no values', async () => {
  const pool = tests.poolOf();
  const journal = new PostgresJournal(pool);
  await journal.insert(entryOf(1, 'p-1'));
  const wrong = ended(entryOf(1, 'p-1'), 'lost', { note: 'private-note' });
  const error = await rejection(journal.update(wrong));
  assert.equal(error.message, 'could not use the database (23514)');
  assert.match(error.cause.message, /violates check constraint/);
  assert.ok(!inspect(error).includes('private-note'), inspect(error));
});
