// Calls whose request another HTTP client sends.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { inspect } from 'node:util';

import { Client, createJournal } from 'libpayments';
import { send } from 'libpayments/fetch';

import { MemoryJournal } from './support/journal.mjs';
import { Sandbox, payment } from './support/sandbox.mjs';

const CREATED = '{"status":"SUCCESS","payment":{"hash":"5f2c","status":"PE"}}';
let sandbox;

before(async () => {
  sandbox = await Sandbox.start();
});
after(() => sandbox.stop());
beforeEach(() => sandbox.reset());

const begin = (client) => client.begin('create_payment', payment());
const clientOf = (config, callbacks) => new Client(sandbox.config(config), callbacks);

test('a response ends a call once', async () => {
  const client = clientOf();
  const call = await begin(client);
  client.close();
  assert.ok(call.remainingMs > 0 && call.maxResponseBytes > 0);
  const response = await fetch(call.url, call);
  const body = await response.arrayBuffer();
  const paid = await call.finish(response.status, response.headers, body);
  assert.equal(paid.status, 'PE');
  const ends = [() => call.finish(200, {}, CREATED), () => call.fail({ nothingLeft: true })];
  for (const end of ends) {
    await assert.rejects(end(), {
      kind: 'internal',
      code: 'already_ended',
      outcome: 'unknown',
      operation: 'create_payment',
    });
  }
});

test('the entry is there before the request, and ends with the call', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'payments-'));
  t.after(() => rm(folder, { recursive: true }));
  const path = join(folder, 'journal.db');
  await createJournal(path);
  const client = clientOf({ journal: `file:${path}` });
  const states = async () => {
    const found = [];
    for await (const entry of client.journal.list()) {
      found.push(entry.state);
    }
    return found;
  };
  const call = await begin(client);
  assert.deepEqual(await states(), ['in_progress']);
  const cause = new Error('refused');
  await assert.rejects(call.fail({ nothingLeft: true, cause }), {
    kind: 'connect',
    outcome: 'not_executed',
    cause,
  });
  assert.deepEqual(await states(), ['failed']);
  const other = await begin(client);
  await assert.rejects(other.fail({ nothingLeft: false }), {
    kind: 'transport',
    outcome: 'unknown',
  });
  assert.deepEqual((await states()).toSorted(), ['failed', 'unknown']);
  client.close();
});

/** Occupies the thread of JavaScript until a thread has begun the call, and longer. */
function holdUp(milliseconds) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

test('a call that is aborted when it has begun leaves no open entry', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'payments-'));
  t.after(() => rm(folder, { recursive: true }));
  const path = join(folder, 'journal.db');
  await createJournal(path);
  const client = clientOf({ journal: `file:${path}` });
  // The second call has the token, and begins while JavaScript is held up.
  await (await begin(client)).fail({ nothingLeft: true }).catch(() => {});
  const controller = new AbortController();
  const begun = client.begin('create_payment', payment(), controller);
  const rejected = assert.rejects(begun, {
    kind: 'cancelled',
    outcome: 'not_executed',
    reference: payment().payment.merchant_payment_code,
  });
  holdUp(500);
  controller.abort();
  await rejected;
  const states = [];
  for await (const { state } of client.journal.list()) {
    states.push(state);
  }
  assert.deepEqual(states, ['failed', 'failed']);
  await (await begin(client)).fail({ nothingLeft: true }).catch(() => {});
  client.close();
});

test('a journal of functions and an observer hear of an aborted begin', async () => {
  const journal = new MemoryJournal();
  const controller = new AbortController();
  const events = [];
  const observer = ({ event }) => {
    events.push(event);
    if (event === 'attempt') {
      holdUp(100);
      controller.abort();
    }
  };
  const client = clientOf({ journal_scope: 'shop' }, { journal, observer });
  const error = await client.begin('create_payment', payment(), controller).catch((it) => it);
  assert.deepEqual([error.kind, error.outcome], ['cancelled', 'not_executed']);
  assert.deepEqual(
    journal.entries.map(({ state }) => state),
    ['failed'],
  );
  assert.deepEqual(events.slice(-2), ['attempt_ended', 'request_ended']);
});

test('what is wrong with the arguments ends nothing', async () => {
  const call = await begin(clientOf());
  await assert.rejects(call.finish(200, {}, 7), TypeError);
  await assert.rejects(call.finish('200', {}, CREATED), TypeError);
  await assert.rejects(call.fail(), TypeError);
  const headers = { 'set-cookie': ['a', 'b'], 'x-none': [] };
  assert.equal((await call.finish(200, headers, CREATED)).hash, '5f2c');
});

test('an open call shows no secret', async () => {
  const call = await begin(clientOf());
  const shown = inspect(call);
  assert.match(shown, /^OpenCall/);
  for (const [, value] of Object.entries(call.headers).filter(([, it]) => it.length > 100)) {
    assert.ok(!shown.includes(value));
  }
});

test('an aborted end has the response', async () => {
  const call = await begin(clientOf());
  const signal = AbortSignal.abort();
  await assert.rejects(call.finish(200, {}, CREATED, { signal }), (error) => {
    assert.equal(error.kind, 'cancelled');
    assert.equal(error.outcome, 'executed');
    assert.equal(error.response.hash, '5f2c');
    return true;
  });
});

test('all events of a call have one key', async () => {
  const keys = new Set();
  const events = [];
  const observer = (event, key) => {
    keys.add(key);
    events.push(event.event);
  };
  const call = await begin(clientOf({}, { observer }));
  await call.finish(200, {}, CREATED);
  assert.deepEqual(events, ['request_started', 'attempt', 'attempt_ended', 'request_ended']);
  assert.equal(keys.size, 1);
});

test('fetch does not start after the deadline, and ends at it', async () => {
  const client = clientOf({ timeout_ms: 800 });
  const late = await begin(client);
  while (late.remainingMs > 0);
  await assert.rejects(send(late), { kind: 'timeout', outcome: 'not_executed' });
  assert.deepEqual(await sandbox.requests('create_payment'), []);
});

test('a signal ends a call within fetch', async () => {
  const server = createServer(() => {}).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const controller = new AbortController();
  server.once('request', () => controller.abort());
  const { port } = server.address();
  const client = new Client({
    base_url: `http://127.0.0.1:${port}`,
    integration_key: 'k',
    environment: 'sandbox',
  });
  const call = await begin(client);
  await assert.rejects(send(call, { signal: controller.signal }), {
    kind: 'cancelled',
    outcome: 'unknown',
  });
  server.closeAllConnections();
  server.close();
});

test('a fetch of your own proves nothing', async () => {
  const cause = Object.assign(new Error('connect'), { syscall: 'connect' });
  const failing = () => Promise.reject(new TypeError('fetch failed', { cause }));
  const client = clientOf();
  await assert.rejects(send(await begin(client), { fetch: failing }), {
    kind: 'transport',
    outcome: 'unknown',
  });
  const response = await send(await begin(client), { fetch: (...given) => fetch(...given) });
  assert.equal(response.httpStatus, 200);
});
