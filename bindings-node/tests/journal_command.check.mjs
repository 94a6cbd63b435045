// The command `libpayments journal`, over a journal in PostgreSQL.

import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';

import { Client, PostgresJournal } from 'libpayments';

import { assertHas, loseNext, payout } from './support/journal.mjs';
import { CASES } from './support/level.mjs';
import { JournalTests } from './support/postgres.mjs';
import { payment, readShared, rejection } from './support/sandbox.mjs';

const COMMAND = join(import.meta.dirname, '..', 'node_modules', '.bin', 'libpayments');

const tests = new JournalTests();
let folder;
let pool;
beforeEach(() => {
  folder = mkdtempSync(join(import.meta.dirname, 'command-'));
  writeFileSync(join(folder, 'payments.json'), JSON.stringify(tests.sandbox.config()));
  pool = tests.poolOf();
});
afterEach(() => rmSync(folder, { recursive: true }));

/** The output of a program in the folder of the configuration, and its exit code. */
function run(program, words, env = { PAYMENTS_JOURNAL_DATABASE: tests.server.url }) {
  const options = { cwd: folder, env: { ...process.env, ...env } };
  return new Promise((resolve) => {
    execFile(program, words, options, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });
}

const journal = (words, env) => run(COMMAND, ['journal', ...words], env);

/** The report of the command, which printed nothing else. */
function reported({ code, stdout, stderr }) {
  assert.equal(stdout, '');
  return { exit: code, ...JSON.parse(stderr) };
}

async function perform(client, step) {
  const { pay, lose, refused, settle, ...expected } = step;
  if (pay !== undefined) {
    await client.createPayout(payout(pay));
    if (step.move !== undefined) {
      await tests.sandbox.control('POST', `/sandbox/payouts/${pay}/${step.move}`);
    }
  } else if (lose !== undefined) {
    await loseNext(tests.sandbox);
    assert.equal((await rejection(client.createPayout(payout(lose)))).outcome, 'unknown');
  } else if (refused !== undefined) {
    assertHas((await rejection(client.createPayout(payout(refused)))).toJSON(), expected.error);
  } else if (settle !== undefined) {
    const past = 'UPDATE payments_journal SET settles_at = 0 WHERE reference = $1';
    assert.equal((await pool.query(past, [settle])).rowCount, 1);
  } else if (step.configure !== undefined) {
    const config = { ...tests.sandbox.config(), ...step.configure };
    writeFileSync(join(folder, 'payments.json'), JSON.stringify(config));
  } else if (step.file !== undefined) {
    writeFileSync(join(folder, step.file), step.text);
  } else if (step.remove !== undefined) {
    rmSync(join(folder, step.remove));
  } else if (step.payment !== undefined) {
    await client.createPayment(payment(step.payment));
    if (step.move !== undefined) {
      await tests.sandbox.control('POST', `/sandbox/payments/${step.payment}/${step.move}`);
    }
  } else if (step.follow !== undefined) {
    await follow(step);
  } else {
    await command(step);
  }
}

/** Starts a command in the shell with its standard output full, or left by its reader. */
const OUTPUTS = {
  full: ['sh', 'exec "$0" "$@" >/dev/full'],
  closed: ['bash', 'exec > >(true); wait $!; exec "$0" "$@"'],
};

/** `run` is an action of the journal, `start` any command, `full` and `closed` one of `OUTPUTS`. */
async function command({ run: action, start, full, closed, shows, ...expected }) {
  const env = { PAYMENTS_JOURNAL_DATABASE: tests.server.url };
  const [shell, script] = OUTPUTS[full === undefined ? 'closed' : 'full'];
  const lost = full ?? closed;
  const ended = await (lost === undefined
    ? run(COMMAND, start ?? ['journal', ...action], env)
    : run(shell, ['-c', script, COMMAND, ...lost], env));
  const { code, ...printed } = ended;
  assert.equal(code, expected.exit_code, printed.stderr);
  if (shows !== undefined) {
    for (const part of shows) {
      assert.ok(printed.stdout.includes(part), `${part} in ${printed.stdout}`);
    }
    assert.equal(printed.stderr, '');
    return;
  }
  for (const name of ['stdout', 'stderr']) {
    if (expected[name] === undefined) {
      assert.equal(printed[name], '');
    } else {
      assertHas(JSON.parse(printed[name]), expected[name]);
    }
  }
}

async function follow({ follow: words, exit_code, ends, stderr }) {
  const env = { PAYMENTS_JOURNAL_DATABASE: tests.server.url };
  const printed = await run(COMMAND, ['follow', ...words], env);
  assert.equal(printed.code, exit_code, printed.stderr);
  const lines = printed.stdout.split('\n').slice(0, -1);
  assertHas(
    lines.map((line) => JSON.parse(line)),
    ends,
  );
  if (stderr === undefined) {
    assert.equal(printed.stderr, '');
  } else {
    assertHas(JSON.parse(printed.stderr), stderr);
  }
}

const { cases } = JSON.parse(readShared('journal_commands.json'));
test('the cases are those of the level', () => {
  assert.equal(cases.length, CASES['journal_commands.json']);
});
for (const { name, steps } of cases) {
  test(name, async () => {
    const client = tests.clientOf(pool, { journal_scope: undefined });
    for (const step of steps) {
      await perform(client, step);
    }
  });
}

/** Follows, and is ended by a signal when it has made so many queries. */
async function interrupted(name, words, queries) {
  const made = async () =>
    (await tests.sandbox.control('GET', '/sandbox/requests?operation=query_payment')).requests
      .length;
  const before = await made();
  const env = { ...process.env, PAYMENTS_JOURNAL_DATABASE: '' };
  const program = join(folder, '..', '..', 'node_modules', 'libpayments', 'bin', 'libpayments.js');
  const child = spawn(process.execPath, [program, 'follow', ...words], { cwd: folder, env });
  const printed = { stdout: '', stderr: '' };
  child.stdout.on('data', (text) => (printed.stdout += text));
  child.stderr.on('data', (text) => (printed.stderr += text));
  while ((await made()) < before + queries) {
    await setTimeout(20);
  }
  child.kill(name);
  const [code, signal] = await once(child, 'close');
  return { code, signal, ...printed };
}

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) {
  test(`${signal} ends follow quietly and keeps its marks`, async () => {
    const client = new Client(tests.sandbox.config());
    await client.createPayment(payment('order-0'));
    await client.createPayment(payment('order-1'));
    await tests.sandbox.control('POST', '/sandbox/payments/order-0/confirm');
    const words = ['order-0', 'order-1', '--state', 's'];
    const { stdout, ...ended } = await interrupted(signal, words, 2);
    assert.deepEqual(ended, { code: null, signal, stderr: '' });
    assertHas(JSON.parse(stdout), { reference: 'order-0', end: 'confirmed' });
    const again = await interrupted(signal, words, 1);
    assert.deepEqual(again, { code: null, signal, stdout: '', stderr: '' });
  });
}

