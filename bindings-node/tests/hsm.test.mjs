// Keys that stay in an HSM, by configuration alone.

import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';

import { Client, PaymentsError } from 'libpayments';

import { Hsm, PIN } from './support/hsm.mjs';
import { PACKAGE, startWorker } from './support/programs.mjs';
import { shownForms } from './support/report.mjs';
import { Sandbox, payment } from './support/sandbox.mjs';

let sandbox;
let hsm;
before(async () => {
  sandbox = await Sandbox.start();
  hsm = new Hsm();
});
beforeEach(async () => {
  await sandbox.reset();
  await sandbox.control('POST', '/sandbox/settings', { require: ['jws'] });
});
after(async () => {
  hsm?.remove();
  await sandbox.stop();
});

const config = (over) => sandbox.config(hsm.config(over));

/** How the signatures of all requests were found, which must be so many. */
async function assertVerified(count) {
  const signatures = (await sandbox.requests()).map(({ signature }) => signature);
  assert.deepEqual(signatures, new Array(count).fill('verified'));
}

test('a payment is signed in the HSM', async () => {
  const pin_file = hsm.write('pin', `${PIN}\n`);
  const configs = [
    config(),
    config({ pkcs11_pin: undefined, pkcs11_pin_file: pin_file }),
    config({ pkcs11_key_label: undefined, pkcs11_key_id: 'a1' }),
  ];
  for (const [index, of] of configs.entries()) {
    const client = new Client(of);
    assert.equal((await client.createPayment(payment(`o-${index}`))).status, 'PE');
  }
  const client = Client.fromFile(hsm.write('payments.json', JSON.stringify(config())));
  assert.equal((await client.createPayment(payment('o-file'))).status, 'PE');
  await assertVerified(4);
});

test('many calls share few sessions', async () => {
  const client = new Client(config({ pkcs11_sessions: 2 }));
  const calls = Array.from({ length: 30 }, (_, index) =>
    client.createPayment(payment(`o-${index}`)),
  );
  const responses = await Promise.all(calls);
  assert.ok(responses.every(({ status }) => status === 'PE'));
  await assertVerified(30);
});

const IN_WORKER = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { Client } = require(workerData.libpayments);
  const client = new Client(workerData.config);
  Promise.all(workerData.payments.map((payment) => client.createPayment(payment)))
    .then((responses) => parentPort.postMessage(responses.map(({ status }) => status)));
`;

/** The states of payments that a worker thread makes, which ends afterwards. */
async function payInWorker(payments) {
  const workerData = JSON.parse(
    JSON.stringify({ libpayments: PACKAGE, payments, config: config() }),
  );
  const { worker, ended } = startWorker(IN_WORKER, workerData);
  let said;
  worker.once('message', (message) => {
    said = message;
  });
  assert.equal(await ended, 0);
  return said;
}

test('worker threads and the main thread share the HSM', async () => {
  const client = new Client(config());
  const payments = (name) => Array.from({ length: 5 }, (_, index) => payment(`${name}-${index}`));
  const here = payments('main').map((each) =>
    client.createPayment(each).then(({ status }) => status),
  );
  const all = await Promise.all([
    Promise.all(here),
    ...['w1', 'w2', 'w3'].map((name) => payInWorker(payments(name))),
  ]);
  assert.deepEqual(all, new Array(4).fill(new Array(5).fill('PE')));
  assert.equal((await client.createPayment(payment('afterwards'))).status, 'PE');
  await assertVerified(21);
});

test('the constructor throws without showing the PIN', async () => {
  const wrong = 'canary-wrong-pin';
  for (const [over, path] of [
    [{ pkcs11_module: '/nowhere/module.so' }, 'pkcs11_module'],
    [{ pkcs11_token: 'another' }, 'pkcs11_token'],
    [{ pkcs11_key_label: 'another' }, 'pkcs11_key_label'],
    [{ pkcs11_token: 'empty', pkcs11_pin: wrong }, 'pkcs11_pin'],
  ]) {
    assert.throws(
      () => new Client(config(over)),
      (error) => {
        assert.ok(error instanceof PaymentsError);
        assert.deepEqual([error.kind, error.path], ['config', path], error.message);
        assert.ok(![PIN, wrong].some((pin) => shownForms(error).includes(pin)));
        return true;
      },
    );
  }
  assert.deepEqual(await sandbox.requests(), []);
});
