// A journal in PostgreSQL, over a pool of `pg`.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, test } from 'node:test';

import { Client, PostgresJournal } from 'libpayments';
import pg from 'pg';

import { payout, sent } from './support/journal.mjs';
import { PostgresServer } from './support/postgres.mjs';
import { run } from './support/programs.mjs';
import { Sandbox, readShared, rejection, until } from './support/sandbox.mjs';

let sandbox;
let server;
let pools;
before(async () => {
  sandbox = await Sandbox.start();
  server = await PostgresServer.start();
});
beforeEach(async () => {
  await sandbox.reset();
  pools = [];
  await new PostgresJournal(poolOf()).create();
});
afterEach(async () => {
  await poolOf().query('DROP TABLE payments_journal');
  await Promise.all(pools.map((pool) => pool.end()));
});
after(async () => {
  await server?.stop();
  await sandbox.stop();
});

/** A pool that the end of the test closes. */
function poolOf(settings = {}) {
  const pool = new pg.Pool({ connectionString: server.url, ...settings });
  pool.on('error', () => {});
  pools.push(pool);
  return pool;
}

function clientOf(pool, config = {}, observer = undefined) {
  const journal = new PostgresJournal(pool);
  return new Client(
    { ...sandbox.config(), journal_scope: 'shop', ...config },
    { journal, observer },
  );
}

/** An entry as a call begins it. */
function entryOf(number, reference, over = {}) {
  const id = String(number).padStart(32, '0');
  const times = { created_at: 1_000, deadline_at: 31_000, ended_at: null };
  const ends = { decided_by: null, hash: null, uid: null, kind: null, code: null };
  const rest = { note: null, conflict: null, superseded_by: null };
  const amount = { refund_code: null, amount: '10.00', currency: 'BRL' };
  const from = { body_sha256: '00'.repeat(32), host: 'shop-1', process: '7' };
  const begun = { scope: 'shop', operation: 'create_payout', version: 1, state: 'in_progress' };
  return { id, ...begun, reference, ...amount, ...from, ...times, ...ends, ...rest, ...over };
}

const all = { scope: 'shop', id: null, reference: null, is_open: false, after: null, limit: 1_000 };

const lost = () =>
  sandbox.faults({ operation: 'create_payout', then: [{ fault: 'close', execute: true }] });

test('a reference is paid once, and a person settles a lost one', async () => {
  const shop = clientOf(poolOf());
  const { uid } = await shop.createPayout(payout('p-1'));
  const done = await rejection(shop.createPayout(payout('p-1')));
  assert.deepEqual([done.kind, done.code, done.journalEntry.uid], ['journal', 'already_done', uid]);
  await lost();
  await rejection(shop.createPayout(payout('p-2')));
  assert.equal((await rejection(shop.createPayout(payout('p-2')))).code, 'unresolved');
  const { open } = await shop.journal('recover');
  assert.deepEqual([open[0].entry.reference, open[0].needs], ['p-2', 'person']);
  const open_entries = await shop.journal('list', { only_open: true });
  assert.deepEqual(
    open_entries.entries.map(({ reference }) => reference),
    ['p-2'],
  );
  await shop.journal('resolve', { entry: 'p-2', executed: true, note: 'on the platform' });
  const [shown] = (await shop.journal('show', { reference: 'p-2' })).entries;
  assert.deepEqual(
    [shown.state, shown.decided_by, shown.note],
    ['done', 'person', 'on the platform'],
  );
  const limit = shown.deadline_at - shown.created_at;
  assert.ok(0 < limit && limit <= 30_000, String(limit));
  assert.ok(Math.abs(shown.ended_at - Date.now()) < 60_000);
  assert.deepEqual(await sent(sandbox), ['create_payout', 'create_payout']);
});

