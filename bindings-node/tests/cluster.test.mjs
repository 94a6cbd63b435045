// Processes of Node's `cluster`, each with its own client.

import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';

import { Sandbox, rejection, until } from './support/sandbox.mjs';

const WORKERS = 4;
let sandbox;
before(async () => {
  sandbox = await Sandbox.start();
});
beforeEach(async () => {
  await sandbox.reset();
  await sandbox.control('POST', '/sandbox/settings', { require: ['jws', 'bearer'] });
});
after(() => sandbox.stop());

/** A primary in its own process, with its workers. */
class Cluster {
  #primary;
  #texts = '';
  pids = [];

  static async start(t, config) {
    const started = new Cluster();
    started.#primary = fork(join(import.meta.dirname, 'support', 'cluster.mjs'), {
      execArgv: [],
      env: { ...process.env, PAYMENTS_TEST_CONFIG: JSON.stringify(config) },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    started.ended = new Promise((resolve) => {
      started.#primary.once('close', (code, signal) =>
        resolve({ code, signal, said: started.#texts }),
      );
    });
    for (const stream of [started.#primary.stdout, started.#primary.stderr]) {
      stream.on('data', (data) => {
        started.#texts += data;
      });
    }
    t.after(() => started.#primary.kill('SIGKILL'));
    await started.#hear();
    return started;
  }

  /** The next message of the primary. */
  #hear() {
    const said = new Promise((resolve) => this.#primary.once('message', resolve));
    const ended = this.ended.then((how) =>
      Promise.reject(new Error(`the primary ended: ${JSON.stringify(how)}`)),
    );
    return Promise.race([said, ended]);
  }

  order(what, over = {}) {
    const said = this.#hear();
    this.#primary.send({ do: what, ...over });
    return said;
  }

  async fork() {
    const { forked } = await this.order('fork');
    this.pids.push(forked.pid);
    this.port = forked.port;
    return forked.pid;
  }

  async forkAll() {
    for (let count = 0; count < WORKERS; count += 1) {
      await this.fork();
    }
  }

  stop() {
    this.#primary.send({ do: 'stop' });
    return this.ended;
  }

  /** The response of one of the workers; each connection goes to another. */
  async ask() {
    const response = await fetch(`http://127.0.0.1:${this.port}/`, {
      headers: { connection: 'close' },
    });
    assert.equal(response.status, 200);
    return response.json();
  }

  /** Responses until each of these processes gave one. */
  async askEach(pids) {
    const responded = new Set();
    await until(
      async () => {
        const responses = await Promise.all(pids.flatMap(() => [this.ask(), this.ask()]));
        responses.forEach(({ pid, paid }) => {
          assert.ok(paid.startsWith(`p${pid}-`), paid);
          responded.add(pid);
        });
        return pids.every((pid) => responded.has(pid));
      },
      `responses of ${pids.join(', ')}`,
    );
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch ({ code }) {
    assert.equal(code, 'ESRCH');
    return false;
  }
}

/** The requests for payments, with the process that each names. */
async function paymentsByProcess() {
  const requests = (await sandbox.requests()).filter(
    ({ operation }) => operation === 'create_payment',
  );
  return requests.map((request) => {
    const { payment } = JSON.parse(Buffer.from(request.body_base64, 'base64'));
    return { ...request, pid: Number(/^p(\d+)-/.exec(payment.merchant_payment_code)[1]) };
  });
}

async function folderOfTokens(t) {
  const folder = mkdtempSync(join(tmpdir(), 'payments-cluster-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

test('primary and workers share a token and no connection', async (t) => {
  const token_store = `file:${await folderOfTokens(t)}`;
  const cluster = await Cluster.start(t, sandbox.bearerConfig({ token_store }));
  await cluster.forkAll();
  await Promise.all([cluster.askEach(cluster.pids), cluster.order('pay')]);
  await cluster.order('pay');
  await cluster.order('pay');
  assert.equal(new Set(cluster.pids).size, WORKERS);

  const requests = await paymentsByProcess();
  assert.ok(
    requests.every(
      ({ signature, bearer, refused }) =>
        signature === 'verified' && bearer === 'valid' && refused === null,
    ),
  );
  assert.equal(
    new Set(requests.map(({ pid }) => pid)).size,
    WORKERS + 1,
    'the primary and its workers',
  );
  const owners = new Map();
  for (const { connection, pid } of requests) {
    assert.equal(owners.get(connection) ?? pid, pid, `connection ${connection} is of one process`);
    owners.set(connection, pid);
  }
  assert.ok(owners.size < requests.length, 'connections are used more than once');
  assert.equal((await sandbox.stats()).token_requests, 1);

  assert.deepEqual(await cluster.stop(), { code: 0, signal: null, said: '' });
  await until(() => !cluster.pids.some(isAlive), 'workers that end');
});

test('a worker killed in mid-call is replaced without a new token', async (t) => {
  const token_store = `file:${await folderOfTokens(t)}`;
  const cluster = await Cluster.start(t, sandbox.bearerConfig({ token_store }));
  await cluster.forkAll();
  await cluster.askEach(cluster.pids);
  await sandbox.faults({ operation: 'create_payment', then: [{ fault: 'hang' }] });
  const lost = rejection(cluster.ask());
  const hanging = async () => (await paymentsByProcess()).find(({ fault }) => fault === 'hang');
  await until(hanging, 'a call that hangs');
  const { pid: victim } = await hanging();
  assert.ok(cluster.pids.includes(victim));
  assert.deepEqual(await cluster.order('kill', { pid: victim }), { killed: 'SIGKILL' });
  assert.ok((await lost) instanceof TypeError, 'the shopper of that worker gets no response');

  const replacement = await cluster.fork();
  const alive = cluster.pids.filter((pid) => pid !== victim);
  assert.equal(alive.length, WORKERS);
  await cluster.askEach(alive);
  await cluster.order('pay');
  assert.ok(
    (await paymentsByProcess()).some(
      ({ pid, bearer }) => pid === replacement && bearer === 'valid',
    ),
  );
  assert.equal((await sandbox.stats()).token_requests, 1);

  assert.deepEqual(await cluster.stop(), { code: 0, signal: null, said: '' });
  await until(() => !cluster.pids.some(isAlive), 'workers that end');
});

test('tokens in memory are not shared: each process fetches one', async (t) => {
  const cluster = await Cluster.start(t, sandbox.bearerConfig({ token_store: 'memory' }));
  await cluster.forkAll();
  await cluster.askEach(cluster.pids);
  assert.equal((await sandbox.stats()).token_requests, WORKERS + 1);
  assert.deepEqual(await cluster.stop(), { code: 0, signal: null, said: '' });
});
