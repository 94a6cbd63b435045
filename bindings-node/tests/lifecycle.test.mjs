// The start and the end of clients, workers and the process.

import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { inspect } from 'node:util';

import { Client } from 'libpayments';

import { PACKAGE, run, startWorker } from './support/programs.mjs';
import { Sandbox, payment, rejection, until } from './support/sandbox.mjs';

let sandbox;
before(async () => {
  sandbox = await Sandbox.start();
});
beforeEach(() => sandbox.reset());
after(() => sandbox.stop());

function prelude(over = {}) {
  return `
    import { Client } from 'libpayments';
    const config = ${JSON.stringify(sandbox.config(over))};
    const payment = ${JSON.stringify(payment())};
    const client = new Client(config);
  `;
}

test('a closed client refuses calls, and those in flight end', async () => {
  await sandbox.faults({ then: [{ fault: 'hang', ms: 200 }] });
  const client = new Client(sandbox.config());
  const inFlight = client.createPayment(payment());
  client.close();
  client.close();
  const error = await rejection(client.createPayment(payment()));
  assert.deepEqual(
    [error.kind, error.code, error.outcome],
    ['config', 'client_closed', 'not_executed'],
  );
  assert.equal((await inFlight).status, 'PE');
  assert.equal(inspect(client), 'Client { closed }');
});

test('a client can be disposed of', async () => {
  const client = new Client(sandbox.config());
  client[Symbol.dispose]();
  assert.equal((await rejection(client.accessToken())).code, 'client_closed');
});

test('closing a client closes its connections', async () => {
  const client = new Client(sandbox.config());
  await client.createPayment(payment());
  client.close();
  await until(async () => (await sandbox.stats()).open_connections <= 1, 'the connection to close');
});

test('configuration by file and from the environment', async () => {
  const program = `
    import { Client } from 'libpayments';
    import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
    import { tmpdir } from 'node:os';
    import { join } from 'node:path';
    import { pathToFileURL } from 'node:url';
    const folder = mkdtempSync(join(tmpdir(), 'payments-'));
    const file = join(folder, 'payments.json');
    writeFileSync(file, ${JSON.stringify(JSON.stringify(sandbox.config()))});
    const { kid, key_file, base_url } = ${JSON.stringify(sandbox.config())};
    process.env.PAYMENTS_BASE_URL = base_url;
    process.env.PAYMENTS_KID = kid;
    process.env.PAYMENTS_KEY_FILE = key_file;
    for (const client of [Client.fromFile(file), Client.fromFile(pathToFileURL(file)), Client.fromEnv()]) {
      const { headers } = await client.prepare('query_payment', { hash: 'x' });
      if (!headers['x-jws-signature']) throw new Error('not signed');
    }
    rmSync(folder, { recursive: true });
    console.log('done');
  `;
  const { code, stdout, stderr } = await run(program);
  assert.deepEqual({ code, stdout, stderr }, { code: 0, stdout: 'done\n', stderr: '' });
});

test('a call keeps the process alive until it ends, and no longer', async () => {
  await sandbox.faults({ then: [{ fault: 'hang', ms: 300 }] });
  const program = `${prelude()}
    client.createPayment(payment).then(({ status }) => console.log(status));
  `;
  const { code, stdout, stderr } = await run(program);
  assert.deepEqual({ code, stdout, stderr }, { code: 0, stdout: 'PE\n', stderr: '' });
});

test('process.exit in mid-call is clean', async () => {
  await sandbox.faults({ times: 'always', then: [{ fault: 'hang' }] });
  const { integration_key } = sandbox.settings;
  const program = `${prelude({ kid: undefined, key_file: undefined, integration_key })}
    for (let index = 0; index < 50; index += 1) {
      client.createPayment(payment).then(() => console.log('responded'), (error) => console.log(error.kind));
    }
    setTimeout(() => process.exit(7), 300);
  `;
  for (let round = 0; round < 3; round += 1) {
    const { code, signal, stdout, stderr } = await run(program);
    assert.deepEqual(
      { code, signal, stdout, stderr },
      { code: 7, signal: null, stdout: '', stderr: '' },
    );
  }
});

test('an exception in mid-call ends the process as any other', async () => {
  await sandbox.faults({ times: 'always', then: [{ fault: 'hang' }] });
  const program = `${prelude()}
    client.createPayment(payment);
    setTimeout(() => { throw new Error('unforeseen'); }, 200);
  `;
  const { code, signal, stderr } = await run(program);
  assert.deepEqual([code, signal], [1, null]);
  assert.match(stderr, /unforeseen/);
});

