// The example's checkout, from order to payment, and when a response is lost.

import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';

import { Client } from 'libpayments';

import { checkout } from '../examples/checkout/server.mjs';
import { Sandbox } from './support/sandbox.mjs';

const shopper = {
  name: 'Maria Souza',
  email: 'maria@example.com',
  document: '853.513.468-93',
  product: 't-shirt',
};
let time;
let sandbox;
let server;
before(async () => {
  sandbox = await Sandbox.start();
});
beforeEach(async () => {
  await sandbox.reset();
  server?.close();
  time = Date.now();
  const app = checkout(new Client(sandbox.config()), () => time);
  server = await new Promise((resolve) => {
    const listening = app.listen(0, '127.0.0.1', () => resolve(listening));
  });
});
after(async () => {
  server.closeAllConnections();
  server.close();
  await sandbox.stop();
});

async function ask(method, path, body) {
  const response = await fetch(`http://127.0.0.1:${server.address().port}${path}`, {
    method,
    headers: { 'content-type': 'application/json', connection: 'close' },
    body: body && JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, ...(await response.json()) };
}
const pay = (code, over) => ask('POST', `/orders/${code}/payment`, { ...shopper, ...over });
const sent = async () =>
  (await sandbox.requests()).filter((it) => it.operation === 'create_payment');
const look = (code) => ask('GET', `/orders/${code}`);

test('an order is paid', async () => {
  const order = await pay('A-1');
  assert.deepEqual([order.status, order.state], [201, 'waiting']);
  assert.ok(order.qr_code.length > 10);
  await sandbox.control('POST', '/sandbox/payments/A-1/confirm');
  assert.equal((await look('A-1')).state, 'paid');
});

test('a payment without a code says so, and a query finds the code', async () => {
  const payment = { hash: '5a', merchant_payment_code: 'A-9', status: 'PE' };
  await sandbox.faults({
    operation: 'create_payment',
    then: [{ fault: 'response', execute: true, json: { status: 'SUCCESS', payment } }],
  });
  const order = await pay('A-9');
  assert.deepEqual([order.status, order.state, order.qr_code], [201, 'waiting', undefined]);
  assert.match(order.message, /no code yet/);
  const found = await look('A-9');
  assert.ok(found.qr_code.length > 10);
  assert.equal(found.message, undefined);
});

test('a lost response is found and never paid twice', async () => {
  await sandbox.faults({ then: [{ fault: 'close', execute: true }] });
  const order = await pay('A-2');
  assert.deepEqual([order.status, order.state], [202, 'unknown']);
  const again = await pay('A-2');
  assert.deepEqual([again.status, again.state], [202, 'unknown']);
  assert.equal((await look('A-2')).state, 'waiting');
  await sandbox.control('POST', '/sandbox/payments/A-2/confirm');
  assert.equal((await look('A-2')).state, 'paid');
  assert.equal((await sandbox.control('GET', '/sandbox/payments')).payments.length, 1);
});

const refusal = (code) => ({ fault: 'response', json: { status: 'ERROR', status_code: code } });

test('refused queries and "not found" never give a payment up', async () => {
  await sandbox.faults(
    { operation: 'create_payment', then: [{ fault: 'close', execute: true }] },
    { operation: 'query_payment', then: [refusal('BP-SA-2'), refusal('BP-REF-CAN-2')] },
  );
  assert.equal((await pay('A-3')).state, 'unknown');
  for (let query = 0; query < 2; query += 1) {
    assert.equal((await look('A-3')).state, 'unknown');
    assert.equal((await pay('A-3')).status, 202);
  }
  assert.equal((await look('A-3')).state, 'waiting');
  assert.equal((await sent()).length, 1);
});

test('a person decides on a lost payment, after the wait', async () => {
  await sandbox.faults({ operation: 'create_payment', then: [{ fault: 'close' }] });
  assert.equal((await pay('A-6')).state, 'unknown');
  time += 15 * 60_000;
  assert.equal((await look('A-6')).state, 'unknown');
  time += 31_000;
  await sandbox.faults({ operation: 'query_payment', then: [refusal('BP-SA-2')] });
  assert.equal((await look('A-6')).state, 'unknown');
  assert.equal((await look('A-6')).state, 'needs_decision');
  const again = await pay('A-6');
  assert.deepEqual([again.status, again.state], [202, 'needs_decision']);
  assert.equal((await sent()).length, 1);
});

test('the price is that of the catalog', async () => {
  const order = await pay('A-7', { product: 'mug', total: '0.01', amount_total: '0.01' });
  assert.equal(order.total, '39.90');
  const [request] = await sent();
  assert.match(Buffer.from(request.body_base64, 'base64').toString(), /"amount_total":39\.90/);
  const nothing = await pay('A-8', { product: 'toString' });
  assert.deepEqual([nothing.status, nothing.member], [422, 'product']);
  assert.equal((await sent()).length, 1);
});

test('mistakes of the shopper are named', async () => {
  const order = await pay('A-4', { document: undefined });
  assert.deepEqual([order.status, order.state, order.member], [422, 'failed', 'payment.document']);
});

test('a request of the service to wait is passed on', async () => {
  await sandbox.faults({
    then: [{ fault: 'response', status: 429, headers: { 'Retry-After': '7' } }],
  });
  const order = await pay('A-5');
  assert.deepEqual(
    [order.status, order.state, order.headers.get('retry-after')],
    [503, 'failed', '7'],
  );
});