test('a signal after giving up exits with 3', async () => {
  const client = new Client(tests.sandbox.config());
  await client.createPayment(payment('order-0'));
  await client.createPayment(payment('order-1'));
  const words = ['order-0', '--state', 's'];
  const env = { PAYMENTS_JOURNAL_DATABASE: '' };
  const giveUp = await run(COMMAND, ['follow', ...words, '--give-up-after', '0s'], env);
  assert.equal(giveUp.code, 3, giveUp.stderr);
  const ended = await interrupted('SIGTERM', [...words, 'order-1'], 2);
  assert.deepEqual(ended, { code: 3, signal: null, stdout: '', stderr: '' });
});

test('the table is made once', async () => {
  await pool.query('DROP TABLE payments_journal');
  const missing = reported(await journal(['list']));
  assert.deepEqual([missing.exit, missing.kind, missing.code], [1, 'journal', 'unavailable']);
  assert.match(missing.message, /there is no table payments_journal/);
  const made = await journal(['create']);
  assert.deepEqual(made, { code: 0, stdout: '{"table":"payments_journal"}\n', stderr: '' });
  const again = reported(await journal(['create']));
  assert.deepEqual([again.exit, again.kind, again.outcome], [1, 'journal', 'not_executed']);
  assert.match(again.message, /already has a table payments_journal/);
  assert.equal(reported(await journal(['create', 'other'])).kind, 'usage');
  assert.equal((await journal(['list'])).code, 0);
  assert.deepEqual(await journal(['upgrade']), made);
});

test('options name the places, in any position', async () => {
  const elsewhere = join(folder, 'shop.json');
  writeFileSync(elsewhere, JSON.stringify(tests.sandbox.config({ journal_scope: 'shop' })));
  const shop = new Client(tests.sandbox.config({ journal_scope: 'shop' }), {
    journal: new PostgresJournal(pool),
  });
  await shop.createPayout(payout('p-1'));
  const nothing = { PAYMENTS_JOURNAL_DATABASE: '' };
  const listed = async (words, env = nothing) =>
    JSON.parse((await run(COMMAND, words, env)).stdout).entries.length;
  const database = ['--database', tests.server.url];
  assert.equal(await listed([...database, 'journal', '--config', elsewhere, 'list']), 1);
  assert.equal(await listed(['journal', 'list', `--database=${tests.server.url}`]), 0);
  rmSync(join(folder, 'payments.json'));
  // A journal is read without credentials.
  const variables = { PAYMENTS_BASE_URL: tests.sandbox.baseUrl, PAYMENTS_JOURNAL_SCOPE: 'shop' };
  const env = { ...nothing, ...variables };
  assert.equal(await listed(['journal', 'list', ...database], env), 1);
});

test('a database that is down is named without its password', async () => {
  const gone = ['journal', 'create', '--database', 'postgresql://u:secret@127.0.0.1:1/x'];
  const { exit, kind, message } = reported(await run(COMMAND, gone));
  assert.deepEqual([exit, kind], [1, 'journal']);
  assert.match(message, /ECONNREFUSED/);
  assert.ok(!message.includes('secret'));
});

test('npx runs it, and a terminal gets a table', async () => {
  const client = tests.clientOf(pool, { journal_scope: undefined });
  await loseNext(tests.sandbox);
  await rejection(client.createPayout(payout('p-1')));
  const { code, stdout } = await run('npx', ['--no-install', 'libpayments', 'journal', 'list']);
  assert.deepEqual([code, JSON.parse(stdout).entries[0].reference], [0, 'p-1']);
  const shown = await run('script', ['-qec', `${COMMAND} journal list`, '/dev/null']);
  assert.match(
    shown.stdout,
    /^AGE +STATE +NEEDS .*\r\n.* unknown +time +create_payout +10\.00 BRL/m,
  );
  assert.match(shown.stdout, /run `npx libpayments journal recover` after/);
  const json = await run('script', ['-qec', `${COMMAND} journal list --json`, '/dev/null']);
  assert.equal(JSON.parse(json.stdout).entries[0].reference, 'p-1');
  for (const [more, start] of [
    ['', /^error {4}/],
    [' --json', /^\{"kind":"usage"/],
  ]) {
    const failed = await run('script', ['-qec', `${COMMAND} journal show${more}`, '/dev/null']);
    assert.equal(failed.code, 2);
    assert.match(failed.stdout, start);
  }
});
