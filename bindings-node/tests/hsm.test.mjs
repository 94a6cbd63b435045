// Keys that stay in an HSM, by configuration alone.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { Client } from 'libpayments';

import { Hsm } from './support/hsm.mjs';
import { PACKAGE, startWorker } from './support/programs.mjs';
import { Sandbox, payment } from './support/sandbox.mjs';

let sandbox;
let hsm;
before(async () => {
  sandbox = await Sandbox.start();
  hsm = new Hsm();
  await sandbox.control('POST', '/sandbox/settings', { require: ['jws'] });
});
after(async () => {
  hsm?.remove();
  await sandbox.stop();
});

const config = () => sandbox.config(hsm.config());

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
  const signatures = (await sandbox.requests()).map(({ signature }) => signature);
  assert.deepEqual(signatures, new Array(21).fill('verified'));
});