test('of many calls in two processes with one reference, one is executed', async () => {
  const config = { ...sandbox.config(), journal_scope: 'shop' };
  const program = `
    import { Client, PostgresJournal } from 'libpayments';
    import pg from 'pg';
    const pool = new pg.Pool({ connectionString: ${JSON.stringify(server.url)} });
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
  assert.deepEqual(await sent(sandbox), ['create_payout']);
});

test('superseding and inserting are one transaction', async () => {
  const journal = new PostgresJournal(poolOf());
  const [first, second, third] = [1, 2, 3].map((number) => entryOf(number, 'p-1'));
  assert.equal(await journal.insert(first, []), true);
  assert.equal(await journal.insert(second, []), false);
  assert.equal(await journal.insert(second, [{ ...first, version: 2 }]), false);
  const other = entryOf(4, 'p-2');
  assert.equal(await journal.insert(other, []), true);
  // The index refuses the new entry, so the other one stays as it is.
  assert.equal(await journal.insert(second, [other]), false);
  assert.deepEqual(
    (await journal.find(all)).entries.map(({ version, superseded_by }) => [version, superseded_by]),
    [
      [1, null],
      [1, null],
    ],
  );
  assert.equal(await journal.insert(second, [first]), true);
  const { entries } = await journal.find({ ...all, reference: 'p-1' });
  assert.deepEqual(
    entries.map(({ version, superseded_by }) => [version, superseded_by]),
    [
      [2, second.id],
      [1, null],
    ],
  );
  assert.equal(await journal.update({ ...third, id: second.id, state: 'done', version: 2 }), false);
  assert.equal(await journal.update({ ...second, state: 'done', decided_by: 'call' }), true);
});

test('what a failed entry superseded is in force again', async () => {
  const journal = new PostgresJournal(poolOf());
  const [first, second, third, fourth] = [1, 2, 3, 4].map((number) => entryOf(number, 'p-1'));
  assert.equal(await journal.insert(first, []), true);
  assert.equal(await journal.insert(second, [first]), true);
  assert.equal(await journal.insert(third, [second]), true);
  const fails = (entry, version) => journal.update({ ...entry, state: 'failed', version });
  const stored = async () =>
    (await journal.find(all)).entries.map(({ version, superseded_by }) => [version, superseded_by]);
  assert.equal(await fails(second, 1), false);
  const chain = [
    [2, second.id],
    [2, third.id],
    [1, null],
  ];
  assert.deepEqual(await stored(), chain);
  assert.equal(await fails(second, 2), true);
  const late = [
    [3, third.id],
    [3, third.id],
    [1, null],
  ];
  assert.deepEqual(await stored(), late);
  assert.equal(await fails(third, 1), true);
  const inForce = [
    [4, null],
    [4, null],
    [2, null],
  ];
  assert.deepEqual(await stored(), inForce);
  assert.equal(await journal.insert(fourth, []), false);
});

test('a person supersedes an entry whose deadline has passed', async () => {
  const pool = poolOf();
  const shop = clientOf(pool);
  await lost();
  await rejection(shop.createPayout(payout('p-1')));
  const again = () => shop.createPayout(payout('p-1'), { supersede: true });
  assert.equal((await rejection(again())).code, 'unresolved');
  await pool.query('UPDATE payments_journal SET deadline_at = deadline_at - 60000');
  await again();
  const { entries } = await shop.journal('show', { reference: 'p-1' });
  assert.equal(entries[0].superseded_by, entries[1].id);
});

test('entries are filtered, and old ones deleted', async () => {
  const pool = poolOf();
  const journal = new PostgresJournal(pool);
  for (const number of [1, 2, 3]) {
    assert.equal(await journal.insert(entryOf(number, `p-${number}`), []), true);
  }
  await journal.update(entryOf(2, 'p-2', { state: 'failed', kind: 'status', decided_by: 'call' }));
  const found = async (over) => {
    const { now, entries } = await journal.find({ ...all, ...over });
    assert.ok(Math.abs(now - Date.now()) < 60_000);
    return entries.map(({ reference }) => reference);
  };
  assert.deepEqual(await found({}), ['p-1', 'p-2', 'p-3']);
  assert.deepEqual(await found({ is_open: true }), ['p-1', 'p-3']);
  assert.deepEqual(await found({ reference: 'p-3' }), ['p-3']);
  assert.deepEqual(await found({ id: entryOf(1).id }), ['p-1']);
  assert.deepEqual(await found({ after: entryOf(1).id, limit: 1 }), ['p-2']);
  assert.deepEqual(await found({ scope: 'another' }), []);
  assert.equal(await journal.prune('shop', 3_600_000), 0);
  await pool.query('UPDATE payments_journal SET created_at = created_at - 7200000');
  assert.equal(await journal.prune('shop', 3_600_000), 0, 'the clock alone is not enough');
  const done = entryOf(4, 'p-4', { state: 'done' });
  assert.equal(await journal.insert(done, []), true);
  assert.equal(await journal.prune('shop', 3_600_000), 1, 'open entries stay');
});

test('entries are read whatever the pool reads large numbers as', async () => {
  const getTypeParser = (oid, format) =>
    oid === pg.types.builtins.INT8 ? BigInt : pg.types.getTypeParser(oid, format);
  const shop = clientOf(poolOf({ types: { getTypeParser } }));
  await shop.createPayout(payout('p-1'));
  assert.equal((await shop.journal('list')).entries[0].version, 2);
});

test('a commit waits for the disk, whatever the pool sets', async () => {
  const watch = poolOf();
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
    const pool = poolOf({ max: 1, options });
    const journal = new PostgresJournal(pool);
    await journal.insert(entryOf(index, given), []);
    const { entries } = await journal.find({ ...all, reference: given });
    assert.deepEqual([entries[0].host, entries[0].process], [expected[given], '0'], given);
    const { rows } = await pool.query('SHOW synchronous_commit');
    assert.equal(rows[0].synchronous_commit, given, 'the client is as it was');
  }
  await watch.query('DROP FUNCTION note_setting CASCADE');
});

test('the isolation and access mode of the pool do not matter', async () => {
  const options =
    '-c default_transaction_isolation=serializable -c default_transaction_read_only=on';
  const pool = poolOf({ options });
  const shop = clientOf(pool);
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
  const pool = poolOf({ max: 1 });
  for (const begin of ['BEGIN', 'BEGIN ISOLATION LEVEL SERIALIZABLE; SELECT 1']) {
    const lent = await pool.connect();
    await lent.query(begin);
    lent.release();
    const error = await rejection(clientOf(pool).createPayout(payout('p-1')));
    assert.deepEqual([error.kind, error.outcome], ['journal', 'not_executed']);
    assert.match(error.message, /in a transaction|before any query/);
    assert.equal(pool.totalCount, 0);
  }
  assert.deepEqual(await sent(sandbox), []);
  await clientOf(pool).createPayout(payout('p-1'));
});

test('the example of the page runs', async () => {
  const page = readShared('..', 'docs', 'journal.md');
  const [[, example], ...others] = [...page.matchAll(/^```js\n(.*?)^```$/gms)];
  assert.deepEqual(others, []);
  const project = mkdtempSync(join(import.meta.dirname, 'page-'));
  try {
    writeFileSync(join(project, 'payments.json'), JSON.stringify(sandbox.config()));
    const program = `${example}
      const call = () => client.createPayout(${JSON.stringify(payout('p-1'))});
      await call();
      console.log((await call().catch((error) => error)).code);
      await pool.end();`;
    const { stdout, stderr } = await run(program, {
      cwd: project,
      env: { DATABASE_URL: server.url },
    });
    assert.deepEqual([stdout, stderr], ['already_done\n', '']);
  } finally {
    rmSync(project, { recursive: true });
  }
});

test('a pool is needed, not a client of the application', () => {
  for (const wrong of [undefined, {}, new pg.Client(server.url), server.url]) {
    assert.throws(() => new PostgresJournal(wrong), { code: 'wrong_type', path: 'pool' });
  }
});

test('without the table, the error says how to make it', async () => {
  const pool = poolOf();
  await pool.query('CREATE SCHEMA other');
  const elsewhere = poolOf({ options: '-c search_path=other' });
  const error = await rejection(clientOf(elsewhere).createPayout(payout('p-1')));
  assert.deepEqual([error.kind, error.outcome], ['journal', 'not_executed']);
  assert.match(
    error.message,
    /no table payments_journal; make it once with PostgresJournal\.create\(\)/,
  );
  assert.equal(error.cause.cause.code, '42P01');
  await new PostgresJournal(elsewhere).create();
  await clientOf(elsewhere).createPayout(payout('p-1'));
  const again = await rejection(new PostgresJournal(elsewhere).create());
  assert.match(again.message, /already exists/);
  await pool.query('DROP SCHEMA other CASCADE');
});

/** A transaction that locks the table until `unlock` is called. */
async function lockedTable() {
  const pool = poolOf();
  const other = await pool.connect();
  await other.query('BEGIN; LOCK TABLE payments_journal');
  const unlock = async () => {
    await other.query('COMMIT');
    other.release();
  };
  const waiting = `SELECT 1 FROM pg_stat_activity
    WHERE query LIKE '%INSERT INTO payments_journal%' AND wait_event_type = 'Lock'`;
  const isWaiting = async () => (await pool.query(waiting)).rowCount > 0;
  return { unlock, isWaiting };
}

test('a statement that hangs ends with the call, and its client is closed', async () => {
  const pool = poolOf();
  const { unlock, isWaiting } = await lockedTable();
  const controller = new AbortController();
  const call = rejection(clientOf(pool).createPayout(payout('p-1'), controller));
  await until(isWaiting, 'the statement');
  controller.abort();
  const error = await call;
  assert.deepEqual([error.kind, error.outcome], ['cancelled', 'not_executed']);
  assert.equal(pool.totalCount, 0);
  await unlock();
  await until(async () => !(await isWaiting()), 'the server to go on');
  assert.deepEqual((await new PostgresJournal(pool).find(all)).entries, []);
  assert.deepEqual(await sent(sandbox), []);
});

test('a connection that breaks within a statement fails the call only', async () => {
  const { hostname, port } = new URL(server.url);
  const sockets = [];
  const proxy = createServer((socket) => {
    const onward = connect(port, hostname);
    sockets.push(socket, onward);
    socket.on('error', () => {}).pipe(onward);
    onward.on('error', () => {}).pipe(socket);
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  const url = new URL(server.url);
  url.port = proxy.address().port;
  const { unlock, isWaiting } = await lockedTable();
  const pool = poolOf({ connectionString: url.href });
  const call = rejection(clientOf(pool).createPayout(payout('p-1')));
  await until(isWaiting, 'the statement');
  for (const socket of sockets) {
    socket.destroy();
  }
  proxy.close();
  const error = await call;
  assert.deepEqual([error.kind, error.outcome], ['journal', 'not_executed']);
  assert.match(error.message, /terminated unexpectedly/);
  await unlock();
});

test('a client that comes when the call has ended is given back', async () => {
  const pool = poolOf({ max: 1 });
  const lent = await pool.connect();
  const controller = new AbortController();
  const call = rejection(clientOf(pool).createPayout(payout('p-1'), controller));
  await until(() => pool.waitingCount === 1, 'the journal to ask for a client');
  controller.abort();
  assert.equal((await call).outcome, 'not_executed');
  lent.release();
  await until(() => pool.waitingCount === 0 && pool.idleCount === 1, 'the client to come back');
  assert.deepEqual((await new PostgresJournal(pool).find(all)).entries, []);
});

test('while the server is gone, nothing is sent, and what was sent stays', async () => {
  const own = await PostgresServer.start();
  const pool = poolOf({ connectionString: own.url });
  await new PostgresJournal(pool).create();
  const events = [];
  const shop = clientOf(pool, {}, (event) => void events.push(event));
  await sandbox.faults({ operation: 'create_payout', then: [{ fault: 'hang' }] });
  const controller = new AbortController();
  const call = rejection(shop.createPayout(payout('p-1'), controller));
  await until(async () => (await sent(sandbox)).length > 0, 'the request to arrive');
  await own.stop();
  controller.abort();
  const cancelled = await call;
  assert.deepEqual([cancelled.kind, cancelled.outcome], ['cancelled', 'unknown']);
  assert.ok(events.some(({ event }) => event === 'journal_failed'));
  const error = await rejection(shop.createPayout(payout('p-2')));
  assert.deepEqual(
    [error.kind, error.code, error.outcome],
    ['journal', 'unavailable', 'not_executed'],
  );
  assert.equal(error.cause.code, 'ECONNREFUSED');
  assert.deepEqual(await sent(sandbox), ['create_payout']);
});
