// Listeners besides the observer: the logger of a client, and the channels
// `libpayments:*`.

import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { after, before, beforeEach, test } from 'node:test';
import { inspect } from 'node:util';

import { Client } from 'libpayments';

import { run } from './support/programs.mjs';
import { Sandbox, payment, readShared, rejection } from './support/sandbox.mjs';

const page = readShared('..', 'docs', 'monitoring.md');
const [, table] = /<!-- events:begin -->([^]*)<!-- events:end -->/.exec(page);
const EVENTS = [...table.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
const USUAL = [
  'request_started',
  'token_requested',
  'token_fetched',
  'attempt',
  'attempt_ended',
  'request_ended',
];

let sandbox;
before(async () => {
  sandbox = await Sandbox.start();
});
beforeEach(() => sandbox.reset());
after(() => sandbox.stop());

/** A logger, and its records: level, message and fields. */
function newLogger(over = {}) {
  const lines = [];
  const write = (level) => (fields, message) => lines.push([level, message, fields]);
  const logger = { debug: write('debug'), info: write('info'), warn: write('warn'), ...over };
  return { logger, lines, levels: () => lines.map(([level, message]) => `${level}: ${message}`) };
}

/** Subscribes to channels, until the test ends. */
function subscribed(t, names, listener) {
  for (const name of names) {
    subscribe(`libpayments:${name}`, listener);
    t.after(() => unsubscribe(`libpayments:${name}`, listener));
  }
}

test('a logger gets every event, with its level', async () => {
  const { logger, lines, levels } = newLogger();
  const client = new Client(sandbox.bearerConfig(), { logger });
  await client.createPayment(payment());
  assert.deepEqual(
    levels(),
    USUAL.map((name) => `debug: payments ${name}`),
  );
  const { operation, httpStatus, attempts } = lines.at(-1)[2];
  assert.deepEqual([operation, httpStatus, attempts], ['create_payment', 200, 1]);
  const { integration_key, client_secret } = sandbox.settings;
  const shown = inspect(lines, { depth: 9 });
  const found = [integration_key, client_secret, 'Maria', '853.513'];
  assert.deepEqual(
    found.filter((each) => shown.includes(each)),
    [],
  );
});

test('only retries, unknown outcomes and the backoff are warnings', async () => {
  const { logger, lines, levels } = newLogger({ isLevelEnabled: (level) => level !== 'debug' });
  const client = new Client(sandbox.bearerConfig(), { logger });
  await client.createPayment(payment('o-1'));
  assert.deepEqual(levels(), [], 'nothing below the level of the logger');
  await sandbox.faults({ operation: 'query_payment', then: [{ fault: 'close' }] });
  await client.queryPayment({ merchant_payment_code: 'o-1' });
  await sandbox.faults({ operation: 'create_payment', then: [{ fault: 'close', execute: true }] });
  await rejection(client.createPayment(payment('o-2')));
  await rejection(client.queryPayment({ hash: 'none' }));
  assert.deepEqual(levels(), [
    'warn: payments retry',
    'warn: payments request_ended',
    'info: payments request_ended',
  ]);
  assert.deepEqual([lines[1][2].outcome, lines[2][2].outcome], ['unknown', 'not_executed']);
  lines.length = 0;
  await sandbox.control('POST', '/sandbox/tokens/revoke');
  await sandbox.control('POST', '/sandbox/tokens/block', { status: 429, retry_after: 7 });
  await rejection(client.createPayment(payment('o-3')));
  assert.deepEqual(levels()[0], 'warn: payments token_failed');
  assert.ok(lines[0][2].backoffUs >= 6e6);
});

test('a logger that fails changes nothing', async () => {
  const fail = () => {
    throw new Error('the disk is full');
  };
  const logger = { debug: fail, info: fail, warn: async () => fail(), isLevelEnabled: fail };
  const observed = [];
  const observer = (event) => observed.push(event.event);
  const client = new Client(sandbox.bearerConfig(), { logger, observer });
  const warned = once(process, 'warning');
  assert.equal((await client.createPayment(payment())).status, 'PE');
  assert.deepEqual(observed, USUAL);
  const [warning] = await warned;
  assert.deepEqual(
    [warning.name, warning.code, warning.message],
    ['PaymentsWarning', 'LIBPAYMENTS_OBSERVER', 'the logger failed: it threw Error'],
  );
});

test('a value that is not a logger is refused', () => {
  for (const logger of [null, 'console', () => {}, { debug() {}, info() {} }]) {
    assert.throws(
      () => new Client(sandbox.config(), { logger }),
      ({ path, code, message }) =>
        path === 'logger' && code === 'wrong_type' && message.includes('debug, info, warn'),
    );
  }
  assert.throws(() => new Client({ ...sandbox.config(), logger: console }), /second argument/);
});

test('each event has a channel, with the number of its call', async (t) => {
  const client = new Client(sandbox.bearerConfig());
  const published = [];
  const storage = new AsyncLocalStorage();
  subscribed(t, EVENTS, (message, name) => published.push([name, message, storage.getStore()]));
  await storage.run('checkout', () => client.createPayment(payment('o-1')));
  await client.queryPayment({ merchant_payment_code: 'o-1' });
  const [first, second] = [published.slice(0, 6), published.slice(6)];
  assert.deepEqual(
    first.map(([name, { event }]) => [name, event.event]),
    USUAL.map((name) => [`libpayments:${name}`, name]),
  );
  assert.deepEqual(
    first.map(([, , store]) => store),
    USUAL.map(() => 'checkout'),
  );
  const callsOf = (messages) => new Set(messages.map(([, { event }]) => event.call));
  assert.deepEqual([callsOf(first).size, callsOf(second).size, callsOf(published).size], [1, 1, 2]);
});

test('subscribers may change between calls of shared clients', async (t) => {
  const client = Client.shared(sandbox.bearerConfig());
  const published = [];
  const listener = ({ event }) => published.push(event.operation);
  await client.createPayment(payment('o-1'));
  subscribed(t, ['request_ended'], listener);
  await client.queryPayment({ merchant_payment_code: 'o-1' });
  unsubscribe('libpayments:request_ended', listener);
  await client.queryPayment({ merchant_payment_code: 'o-1' });
  assert.deepEqual(published, ['query_payment']);
});

test('without listeners no message crosses to JavaScript', async () => {
  // The scope of callbacks is made for calls that have some, and for no others.
  const program = `
    import { createHook } from 'node:async_hooks';
    import { channel, subscribe } from 'node:diagnostics_channel';
    import { Client } from 'libpayments';
    let made = 0;
    createHook({ init: (_, type) => { made += type === 'libpayments'; } }).enable();
    const client = new Client(${JSON.stringify(sandbox.bearerConfig())});
    await client.createPayment(${JSON.stringify(payment('o-1'))});
    console.log(made, channel('libpayments:attempt').hasSubscribers);
    subscribe('libpayments:attempt', () => console.log('attempt'));
    await client.createPayment(${JSON.stringify(payment('o-2'))});
    console.log(made);
  `;
  const { code, stdout, stderr } = await run(program);
  assert.deepEqual([code, stderr, stdout], [0, '', '0 false\nattempt\n1\n']);
});

test('a subscriber may not call the client of its event', async (t) => {
  const client = new Client(sandbox.config());
  const codes = [];
  subscribed(t, ['request_started'], () => {
    client.accessToken().catch(({ code }) => codes.push(code));
  });
  await client.createPayment(payment());
  assert.deepEqual(codes, ['reentrant_call']);
});
