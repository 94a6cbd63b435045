// AbortSignal: one rule decides the outcome, whenever the signal fires.

import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { after, before, test } from 'node:test';
import { inspect } from 'node:util';

import { Client } from 'libpayments';

import { Sandbox, payment, rejection, sleep, until } from './support/sandbox.mjs';

let sandbox;
let client;
before(async () => {
  sandbox = await Sandbox.start();
  client = new Client(sandbox.config());
});
after(() => sandbox.stop());

function listeners(signal) {
  return getEventListeners(signal, 'abort').length;
}

test('a signal that was aborted before: nothing is executed', async () => {
  await sandbox.reset();
  const reason = new Error('the shopper left');
  const signal = AbortSignal.abort(reason);
  const error = await rejection(client.createPayment(payment(), { signal }));
  assert.deepEqual([error.kind, error.outcome, error.attempts], ['cancelled', 'not_executed', 0]);
  assert.equal(error.cause, reason);
  assert.equal(listeners(signal), 0);
  assert.deepEqual(await sandbox.requests(), []);
});

test('aborted in mid-call: it ends at once with unknown outcome', async () => {
  await sandbox.reset();
  await sandbox.faults({ then: [{ fault: 'hang' }] });
  const controller = new AbortController();
  const call = rejection(
    client.createPayment(payment('order-abort'), { signal: controller.signal }),
  );
  await until(async () => (await sandbox.requests()).length === 1, 'the request');
  const started = Date.now();
  controller.abort();
  const error = await call;
  assert.ok(Date.now() - started < 20_000, 'it waited for the deadline');
  assert.deepEqual([error.kind, error.outcome], ['cancelled', 'unknown']);
  assert.equal(error.cause.name, 'AbortError');
  assert.match(error.advice, /merchant_payment_code/);
  assert.equal(listeners(controller.signal), 0);
  const found = await client
    .queryPayment({ merchant_payment_code: 'order-abort' })
    .catch((it) => it);
  assert.ok(found.status === 'PE' || found.serviceCode === 'BP-REF-CAN-2');
});

/** A client whose observer aborts when a call ends, before its promise settles. */
function abortingAtTheEnd(controller, reason) {
  const observer = ({ event }) => {
    if (event === 'request_ended') {
      // The thread continues: its response waits behind this event.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
      controller.abort(reason);
    }
  };
  return new Client(sandbox.config(), { observer });
}

test('aborted with a complete response: the error has it', async () => {
  await sandbox.reset();
  const reason = new Error('the shopper left');
  const late = (call) => {
    const controller = new AbortController();
    return rejection(call(abortingAtTheEnd(controller, reason), { signal: controller.signal }));
  };
  const error = await late((it, options) => it.createPayment(payment('order-late'), options));
  assert.deepEqual([error.kind, error.code], ['cancelled', 'interrupted_after_response']);
  assert.deepEqual([error.outcome, error.reference], ['executed', 'order-late']);
  assert.equal(error.cause, reason);
  assert.match(error.stack, /abort\.test\.mjs/);
  const { response } = error;
  assert.deepEqual(
    [response.status, response.httpStatus, response.hash],
    ['PE', 200, error.paymentHash],
  );
  assert.equal(JSON.parse(response.raw).payment.hash, response.hash);
  assert.match(response.headers['content-type'], /json/);
  assert.doesNotMatch(`${inspect(error)} ${JSON.stringify(error)}`, /Maria|qr_code/);

  const request = {
    method: 'GET',
    path: '/ws/query',
    query: { hash: response.hash },
    reference: 'own-1',
  };
  const sent = await late((it, options) => it.send(request, options));
  assert.deepEqual([sent.code, sent.reference], ['interrupted_after_response', 'own-1']);
  assert.equal(sent.response.response.payment.hash, response.hash);
});

test('aborted after a failure: the error has its facts', async () => {
  await sandbox.reset();
  const controller = new AbortController();
  const late = abortingAtTheEnd(controller);
  const error = await rejection(late.queryPayment({ hash: '0000' }, { signal: controller.signal }));
  assert.deepEqual([error.kind, error.outcome], ['cancelled', 'not_executed']);
  assert.deepEqual([error.serviceCode, error.response], ['BP-REF-CAN-2', undefined]);
  assert.equal(error.cause.name, 'AbortError');
});

