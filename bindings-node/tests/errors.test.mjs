// Errors and their texts.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { inspect } from 'node:util';

import { Client, PaymentsError, verify } from 'libpayments';

import { shownForms } from './support/report.mjs';
import { Sandbox, keyFile, payment, readShared, rejection } from './support/sandbox.mjs';

const unused = { base_url: 'http://127.0.0.1:1', integration_key: 'k' };
let sandbox;
before(async () => {
  sandbox = await Sandbox.start();
});
after(() => sandbox.stop());

test('an error has texts and bodies that are not shown', async () => {
  // The message of a sandbox on this host is shown.
  const client = new Client(sandbox.config({ environment: 'production' }));
  const json = {
    status: 'ERROR',
    status_code: 'BP-X-1',
    status_message: 'document 853.513.468-93',
  };
  await sandbox.faults({ then: [{ fault: 'response', status: 400, json }] });
  const error = await rejection(client.createPayment(payment()));
  assert.equal(error.serviceMessage, json.status_message);
  assert.ok(error instanceof PaymentsError && error instanceof Error);
  assert.equal(error.name, 'PaymentsError');
  assert.match(error.requestBody.toString(), /order-1001/);
  assert.match(error.responseBody.toString(), /BP-X-1/);
  assert.doesNotMatch(shownForms(error), /853\.513|Maria/);
  await sandbox.reset();
});

test('the stack is that of the caller', async () => {
  const client = new Client(unused);
  async function checkOut() {
    await client.createPayment({});
  }
  const checkOutLater = () =>
    Promise.resolve().then(function laterOn() {
      return client.createPayment({});
    });
  const awaited = await rejection(checkOut());
  assert.match(awaited.stack.split('\n')[1], /checkOut.*errors\.test\.mjs/);
  assert.match(awaited.stack, /^PaymentsError: create_payment: payment: /);
  assert.match((await rejection(checkOutLater())).stack, /laterOn.*errors\.test\.mjs/);
  assert.match((await rejection(verify({}))).stack.split('\n')[1], /errors\.test\.mjs/);
});

test('nothing is thrown synchronously for any argument', async () => {
  const client = new Client(unused);
  const odd = [
    undefined,
    null,
    7,
    'x',
    [],
    () => {},
    Symbol('s'),
    new Map(),
    Promise.resolve({}),
    { a: Symbol('s') },
  ];
  const methods = [
    'createPayment',
    'queryPayment',
    'refundPayment',
    'createPayout',
    'registerTracking',
    'send',
  ];
  for (const value of odd) {
    for (const method of methods) {
      const error = await rejection(client[method](value));
      assert.ok(error instanceof PaymentsError, `${method}(${inspect(value)}): ${error}`);
      assert.equal(error.kind, 'validation', String(error));
      assert.equal(error.outcome, 'not_executed');
    }
    assert.equal((await rejection(client.prepare('create_payment', value))).kind, 'validation');
    assert.equal((await rejection(client.prepare(value, {}))).kind, 'validation');
    assert.equal((await rejection(client.call(value, {}))).kind, 'validation');
    assert.equal((await rejection(verify(value))).kind, 'validation');
  }
  const { createPayment } = client;
  assert.ok((await rejection((async () => createPayment(payment()))())) instanceof TypeError);
});

test('options that do not exist are named', async () => {
  const client = new Client(unused);
  const refusal = async (options) => rejection(client.createPayment(payment(), options));
  assert.equal((await refusal({ timeout: 5 })).path, 'options.timeout');
  assert.equal((await refusal({ signal: 'x' })).path, 'options.signal');
  assert.equal((await refusal({ traceparent: 7 })).path, 'options.traceparent');
  assert.match((await refusal(new AbortController().signal)).message, /\{ signal \}/);
  for (const timeoutMs of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, '5', 5n]) {
    const { kind, code, path, operation, message } = await refusal({ timeoutMs });
    const seen = [kind, code, path, operation];
    assert.deepEqual(
      seen,
      ['validation', 'wrong_type', 'options.timeoutMs', 'create_payment'],
      String(timeoutMs),
    );
    assert.match(message, /must be a whole number of milliseconds greater than zero/);
  }
});