test('an unhandled rejection shows advice and no secrets', async () => {
  await sandbox.faults({ then: [{ fault: 'close', execute: true }] });
  const program = `${prelude()}
    client.createPayment(payment);
  `;
  const { code, stderr } = await run(program);
  assert.equal(code, 1);
  assert.match(stderr, /PaymentsError: create_payment: .*queryPayment.*unknown\]/);
  assert.match(stderr, /outcome: 'unknown'/);
  assert.doesNotMatch(stderr, /Maria|853\.513/);
});

const IN_WORKER = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { Client } = require(workerData.libpayments);
  const client = new Client(workerData.config, workerData.hangs && {
    signer: { kid: 'k', sign: () => { parentPort.postMessage('asked'); return new Promise(() => {}); } },
  });
`;

function workerData(over) {
  return { libpayments: PACKAGE, config: sandbox.config(), payment: payment(), ...over };
}

test('workers pay, each with its own addon', async () => {
  const program = `${IN_WORKER}
    const { payment } = workerData.payment;
    Promise.all(Array.from({ length: 10 }, (_, index) => client.createPayment({
      payment: { ...payment, merchant_payment_code: workerData.name + index },
    }))).then((responses) => parentPort.postMessage(responses.every(({ status }) => status === 'PE')));
  `;
  const workers = Array.from({ length: 4 }, (_, index) =>
    startWorker(program, workerData({ name: `w${index}-` })),
  );
  const messages = await Promise.all(
    workers.map(({ worker }) => new Promise((resolve) => worker.once('message', resolve))),
  );
  assert.deepEqual(messages, [true, true, true, true]);
  assert.deepEqual(await Promise.all(workers.map(({ ended }) => ended)), [0, 0, 0, 0]);
});

test('a worker terminated in mid-call is gone, the rest continues', async () => {
  await sandbox.faults({ operation: 'create_payment', times: 'always', then: [{ fault: 'hang' }] });
  const program = `${IN_WORKER}
    for (let index = 0; index < 20; index += 1) client.createPayment(workerData.payment);
  `;
  for (let round = 0; round < 5; round += 1) {
    const { worker, ended } = startWorker(program, workerData());
    await until(async () => (await sandbox.stats()).in_flight >= 20, 'calls in flight');
    await worker.terminate();
    await ended;
    await until(
      async () => (await sandbox.stats()).in_flight <= 1,
      'calls that end with their worker',
    );
  }
  const response = await rejection(new Client(sandbox.config()).queryPayment({ hash: 'none' }));
  assert.equal(response.kind, 'rejected');
});

test('no call of a worker begins while the worker is terminated', async () => {
  await sandbox.faults({ operation: 'create_payment', times: 'always', then: [{ fault: 'hang' }] });
  const program = `${IN_WORKER}
    for (let index = 0; index < 1500; index += 1) client.createPayment(workerData.payment);
  `;
  const config = { base_url: sandbox.baseUrl, integration_key: 'key', timeout_ms: 60_000 };
  const { worker, ended } = startWorker(program, workerData({ config }));
  await until(async () => (await sandbox.stats()).in_flight === 512, 'a call of each thread');
  await worker.terminate();
  await ended;
  // Threads take calls in order, so those of the worker are gone when this one ends.
  await rejection(new Client(config).queryPayment({ hash: 'none' }));
  assert.equal((await sandbox.stats()).requests, 512 + 1);
});

test('a worker terminated during an awaited signer is gone', async () => {
  const program = `${IN_WORKER}
    for (let index = 0; index < 20; index += 1) client.createPayment(workerData.payment);
  `;
  const config = sandbox.unsignedConfig();
  for (let round = 0; round < 5; round += 1) {
    const { worker, ended } = startWorker(program, workerData({ hangs: true, config }));
    await new Promise((resolve) => worker.once('message', resolve));
    await worker.terminate();
    await ended;
  }
  assert.deepEqual(await sandbox.requests(), []);
});

test('an addon of a worker lives as long as its threads', async () => {
  await sandbox.faults({ times: 'always', then: [{ fault: 'hang' }] });
  const program = `
    import { Worker } from 'node:worker_threads';
    for (let round = 0; round < 5; round += 1) {
      const worker = new Worker(${JSON.stringify(`${IN_WORKER}
        for (let index = 0; index < 20; index += 1) client.createPayment(workerData.payment);
        setTimeout(() => parentPort.postMessage('now'), 200);
      `)}, { eval: true, execArgv: [], workerData: ${JSON.stringify(workerData())} });
      await new Promise((resolve) => worker.once('message', resolve));
      await worker.terminate();
    }
    await new Promise((resolve) => setTimeout(resolve, 6_000));
    console.log('alive');
  `;
  const { code, signal, stdout, stderr } = await run(program);
  assert.deepEqual(
    { code, signal, stdout, stderr },
    { code: 0, signal: null, stdout: 'alive\n', stderr: '' },
  );
});
