// Members that look as if they were there, and values that are not what they look like.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runInNewContext } from 'node:vm';

import { Client } from 'libpayments';

import { keyFile, payment, readShared, rejection } from './support/sandbox.mjs';

const signed = { key_file: keyFile('test_rsa_4096_pkcs8.pem'), kid: 'k' };
const client = new Client({ ...signed, base_url: 'http://127.0.0.1:1' });

test('a Date is refused: its day depends on the time zone', async () => {
  const date = new Date(2027, 11, 31, 22);
  const toJSON = (text) => ({ toJSON: () => text });
  const times = [
    date,
    new Date(Number.NaN),
    runInNewContext('new Date(0)'),
    toJSON(date.toJSON()),
    toJSON('2027-12-31T22:00:00.000-03:00'),
    toJSON('+012027-12-31T22:00:00Z'),
  ];
  for (const due_date of times) {
    const error = await rejection(client.createPayment(payment('order-1', { due_date })));
    assert.deepEqual([error.code, error.path], ['wrong_type', 'payment.due_date']);
    assert.match(error.message, /is a Date, .*; write the day as a string .*"31\/12\/2027"/);
  }
  const model = { toJSON: () => ({ ...payment().payment, extra: { days: [date] } }) };
  const error = await rejection(client.createPayment({ payment: model }));
  assert.equal(error.path, 'payment.extra.days[0]');
  assert.equal(
    (await rejection(client.prepare('refund_payment', { hash: 'a', extra: { date } }))).path,
    'extra.date',
  );
  // A day without a time has one reading.
  for (const due_date of ['2027-12-31T22:00:00Z', toJSON('2027-12-31')]) {
    await client.prepare('create_payment', payment('order-1', { due_date }));
  }
});

test('an error names a getter or an inherited member', async () => {
  const { amount_total, ...others } = payment().payment;
  class Payment {
    get amount_total() {
      return amount_total;
    }
  }
  const hidden = Object.defineProperty({ ...others }, 'amount_total', { value: amount_total });
  const read = 'only enumerable members of the object itself are read';
  for (const [given, what] of [
    [Object.assign(new Payment(), others), 'is a getter of a class'],
    [Object.assign(Object.create({ amount_total }), others), 'is inherited'],
    [hidden, 'is not enumerable'],
  ]) {
    const { code, path, message, outcome } = await rejection(
      client.createPayment({ payment: given }),
    );
    assert.deepEqual([code, path, outcome], ['required', 'payment.amount_total', 'not_executed']);
    const remedy = 'give it as { amount_total: object.amount_total }';
    assert.equal(
      message,
      `create_payment: payment.amount_total: ${what}, and ${read}: ${remedy} [validation/required, not_executed]`,
    );
  }
  const wrapped = Object.create({ payment: payment().payment });
  assert.match((await rejection(client.createPayment(wrapped))).message, /payment: is inherited/);
  const controller = new AbortController();
  const calls = {
    'options.signal': (of) => client.queryPayment({ hash: 'a' }, of(controller)),
    'options.timeoutMs': (of) => client.queryPayment({ hash: 'a' }, of({ timeoutMs: 1 })),
    'range.recent': (of) => client.journal.prune(of({ recent: true })),
  };
  for (const [place, call] of Object.entries(calls)) {
    const error = await rejection(call(Object.create));
    assert.deepEqual([error.code, error.path], ['wrong_type', place]);
    assert.match(error.message, new RegExp(read));
  }
  assert.throws(() => new Client(Object.create({ base_url: 'http://127.0.0.1:1' })), {
    code: 'required',
    path: 'base_url',
    message:
      /base_url: is inherited, and only .* \{ base_url: object\.base_url \} \[config\/required/,
  });
  assert.throws(() => new Client({ ...signed }, Object.create({ observer() {} })), {
    path: 'callbacks.observer',
  });
  // An absent or wrong member is not called inherited.
  const { message } = await rejection(client.createPayment({ payment: others }));
  assert.match(message, /amount_total: required/);
});

test('a required member whose toJSON gives nothing is refused', async () => {
  const samples = JSON.parse(readShared('samples.json'));
  const requests = {
    create_payment: samples.pix_payment.payment,
    create_payout: samples.pix_payout,
  };
  const { operations } = JSON.parse(readShared('manifest.json'));
  for (const [operation, members] of Object.entries(requests)) {
    const isPayment = operation === 'create_payment';
    const [{ fields }] = operations
      .filter(({ name }) => name === operation)
      .flatMap((it) => (isPayment ? it.fields.filter(({ name }) => name === 'payment') : it));
    const required = fields.filter(({ presence }) => presence === 'required');
    assert.ok(required.length > 4);
    for (const { name } of required) {
      for (const nothing of [null, undefined]) {
        const given = { ...members, [name]: { toJSON: () => nothing } };
        const request = isPayment ? { payment: given } : given;
        const { kind, path, outcome } = await rejection(client.call(operation, request));
        const place = isPayment ? `payment.${name}` : name;
        assert.deepEqual([kind, path, outcome], ['validation', place, 'not_executed']);
      }
    }
  }
});

test('an exception while a request is read rejects unchanged', async () => {
  const thrown = new RangeError('there is no price');
  const fails = () => {
    throw thrown;
  };
  const { amount_total: _, ...others } = payment().payment;
  for (const given of [
    Object.defineProperty({ ...others }, 'amount_total', { get: fails, enumerable: true }),
    { toJSON: fails },
    { ...others, amount_total: { toJSON: fails } },
    new Proxy(others, { ownKeys: fails }),
  ]) {
    assert.equal(await rejection(client.createPayment({ payment: given })), thrown);
  }
});
