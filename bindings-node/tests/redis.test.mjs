// One token for a fleet, in a Redis server, by configuration alone.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, beforeEach, test } from 'node:test';

import { Client } from 'libpayments';

import { run } from './support/programs.mjs';
import { RedisServer } from './support/redis.mjs';
import { Sandbox, payment } from './support/sandbox.mjs';

let sandbox;
let redis;
before(async () => {
  sandbox = await Sandbox.start();
  redis = await RedisServer.start();
});
beforeEach(async () => {
  await sandbox.reset();
  await sandbox.control('POST', '/sandbox/settings', { require: ['jws', 'bearer'] });
  redis.cli('FLUSHALL');
});
after(async () => {
  await redis?.stop();
  await sandbox.stop();
});

/** Two processes that pay at the same time, and have nothing but the server in common. */
async function payInTwoProcesses(config) {
  const programs = ['one', 'other'].map(
    (name) => `
    import { Client } from 'libpayments';
    const events = [];
    const client = new Client(${JSON.stringify(config)}, { observer: ({ event }) => void events.push(event) });
    const { payment } = ${JSON.stringify(payment())};
    for (let index = 0; index < 3; index += 1) {
      await client.createPayment({ payment: { ...payment, merchant_payment_code: '${name}-' + index } });
    }
    if (events.includes('store_bypassed')) throw new Error('the store was bypassed');
    console.log('paid');
  `,
  );
  const ended = await Promise.all(programs.map((program) => run(program)));
  const paid = { code: 0, signal: null, stdout: 'paid\n', stderr: '' };
  assert.deepEqual(ended, [paid, paid]);
  const requests = await sandbox.requests();
  const bearers = requests
    .filter(({ operation }) => operation === 'create_payment')
    .map(({ bearer }) => bearer);
  assert.deepEqual(bearers, new Array(6).fill('valid'));
}

/** The bearer token that the service gave out, which must be one. */
async function theToken() {
  const responses = (await sandbox.requests()).filter(
    ({ operation }) => operation === 'access_token',
  );
  assert.equal(responses.length, 1);
  const { headers } = (await sandbox.requests()).find(
    ({ operation }) => operation === 'create_payment',
  );
  return headers.find(([name]) => name.toLowerCase() === 'authorization')[1].replace('Bearer ', '');
}

test('two processes share one token', async () => {
  await payInTwoProcesses(sandbox.bearerConfig({ token_store: redis.url }));
  assert.equal((await sandbox.stats()).token_requests, 1);
  assert.ok(
    redis.dump().includes(await theToken()),
    'without a key, who reads the server can use the token',
  );
});

test('two processes share one token that is encrypted', async () => {
  const token_store_key = randomBytes(32).toString('base64');
  const config = sandbox.bearerConfig({ token_store: redis.url, token_store_key });
  await payInTwoProcesses(config);
  assert.equal((await sandbox.stats()).token_requests, 1);
  const token = await theToken();
  assert.ok(redis.cli('KEYS', '*').length > 0);
  assert.ok(!redis.dump().includes(token));

  // Another key opens nothing, and does no harm but one more request.
  const stranger = new Client({ ...config, token_store_key: randomBytes(32).toString('base64') });
  assert.notEqual((await stranger.accessToken()).accessToken, token);
  assert.equal((await sandbox.stats()).token_requests, 2);
});

test('a server that is down stops no call', async () => {
  const events = [];
  const away = sandbox.bearerConfig({ token_store: 'redis://127.0.0.1:1' });
  const client = new Client(away, { observer: (event) => void events.push(event) });
  assert.equal((await client.createPayment(payment())).status, 'PE');
  assert.ok(events.some(({ event, action }) => event === 'store_bypassed' && action === 'load'));
});
