// A journal by configuration alone, and what is open in it.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';

import { Client, PaymentsError, createJournal } from 'libpayments';

import { Sandbox } from './support/sandbox.mjs';

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

function payout(reference) {
  return {
    external_reference: reference,
    country: 'br',
    amount: '10.00',
    currency_code: 'BRL',
    target: 'pix_key',
    target_account: 'joao@example.com',
    payee: { name: 'João Souza' },
  };
}

async function failureOf(promise) {
  const error = await promise.then(
    () => assert.fail('it worked'),
    (failure) => failure,
  );
  assert.ok(error instanceof PaymentsError, String(error));
  return error;
}

test('a reference is paid once, and a person settles a lost one', async () => {
  const path = join(folder, 'books', 'journal.db');
  await createJournal(path);
  const client = new Client({ ...sandbox.config(), journal: `file:${path}` });
  const { uid } = await client.createPayout(payout('p-1'));
  const refused = await failureOf(client.createPayout(payout('p-1')));
  assert.deepEqual(
    [refused.kind, refused.code, refused.outcome],
    ['journal', 'already_done', 'unknown'],
  );
  assert.deepEqual([refused.journalEntry.uid, refused.journalEntry.has_same_body], [uid, true]);

  const fault = { operation: 'create_payout', then: [{ fault: 'close', execute: true }] };
  await sandbox.control('POST', '/sandbox/faults', fault);
  await failureOf(client.createPayout(payout('p-2')));
  const { open } = await client.journal('recover');
  assert.deepEqual(
    open.map(({ entry, needs }) => [entry.reference, needs]),
    [['p-2', 'person']],
  );
  await client.journal('resolve', { entry: 'p-2', executed: true, note: 'seen' });
  const { entries } = await client.journal('list');
  assert.deepEqual(
    entries.map(({ state }) => state),
    ['done', 'done'],
  );
  const shown = await client.journal('show', { reference: 'p-2' });
  assert.equal(shown.entries[0].note, 'seen');
  assert.equal((await failureOf(client.journal('forget'))).kind, 'validation');
  assert.equal((await failureOf(client.journal(7))).path, 'action');
  client.close();
  rmSync(folder, { recursive: true });
});

test('a journal is made on purpose only', async () => {
  const path = join(folder, 'books', 'journal.db');
  const make = () => new Client({ ...sandbox.config(), journal: `file:${path}` });
  assert.throws(make, { kind: 'config', code: 'missing', path: 'journal' });
  await createJournal(path);
  assert.equal((await failureOf(createJournal(path))).code, 'exists');
  make().close();
  rmSync(folder, { recursive: true });
});
