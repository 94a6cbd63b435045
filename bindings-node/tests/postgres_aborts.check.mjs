// Calls that end while a journal in PostgreSQL commits their entries.
//
// PAYMENTS_TEST_ABORTS says how often 150 payouts are aborted, and how often 150 end by
// their deadlines: once, unless it is set.

import assert from 'node:assert/strict';
import { mock, test } from 'node:test';

import { JournalUnavailableError, PostgresJournal } from 'libpayments';

import { listed, payout, sent } from './support/journal.mjs';
import { JournalTests, entryOf } from './support/postgres.mjs';
import { rejection, until } from './support/sandbox.mjs';

const tests = new JournalTests();

const ROUNDS = Number(process.env.PAYMENTS_TEST_ABORTS ?? 1);
const CALLS = 150;

/** Lets the commit of each new entry wait until `finish` is called. */
async function heldCommits() {
  const pool = tests.poolOf();
  const holder = await pool.connect();
  await holder.query(`
    CREATE FUNCTION wait_for_test() RETURNS trigger LANGUAGE plpgsql AS
    $$BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NULL; END$$;
    CREATE CONSTRAINT TRIGGER held AFTER INSERT ON payments_journal
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION wait_for_test();
    SELECT pg_advisory_lock(1)`);
  const isWaiting = "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'advisory'";
  const states = async () => {
    const { rows } = await pool.query('SELECT state FROM payments_journal ORDER BY id');
    return rows.map(({ state }) => state);
  };
  return {
    states,
    begun: () => until(async () => (await pool.query(isWaiting)).rowCount > 0, 'the commit'),
    finish: async () => {
      await holder.query('SELECT pg_advisory_unlock(1)');
      holder.release();
    },
  };
}

/** An entry that is committed when its call ends; timers are held. */
async function endedInsert() {
  const commits = await heldCommits();
  const controller = new AbortController();
  const journal = new PostgresJournal(tests.poolOf());
  const inserted = journal.insert(entryOf(1, 'p-1'), controller);
  inserted.catch(() => {});
  await commits.begun();
  mock.timers.enable({ apis: ['setTimeout'] });
  controller.abort(new Error('enough'));
  return { commits, inserted };
}

test('a commit that is under way may finish within 250 ms', async () => {
  const { commits, inserted } = await endedInsert();
  try {
    mock.timers.tick(249);
    await commits.finish();
    assert.equal(await inserted, true);
  } finally {
    mock.timers.reset();
  }
  assert.deepEqual(await commits.states(), ['in_progress']);
});

test('a commit that takes longer is left to the server', async () => {
  const { commits, inserted } = await endedInsert();
  try {
    mock.timers.tick(250);
    const error = await rejection(inserted);
    assert.ok(error instanceof JournalUnavailableError);
    assert.equal(error.duringCommit, true);
  } finally {
    mock.timers.reset();
  }
  assert.deepEqual(await commits.states(), []);
  await commits.finish();
  await until(async () => (await commits.states()).length > 0, 'the entry to appear');
});

for (const [end, kind] of [
  ['an abort', 'cancelled'],
  ['a deadline', 'journal'],
]) {
  test(`a late entry after ${end} is failed at the next use`, async () => {
    const commits = await heldCommits();
    const shop = tests.clientOf(tests.poolOf());
    const controller = new AbortController();
    const options = end === 'an abort' ? { signal: controller.signal } : { timeoutMs: 2000 };
    const call = rejection(shop.createPayout(payout('p-1'), options));
    await commits.begun();
    controller.abort();
    const error = await call;
    assert.deepEqual([error.kind, error.outcome], [kind, 'not_executed']);
    assert.match(error.message, /its entry \w{32} may still be stored, and block the reference/);
    assert.match(error.message, /until 20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ, when it can be resolved/);
    assert.deepEqual(await commits.states(), []);
    await commits.finish();
    await until(async () => (await commits.states()).length > 0, 'the entry to appear');
    assert.deepEqual(await commits.states(), ['in_progress']);
    await shop.createPayout(payout('p-2'));
    assert.deepEqual(await commits.states(), ['failed', 'done']);
    await shop.createPayout(payout('p-1'));
    assert.deepEqual(await sent(tests.sandbox), ['create_payout', 'create_payout']);
  });
}

/** How long calls take that all begin at once, in milliseconds. */
async function timeOfCalls(shop) {
  const begun = Date.now();
  const numbers = Array.from({ length: CALLS }, (_, number) => number);
  await Promise.all(numbers.map((number) => shop.createPayout(payout(`w-${number}`))));
  return Date.now() - begun;
}

/** How a payout ends that has so many milliseconds. */
async function outcomeOf(shop, reference, isAborted, time) {
  const controller = new AbortController();
  const options = isAborted ? { signal: controller.signal } : { timeoutMs: Math.ceil(time) };
  const timer = isAborted ? setTimeout(() => controller.abort(), time) : undefined;
  try {
    await shop.createPayout(payout(reference), options);
    return 'executed';
  } catch (error) {
    return error.outcome;
  } finally {
    clearTimeout(timer);
  }
}

for (const isAborted of [true, false]) {
  const end = isAborted ? 'is aborted' : 'ends by its deadline';

  test(`a payout that ${end} leaves no entry in progress`, async (t) => {
    const shop = tests.clientOf(tests.poolOf({ application_name: 'shop', max: 20 }));
    const longest = await timeOfCalls(shop);
    const outcomes = new Map();
    for (let round = 0; round < ROUNDS; round += 1) {
      const pay = async (_, number) => {
        const reference = `p-${round}-${number}`;
        const time = 1 + Math.random() * longest;
        outcomes.set(reference, await outcomeOf(shop, reference, isAborted, time));
      };
      await Promise.all(Array.from({ length: CALLS }, pay));
    }
    const watch = tests.poolOf();
    const busy =
      "SELECT 1 FROM pg_stat_activity WHERE application_name = 'shop' AND state <> 'idle'";
    await until(async () => (await watch.query(busy)).rowCount === 0, 'the server to be idle');
    // Calls that may have been sent are left to recovery; all others have
    // ended.
    for (const { reference, state } of await listed(shop, { onlyOpen: true })) {
      assert.deepEqual([outcomes.get(reference), state], ['unknown', 'unknown'], reference);
    }
    assert.equal(outcomes.size, ROUNDS * CALLS);
    const ended = [...outcomes.values()];
    const unsent = ended.filter((it) => it === 'not_executed').length;
    assert.ok(unsent > 0);
    t.diagnostic(`${unsent} of ${ended.length} payouts sent nothing`);
  });
}
