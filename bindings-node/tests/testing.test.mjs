// The parts of the test kit that the tests of the shop in examples/ do not
// show.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { inspect } from 'node:util';

import { PaymentsError } from 'libpayments';
import * as testing from 'libpayments/testing';

import { payment, rejection, Sandbox, until } from './support/sandbox.mjs';

const COMMAND = process.env.PAYMENTS_TEST_COMMAND;
let sandbox;

before(async () => {
  sandbox = await Sandbox.start();
});

after(() => sandbox.stop());

beforeEach(() => sandbox.reset());

test('import and require give the same', () => {
  const required = createRequire(import.meta.url)('libpayments/testing');
  const names = [
    'Sandbox',
    'error',
    'paymentResponse',
    'payoutResponse',
    'refundResponse',
    'trackingResponse',
  ];
  assert.deepEqual(Object.keys(required).sort(), names);
  assert.deepEqual(Object.keys(testing).sort(), names);
  for (const name of names) {
    assert.equal(required[name], testing[name]);
  }
});

/** Runs a program in a folder, with the command only where `variables` say. */
function run(folder, program, variables = {}) {
  const { PAYMENTS_COMMAND, ...others } = process.env;
  return spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...others, PATH: folder, ...variables },
  });
}

test('the command is found, and a missing one is named', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'payments-testing-'));
  t.after(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(
    join(process.cwd(), 'node_modules', 'libpayments'),
    join(folder, 'node_modules', 'libpayments'),
  );
  const program = `
    import { Sandbox } from 'libpayments/testing';
    const sandbox = await Sandbox.start({ options: ['--require', 'none'] });
    console.log((await fetch(sandbox.pageUrl + 'health')).status);
    await sandbox.stop();`;
  const missing = run(folder, program);
  assert.match(missing.stderr, /npm install --save-dev libpayments-sandbox/);
  assert.equal(run(folder, program, { PAYMENTS_COMMAND: COMMAND }).stdout, '200\n');
  symlinkSync(COMMAND, join(folder, 'payments'));
  assert.equal(run(folder, program).stdout, '200\n');

  // As in the package: a program for Node that runs the command.
  rmSync(join(folder, 'payments'));
  const package_ = join(folder, 'node_modules', 'libpayments-sandbox');
  mkdirSync(package_);
  writeFileSync(join(package_, 'package.json'), JSON.stringify({ bin: { payments: 'run.js' } }));
  const runner = `require('node:child_process').spawn(${JSON.stringify(COMMAND)}, process.argv.slice(2), { stdio: 'inherit' })`;
  writeFileSync(join(package_, 'run.js'), runner);
  assert.equal(run(folder, program).stdout, '200\n');
});

test('a sandbox neither keeps its process alive nor outlives it', async () => {
  const program = `
    import { Sandbox } from 'libpayments/testing';
    const sandbox = await Sandbox.start();
    console.log(sandbox.pageUrl);`;
  const { stdout, status } = run(process.cwd(), program, { PAYMENTS_COMMAND: COMMAND });
  assert.equal(status, 0);
  await until(
    () =>
      fetch(stdout.trim()).then(
        () => false,
        () => true,
      ),
    'the end of the sandbox',
  );
});

test('a refusal of the sandbox is thrown', async () => {
  await assert.rejects(sandbox.failNext('no_such_fault'), /not the name of a fault/);
  await assert.rejects(sandbox.pay('no-such-payment'), /404/);
  await assert.rejects(
    testing.Sandbox.start({ command: COMMAND, options: ['--require', 'cookie'] }),
    /did not start/,
  );
  await assert.rejects(
    testing.Sandbox.start({ command: join(tmpdir(), 'no-such-command') }),
    /did not start/,
  );
});

test('a reset shares neither token nor backoff', async () => {
  await sandbox.call('POST', 'settings', { require: ['bearer'] });
  await sandbox.blockTokens();
  assert.equal((await rejection(sandbox.client().createPayment(payment()))).kind, 'token');
  await sandbox.reset();
  await sandbox.client().createPayment(payment());
  await sandbox.revokeTokens();
  const response = await sandbox.client().queryPayment({ merchant_payment_code: 'order-1001' });
  assert.equal(response.status, 'PE');
  assert.deepEqual(
    (await sandbox.payments()).map((entry) => entry.merchant_payment_code),
    ['order-1001'],
  );
});

test('made responses are like those of the service', async () => {
  const client = sandbox.client();
  const alike = (made, real, names) => {
    for (const name of names) {
      assert.deepEqual(made[name], real[name], name);
    }
    assert.equal(made.constructor, real.constructor);
    assert.equal(made.httpStatus, real.httpStatus);
    assert.deepEqual(JSON.parse(made.raw), made.response);
  };
  const real = await client.createPayment(payment());
  const made = testing.paymentResponse({ ...real, amount_ext: '100.10' });
  alike(made, real, ['status', 'isPaid', 'hash', 'merchantPaymentCode', 'qrCodeValue']);
  assert.equal(made.response.payment.amount_ext, real.response.payment.amount_ext);
  assert.ok(!inspect(made).includes('amount_ext'), 'the body is not shown');
  assert.equal(testing.paymentResponse({ status: 'CO' }).isPaid, true);
  await sandbox.pay('order-1001');
  const refund = await client.refundPayment({ hash: real.hash });
  alike(testing.refundResponse({ ...refund, refundId: refund.refundId }), refund, [
    'refundId',
    'refundStatus',
    'paymentStatus',
    'hash',
  ]);
  const tracking = testing.trackingResponse('A', 'B');
  assert.deepEqual(
    tracking.result.map(({ trackingCode }) => trackingCode),
    ['A', 'B'],
  );
  assert.equal(testing.payoutResponse({ status: 'OP' }).response.payout.status, 'OP');
});

test('made errors are like those of a client', () => {
  const made = testing.error('rejected', { kind: 'rejected', serviceCode: 'BP-DR-0' });
  assert.ok(made instanceof PaymentsError);
  assert.deepEqual(
    [made.kind, made.code, made.outcome, made.serviceCode],
    ['rejected', 'rejected', 'unknown', 'BP-DR-0'],
  );
  assert.equal(made.message, 'rejected [rejected/rejected, unknown]');
});
