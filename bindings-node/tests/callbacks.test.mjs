// Signers, token stores and observers that are functions.

import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { createPrivateKey, sign, verify as verifyBytes } from 'node:crypto';
import { after, before, beforeEach, test } from 'node:test';
import { promisify } from 'node:util';

import { Client } from 'libpayments';

import { Sandbox, payment, readShared, rejection, sleep, until } from './support/sandbox.mjs';

const key = createPrivateKey(readShared('vectors', 'keys', 'test_rsa_4096_pkcs8.pem'));
const public_key = readShared('vectors', 'keys', 'test_rsa_4096_public.pem');
const signLater = promisify(sign);
let sandbox;
before(async () => {
  sandbox = await Sandbox.start();
});
beforeEach(() => sandbox.reset());
after(() => sandbox.stop());

/** A client that signs by a function. */
function signedBy(signWith, callbacks = {}, config = {}) {
  const signer = { kid: sandbox.kid, sign: signWith };
  return new Client(
    { base_url: sandbox.baseUrl, environment: 'sandbox', ...config },
    { signer, ...callbacks },
  );
}

test('signers, synchronous and asynchronous', async () => {
  let seen;
  const now = (input, context) => {
    seen = { input, context };
    return sign('sha256', input, key);
  };
  const later = async (input) => new Uint8Array(await signLater('sha256', input, key));
  await sandbox.control('POST', '/sandbox/settings', { require: ['jws'] });
  for (const signWith of [now, later]) {
    for (const over of [{}, { public_key }]) {
      const client = signedBy(signWith, {}, over);
      assert.equal((await client.createPayment(payment(`o-${Math.random()}`))).status, 'PE');
    }
  }
  const digest = sign('sha256', seen.input, key);
  assert.ok(verifyBytes('sha256', seen.input, public_key, digest));
  assert.equal(seen.context.sha256.length, 32);
  assert.ok(seen.context.signal.aborted, 'the call has ended');
});

test('invalid results of a signer are refused', async () => {
  for (const [given, message] of [
    ['c2lnbmF0dXJl', /Uint8Array, not a string/],
    [undefined, /not undefined/],
    [{ Signature: 1 }, /a Uint8Array, not Object/],
  ]) {
    const error = await rejection(signedBy(() => given).createPayment(payment()));
    assert.equal(error.kind, 'signing');
    assert.match(error.message, message);
    assert.ok(error.cause instanceof TypeError);
  }
  assert.deepEqual(await sandbox.requests(), []);
});

test('a signer that never returns ends with the call', async () => {
  let ended;
  const never = (_, { signal }) =>
    new Promise(() => {
      signal.addEventListener('abort', () => {
        ended = signal.reason;
      });
    });
  const controller = new AbortController();
  const call = rejection(signedBy(never).createPayment(payment(), { signal: controller.signal }));
  await sleep(50);
  controller.abort('enough');
  const error = await call;
  assert.deepEqual(
    [error.kind, error.outcome, error.cause],
    ['cancelled', 'not_executed', 'enough'],
  );
  assert.equal(ended, 'enough');
  const late = await rejection(signedBy(never, {}, { timeout_ms: 200 }).createPayment(payment()));
  assert.deepEqual([late.kind, late.outcome], ['timeout', 'not_executed']);
});

test('many calls by one asynchronous signer do not deadlock', async () => {
  const client = signedBy(async (input) => {
    await sleep(20);
    return signLater('sha256', input, key);
  });
  const calls = Array.from({ length: 60 }, (_, index) =>
    client.createPayment(payment(`o-${index}`)),
  );
  const responses = await Promise.all(calls);
  assert.ok(responses.every(({ status }) => status === 'PE'));
});

test('a callback that calls its own client is refused', async () => {
  const errors = [];
  const client = signedBy(async (input) => {
    errors.push(await rejection(client.tokenStatus()));
    return sign('sha256', input, key);
  });
  await client.createPayment(payment());
  assert.deepEqual(
    errors.map(({ kind, code }) => [kind, code]),
    [['config', 'reentrant_call']],
  );
});

test('a callback may not call its client after an await', async () => {
  const errors = [];
  const other = new Client(sandbox.config());
  const later = [];
  const client = signedBy(async (input) => {
    await sleep(1);
    errors.push(await rejection(client.tokenStatus()));
    await other.prepare('query_payment', { hash: 'x' });
    errors.push(await Promise.resolve().then(() => rejection(client.tokenStatus())));
    setTimeout(() => later.push(rejection(client.tokenStatus())), 200);
    return sign('sha256', input, key);
  });
  await client.createPayment(payment());
  assert.deepEqual(
    errors.map(({ kind, code }) => [kind, code]),
    [
      ['config', 'reentrant_call'],
      ['config', 'reentrant_call'],
    ],
  );
  await until(() => later.length > 0, 'what the callback started to go on');
  assert.equal((await later[0]).code, 'required');
});

