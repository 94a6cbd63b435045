// Many calls at once, beside the rest of the process.

import assert from 'node:assert/strict';
import { lookup } from 'node:dns/promises';
import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { Client } from 'libpayments';

import { Sandbox, payment, rejection, sleep, until } from './support/sandbox.mjs';

let sandbox;
before(async () => {
  sandbox = await Sandbox.start();
  // This measures the client only: the sandbox needs its time.
  await sandbox.control('POST', '/sandbox/settings', { verify_signatures: false });
});
after(() => sandbox.stop());

/** How many threads the pool has. */
function threads() {
  return readdirSync('/proc/self/task').filter((id) => {
    try {
      return /^payments-\d/.test(readFileSync(`/proc/self/task/${id}/comm`, 'utf8'));
    } catch {
      return false; // It ended just now.
    }
  }).length;
}

test('500 calls are in flight while files and names are read', async () => {
  await sandbox.control('POST', '/sandbox/settings', { latency_ms: 1000 });
  // Without a key: 500 signatures would take longer than the response does.
  const client = new Client(sandbox.unsignedConfig({ timeout_ms: 60_000 }));
  assert.ok(threads() < 50);
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  let isDone = false;
  const beside = (async () => {
    let rounds = 0;
    while (!isDone) {
      await Promise.all([readFile(fileURLToPath(import.meta.url)), lookup('localhost')]);
      rounds += 1;
    }
    return rounds;
  })();
  // On a busy machine 500 threads and connections take a while to make, and
  // the first calls end before the last begin: later rounds have them ready.
  let max_in_flight = 0;
  let most_threads = 0;
  for (let round = 0; round < 10 && max_in_flight < 500; round += 1) {
    const calls = Array.from({ length: 500 }, (_, index) =>
      client.createPayment(payment(`order-${round}-${index}`)),
    );
    const responses = await Promise.all(calls);
    assert.ok(responses.every(({ status }) => status === 'PE'));
    most_threads = Math.max(most_threads, threads());
    ({ max_in_flight } = await sandbox.stats());
  }
  isDone = true;
  delay.disable();
  assert.ok(most_threads >= 400, `the pool grew to ${most_threads} threads`);
  assert.ok((await beside) > 5, 'other work went on');
  const longest = Math.round(delay.max / 1e6);
  console.log(
    `${max_in_flight} in flight at most; the loop was never held longer than ${longest} ms`,
  );
  assert.ok(max_in_flight >= 450, `${max_in_flight} in flight`);
  await until(() => threads() < 20, 'a pool that shrinks');
});

test('calls that wait for a thread can be aborted or time out', async () => {
  await sandbox.reset();
  await sandbox.control('POST', '/sandbox/settings', { verify_signatures: false });
  await sandbox.faults({ times: 'always', then: [{ fault: 'hang' }] });
  const client = new Client(sandbox.unsignedConfig());
  const hasty = new Client(sandbox.unsignedConfig({ timeout_ms: 1_000 }));
  const all = new AbortController();
  const hanging = Array.from({ length: 512 }, (_, index) =>
    rejection(client.createPayment(payment(`order-${index}`), { signal: all.signal })),
  );
  await until(() => threads() === 512, 'all threads');
  await sleep(50);
  assert.equal(threads(), 512);
  const waiting = new AbortController();
  const aborted = rejection(client.createPayment(payment('waits'), { signal: waiting.signal }));
  const late = rejection(hasty.createPayment(payment('late')));
  await sleep(50);
  waiting.abort();
  const [first, second] = await Promise.all([aborted, late]);
  assert.deepEqual([first.kind, first.outcome], ['cancelled', 'not_executed']);
  assert.deepEqual([second.kind, second.outcome], ['timeout', 'not_executed']);
  assert.equal(threads(), 512);
  all.abort();
  const ended = await Promise.all(hanging);
  assert.ok(ended.every(({ kind }) => kind === 'cancelled'));
  await sandbox.reset();
  assert.equal((await client.createPayment(payment('afterwards'))).status, 'PE');
});

test('a signal cancels waiting calls first, so that none begins', async () => {
  await sandbox.reset();
  await sandbox.control('POST', '/sandbox/settings', { verify_signatures: false });
  await sandbox.faults({ times: 'always', then: [{ fault: 'hang' }] });
  const client = new Client({ base_url: sandbox.baseUrl, integration_key: 'key' });
  const controller = new AbortController();
  const { signal } = controller;
  const calls = Array.from({ length: 1_500 }, (_, index) =>
    rejection(client.createPayment(payment(`order-${index}`), { signal })),
  );
  await until(async () => (await sandbox.stats()).in_flight === 512, 'a request of each thread');
  controller.abort();
  const outcomes = (await Promise.all(calls)).map(({ kind, outcome }) => `${kind} ${outcome}`);
  const count = (outcome) => outcomes.filter((it) => it === outcome).length;
  assert.deepEqual([count('cancelled unknown'), count('cancelled not_executed')], [512, 988]);
  assert.equal((await sandbox.stats()).requests, 512);
  await sandbox.reset();
});
