// Listeners besides the observer: the logger of a client, and the channels
// `libpayments:*`.

import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { after, before, beforeEach, test } from 'node:test';

import { Client } from 'libpayments';

import { run } from './support/programs.mjs';
import { Sandbox, payment, rejection } from './support/sandbox.mjs';

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

/** A logger, and its records: level and message. */
function newLogger(over = {}) {
  const lines = [];
  const write = (level) => (_fields, message) => lines.push([level, message]);
  const logger = { debug: write('debug'), info: write('info'), warn: write('warn'), ...over };
  return { logger, lines };
}

/** Subscribes to channels, until the test ends. */
function subscribed(t, names, listener) {
  for (const name of names) {
    subscribe(`libpayments:${name}`, listener);
    t.after(() => unsubscribe(`libpayments:${name}`, listener));
  }
}

test('a logger is not called below its level', async () => {
  const { logger, lines } = newLogger({ isLevelEnabled: (level) => level !== 'debug' });
  const client = new Client(sandbox.bearerConfig(), { logger });
  await client.createPayment(payment('o-1'));
  assert.deepEqual(lines, []);
  await rejection(client.queryPayment({ hash: 'none' }));
  assert.deepEqual(
    lines.map(([level, message]) => `${level}: ${message}`),
    ['info: payments request_ended'],
  );
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

test('a channel has the AsyncLocalStorage of the call', async (t) => {
  const client = new Client(sandbox.bearerConfig());
  const storage = new AsyncLocalStorage();
  const stores = [];
  subscribed(t, USUAL, () => stores.push(storage.getStore()));
  await storage.run('checkout', () => client.createPayment(payment('o-1')));
  assert.deepEqual(
    stores,
    USUAL.map(() => 'checkout'),
  );
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