test('callbacks in the configuration are refused with advice', () => {
  for (const [name, callback] of [
    ['signer', () => new Uint8Array()],
    ['signer', { kid: 'k', sign: () => new Uint8Array() }],
    ['observer', () => {}],
    ['tokenStore', { load: () => null }],
    ['token_store', { load: () => null }],
  ]) {
    for (const make of [(config) => new Client(config), Client.shared.bind(Client)]) {
      assert.throws(
        () => make({ ...unused, [name]: callback }),
        (error) => {
          assert.deepEqual([error.kind, error.code, error.path], ['config', 'wrong_type', name]);
          const callbackName = name === 'token_store' ? 'tokenStore' : name;
          assert.match(
            error.message,
            new RegExp(`new Client\\(configuration, \\{ ${callbackName} \\}\\)`),
          );
          return true;
        },
      );
    }
  }
});

test('the constructor throws for invalid configurations', () => {
  const thrown = (config, callbacks) => {
    try {
      new Client(config, callbacks);
    } catch (error) {
      return error;
    }
    throw new Error('it was accepted');
  };
  for (const [config, path] of [
    [[], 'config'],
    ['{}', 'config'],
    [{ ...unused, timeout_ms: Number.NaN }, 'timeout_ms'],
  ]) {
    const error = thrown(config);
    assert.deepEqual([error.kind, error.path], ['config', path], error.message);
    assert.match(error.stack.split('\n')[1], /errors\.test\.mjs/);
  }
  for (const callbacks of [() => {}, 'signer', [], 5]) {
    const error = thrown(unused, callbacks);
    assert.deepEqual([error.kind, error.code, error.path], ['config', 'wrong_type', 'callbacks']);
    assert.match(error.message, /must be an object, for example \{ signer \}/);
  }
  assert.equal(thrown(unused, { signer: () => {} }).path, 'signer');
  assert.equal(thrown(unused, { tokenStore: { load() {} } }).path, 'tokenStore');
  assert.equal(thrown(unused, { observer: {} }).path, 'observer');
  assert.equal(thrown(unused, { logger: () => {} }).path, 'logger');
});

test('a response is shown by its state, and has its members', async () => {
  await sandbox.reset();
  const client = new Client(sandbox.config());
  const json = { status: 'SUCCESS', payment: { ...payment().payment, hash: 'h', status: 'CO' } };
  await sandbox.faults({ then: [{ fault: 'response', json }] });
  const response = await client.queryPayment({ hash: 'h' });
  const bodyLength = response.raw.length;
  assert.equal(
    inspect(response),
    `PaymentResponse ${inspect({ status: 'CO', isPaid: true, httpStatus: 200, bodyLength })}`,
  );
  assert.match(JSON.stringify(response), /Maria Souza/);
  const sent = await client.send({ method: 'POST', path: '/ws/x', body: '{}' });
  assert.match(inspect(sent), /^SendResponse { httpStatus: 200, bodyLength: \d+ }$/);
});

test('errors can be made for tests', () => {
  const error = new PaymentsError(
    'it timed out',
    { kind: 'timeout', code: 'deadline_passed', outcome: 'unknown', serviceMessage: 'x' },
    { cause: 7 },
  );
  assert.deepEqual(
    [error.outcome, error.serviceMessage, error.cause, error.path],
    ['unknown', 'x', 7, undefined],
  );
});

test('a signature is verified without a client', async () => {
  const publicKey = readShared('vectors', 'keys', 'test_rsa_4096_public.pem');
  assert.equal((await verify({ publicKey, body: 'x' })).cause, 'missing_signature');
  const key_file = keyFile('test_rsa_4096_pkcs8.pem');
  const signing = new Client({ base_url: unused.base_url, key_file, kid: 'k' });
  // No text has these bytes.
  const body = Buffer.from([0xff, 0]);
  const prepared = await signing.prepare('send', { method: 'POST', path: '/ws/x', body });
  const token = prepared.headers['x-jws-signature'];
  assert.deepEqual(await verify({ publicKey, token, body }), { valid: true, kid: 'k' });
  assert.equal((await verify({ publicKey, token, body: 'x' })).cause, 'signature_mismatch');
  const error = await rejection(verify({ publicKey: 'x', token: 'a..b', body: 'x' }));
  assert.equal(error.kind, 'config');
});
