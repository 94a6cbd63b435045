// The events that observers receive, compared with the table in docs/monitoring.md.

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { inspect } from 'node:util';

import { Client, createJournal } from 'libpayments';

import { run } from './support/programs.mjs';
import { SHARED_FOLDER, Sandbox, payment, rejection, until } from './support/sandbox.mjs';
import { camelCase } from './support/tree.mjs';

const page = readFileSync(join(SHARED_FOLDER, '..', 'docs', 'monitoring.md'), 'utf8');
const TABLE = readTable(/<!-- events:begin -->([^]*)<!-- events:end -->/.exec(page)[1]);
const seen = new Set();
/** Mistakes that an observer found: it must not throw, because that would fail no call. */
const wrong = [];
let sandbox;
before(async () => {
  sandbox = await Sandbox.start();
});
beforeEach(() => sandbox.reset());
after(() => sandbox.stop());

/** The documented events: the names of their members, and whether each may be null. */
function readTable(page) {
  const membersIn = (text, pattern) =>
    [...text.matchAll(pattern)].map(([, name, mayBeNull]) => [camelCase(name), mayBeNull === '?']);
  const [, shared] = /^Every event has (.*)$/m.exec(page);
  const everywhere = membersIn(shared, /`(\w+)`(\?)? \(/g);
  const rows = [...page.matchAll(/^\| `(\w+)` \| (.*?) \|/gm)];
  return new Map(
    rows.map(([, event, members]) => [
      event,
      new Map([...everywhere, ...membersIn(members, /`(\w+)`(\?)?/g)]),
    ]),
  );
}

const TYPES = {
  call: 'number',
  reference: 'string',
  hash: 'string',
  operation: 'string',
  method: 'string',
  path: 'string',
  host: 'string',
  number: 'number',
  kind: 'string',
  code: 'string',
  action: 'string',
  reason: 'string',
  httpStatus: 'number',
  outcome: 'string',
  attempts: 'number',
  id: 'string',
};

/** Checks that an event has exactly the documented members. */
function checkMembers({ event, ...members }) {
  const documented = TABLE.get(event);
  assert.ok(documented !== undefined, `${event} is documented`);
  assert.deepEqual(Object.keys(members).sort(), [...documented.keys()].sort(), event);
  for (const [name, value] of Object.entries(members)) {
    const place = `${event}.${name}: ${inspect(value)}`;
    if (value === null) {
      assert.ok(documented.get(name), place);
    } else if (name.endsWith('Us')) {
      assert.ok(Number.isSafeInteger(value) && value >= 0, place);
    } else {
      assert.equal(typeof value, TYPES[name], place);
    }
  }
}

/** A client and its events. */
function observed(config, also = () => {}) {
  const events = [];
  const observer = (event) => {
    try {
      checkMembers(event);
    } catch (error) {
      wrong.push(error);
    }
    seen.add(event.event);
    events.push(event);
    also(event);
  };
  return { client: new Client(config, { observer }), events };
}

const namesOf = (events) => events.map(({ event }) => event);

test('a payment that fetches a token, and one that uses it again', async () => {
  const { client, events } = observed(sandbox.bearerConfig());
  await client.createPayment(payment('o-1'));
  assert.deepEqual(namesOf(events), [
    'request_started',
    'token_requested',
    'token_fetched',
    'attempt',
    'attempt_ended',
    'request_ended',
  ]);
  const [started, requested, fetched, attempt, attempted, ended] = events.splice(0);
  assert.deepEqual(
    [started.operation, started.method, started.path, started.host],
    ['create_payment', 'POST', '/ws/direct', new URL(sandbox.bearerConfig().base_url).host],
  );
  assert.equal(requested.host, new URL(sandbox.bearerConfig().auth_url).host);
  assert.deepEqual([attempted.number, attempted.httpStatus, attempted.kind], [1, 200, null]);
  assert.ok(attempted.durationUs > 0 && attempted.durationUs < ended.durationUs);
  assert.ok(fetched.lifetimeUs > 1e6 && fetched.durationUs > 0);
  assert.deepEqual([attempt.operation, attempt.number], ['create_payment', 1]);
  const { operation, httpStatus, kind, outcome, attempts, durationUs, signingUs } = ended;
  assert.deepEqual(
    [operation, httpStatus, kind, outcome, attempts],
    ['create_payment', 200, null, null, 1],
  );
  assert.ok(signingUs > 0 && signingUs < durationUs);

  await client.createPayment(payment('o-2'));
  assert.deepEqual(namesOf(events), [
    'request_started',
    'token_reused',
    'attempt',
    'attempt_ended',
    'request_ended',
  ]);
  assert.ok(events[1].remainingUs > 0 && events[1].remainingUs <= fetched.lifetimeUs);
});

test('a token that was refused is replaced', async () => {
  const { client, events } = observed(sandbox.bearerConfig());
  await client.accessToken();
  assert.deepEqual(
    namesOf(events.splice(0)),
    ['token_requested', 'token_fetched'],
    'asking for a token is no request',
  );
  await sandbox.control('POST', '/sandbox/tokens/revoke');
  await client.createPayment(payment());
  const names = [
    'request_started',
    'token_reused',
    'attempt',
    'attempt_ended',
    'token_invalidated',
    'token_requested',
    'token_fetched',
    'attempt',
    'attempt_ended',
    'request_ended',
  ];
  assert.deepEqual(namesOf(events), names);
  const [again, , ended] = events.slice(-3);
  assert.deepEqual([again.number, ended.attempts, ended.kind], [2, 2, null]);
});

test('PAYMENTS_LOG=debug writes each event to standard error', async () => {
  const program = `
    import { Client } from 'libpayments';
    const client = new Client(${JSON.stringify(sandbox.bearerConfig())});
    await client.createPayment(${JSON.stringify(payment())});
  `;
  const { code, stderr } = await run(program, { env: { PAYMENTS_LOG: 'debug' } });
  assert.equal(code, 0, stderr);
  const names = stderr
    .trimEnd()
    .split('\n')
    .map((line) => /^payments\[\d+\] (\w+)/.exec(line)[1]);
  assert.deepEqual(names, [
    'request_started',
    'token_requested',
    'token_fetched',
    'attempt',
    'attempt_ended',
    'request_ended',
  ]);
  assert.match(stderr, /http_status=200/);
  assert.doesNotMatch(stderr, /eyJ|@example/);
  const { stderr: nothing } = await run(program.replace(/await .*/, 'await client.accessToken();'));
  assert.equal(nothing, '');
});

test('a query that is tried again', async () => {
  await sandbox.faults({ then: [{ fault: 'response', status: 503 }] });
  const { client, events } = observed(sandbox.config());
  await rejection(client.queryPayment({ merchant_payment_code: 'canary-reference@example.com' }));
  assert.deepEqual(namesOf(events), [
    'request_started',
    'attempt',
    'attempt_ended',
    'retry',
    'attempt',
    'attempt_ended',
    'request_ended',
  ]);
  const [started, , failed, retry, , , ended] = events;
  assert.deepEqual([failed.number, failed.httpStatus, failed.kind], [1, 503, null]);
  assert.deepEqual([retry.operation, retry.number, retry.kind], ['query_payment', 1, 'status']);
  assert.ok(retry.waitUs > 0);
  assert.deepEqual(
    [ended.httpStatus, ended.kind, ended.outcome, ended.attempts],
    [200, 'rejected', 'not_executed', 2],
  );
  assert.ok(!started.path.includes('?') && !inspect(events, { depth: 9 }).includes('canary'));
});

test('a token that cannot be obtained', async () => {
  await sandbox.control('POST', '/sandbox/tokens/block', { status: 429, retry_after: 7 });
  const { client, events } = observed(sandbox.bearerConfig());
  const error = await rejection(client.createPayment(payment()));
  assert.deepEqual(namesOf(events), [
    'request_started',
    'token_requested',
    'token_failed',
    'request_ended',
  ]);
  const [failed, ended] = events.slice(-2);
  assert.equal(failed.kind, 'token');
  assert.ok(failed.durationUs > 0 && failed.durationUs < ended.durationUs);
  assert.ok(failed.backoffUs >= 6e6, `backoff for ${failed.backoffUs} µs`);
  assert.deepEqual(
    [ended.kind, ended.outcome, ended.httpStatus, ended.attempts],
    [error.kind, 'not_executed', null, 0],
  );
});

test('a store that fails', async () => {
  const { client, events } = observed(
    sandbox.bearerConfig({ token_store: 'redis://:canary-password@127.0.0.1:1' }),
  );
  await client.createPayment(payment());
  const bypassed = events.filter(({ event }) => event === 'store_bypassed');
  assert.ok(
    bypassed.some(({ action }) => action === 'load'),
    inspect(bypassed),
  );
  assert.ok(bypassed.every((event) => event.reason.length > 0 && !Object.hasOwn(event, 'cause')));
  assert.ok(!inspect(events, { depth: 9 }).includes('canary'));
  assert.equal(events.at(-1).kind, null);
});

test('calls that are cancelled before and after the first byte', async () => {
  await sandbox.faults({ operation: 'create_payment', then: [{ fault: 'hang' }] });
  const { client, events } = observed(sandbox.config());
  const controller = new AbortController();
  const cancelled = rejection(client.createPayment(payment(), { signal: controller.signal }));
  await until(async () => (await sandbox.requests()).length === 1, 'a request that hangs');
  controller.abort();
  await cancelled;
  assert.deepEqual(namesOf(events), [
    'request_started',
    'attempt',
    'attempt_ended',
    'request_ended',
  ]);
  const late = events.splice(0).at(-1);
  assert.deepEqual(
    [late.kind, late.outcome, late.httpStatus, late.attempts],
    ['cancelled', 'unknown', null, 1],
  );

  await rejection(client.createPayment(payment(), { signal: AbortSignal.abort() }));
  const early = events.at(-1);
  assert.deepEqual([early.kind, early.outcome, early.attempts], ['cancelled', 'not_executed', 0]);
  await rejection(client.createPayment({}));
  assert.equal(events.at(-1), early, 'what is refused for its input begins no call');
});

test('concurrent calls have events with their own number', async () => {
  await sandbox.faults({
    operation: 'query_payment',
    times: 5,
    then: [{ fault: 'pass' }, { fault: 'close' }],
  });
  const { client, events } = observed(sandbox.bearerConfig());
  await Promise.allSettled([
    ...Array.from({ length: 15 }, (_, index) => client.createPayment(payment(`o-${index}`))),
    ...Array.from({ length: 15 }, () => client.queryPayment({ hash: 'none' })),
  ]);
  const calls = new Map();
  for (const event of events) {
    calls.set(event.call, [...(calls.get(event.call) ?? []), event]);
  }
  assert.equal(calls.size, 30);
  let retries = 0;
  for (const own of calls.values()) {
    assert.equal(new Set(own.map(({ reference }) => reference)).size, 1);
    const names = namesOf(own);
    assert.deepEqual([names[0], names.at(-1)], ['request_started', 'request_ended']);
    const count = (name) => names.filter((each) => each === name).length;
    assert.deepEqual([count('request_started'), count('request_ended')], [1, 1]);
    const [{ operation }] = own;
    assert.ok(own.every((event) => event.operation === undefined || event.operation === operation));
    const attempts = own.filter(({ event }) => event === 'attempt').map(({ number }) => number);
    assert.deepEqual(
      attempts,
      Array.from({ length: own.at(-1).attempts }, (_, index) => index + 1),
    );
    retries += count('retry');
  }
  // Of five failures, three may strike one query, which ends with the third.
  assert.ok(retries >= 4, `${retries} retries`);
});

test('no event holds a secret or payer data', async () => {
  const { integration_key, client_secret } = sandbox.settings;
  const { client, events } = observed(sandbox.bearerConfig({ integration_key }));
  await client.createPayment(payment('canary-reference@example.com'));
  await client
    .send({ method: 'POST', path: '/ws/canary', query: { q: 'canary-query' }, body: 'canary-body' })
    .catch(() => {});
  await sandbox.faults({
    then: [
      {
        fault: 'response',
        status: 400,
        json: { status: 'ERROR', status_message: 'canary-message' },
      },
    ],
  });
  await rejection(client.createPayment(payment()));
  const [sent] = (await sandbox.requests()).filter(
    ({ operation }) => operation === 'create_payment',
  );
  const headers = new Map(sent.headers.map(([name, value]) => [name.toLowerCase(), value]));
  const token = headers.get('authorization').replace('Bearer ', '');
  const secrets = [
    integration_key,
    client_secret,
    token,
    headers.get('x-jws-signature'),
    sandbox.kid,
  ];
  const payer = ['Maria', 'maria@example.com', '853.513', '85351346893', '100.10'];
  const canaries = ['canary-reference', 'canary-query', 'canary-body', 'canary-message'];
  const shown =
    inspect(events, { depth: 20, showHidden: true, maxArrayLength: null }) + JSON.stringify(events);
  assert.deepEqual(
    [...secrets, ...payer, ...canaries].filter((text) => shown.includes(text)),
    [],
  );
  assert.equal(events.find(({ operation }) => operation === 'send').path, '/ws/canary');
});

test('an end that cannot be recorded in the journal', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'payments-journal-'));
  const path = join(folder, 'journal', 'payments.db');
  await createJournal(path);
  const remove = ({ event }) => event === 'attempt' && renameSync(path, `${path}.away`);
  await sandbox.faults({ then: [{ fault: 'pass', delay_ms: 500 }] });
  const { client, events } = observed({ ...sandbox.config(), journal: `file:${path}` }, remove);
  await client.createPayment(payment('o-1'));
  assert.match(
    events.find(({ event }) => event === 'journal_failed').reason,
    /there is no journal at/,
  );
  rmSync(folder, { recursive: true });
});

test('every event has its documented and declared members', () => {
  assert.deepEqual(wrong, []);
  assert.deepEqual([...seen].sort(), [...TABLE.keys()].sort());
  const home = dirname(createRequire(import.meta.url).resolve('libpayments/package.json'));
  const [, events] = /^## Events$([^]*?)^## /m.exec(readFileSync(join(home, 'README.md'), 'utf8'));
  assert.deepEqual(readTable(events), TABLE);
  const declarations = readFileSync(join(home, 'events.d.ts'), 'utf8').replaceAll(
    /\/\*[^]*?\*\//g,
    '',
  );
  const declared = [...declarations.matchAll(/event: '(\w+)';([^}]*)\}/g)].map(
    ([, event, members]) => {
      const all = [...members.matchAll(/(\w+): (.+);/g)];
      return [event, new Map(all.map(([, name, type]) => [name, type.endsWith('| null')]))];
    },
  );
  assert.deepEqual(new Map(declared), TABLE);
});
