// A journal of functions.

import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';

import { Client } from 'libpayments';

import { MemoryJournal, payout, sent } from './support/journal.mjs';
import { Sandbox, payment, rejection, until } from './support/sandbox.mjs';

let sandbox;
let journal;
let events;
before(async () => {
  sandbox = await Sandbox.start();
});
beforeEach(async () => {
  await sandbox.reset();
  journal = new MemoryJournal();
  events = [];
});
after(() => sandbox.stop());

/** A client whose journal has some functions replaced. */
function client(over = {}, config = {}) {
  const functions = Object.fromEntries(
    ['insert', 'update', 'find', 'prune'].map((name) => [name, journal[name].bind(journal)]),
  );
  const callbacks = {
    journal: { ...functions, ...over },
    observer: (event) => void events.push(event),
  };
  return new Client({ ...sandbox.config(), journal_scope: 'shop', ...config }, callbacks);
}

function facts({ kind, code, outcome }) {
  return [kind, code, outcome];
}

const lost = () =>
  sandbox.faults({ operation: 'create_payout', then: [{ fault: 'close', execute: true }] });

test('a reference is paid once', async () => {
  const shop = client();
  const { uid } = await shop.createPayout(payout('p-1'));
  const [entry] = journal.entries;
  assert.deepEqual([entry.state, entry.decided_by, entry.uid], ['done', 'call', uid]);
  assert.deepEqual([entry.scope, entry.version, entry.refund_code], ['shop', 2, null]);
  const refused = await rejection(shop.createPayout(payout('p-1')));
  assert.deepEqual(facts(refused), ['journal', 'already_done', 'unknown']);
  assert.deepEqual([refused.journalEntry.id, refused.cause], [entry.id, undefined]);
  assert.deepEqual(await sent(sandbox), ['create_payout']);
  await shop.queryPayment({ hash: 'x' }).catch(() => {});
  assert.equal(journal.entries.length, 1, 'a query moves no money');
});

test('open entries are listed, recovered and resolved', async () => {
  const shop = client();
  await lost();
  assert.equal((await rejection(shop.createPayout(payout('p-1')))).outcome, 'unknown');
  assert.equal((await rejection(shop.createPayout(payout('p-1')))).code, 'unresolved');
  const { open, deleted } = await shop.journal('recover');
  assert.deepEqual([open[0].entry.reference, open[0].needs, deleted], ['p-1', 'person', 0]);
  assert.ok(journal.calls.includes('prune'));
  await shop.journal('resolve', { entry: 'p-1', executed: false, note: 'not there' });
  assert.deepEqual((await shop.journal('list', { only_open: true })).entries, []);
  const shown = await shop.journal('show', { reference: 'p-1' });
  assert.deepEqual([shown.entries[0].state, shown.entries[0].note], ['failed', 'not there']);
  await shop.createPayout(payout('p-1'));
});

test('a person supersedes an earlier entry, and not before its deadline', async () => {
  const shop = client();
  await lost();
  await rejection(shop.createPayout(payout('p-1')));
  const again = (supersede) => shop.createPayout(payout('p-1'), { supersede });
  assert.equal((await rejection(again(true))).code, 'unresolved', 'it could still be running');
  journal.now += 60_000;
  assert.equal((await rejection(again(false))).code, 'unresolved');
  assert.equal((await rejection(again(undefined))).code, 'unresolved');
  await again(true);
  const [earlier, later] = journal.entries;
  assert.equal(earlier.superseded_by, later.id);
  assert.equal(later.state, 'done');
  const wrong = await rejection(again('yes'));
  assert.deepEqual([wrong.code, wrong.path], ['wrong_type', 'options.supersede']);
});

test('what a journal throws before sending fails the call, and nothing is sent', async () => {
  const broken = new Error('no connection to the database');
  for (const insert of [
    () => {
      throw broken;
    },
    () => Promise.reject(broken),
  ]) {
    const error = await rejection(client({ insert }).createPayment(payment()));
    assert.deepEqual(facts(error), ['journal', 'unavailable', 'not_executed']);
    assert.equal(error.cause, broken);
    assert.match(error.message, /the journal failed: no connection to the database; nothing was/);
  }
  const collected = Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' });
  const refused = client({ insert: () => Promise.reject(collected) });
  assert.match((await rejection(refused.createPayment(payment()))).message, /ECONNREFUSED/);
  const unreadable = client({ find: () => Promise.reject(broken) });
  assert.equal((await rejection(unreadable.journal('list'))).cause, broken);
  assert.deepEqual(await sent(sandbox), []);
});