test('an observer may not call its client after an await', async () => {
  const codes = [];
  const observer = async ({ event }) => {
    if (event === 'request_started') {
      await sleep(1);
      codes.push((await rejection(client.createPayment(payment('inner')))).code);
    }
  };
  const client = new Client(sandbox.config(), { observer });
  await client.createPayment(payment());
  await until(() => codes.length > 0, 'the observer to go on');
  assert.deepEqual(codes, ['reentrant_call']);
});

test('callbacks that call their client leave threads for others', async () => {
  const other = new Client(sandbox.config());
  const client = signedBy(async (input) => {
    await sleep(1);
    await client.createPayment(payment('inner')).catch(() => undefined);
    return sign('sha256', input, key);
  });
  const calls = Array.from({ length: 200 }, (_, index) =>
    client.createPayment(payment(`o-${index}`)),
  );
  assert.equal((await other.createPayment(payment('other'))).status, 'PE');
  const responses = await Promise.all(calls);
  assert.ok(responses.every(({ status }) => status === 'PE'));
});

/** A store in memory, all of whose functions are asynchronous. */
function memoryStore() {
  const entries = new Map();
  const locks = new Map();
  let fence = 0;
  const calls = [];
  const note = async (name) => {
    calls.push(name);
    await sleep(1);
  };
  return {
    calls,
    entries,
    async load(name) {
      await note('load');
      return entries.get(name)?.entry ?? null;
    },
    async save(name, entry, by) {
      await note('save');
      if (by < (entries.get(name)?.by ?? 0)) {
        return false;
      }
      entries.set(name, { entry, by });
      return true;
    },
    async deleteIf(name, value) {
      await note('deleteIf');
      const entry = JSON.parse(entries.get(name)?.entry ?? '{}');
      if (entry.token?.value !== value) {
        return false;
      }
      delete entry.token;
      entries.set(name, { ...entries.get(name), entry: JSON.stringify(entry) });
      return true;
    },
    async tryLock(name) {
      await note('tryLock');
      if (locks.has(name)) {
        return null;
      }
      fence += 1;
      locks.set(name, fence);
      return fence;
    },
    async unlock(name, by) {
      await note('unlock');
      if (locks.get(name) === by) {
        locks.delete(name);
      }
    },
  };
}

test('a token store serves independent clients', async () => {
  const tokenStore = memoryStore();
  const [one, other] = [1, 2].map(() => new Client(sandbox.bearerConfig(), { tokenStore }));
  await Promise.all(
    Array.from({ length: 10 }, (_, index) => one.createPayment(payment(`a-${index}`))),
  );
  await other.createPayment(payment('b-1'));
  assert.equal((await sandbox.stats()).token_requests, 1);
  for (const name of ['load', 'save', 'tryLock', 'unlock']) {
    assert.ok(tokenStore.calls.includes(name), name);
  }
  await sandbox.control('POST', '/sandbox/tokens/revoke');
  await other.createPayment(payment('b-2'));
  assert.ok(tokenStore.calls.includes('deleteIf'));
  assert.equal((await sandbox.stats()).token_requests, 2);
});

/** A call that waits for a lock, which comes when `waits` has ended. */
function lockAfter(waits) {
  const { auth_url, client_id, client_secret } = sandbox.settings;
  const controller = new AbortController();
  const unlocked = [];
  const tokenStore = {
    ...memoryStore(),
    async tryLock() {
      await waits(controller);
      return 7;
    },
    unlock(name, fence) {
      unlocked.push([typeof name, fence]);
    },
  };
  const client = new Client(
    { base_url: sandbox.baseUrl, auth_url, client_id, client_secret },
    { tokenStore },
  );
  return { call: rejection(client.accessToken({ signal: controller.signal })), unlocked };
}

test('a lock that comes after the call is released', async () => {
  let give;
  const { call, unlocked } = lockAfter((controller) => {
    setTimeout(() => controller.abort(), 100);
    return new Promise((resolve) => {
      give = resolve;
    });
  });
  const error = await call;
  assert.deepEqual([error.kind, error.outcome, unlocked], ['cancelled', 'not_executed', []]);
  give();
  await until(() => unlocked.length > 0, 'the lock to be given back');
  assert.deepEqual(unlocked, [['string', 7]]);
});

test('a lock that comes just as the call ends is released', async () => {
  const many = Array.from({ length: 30 }, (_, index) =>
    lockAfter((controller) => {
      controller.abort();
      return sleep(85 + index);
    }),
  );
  for (const { call, unlocked } of many) {
    assert.equal((await call).kind, 'cancelled');
    await until(() => unlocked.length > 0, 'the lock to be given back');
    assert.deepEqual(unlocked, [['string', 7]]);
  }
  assert.equal((await sandbox.stats()).token_requests, 0);
});

test('callbacks see the AsyncLocalStorage of the caller', async () => {
  const storage = new AsyncLocalStorage();
  const seen = [];
  const client = signedBy(
    (input) => {
      seen.push(storage.getStore());
      return sign('sha256', input, key);
    },
    { observer: () => void seen.push(storage.getStore()) },
  );
  await storage.run('request 7', () => client.createPayment(payment()));
  assert.deepEqual([...new Set(seen)], ['request 7']);
  assert.ok(seen.length >= 3);
});
