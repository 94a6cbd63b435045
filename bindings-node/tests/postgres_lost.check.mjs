// A journal in PostgreSQL whose connections hang or are lost.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { test } from 'node:test';

import { PostgresJournal } from 'libpayments';

import { payout, sent } from './support/journal.mjs';
import { ALL, JournalTests, PostgresServer } from './support/postgres.mjs';
import { rejection, sleep, until } from './support/sandbox.mjs';

const tests = new JournalTests();

/** Ends all connections of an application, as a restart of the database does. */
const terminate = (pool) =>
  pool.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE application_name = 'shop'`);

test('lost connections leave no ended call in progress', async () => {
  const watch = tests.poolOf({ max: 1 });
  const shop = tests.clientOf(tests.poolOf({ application_name: 'shop' }));
  const outcomes = new Map();
  const pay = async (reference) => {
    const outcome = await shop.createPayout(payout(reference)).then(
      () => 'executed',
      (error) => error.outcome,
    );
    outcomes.set(reference, outcome);
  };
  for (let round = 0; round < 10; round += 1) {
    const calls = Array.from({ length: 6 }, (_, number) => pay(`p-${round}-${number}`));
    await sleep(Math.random() * 60);
    await terminate(watch);
    await Promise.all(calls);
  }
  const { rows } = await watch.query('SELECT reference, state FROM payments_journal');
  const states = new Map(rows.map(({ reference, state }) => [reference, state]));
  assert.equal(outcomes.size, 60);
  for (const [reference, outcome] of outcomes) {
    const expected = outcome === 'executed' ? ['done'] : ['failed', undefined];
    assert.notEqual(outcome, 'unknown');
    assert.ok(
      expected.includes(states.get(reference)),
      `${reference}: ${outcome}, ${states.get(reference)}`,
    );
  }
  assert.ok([...outcomes.values()].includes('executed'));
});

test('connections lost during a request do no harm', async () => {
  const watch = tests.poolOf({ max: 1 });
  const shop = tests.clientOf(tests.poolOf({ application_name: 'shop', max: 4 }));
  await Promise.all([1, 2, 3, 4].map((number) => shop.createPayout(payout(`a-${number}`))));
  await tests.sandbox.faults({
    operation: 'create_payout',
    then: [{ fault: 'pass', delay_ms: 500 }],
  });
  const call = shop.createPayout(payout('p-1'));
  await until(async () => (await sent(tests.sandbox)).length > 4, 'the request to arrive');
  await terminate(watch);
  await call;
  const [entry] = await shop.journal.show('p-1');
  assert.equal(entry.state, 'done');
});

/** A transaction that locks the table until `unlock` is called. */
async function lockedTable() {
  const pool = tests.poolOf();
  const other = await pool.connect();
  await other.query('BEGIN; LOCK TABLE payments_journal');
  const unlock = async () => {
    await other.query('COMMIT');
    other.release();
  };
  const waiting = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
  const isWaiting = async () => (await pool.query(waiting)).rowCount > 0;
  return { unlock, isWaiting };
}

test('a hanging statement ends with the call and its client', async () => {
  const pool = tests.poolOf();
  const { unlock, isWaiting } = await lockedTable();
  const controller = new AbortController();
  const call = rejection(
    tests.clientOf(pool).createPayout(payout('p-1'), { signal: controller.signal }),
  );
  await until(isWaiting, 'the statement');
  controller.abort();
  const error = await call;
  assert.deepEqual([error.kind, error.outcome], ['cancelled', 'not_executed']);
  assert.equal(pool.totalCount, 0);
  await unlock();
  await until(async () => !(await isWaiting()), 'the server to go on');
  assert.deepEqual((await new PostgresJournal(pool).find(ALL)).entries, []);
  assert.deepEqual(await sent(tests.sandbox), []);
});

test('a lock that outlasts the call is not told as a lost server', async () => {
  const { unlock } = await lockedTable();
  // Nothing of an earlier test is recorded before the insert.
  const config = { journal_scope: 'locked', timeout_ms: 1000 };
  const shop = tests.clientOf(tests.poolOf(), config);
  const error = await rejection(shop.createPayout(payout('p-1')));
  await unlock();
  assert.match(error.message, /the call ended before the database answered, as when/);
});

test('a connection lost in a statement only fails the call', async () => {
  const { hostname, port } = new URL(tests.server.url);
  const sockets = [];
  const proxy = createServer((socket) => {
    const onward = connect(port, hostname);
    sockets.push(socket, onward);
    socket.on('error', () => {}).pipe(onward);
    onward.on('error', () => {}).pipe(socket);
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  const url = new URL(tests.server.url);
  url.port = proxy.address().port;
  const { unlock, isWaiting } = await lockedTable();
  const pool = tests.poolOf({ connectionString: url.href });
  // Nothing of an earlier test is recorded before the insert.
  const shop = tests.clientOf(pool, { journal_scope: 'proxied' });
  const call = rejection(shop.createPayout(payout('p-1')));
  await until(isWaiting, 'the statement');
  for (const socket of sockets) {
    socket.destroy();
  }
  proxy.close();
  const error = await call;
  assert.deepEqual([error.kind, error.outcome], ['journal', 'not_executed']);
  assert.match(
    error.message,
    /could not use the database: the server cannot be reached, .* closed it \(see the cause\)/,
  );
  assert.match(error.cause.cause.message, /terminated unexpectedly/);
  await unlock();
});

test('a client that fails in the pool does not end the process', async () => {
  const pool = tests.poolOf();
  let failures = 0;
  const connecting = pool.connect.bind(pool);
  pool.connect = (callback) =>
    connecting((error, client) => {
      callback(error, client);
      client.emit('error', new Error('it was lost'));
      failures += 1;
    });
  await tests.clientOf(pool).createPayout(payout('p-1'));
  assert.ok(failures > 0);
});

test('a client that comes after the call is released', async () => {
  const pool = tests.poolOf({ max: 1 });
  const lent = await pool.connect();
  const controller = new AbortController();
  const call = rejection(
    tests.clientOf(pool).createPayout(payout('p-1'), { signal: controller.signal }),
  );
  await until(() => pool.waitingCount === 1, 'the journal to ask for a client');
  controller.abort();
  assert.equal((await call).outcome, 'not_executed');
  lent.release();
  await until(() => pool.waitingCount === 0 && pool.idleCount === 1, 'the client to come back');
  assert.deepEqual((await new PostgresJournal(pool).find(ALL)).entries, []);
});

test('while the server is down, nothing is sent', async () => {
  const own = await PostgresServer.start();
  const pool = tests.poolOf({ connectionString: own.url });
  await new PostgresJournal(pool).create();
  const events = [];
  const shop = tests.clientOf(pool, {}, (event) => void events.push(event));
  await tests.sandbox.faults({ operation: 'create_payout', then: [{ fault: 'hang' }] });
  const controller = new AbortController();
  const call = rejection(shop.createPayout(payout('p-1'), { signal: controller.signal }));
  await until(async () => (await sent(tests.sandbox)).length > 0, 'the request to arrive');
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
  assert.match(
    error.message,
    /nothing answers at its address and port \(ECONNREFUSED\); nothing was sent/,
  );
  assert.equal(error.cause.cause.code, 'ECONNREFUSED');
  assert.deepEqual(await sent(tests.sandbox), ['create_payout']);
});

test('a pool whose clients are all lent is named', async () => {
  const pool = tests.poolOf({ max: 1, connectionTimeoutMillis: 100 });
  const lent = await pool.connect();
  const error = await rejection(tests.clientOf(pool).createPayout(payout('p-1')));
  assert.match(error.message, /the pool gave no client in time; raise its max, or give/);
  lent.release();
});