test('what a journal throws afterwards changes no result, and the observer gets it', async () => {
  const broken = new Error('the database was restarted');
  const shop = client({ update: () => Promise.reject(broken) });
  assert.equal((await shop.createPayment(payment())).status, 'PE');
  assert.equal(journal.entries[0].state, 'in_progress');
  const failed = events.find(({ event }) => event === 'journal_failed');
  assert.deepEqual([failed.id, failed.cause], [journal.entries[0].id, broken]);
  assert.match(failed.reason, /the database was restarted/);
  await lost();
  const error = await rejection(shop.createPayout(payout('p-1')));
  assert.deepEqual([error.outcome, error.cause], ['unknown', undefined]);
});

test('a journal that returns something else failed', async () => {
  for (const wrong of [undefined, null, 'true', 1, {}, 1n]) {
    const error = await rejection(client({ insert: () => wrong }).createPayment(payment()));
    assert.deepEqual(facts(error), ['journal', 'unavailable', 'not_executed']);
  }
  for (const wrong of [undefined, [], { now: 1 }, { now: 'x', entries: [] }]) {
    const error = await rejection(client({ find: () => wrong }).journal('list'));
    assert.match(error.message, /find of the journal returned something unreadable/);
  }
  assert.deepEqual(await sent(sandbox), []);
});

test('a journal that never returns ends with the call', async () => {
  const signals = [];
  const insert = (_entry, _superseded, { signal }) => {
    signals.push(signal);
    return new Promise(() => {});
  };
  const late = await rejection(client({ insert }, { timeout_ms: 200 }).createPayment(payment()));
  assert.equal(late.outcome, 'not_executed');
  const controller = new AbortController();
  const { signal } = controller;
  const call = rejection(client({ insert }).createPayment(payment(), { signal }));
  await until(() => signals.length === 2, 'the journal to be asked');
  controller.abort('enough');
  const error = await call;
  assert.deepEqual(
    [error.kind, error.outcome, error.cause],
    ['cancelled', 'not_executed', 'enough'],
  );
  assert.ok(signals.every(({ aborted }) => aborted));
  assert.deepEqual(await sent(sandbox), []);
});

test('the end of a cancelled call is recorded', async () => {
  let aborted;
  const update = (entry, { signal }) => {
    aborted = signal.aborted;
    return journal.update(entry);
  };
  const controller = new AbortController();
  await sandbox.faults({ operation: 'create_payment', then: [{ fault: 'hang' }] });
  const call = rejection(client({ update }).createPayment(payment(), controller));
  await until(async () => (await sent(sandbox)).length > 0, 'the request to arrive');
  controller.abort();
  assert.deepEqual(facts(await call).toSpliced(1, 1), ['cancelled', 'unknown']);
  assert.deepEqual([journal.entries[0].state, aborted], ['unknown', false]);
});

test('an update that never returns holds up a cancelled call for a moment only', async () => {
  let asked;
  const update = (_entry, { signal }) => {
    asked = signal;
    return new Promise(() => {});
  };
  const controller = new AbortController();
  await sandbox.faults({ operation: 'create_payment', then: [{ fault: 'hang' }] });
  const far = { timeout_ms: 3_600_000 };
  const call = rejection(client({ update }, far).createPayment(payment(), controller));
  await until(async () => (await sent(sandbox)).length > 0, 'the request to arrive');
  controller.abort();
  assert.equal((await call).kind, 'cancelled');
  assert.ok(asked.aborted);
  assert.ok(events.some(({ event }) => event === 'journal_failed'));
});

test('a journal that calls its own client is refused', async () => {
  const errors = [];
  const shop = client({
    insert: async (entry, superseded) => {
      errors.push(await rejection(shop.tokenStatus()));
      return journal.insert(entry, superseded);
    },
  });
  await shop.createPayment(payment());
  assert.deepEqual(
    errors.map(({ kind, code }) => [kind, code]),
    [['config', 'reentrant_call']],
  );
});

test('a journal that is no journal is refused', () => {
  const { insert, update, find } = journal;
  for (const wrong of [null, 'file:x', { insert, update, find }]) {
    assert.throws(() => new Client(sandbox.config(), { journal: wrong }), {
      code: 'wrong_type',
      path: 'journal',
    });
  }
  assert.throws(() => new Client({ ...sandbox.config(), journal }), {
    code: 'callback_misplaced',
    path: 'journal',
  });
});
