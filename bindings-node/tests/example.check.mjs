// The example's checkout, from order to payment, and when an answer is lost.

import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';

import { Client } from 'libpayments';

import { checkout } from '../examples/checkout/server.mjs';
import { Sandbox } from './support/sandbox.mjs';

const shopper = { name: 'Maria Souza', email: 'maria@example.com', document: '853.513.468-93', total: '100.10' };
let sandbox;
let server;
before(async () => {
  sandbox = await Sandbox.start();
});
beforeEach(async () => {
  await sandbox.reset();
  server?.close();
  const app = checkout(new Client(sandbox.config()));
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
  const answer = await fetch(`http://127.0.0.1:${server.address().port}${path}`, {
    method,
    headers: { 'content-type': 'application/json', connection: 'close' },
    body: body && JSON.stringify(body),
  });
  return { status: answer.status, headers: answer.headers, ...(await answer.json()) };
}
const pay = (code, over) => ask('POST', `/orders/${code}/payment`, { ...shopper, ...over });
const look = (code) => ask('GET', `/orders/${code}`);

test('an order is paid', async () => {
  const order = await pay('A-1');
  assert.deepEqual([order.status, order.state], [201, 'waiting']);
  assert.ok(order.qr_code.length > 10);
  await sandbox.control('POST', '/sandbox/payments/A-1/confirm');
  assert.equal((await look('A-1')).state, 'paid');
});

test('when the answer is lost, nobody pays twice, and the payment is found', async () => {
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

test('when the request was lost, the query tells, and the order can be paid', async () => {
  await sandbox.faults({ then: [{ fault: 'close' }] });
  assert.equal((await pay('A-3')).state, 'unknown');
  assert.equal((await look('A-3')).state, 'failed');
  assert.deepEqual((await pay('A-3')).status, 201);
});

test('what the shopper got wrong is named', async () => {
  const order = await pay('A-4', { document: undefined });
  assert.deepEqual([order.status, order.state, order.member], [422, 'failed', 'payment.document']);
});

test('a service that asks to wait is passed on', async () => {
  await sandbox.faults({ then: [{ fault: 'answer', status: 429, headers: { 'Retry-After': '7' } }] });
  const order = await pay('A-5');
  assert.deepEqual([order.status, order.state, order.headers.get('retry-after')], [503, 'failed', '7']);
});