test('aborted before the end is delivered: nothing resolves', async () => {
  const local = new Client(sandbox.unsignedConfig());
  const controller = new AbortController();
  const calls = Array.from({ length: 50 }, () =>
    local.prepare('query_payment', { hash: 'h1' }, { signal: controller.signal }),
  );
  // Most of them have completed, but JavaScript has not received their results.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  controller.abort();
  const ends = await Promise.allSettled(calls);
  const kinds = ends.map(({ status, reason }) => `${status} ${reason?.kind} ${reason?.outcome}`);
  assert.deepEqual([...new Set(kinds)], ['rejected cancelled not_executed']);
  assert.equal(listeners(controller.signal), 0);
});

test('aborted after the end: nothing happens', async () => {
  await sandbox.reset();
  const controller = new AbortController();
  const { signal } = controller;
  const response = await client.createPayment(payment(), { signal });
  assert.equal(listeners(signal), 0);
  controller.abort();
  await sleep(50);
  assert.equal(response.status, 'PE');
});

test('a time-out is a signal', async () => {
  await sandbox.reset();
  await sandbox.faults({ then: [{ fault: 'hang' }] });
  const error = await rejection(
    client.createPayment(payment(), { signal: AbortSignal.timeout(300) }),
  );
  assert.deepEqual([error.kind, error.cause.name], ['cancelled', 'TimeoutError']);
});

test('a call may have its own deadline, shorter or longer', async () => {
  await sandbox.reset();
  const patient = new Client(sandbox.config({ timeout_ms: 3_600_000 }));
  await sandbox.faults({ then: [{ fault: 'hang' }] });
  const { signal } = new AbortController();
  const error = await rejection(patient.createPayment(payment(), { timeoutMs: 500, signal }));
  assert.deepEqual(
    [error.kind, error.code, error.cause],
    ['timeout', 'deadline_passed', undefined],
  );
  assert.equal(listeners(signal), 0);

  await sandbox.reset();
  const hasty = new Client(sandbox.config({ timeout_ms: 200 }));
  for (const timeoutMs of [60_000, Number.MAX_SAFE_INTEGER]) {
    await sandbox.faults({ then: [{ fault: 'hang', ms: 600 }] });
    const response = await hasty.createPayment(payment(`order-${timeoutMs}`), { timeoutMs });
    assert.equal(response.status, 'PE');
  }
  await sandbox.faults({ then: [{ fault: 'hang' }] });
  assert.equal(
    (await rejection(hasty.createPayment(payment(), { timeoutMs: undefined }))).kind,
    'timeout',
  );
});

test('thousands of calls on one signal leave no listener behind', async () => {
  const { signal } = new AbortController();
  const warnings = [];
  const listen = (warning) => warnings.push(warning);
  process.on('warning', listen);
  const local = new Client(sandbox.unsignedConfig());
  let most = 0;
  for (let round = 0; round < 10; round += 1) {
    const calls = Array.from({ length: 300 }, (_, index) =>
      local.prepare('query_payment', { hash: `h${index}` }, { signal }),
    );
    most = Math.max(most, listeners(signal));
    await Promise.all(calls);
    assert.equal(listeners(signal), 0);
  }
  assert.equal(most, 1, 'one listener serves all calls');
  await sleep(10);
  process.off('warning', listen);
  assert.deepEqual(warnings, []);
});

test('one signal ends all of its calls', async () => {
  await sandbox.reset();
  await sandbox.faults({ times: 'always', then: [{ fault: 'hang' }] });
  const controller = new AbortController();
  const { signal } = controller;
  const calls = Array.from({ length: 20 }, (_, index) =>
    rejection(client.createPayment(payment(`o-${index}`), { signal })),
  );
  await until(async () => (await sandbox.stats()).in_flight >= 20, '20 requests');
  controller.abort();
  const outcomes = (await Promise.all(calls)).map(({ kind, outcome }) => `${kind} ${outcome}`);
  assert.deepEqual([...new Set(outcomes)], ['cancelled unknown']);
  assert.equal(listeners(signal), 0);
});
