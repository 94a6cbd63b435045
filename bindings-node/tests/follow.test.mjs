// Following open payments.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';

import { Client } from 'libpayments';

import { payout } from './support/journal.mjs';
import { Sandbox, payment, rejection, until } from './support/sandbox.mjs';

let sandbox;
let client;
let folder;
before(async () => {
  sandbox = await Sandbox.start();
  folder = mkdtempSync(join(tmpdir(), 'follow-'));
});
beforeEach(async () => {
  await sandbox.reset();
  client = new Client(sandbox.config());
});
after(async () => {
  rmSync(folder, { recursive: true });
  await sandbox.stop();
});

/** Makes payments that are paid. */
async function paid(...references) {
  for (const reference of references) {
    const { hash } = await client.createPayment(payment(reference));
    await sandbox.pay(hash);
  }
}

test('an end that was not handled is repeated', async () => {
  await paid('order-1', 'order-2');
  const state = join(folder, 'again.state');
  const options = { references: ['order-1', 'order-2'], state, perSecond: 100 };
  for await (const { reference, end, status, repeated, refundCode } of client.follow(options)) {
    assert.deepEqual(
      [reference, end, status, repeated, refundCode],
      ['order-1', 'confirmed', 'CO', false, null],
    );
    break;
  }
  const ends = [];
  for await (const { reference, repeated } of client.follow(options)) {
    ends.push([reference, repeated]);
  }
  assert.deepEqual(ends, [
    ['order-1', true],
    ['order-2', false],
  ]);
  assert.ok((await client.follow(options).next()).done);
});

test('an error has the stack of the iteration', async () => {
  async function shop(...given) {
    for await (const { end } of client.follow(...given)) {
      assert.ok(end);
    }
  }
  await paid('order-1');
  const state = join(folder, 'stack.state');
  const options = { references: ['order-1', 'order-2'], state, perSecond: 100 };
  for (const [given, code] of [
    [[{ unknown: 1 }], 'member_unknown'],
    [[{}], 'required'],
    [[options, { signal: AbortSignal.timeout(200) }], 'cancelled'],
  ]) {
    const { kind, code: its, stack } = await rejection(shop(...given));
    assert.ok([kind, its].includes(code), stack);
    assert.match(stack, /^PaymentsError: .*\n {4}at .*\n?.*shop \(.*follow\.test\.mjs/);
  }
});

test('a state file has one iteration, which a signal ends', async () => {
  const { hash } = await client.createPayment(payment('order-1'));
  const options = { references: [hash], byHash: true, state: join(folder, 'one.state') };
  const controller = new AbortController();
  const follow = client.follow(options, { signal: controller.signal });
  const waits = follow.next();
  const queries = () => sandbox.requests('query_payment');
  await until(async () => (await queries()).length > 0, 'a query');
  const other = await rejection(client.follow(options).next());
  assert.deepEqual([other.kind, other.code, other.path], ['config', 'already_running', 'state']);
  controller.abort();
  assert.equal((await rejection(waits)).kind, 'cancelled');
  await sandbox.pay(hash);
  const { value } = await client.follow(options).next();
  assert.deepEqual([value.hash, value.end], [hash, 'confirmed']);
});

test('a state file is free after an iteration was aborted', async () => {
  await paid('order-1');
  const options = { references: ['order-1'], state: join(folder, 'aborted.state') };
  const errors = new Set();
  for (let round = 0; round < 50; round += 1) {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), round % 5);
    const follow = client.follow(options, { signal: controller.signal });
    const error = await follow.next().then(
      () => follow.return(),
      ({ code }) => errors.add(code),
    );
    assert.ok(error);
  }
  assert.ok(!errors.has('already_running'), [...errors].join());
});

test('an open payment is given up', async () => {
  await client.createPayment(payment('order-1'));
  const options = { references: ['order-1'], giveUpAfterMs: 0 };
  const { value } = await client.follow(options).next();
  assert.deepEqual([value.end, value.status], ['given_up', 'PE']);
  assert.deepEqual([value.amount, value.currency], ['100.10', 'BRL']);
  assert.match(value.reason, /^it is still open after/);
});

test('payouts are followed where their query is on', async () => {
  const querying = new Client(sandbox.config({ payout_query: true }));
  const { uid } = await querying.createPayout(payout('payout-1'));
  await querying.createPayout(payout('payout-2'));
  await sandbox.control('POST', '/sandbox/payouts/payout-1/pay');
  await sandbox.control('POST', '/sandbox/payouts/payout-2/cancel', { code: 'BANK_INFO' });
  const state = join(folder, 'payouts.state');
  const references = ['payout-1', 'payout-2'];
  const options = { references, byExternalReference: true, state, perSecond: 100 };
  const first = querying.follow(options);
  const { value } = await first.next();
  await first.return();
  const paid = { operation: 'create_payout', reference: 'payout-1', refundCode: null, uid };
  const money = { amount: '10.00', currency: 'BRL' };
  const open = {
    hash: null,
    otherHash: null,
    ...money,
    repeated: false,
    final: false,
    reason: null,
    code: null,
  };
  assert.deepEqual({ ...value }, { ...paid, ...open, end: 'confirmed', status: 'PA' });
  const ends = [];
  for await (const { reference, end, status, code, repeated } of querying.follow(options)) {
    ends.push([reference, end, status, code, repeated]);
  }
  assert.deepEqual(ends, [
    ['payout-1', 'confirmed', 'PA', null, true],
    ['payout-2', 'cancelled', 'CA', 'BANK_INFO', false],
  ]);
  const byUid = await querying.follow({ references: [uid], byUid: true }).next();
  assert.deepEqual([byUid.value.reference, byUid.value.end], [uid, 'confirmed']);
  const off = await rejection(client.follow({ references, byExternalReference: true }).next());
  assert.deepEqual([off.kind, off.path], ['config', 'payout_query']);
  assert.match(off.message, /turn payout_query on \[/);
  const both = await rejection(querying.follow({ ...options, byUid: true }).next());
  assert.deepEqual([both.kind, both.path], ['validation', 'references']);
});

test('invalid arguments are refused', async () => {
  const refused = async (options) => {
    const { kind, path } = await rejection(client.follow(options).next());
    return [kind, path];
  };
  assert.deepEqual(await refused(), ['config', 'journal']);
  assert.deepEqual(await refused({ references: 'order-1' }), ['validation', 'references']);
  assert.deepEqual(await refused({ reference: [] }), ['validation', 'options.reference']);
  assert.deepEqual(await refused({ references: [], perSecond: 0 }), ['validation', 'per_second']);
});
