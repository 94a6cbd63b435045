// A journal by configuration alone, and its open entries.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';

import { Client, createJournal } from 'libpayments';

import { MemoryJournal, listed, loseNext, payout } from './support/journal.mjs';
import { Sandbox, payment, rejection } from './support/sandbox.mjs';

let sandbox;
let folder;
before(async () => {
  sandbox = await Sandbox.start();
});
beforeEach(async () => {
  await sandbox.reset();
  folder = mkdtempSync(join(tmpdir(), 'payments-journal-'));
});
after(async () => {
  await sandbox.stop();
});

test('a request refused here has the outcome of its reference', async () => {
  const path = join(folder, 'journal', 'payments.db');
  await createJournal(path);
  const client = new Client({ ...sandbox.config(), journal: `file:${path}` });
  for (const outcome of ['not_executed', 'unknown']) {
    const wrong = payment('order-1', { amount_total: 100.1 });
    const refused = await rejection(client.ensurePayment(wrong));
    const { kind, code } = refused;
    assert.deepEqual([kind, code, refused.outcome], ['validation', 'wrong_type', outcome]);
    assert.deepEqual([refused.path, refused.operation], ['payment.amount_total', 'create_payment']);
    assert.equal(refused.journalEntry !== undefined, outcome === 'unknown');
    await client.ensurePayment(payment('order-1'));
  }
});

test('a reference is paid once, and a person resolves a lost one', async () => {
  const path = join(folder, 'journal', 'payments.db');
  await createJournal(path);
  const client = new Client({ ...sandbox.config(), journal: `file:${path}` });
  const { uid } = await client.createPayout(payout('p-1'));
  const refused = await rejection(client.createPayout(payout('p-1')));
  assert.deepEqual(
    [refused.kind, refused.code, refused.outcome],
    ['journal', 'already_done', 'executed'],
  );
  const [{ id, createdAt }] = await listed(client);
  assert.deepEqual(refused.journalEntry, {
    id,
    state: 'done',
    hash: null,
    uid,
    hasSameBody: true,
    createdAt,
  });

  await loseNext(sandbox);
  await rejection(client.createPayout(payout('p-2')));
  const { recovered, open } = await client.journal.recover();
  assert.deepEqual(recovered, []);
  assert.deepEqual(
    open.map(({ entry, needs }) => [entry.reference, entry.needs, needs]),
    [['p-2', 'time', 'time']],
  );
  assert.match(open[0].reason, /look for it after 20/);
  const settled = await client.journal.resolve('p-2', { executed: true, note: 'seen' });
  assert.deepEqual([settled.state, settled.decidedBy, settled.note], ['done', 'person', 'seen']);
  assert.equal(settled.needs, null);
  assert.deepEqual(
    (await listed(client)).map(({ state, needs }) => [state, needs]),
    [
      ['done', null],
      ['done', null],
    ],
  );
  client.close();
  rmSync(folder, { recursive: true });
});

test('an entry has names as in JavaScript, and times', async () => {
  const journal = new MemoryJournal();
  const client = new Client({ ...sandbox.config(), journal_scope: 'shop' }, { journal });
  const { uid } = await client.createPayout(payout('p-1'));
  const [entry] = await client.journal.show('p-1');
  const { id, bodySha256, host, process: caller, deadlineAt, settlesAt, ...rest } = entry;
  assert.deepEqual(rest, {
    version: 2,
    scope: 'shop',
    operation: 'create_payout',
    reference: 'p-1',
    refundCode: null,
    amount: '10.00',
    currency: 'BRL',
    createdAt: new Date(journal.now),
    endedAt: new Date(journal.now),
    state: 'done',
    decidedBy: 'call',
    hash: null,
    uid,
    kind: null,
    code: null,
    note: null,
    rival: null,
    needs: null,
  });
  assert.match(`${id} ${bodySha256}`, /^[0-9a-f]{32} [0-9a-f]{64}$/);
  assert.ok(host.length > 0 && caller.length > 0);
  assert.ok(deadlineAt > rest.createdAt && settlesAt > deadlineAt);
  assert.deepEqual(await client.journal.show(id), [entry]);
  assert.deepEqual(await client.journal.show('p-2'), []);
});

