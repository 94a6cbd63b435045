// An error crosses threads and processes as its report, from which it is made again.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, beforeEach, test } from 'node:test';
import { inspect } from 'node:util';
import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads';

import { PaymentsError } from 'libpayments';

import { PACKAGE, startWorker } from './support/programs.mjs';
import { REPORT, reportOf } from './support/report.mjs';
import { Sandbox, payment } from './support/sandbox.mjs';

let sandbox;
before(async () => {
  sandbox = await Sandbox.start();
});
beforeEach(() => sandbox.reset());
after(() => sandbox.stop());

/** The ways in which a report leaves a thread or a process. */
const WAYS = {
  postMessage(value) {
    const { port1, port2 } = new MessageChannel();
    port1.postMessage(value);
    const { message } = receiveMessageOnPort(port2);
    port1.close();
    return message;
  },
  structuredClone: (value) => structuredClone(value),
  JSON: (value) => JSON.parse(JSON.stringify(value)),
};

/**
 * The members in which both errors must agree: the report that all languages share, without
 * hidden members.
 */
function membersOf(error) {
  return { ...reportOf(error), service_message: null };
}

test('a report survives every way and becomes an error again', () => {
  const values = { message: 'it timed out', outcome: 'unknown', attempts: 2, retryAfter: 3 };
  values.httpStatus = 401;
  // The help is that of the package which shows the error, not of the one that made the report.
  values.code = 'deadline_passed';
  values.help = 'npx libpayments explain deadline_passed';
  values.diagnosis = { cause: null, finding: 'cannot_tell', message: 'it may be the kid' };
  values.journalEntry = { id: '0'.repeat(32), state: 'done', hash: null, createdAt: new Date(1) };
  for (const name of Object.values(REPORT)) {
    values[name] ??= `given ${name}`;
  }
  const error = new PaymentsError(values.message, values);
  const { serviceMessage, ...shown } = values;
  assert.deepEqual(error.toJSON(), { name: 'PaymentsError', ...shown });
  for (const [way, pass] of Object.entries(WAYS)) {
    const again = PaymentsError.from(pass(error.toJSON()));
    assert.ok(again instanceof PaymentsError && again instanceof Error, way);
    assert.deepEqual(membersOf(again), membersOf(error), way);
    assert.deepEqual(again.toJSON(), error.toJSON(), way);
    assert.deepEqual(again.journalEntry.createdAt, new Date(1), way);
    assert.equal(again.name, 'PaymentsError');
    assert.match(again.stack, /^PaymentsError: it timed out\n.*clone\.test\.mjs/);
  }
});

test('a pool of worker threads reports failures of its calls', async () => {
  const config = sandbox.config();
  await sandbox.faults({ operation: 'create_payment', then: [{ fault: 'hang' }] });
  const program = `
    const { parentPort, workerData } = require('node:worker_threads');
    const { Client, PaymentsError } = require(workerData.package);
    const client = new Client(workerData.config);
    parentPort.on('message', async ({ number, operation, request }) => {
      try {
        const { httpStatus } = await client.call(operation, request, { timeoutMs: 500 });
        parentPort.postMessage({ number, httpStatus });
      } catch (error) {
        if (!(error instanceof PaymentsError)) throw error;
        parentPort.postMessage({ number, error: error.toJSON() });
      }
    });`;
  const started = [0, 1].map(() => startWorker(program, { package: PACKAGE, config }));
  const workers = started.map(({ worker }) => worker);
  const ask = async (worker, job) => {
    worker.postMessage(job);
    const [{ error, ...rest }] = await once(worker, 'message');
    return error === undefined ? rest : PaymentsError.from(error);
  };
  try {
    const lost = await ask(workers[0], {
      operation: 'create_payment',
      request: payment('order-lost'),
    });
    const invalid = await ask(workers[1], { operation: 'create_payment', request: {} });
    const { httpStatus } = await ask(workers[1], {
      operation: 'create_payment',
      request: payment('order-paid'),
    });
    assert.ok(lost instanceof PaymentsError && invalid instanceof PaymentsError);
    assert.deepEqual(
      [lost.kind, lost.outcome, lost.reference],
      ['timeout', 'unknown', 'order-lost'],
    );
    assert.match(lost.advice, /merchant_payment_code/);
    assert.deepEqual([invalid.outcome, invalid.path], ['not_executed', 'payment']);
    assert.equal(httpStatus, 200);
  } finally {
    await Promise.all(started.map(({ worker, ended }) => worker.terminate().then(() => ended)));
  }
});

test('a value that is not a report is refused', () => {
  const report = { message: 'x', kind: 'timeout', code: 'deadline_passed', outcome: 'unknown' };
  assert.equal(PaymentsError.from(report).outcome, 'unknown');
  const without = Object.keys(report).map((name) => ({ ...report, [name]: undefined }));
  const clone = structuredClone(new PaymentsError('x', report));
  assert.equal(clone.outcome, undefined, 'a clone of the error itself loses it');
  const odd = [undefined, null, 7, 'x', [], {}, () => {}, new Error('x'), clone];
  for (const given of [
    ...without,
    ...odd,
    { ...report, outcome: 'maybe' },
    { ...report, kind: 7 },
  ]) {
    assert.throws(
      () => PaymentsError.from(given),
      (error) => {
        assert.ok(error instanceof TypeError, inspect(given));
        assert.match(error.message, /takes what toJSON\(\) of a PaymentsError returned/);
        assert.match(error.message, /message, kind, code and outcome/);
        return true;
      },
      inspect(given),
    );
  }
});
