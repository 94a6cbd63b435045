// The tests of the shop, against the sandbox and without it. Those for vitest are
// in ../vitest.

import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';

import { error, paymentResponse, Sandbox } from 'libpayments/testing';

import { Shop } from './shop.mjs';

let sandbox;
let shop;
let order;

before(async () => {
  sandbox = await Sandbox.start();
});

after(() => sandbox.stop());

beforeEach(async () => {
  await sandbox.reset();
  shop = new Shop(sandbox.client());
  order = { number: 'order-1', amount: '100.10', state: 'new' };
});

test('a payer pays', async () => {
  assert.equal(await shop.pay(order), 'waiting');
  await sandbox.pay('order-1');
  assert.equal(await shop.settle(order), 'paid');
});

test('a payer declines', async () => {
  await shop.pay(order);
  await sandbox.decline('order-1');
  assert.equal(await shop.settle(order), 'declined');
});

test('the service declines at once', async () => {
  await sandbox.failNext('declined');
  assert.equal(await shop.pay(order), 'declined');
});

test('a lost response is found', async () => {
  await sandbox.failNext('response_lost', { operation: 'create_payment' });
  assert.equal(await shop.pay(order), 'waiting');
  assert.equal((await sandbox.payments()).length, 1);
  assert.equal((await sandbox.requests('create_payment')).length, 1, 'it was not sent again');
});

test('a lost response stays unknown until the service tells', async () => {
  await sandbox.failNext('response_lost', { operation: 'create_payment' });
  await sandbox.failNext('unavailable', { operation: 'query_payment', times: 10 });
  assert.equal(await shop.pay(order), 'unknown');
  await sandbox.call('DELETE', 'faults');
  assert.equal(await shop.settle(order), 'waiting');
});

test('a duplicate click pays once', async () => {
  const [first, second] = [{ ...order }, { ...order }];
  assert.deepEqual(await Promise.all([shop.pay(first), shop.pay(second)]), ['waiting', 'waiting']);
  assert.equal(await shop.pay(first), 'waiting');
  assert.equal((await sandbox.payments()).length, 1);
});

test('an unregistered key pays nothing', async () => {
  const client = sandbox.client({ kid: 'not-registered' });
  assert.equal(await new Shop(client).pay(order), 'failed');
  const refused = (await sandbox.requests('create_payment')).at(-1);
  assert.equal(refused.signature, 'signature_mismatch');
  await assert.rejects(client.queryPayment({ merchant_payment_code: 'order-1' }), {
    kind: 'unauthorized',
    outcome: 'not_executed',
  });
});

test('a blocked token server pays nothing', async () => {
  await sandbox.blockTokens();
  assert.equal(await shop.pay(order), 'failed');
  assert.deepEqual(await sandbox.requests('create_payment'), []);
});

test('a deadline leaves the outcome unknown until it is found', async () => {
  await sandbox.failNext('silence_after_execution', { operation: 'create_payment' });
  assert.equal(await new Shop(sandbox.client({ timeout_ms: 2000 })).pay(order), 'waiting');
  assert.equal((await sandbox.payments()).length, 1);
});

test('the shop without a service', async () => {
  const paid = new Shop({ createPayment: async () => paymentResponse({ status: 'CO' }) });
  assert.equal(await paid.pay(order), 'paid');
});

test('an unknown outcome without a service', async () => {
  const late = new Shop({
    createPayment: () => Promise.reject(error('deadline_exceeded', { kind: 'timeout' })),
    queryPayment: () =>
      Promise.reject(error('connect_failed', { kind: 'connect', outcome: 'not_executed' })),
  });
  assert.equal(await late.pay(order), 'unknown');
});

test('a payment that is not found is not sent again', async () => {
  let sent = 0;
  const early = new Shop({
    createPayment: () => {
      sent += 1;
      return Promise.reject(error('deadline_exceeded', { kind: 'timeout' }));
    },
    queryPayment: () =>
      Promise.reject(error('payment_not_found', { kind: 'rejected', outcome: 'not_executed' })),
  });
  assert.equal(await early.pay(order), 'unknown');
  assert.equal(await early.pay(order), 'unknown');
  assert.equal(sent, 1);
});
