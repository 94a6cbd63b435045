// Exceptions of callbacks: the text may hold a secret, so errors, events and warnings
// only have the class. The object itself is the `cause`.

import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { inspect } from 'node:util';

import { Client, JournalUnavailableError } from 'libpayments';

import { MemoryJournal, listed, payout } from './support/journal.mjs';
import { Sandbox, payment, rejection, until } from './support/sandbox.mjs';

const SECRET = 'hunter2';

/** An exception of a driver: every member repeats the address with its password. */
class LostError extends Error {
  constructor() {
    const url = `rediss://shop:${SECRET}@cache.example`;
    super(`no connection to ${url}`);
    Object.assign(this, { code: url, name: url, address: url });
  }
}

let sandbox;
let events;
before(async () => {
  sandbox = await Sandbox.start();
});
beforeEach(async () => {
  await sandbox.reset();
  events = [];
});
after(() => sandbox.stop());

/** A client whose observer keeps the events, and how they look in a log. */
function clientOf(callbacks, config = sandbox.bearerConfig()) {
  const observer = (event) => {
    events.push(event);
  };
  return new Client({ ...config, journal_scope: 'shop' }, { observer, ...callbacks });
}

function shownOf(error) {
  const { cause, ...members } = error;
  return [error.message, String(error), error.stack, JSON.stringify(error), inspect(members)];
}

/** Nothing that may be logged implicitly shows the secret. */
function assertHidden(...errors) {
  const shown = [...errors.flatMap(shownOf), inspect(events, { depth: 9 }), JSON.stringify(events)];
  assert.doesNotMatch(shown.join('\n'), new RegExp(SECRET));
}

/** The ways in which a function fails with this exception. */
function failing(thrown) {
  return [
    () => {
      throw thrown;
    },
    () => Promise.reject(thrown),
  ];
}

test('an exception of a signer is shown by its class only', async () => {
  const lost = new LostError();
  for (const sign of failing(lost)) {
    const { key_file, kid, ...config } = sandbox.bearerConfig();
    const client = clientOf({ signer: { kid, sign } }, config);
    const error = await rejection(client.createPayment(payment()));
    assert.deepEqual(
      [error.kind, error.code, error.outcome],
      ['signing', 'signer_failed', 'not_executed'],
    );
    assert.match(error.message, /the signer failed: it threw LostError/);
    assert.equal(error.cause, lost);
    assertHidden(error);
  }
  assert.deepEqual(await sandbox.requests('create_payment'), []);
});

test('an exception of a token store is shown by its class only', async () => {
  const lost = new LostError();
  for (const fail of failing(lost)) {
    const tokenStore = { load: fail, save: fail, deleteIf: fail, tryLock: fail, unlock: fail };
    const client = clientOf({ tokenStore });
    assert.equal((await client.createPayment(payment(`o-${Math.random()}`))).status, 'PE');
    await sandbox.control('POST', '/sandbox/tokens/revoke');
    await client.createPayment(payment(`o-${Math.random()}`));
    const bypassed = events.filter(({ event }) => event === 'store_bypassed');
    assert.ok(bypassed.length > 0);
    for (const { reason, cause } of bypassed) {
      assert.deepEqual([reason, cause], ['the token store failed: it threw LostError', lost]);
    }
    assertHidden();
  }
});

test('an exception of a journal is shown by its class only', async () => {
  const lost = new LostError();
  const journal = (over) => {
    const memory = new MemoryJournal();
    const names = ['insert', 'update', 'find', 'count', 'prune'];
    const functions = names.map((name) => [name, memory[name].bind(memory)]);
    return { ...Object.fromEntries(functions), ...over };
  };
  for (const fail of failing(lost)) {
    const before = clientOf({ journal: journal({ insert: fail }) });
    const error = await rejection(before.createPayout(payout('p-1')));
    assert.deepEqual(
      [error.kind, error.code, error.outcome],
      ['journal', 'unavailable', 'not_executed'],
    );
    assert.match(error.message, /the journal failed: it threw LostError; nothing was sent/);
    assert.deepEqual(await sandbox.requests('create_payout'), []);
    const listing = await rejection(listed(clientOf({ journal: journal({ find: fail }) })));
    const range = { before: new Date('2020-01-01') };
    const counting = clientOf({ journal: journal({ count: fail }) });
    const pruning = await rejection(counting.journal.prune(range));
    for (const { message, cause } of [error, listing, pruning]) {
      assert.match(message, /it threw LostError/);
      assert.equal(cause, lost);
    }
    const afterwards = clientOf({ journal: journal({ update: fail }) });
    assert.ok((await afterwards.createPayout(payout('p-2'))).uid);
    const failed = events.findLast(({ event }) => event === 'journal_failed');
    assert.deepEqual(
      [failed.reason, failed.cause],
      ['the journal failed: it threw LostError', lost],
    );
    assertHidden(error, listing, pruning);
    await sandbox.reset();
  }
});

test('a journal gives its reason with an error of its own class', async () => {
  const cause = new LostError();
  const full = new JournalUnavailableError('the disk is full', { cause });
  assert.ok(full instanceof Error);
  const insert = () => Promise.reject(full);
  const error = await rejection(
    clientOf({ journal: Object.assign(new MemoryJournal(), { insert }) }).createPayout(payout('p')),
  );
  assert.match(error.message, /the journal failed: the disk is full; nothing was sent/);
  assert.equal(error.cause, full);
  assertHidden(error);
});

test('an exception of an observer is shown by its class only', async () => {
  const lost = new LostError();
  const warnings = [];
  const listen = (warning) => warnings.push(warning);
  process.on('warning', listen);
  for (const observer of failing(lost)) {
    await clientOf({ observer }).createPayment(payment(`o-${Math.random()}`));
  }
  await until(() => warnings.length >= 2, 'warnings');
  process.off('warning', listen);
  for (const warning of warnings) {
    const { name, code, message, cause } = warning;
    assert.deepEqual([name, code], ['PaymentsWarning', 'LIBPAYMENTS_OBSERVER']);
    assert.deepEqual([message, cause], ['the observer failed: it threw LostError', lost]);
  }
  assertHidden(...warnings);
});

test('any thrown value ends the call and is named by its type', async () => {
  const revoked = Proxy.revocable({}, {});
  revoked.revoke();
  const nameless = Object.create(null);
  const sneaky = { constructor: { name: SECRET } };
  const wordy = Object.setPrototypeOf({}, { constructor: { name: `the ${SECRET}` } });
  for (const [thrown, reason] of [
    [`rediss://shop:${SECRET}@cache.example`, 'it threw a string'],
    [null, 'it threw null'],
    [undefined, 'it threw undefined'],
    [7n, 'it threw a bigint'],
    [Symbol(SECRET), 'it threw a symbol'],
    [{ url: SECRET }, 'it threw Object'],
    [new TypeError(SECRET), 'it threw TypeError'],
    [nameless, 'it threw an object'],
    [sneaky, 'it threw Object'],
    [wordy, 'it threw an object'],
    [revoked.proxy, 'it threw an object'],
  ]) {
    const { key_file, kid, ...config } = sandbox.config();
    const sign = () => Promise.reject(thrown);
    const error = await rejection(
      clientOf({ signer: { kid, sign } }, config).createPayment(payment()),
    );
    assert.match(error.message, new RegExp(`the signer failed: ${reason}( \\[|;|$)`));
    assert.equal(error.cause, thrown);
    assertHidden(error);
  }
});
