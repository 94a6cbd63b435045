// A journal of functions.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, beforeEach, test } from 'node:test';

import { Client } from 'libpayments';

import { MemoryJournal, listed, loseNext, payout, sent } from './support/journal.mjs';
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
    ['insert', 'update', 'find', 'count', 'prune'].map((name) => [
      name,
      journal[name].bind(journal),
    ]),
  );
  const callbacks = {
    journal: { ...functions, ...over },
    observer: (event) => void events.push(event),
  };
  return new Client({ ...sandbox.config(), journal_scope: 'shop', ...config }, callbacks);
}

/** The end of a call is recorded again until its deadline. */
const BRIEF = { timeout_ms: 2000 };

function facts({ kind, code, outcome }) {
  return [kind, code, outcome];
}

test('an executed call whose reference was taken names its rival', async () => {
  let isFirst = true;
  const update = (entry) => {
    if (!isFirst) {
      return journal.update(entry);
    }
    isFirst = false;
    const [own] = journal.entries;
    Object.assign(own, { state: 'failed', decided_by: 'person', version: 2 });
    const next = { ...own, id: 'f'.repeat(32), state: 'in_progress', decided_by: null };
    journal.entries.push(next);
    throw new Error('the connection was lost');
  };
  const { uid } = await client({ update }).createPayout(payout('p-1'));
  const [own, next] = journal.entries;
  assert.deepEqual([own.state, own.uid, own.rival], ['failed', uid, next.id]);
  const failed = events.find(({ event }) => event === 'journal_failed');
  assert.match(failed.reason, new RegExp(`so may be that of the entry ${next.id}`));
  assert.ok(!('cause' in failed), 'the lost connection was not the reason');
});

test('a later exception of a journal is no cause of an error', async () => {
  const broken = new Error('the database was restarted');
  const shop = client({ update: () => Promise.reject(broken) }, BRIEF);
  assert.equal((await shop.createPayment(payment())).status, 'PE');
  assert.equal(journal.entries[0].state, 'in_progress');
  await loseNext(sandbox);
  const error = await rejection(shop.createPayout(payout('p-1')));
  assert.deepEqual([error.outcome, error.cause], ['unknown', undefined]);
});

test('an invalid result of a journal is a failure', async () => {
  for (const wrong of [undefined, null, 'true', 1, {}, 1n]) {
    const error = await rejection(client({ insert: () => wrong }).createPayment(payment()));
    assert.deepEqual(facts(error), ['journal', 'unavailable', 'not_executed']);
  }
  for (const wrong of [undefined, [], { now: 1 }, { now: 'x', entries: [] }]) {
    const error = await rejection(listed(client({ find: () => wrong })));
    assert.match(error.message, /find of the journal returned something unreadable/);
  }
  assert.deepEqual(await sent(sandbox), []);
  const updates = [undefined, true, {}, { changed: 1 }, { changed: true, takenBy: 'x' }];
  for (const [number, wrong] of updates.entries()) {
    events = [];
    await client({ update: () => wrong }, BRIEF).createPayout(payout(`p-${number}`));
    const { reason } = events.find(({ event }) => event === 'journal_failed');
    assert.match(reason, /update of the journal returned something unreadable/);
  }
});

test('without a logger, a failure is a warning of the process', async () => {
  const update = () => Promise.reject(new Error('secret'));
  const shop = new Client(
    { ...sandbox.config(), journal_scope: 'shop', ...BRIEF },
    { journal: Object.assign(journal, { update }) },
  );
  const warned = once(process, 'warning');
  await shop.createPayout(payout('p-1'));
  const [{ name, code, message, cause }] = await warned;
  assert.deepEqual(
    [name, code, cause.message],
    ['PaymentsWarning', 'LIBPAYMENTS_JOURNAL', 'secret'],
  );
  const line =
    /^journal_failed call=\d+ reference=p-1 id=\w{32} reason="the journal failed: it threw Error"$/;
  assert.match(message, line);
});

test('a journal that never returns ends with the call', async () => {
  const signals = [];
  const insert = (_entry, { signal }) => {
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
  const call = rejection(
    client({ update }).createPayment(payment(), { signal: controller.signal }),
  );
  await until(async () => (await sent(sandbox)).length > 0, 'the request to arrive');
  controller.abort();
  assert.deepEqual(facts(await call).toSpliced(1, 1), ['cancelled', 'unknown']);
  assert.deepEqual([journal.entries[0].state, aborted], ['unknown', false]);
});

test('an endless update delays a cancelled call only briefly', async () => {
  let asked;
  const update = (_entry, { signal }) => {
    asked = signal;
    return new Promise(() => {});
  };
  const controller = new AbortController();
  await sandbox.faults({ operation: 'create_payment', then: [{ fault: 'hang' }] });
  const far = { timeout_ms: 3_600_000 };
  const call = rejection(
    client({ update }, far).createPayment(payment(), { signal: controller.signal }),
  );
  await until(async () => (await sent(sandbox)).length > 0, 'the request to arrive');
  controller.abort();
  assert.equal((await call).kind, 'cancelled');
  assert.ok(asked.aborted);
  assert.ok(events.some(({ event }) => event === 'journal_failed'));
});

test('a journal that calls its own client is refused', async () => {
  const errors = [];
  const shop = client({
    insert: async (entry) => {
      errors.push(await rejection(shop.tokenStatus()));
      return journal.insert(entry);
    },
  });
  await shop.createPayment(payment());
  assert.deepEqual(
    errors.map(({ kind, code }) => [kind, code]),
    [['config', 'reentrant_call']],
  );
});

test('a value that is not a journal is refused', () => {
  const { insert, update, find, prune } = journal;
  for (const wrong of [null, 'file:x', { insert, update, find, prune }]) {
    assert.throws(() => new Client(sandbox.config(), { journal: wrong }), {
      code: 'wrong_type',
      path: 'journal',
    });
  }
  assert.throws(() => new Client({ ...sandbox.config(), journal }), {
    code: 'wrong_type',
    path: 'journal',
  });
});
