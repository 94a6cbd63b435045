// A program, or what monitors it, may replace how stacks are made, and hand in signals of its
// own: each call settles, and its error says what is true of the payment.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { Client } from 'libpayments';

import { run } from './support/programs.mjs';
import { Sandbox, payment, rejection, until } from './support/sandbox.mjs';

let sandbox;
before(async () => {
  sandbox = await Sandbox.start();
});
after(() => sandbox.stop());

const FAIL = "throw new TypeError('a monitor')";
const FREEZE = '(it) => Object.freeze(it) && Object.freeze(it.prototype)';
/** Replacements of the ways in which stacks are made. */
const REPLACEMENTS = {
  'prepareStackTrace throws': `Error.prepareStackTrace = () => { ${FAIL}; };`,
  'prepareStackTrace returns frames': 'Error.prepareStackTrace = (_, frames) => frames;',
  'prepareStackTrace returns nothing': 'Error.prepareStackTrace = () => {};',
  'prepareStackTrace returns what throws': `Error.prepareStackTrace = () => ({ get indexOf() { ${FAIL}; } });`,
  'captureStackTrace throws': `Error.captureStackTrace = () => { ${FAIL}; };`,
  'captureStackTrace is gone': 'delete Error.captureStackTrace;',
  'stackTraceLimit is no number': "Error.stackTraceLimit = 'x';",
  'stackTraceLimit is gone': 'delete Error.stackTraceLimit;',
  'stackTraceLimit cannot be set':
    "Object.defineProperty(Error, 'stackTraceLimit', { get: () => 5 });",
  'objects of JavaScript are frozen': `[Error, Promise, Object, Function, Array].forEach(${FREEZE});`,
};

/** A payment that is made, one whose response is lost, and values that are refused. */
const PROGRAM = `
const { Client, PaymentsError, verify } = await import('libpayments');
const { config, paid, lost } = JSON.parse(process.env.INPUT);
const observer = () => { throw new TypeError('an observer'); };
const client = new Client(config, { observer });
const report = { message: 'x', kind: 'io', code: 'x', outcome: 'unknown' };
const calls = [
  () => client.createPayment(paid),
  () => client.createPayment(lost),
  () => client.createPayment(7),
  () => verify(7),
  async () => new Client({}),
  async () => { throw PaymentsError.from(report); },
];
const shown = [];
REPLACEMENT
for (const call of calls) {
  try {
    shown.push((await call()).status);
  } catch (error) {
    const { stack, outcome, reference } = error;
    shown.push([error instanceof PaymentsError, stack.split(':')[0], outcome, reference]);
  }
}
console.log(JSON.stringify(shown));
`;

for (const [name, replacement] of Object.entries(REPLACEMENTS)) {
  test(`each call settles if ${name}`, async () => {
    await sandbox.reset();
    const script = ['pass', 'close'].map((fault) => ({ fault, execute: true }));
    await sandbox.faults({ operation: 'create_payment', then: script });
    const config = sandbox.unsignedConfig();
    const input = { config, paid: payment('order-paid'), lost: payment('order-lost') };
    const program = PROGRAM.replace('REPLACEMENT', replacement);
    const env = { INPUT: JSON.stringify(input) };
    const { code, stdout, stderr } = await run(program, { flags: ['--no-warnings'], env });
    assert.deepEqual([code, stderr], [0, '']);
    const failed = (outcome, reference) => [true, 'PaymentsError', outcome, reference ?? null];
    const refused = failed('not_executed');
    const lost = failed('unknown', 'order-lost');
    assert.deepEqual(JSON.parse(stdout), [
      'PE',
      lost,
      ...Array(3).fill(refused),
      failed('unknown'),
    ]);
  });
}

/** A signal of the program's own, in which one thing throws. */
class OddSignal extends EventTarget {
  aborted = false;

  constructor(broken, descriptor) {
    super();
    Object.defineProperty(this, broken, descriptor);
  }
}
const fail = () => {
  throw new TypeError('a monitor');
};

test('a signal that throws at the end of a call changes nothing', async () => {
  await sandbox.reset();
  const client = new Client(sandbox.config());
  const deaf = new OddSignal('removeEventListener', { value: fail });
  for (const reference of ['order-1', 'order-2']) {
    assert.equal((await client.createPayment(payment(reference), { signal: deaf })).status, 'PE');
  }
  const mute = new OddSignal('reason', { get: fail });
  await sandbox.faults({ then: [{ fault: 'hang' }] });
  const call = rejection(client.createPayment(payment('order-3'), { signal: mute }));
  await until(async () => (await sandbox.requests()).length === 3, 'the request');
  mute.dispatchEvent(new Event('abort'));
  const { kind, outcome, cause } = await call;
  assert.deepEqual([kind, outcome, cause], ['cancelled', 'unknown', undefined]);
});

test('a signal that throws first sends nothing, and keeps nothing', async () => {
  await sandbox.reset();
  const program = `
    import { Client } from 'libpayments';
    const { config, payment } = JSON.parse(process.env.INPUT);
    const fail = () => { throw new TypeError('a monitor'); };
    const signal = { aborted: false, addEventListener: fail, removeEventListener() {} };
    const client = new Client(config);
    for (let count = 0; count < 2; count += 1) {
      await client.createPayment(payment, { signal }).catch(({ message }) => console.log(message));
    }
  `;
  const input = { config: sandbox.config(), payment: payment() };
  // It ends: no call holds the process.
  const { code, stdout, stderr } = await run(program, { env: { INPUT: JSON.stringify(input) } });
  assert.deepEqual([code, stdout, stderr], [0, 'a monitor\na monitor\n', '']);
  assert.deepEqual(await sandbox.requests(), []);
});
