// The events that observers receive, as the event loop, signals and other calls change them.

import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';

import { Client } from 'libpayments';

import { run } from './support/programs.mjs';
import { Sandbox, payment, rejection, until } from './support/sandbox.mjs';

let sandbox;
before(async () => {
  sandbox = await Sandbox.start();
});
beforeEach(() => sandbox.reset());
after(() => sandbox.stop());

/** A client and its events. */
function observed(config) {
  const events = [];
  return { client: new Client(config, { observer: (event) => void events.push(event) }), events };
}

const namesOf = (events) => events.map(({ event }) => event);

test('PAYMENTS_LOG=debug writes each event to standard error', async () => {
  const program = `
    import { Client } from 'libpayments';
    const client = new Client(${JSON.stringify(sandbox.bearerConfig())});
    await client.createPayment(${JSON.stringify(payment())});
  `;
  const { code, stderr } = await run(program, { env: { PAYMENTS_LOG: 'debug' } });
  assert.equal(code, 0, stderr);
  const names = stderr
    .trimEnd()
    .split('\n')
    .map((line) => /^payments\[\d+\] (\w+)/.exec(line)[1]);
  assert.deepEqual(names, [
    'request_started',
    'token_requested',
    'token_fetched',
    'attempt',
    'attempt_ended',
    'request_ended',
  ]);
});

test('calls that are cancelled before and after the first byte', async () => {
  await sandbox.faults({ operation: 'create_payment', then: [{ fault: 'hang' }] });
  const { client, events } = observed(sandbox.config());
  const controller = new AbortController();
  const cancelled = rejection(client.createPayment(payment(), { signal: controller.signal }));
  await until(async () => (await sandbox.requests()).length === 1, 'a request that hangs');
  controller.abort();
  await cancelled;
  assert.deepEqual(namesOf(events), [
    'request_started',
    'attempt',
    'attempt_ended',
    'request_ended',
  ]);
  const late = events.splice(0).at(-1);
  assert.deepEqual(
    [late.kind, late.outcome, late.httpStatus, late.attempts],
    ['cancelled', 'unknown', null, 1],
  );

  await rejection(client.createPayment(payment(), { signal: AbortSignal.abort() }));
  const early = events.at(-1);
  assert.deepEqual([early.kind, early.outcome, early.attempts], ['cancelled', 'not_executed', 0]);
});

test('concurrent calls have events with their own number', async () => {
  await sandbox.faults({
    operation: 'query_payment',
    times: 5,
    then: [{ fault: 'pass' }, { fault: 'close' }],
  });
  const { client, events } = observed(sandbox.bearerConfig());
  await Promise.allSettled([
    ...Array.from({ length: 15 }, (_, index) => client.createPayment(payment(`o-${index}`))),
    ...Array.from({ length: 15 }, () => client.queryPayment({ hash: 'none' })),
  ]);
  const calls = new Map();
  for (const event of events) {
    calls.set(event.call, [...(calls.get(event.call) ?? []), event]);
  }
  assert.equal(calls.size, 30);
  let retries = 0;
  for (const own of calls.values()) {
    assert.equal(new Set(own.map(({ reference }) => reference)).size, 1);
    const names = namesOf(own);
    assert.deepEqual([names[0], names.at(-1)], ['request_started', 'request_ended']);
    const count = (name) => names.filter((each) => each === name).length;
    assert.deepEqual([count('request_started'), count('request_ended')], [1, 1]);
    const [{ operation }] = own;
    assert.ok(own.every((event) => event.operation === undefined || event.operation === operation));
    const attempts = own.filter(({ event }) => event === 'attempt').map(({ number }) => number);
    assert.deepEqual(
      attempts,
      Array.from({ length: own.at(-1).attempts }, (_, index) => index + 1),
    );
    retries += count('retry');
  }
  // Of five failures, three may strike one query, which ends with the third.
  assert.ok(retries >= 4, `${retries} retries`);
});