test('a list is read page by page', async () => {
  const journal = new MemoryJournal();
  const client = new Client({ ...sandbox.config(), journal_scope: 'shop' }, { journal });
  await client.createPayout(payout('p-0'));
  const [first] = journal.entries;
  journal.entries = Array.from({ length: 2_300 }, (_, number) => ({
    ...first,
    id: String(number).padStart(32, '0'),
    reference: `p-${number}`,
    state: number % 100 === 0 ? 'unknown' : 'done',
  }));
  const finds = () => journal.calls.filter((name) => name === 'find').length;
  let before = finds();
  const all = await listed(client);
  assert.deepEqual([all.length, all.at(-1).reference, finds() - before], [2_300, 'p-2299', 4]);
  assert.equal((await listed(client, { onlyOpen: true })).length, 23);
  const { id } = all[2_297];
  assert.deepEqual(
    (await listed(client, { after: id })).map(({ reference }) => reference),
    ['p-2298', 'p-2299'],
  );
  before = finds();
  for await (const { reference } of client.journal.list()) {
    assert.equal(reference, 'p-0');
    break;
  }
  assert.equal(finds() - before, 1);
});

test('old entries are deleted, and open ones stay', async () => {
  const journal = new MemoryJournal();
  const client = new Client({ ...sandbox.config(), journal_scope: 'shop' }, { journal });
  await client.createPayout(payout('p-1'));
  await loseNext(sandbox);
  await rejection(client.createPayout(payout('p-2')));
  const before = new Date(journal.now + 1);
  const counted = await client.journal.prune({ before, dryRun: true });
  assert.deepEqual(counted, { dryRun: true, done: 1, failed: 0, open: 1 });
  const recent = await rejection(client.journal.prune({ before: before.toISOString() }));
  assert.deepEqual([recent.code, recent.path], ['not_confirmed', 'before']);
  assert.equal(journal.entries.length, 2);
  const deleted = await client.journal.prune({ before, recent: true });
  assert.deepEqual(deleted, { dryRun: false, done: 1, failed: 0, open: 1 });
  assert.deepEqual(
    journal.entries.map(({ reference }) => reference),
    ['p-2'],
  );
});

test('invalid arguments of a journal are refused', async () => {
  const client = new Client(sandbox.config(), { journal: new MemoryJournal() });
  const { journal } = client;
  for (const [refused, code, path] of [
    [() => listed(client, { onlyOpn: true }), 'member_unknown', 'filter.onlyOpn'],
    [() => listed(client, { onlyOpen: 1 }), 'wrong_type', 'onlyOpen'],
    [() => listed(client, 'open'), 'wrong_type', 'filter'],
    [() => listed(client, { after: 7 }), 'wrong_type', 'after'],
    [() => journal.show(), 'required', 'reference'],
    [() => journal.resolve('p-1', { executed: true }), 'required', 'note'],
    [() => journal.resolve('p-1', { executed: 'yes', note: 'x' }), 'wrong_type', 'executed'],
    [() => journal.resolve('p-1', { executed: true, note: 'x' }), 'entry_unknown', 'entry'],
    [() => journal.prune(), 'required', 'before'],
    [() => journal.prune({ before: new Date('x') }), 'value_invalid', 'before'],
    [() => journal.prune({ before: '31/01/2026' }), 'value_invalid', 'before'],
    [() => journal.prune({ before: '2026-01-31', dryRun: 1 }), 'wrong_type', 'dryRun'],
    [() => journal.show('p-1', { timeoutMs: 5 }), 'member_unknown', 'options.timeoutMs'],
  ]) {
    const error = await rejection(refused());
    assert.deepEqual([error.kind, error.code, error.path], ['validation', code, path]);
    assert.match(error.stack, /journal\.test\.mjs/, error.stack);
  }
  client.close();
  assert.equal((await rejection(journal.recover())).code, 'client_closed');
  const without = new Client(sandbox.config());
  assert.equal((await rejection(without.journal.recover())).path, 'journal');
});

test('without a logger, a failure of a file is a warning', async () => {
  const path = join(folder, 'journal', 'payments.db');
  await createJournal(path);
  // The file is gone when the service responds.
  const service = createServer((_request, response) => {
    rmSync(path);
    response.writeHead(503, { connection: 'close' }).end();
  });
  await new Promise((resolve) => service.listen(0, '127.0.0.1', resolve));
  const base_url = `http://127.0.0.1:${service.address().port}`;
  const config = { base_url, integration_key: 'key', journal: `file:${path}` };
  const shop = new Client({ ...config, timeout_ms: 2000 });
  const warned = once(process, 'warning');
  await rejection(shop.createPayment(payment('order-1')));
  const [{ code, message }] = await warned;
  service.close();
  assert.equal(code, 'LIBPAYMENTS_JOURNAL');
  assert.match(message, /^journal_failed call=\d+ reference=order-1 id=\w{32} reason=/);
});
