// A response within the limits takes a bounded part of the memory, and is parsed
// on first use.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { Client } from 'libpayments';

import { run } from './support/programs.mjs';
import { Sandbox, payment, rejection } from './support/sandbox.mjs';

const MOST_MIB = 64;

let sandbox;
before(async () => {
  sandbox = await Sandbox.start();
});
after(() => sandbox.stop());

const PROGRAM = `
import { readFileSync } from 'node:fs';
import { Client } from 'libpayments';
const { config, operation, payment } = JSON.parse(process.env.GIVEN);
const status = (member) => Number(new RegExp(member + ':\\\\s+(\\\\d+)').exec(readFileSync('/proc/self/status', 'utf8'))[1]);
const client = new Client(config);
const before = status('VmRSS');
const calls = {
  create_payment: () => client.createPayment(payment),
  send: () => client.send({ method: 'POST', path: '/ws/direct', body: '{}' }),
  register_tracking: () => client.registerTracking({ order_number: '1', email: 'a@b.c', tracking_code: ['A1'] }),
};
const response = await calls[operation]();
if (response.response.status !== 'SUCCESS') throw new Error('no response');
if (operation === 'register_tracking' && response.result.length < 1000) throw new Error('no results');
console.log(Math.floor((status('VmHWM') - before) / 1024));
`;

for (const [of, operation] of [
  ['numbers', 'create_payment'],
  ['numbers', 'send'],
  ['names', 'create_payment'],
  ['nesting', 'create_payment'],
  ['text', 'create_payment'],
  ['escapes', 'create_payment'],
  ['results', 'register_tracking'],
]) {
  test(`many ${of} of ${operation} take at most ${MOST_MIB} MiB`, async () => {
    const path = operation === 'register_tracking' ? '/ws/tracking' : '/ws/direct';
    await sandbox.faults({ path, then: [{ fault: 'large', of }] });
    const GIVEN = JSON.stringify({
      config: sandbox.unsignedConfig(),
      operation,
      payment: payment(),
    });
    const { code, stdout, stderr } = await run(PROGRAM, { env: { GIVEN } });
    assert.equal(code, 0, stderr);
    assert.ok(Number(stdout) <= MOST_MIB, `${stdout} MiB`);
  });
}

test('a response with too many values is not read', async () => {
  const client = new Client(sandbox.unsignedConfig({ max_response_values: 1000 }));
  await sandbox.faults({ path: '/ws/direct', times: 2, then: [{ fault: 'large', of: 'numbers' }] });
  const error = await rejection(client.createPayment(payment()));
  assert.deepEqual([error.kind, error.outcome], ['too_large', 'unknown']);
  const sent = await client.send({ method: 'POST', path: '/ws/direct', body: '{}' });
  assert.equal(sent.response, null);
  assert.ok(sent.raw.length > 1_000_000);
});

test('objects and arrays of a response are made once, on use', async () => {
  const client = new Client(sandbox.unsignedConfig());
  const response = await client.createPayment(payment('order-lazy'));
  const isMade = () => Object.getOwnPropertyDescriptor(response, 'response').get === undefined;
  assert.ok(Object.keys(response).includes('response') && !isMade());
  assert.equal(response.response.status, 'SUCCESS');
  const { response: first } = response;
  assert.ok(isMade());
  assert.equal(response.response, first);
  response.response = 7;
  assert.deepEqual({ ...response }.response, 7);
});
