'use strict';

// The commands `libpayments journal`, `follow` and `explain`. The core reads the arguments and does
// the work; this opens the database, with a PostgresJournal.

const { fdatasync, fstatSync } = require('node:fs');
const { createRequire } = require('node:module');
const { join } = require('node:path');
const { FOLLOW, fromSources } = require('./client.js');
const { PaymentsError } = require('./errors.js');
const { COMMAND } = require('./journal.js');
const { EXPLAIN } = require('./members.js');
const { PostgresJournal } = require('./postgres-journal.js');
const { commandFailure, commandPlan } = require('./tools.js');

const PROGRAM = 'npx libpayments';
const EXAMPLE = 'postgresql://shop@db.example/shop';
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** A failure of this package, and the code of the system's error. */
class Problem extends Error {
  constructor(problem, message, code) {
    super(message);
    this.problem = problem;
    this.code = code;
  }
}

/** Runs the command with the arguments of the program, and sets the exit code. */
async function runCommand(words) {
  // A failed write is reported where it was made.
  process.stdout.on('error', () => {});
  const output = await outputOf(words).catch(failureOf);
  const ended = await written(process.stdout, output.stdout).then(
    () => output,
    // A list can be printed again: a reader such as `head` may have enough of it.
    (error) => (output.isList && error.code === 'EPIPE' ? output : failureOf(error)),
  );
  const { exitCode, interruption } = ended;
  if (interruption !== undefined) {
    process.kill(process.pid, interruption);
  }
  process.stderr.write(complaintOf(ended));
  process.exitCode = exitCode;
}

async function outputOf(words) {
  const is_terminal = process.stdout.isTTY === true;
  const given = {
    program: PROGRAM,
    arguments: words,
    database: EXAMPLE,
    is_terminal,
    explain: EXPLAIN,
  };
  const plan = await commandPlan(given);
  if (plan.exitCode !== null) {
    return plan;
  }
  const pool = plan.database === null ? undefined : poolOf(plan.database);
  try {
    const journal = pool && new PostgresJournal(pool);
    if (plan.action === 'create' || plan.action === 'upgrade') {
      await journal[plan.action]();
      return { stdout: plan.stdout, stderr: '', exitCode: 0 };
    }
    const client = fromSources(plan.file, plan.withEnv, { journal });
    return plan.action === 'follow'
      ? await follow(client, plan)
      : await client.journal[COMMAND](plan.program, plan.arguments, plan.isTerminal);
  } finally {
    await pool?.end();
  }
}

async function follow(client, plan) {
  const signal = watchSignals();
  const exitCode = await client[FOLLOW](plan.arguments, plan.isTerminal, print, signal);
  const interruption = exitCode === null ? signal.reason : undefined;
  return { stdout: '', stderr: '', exitCode, interruption };
}

/** Aborts at the first signal, with its name as the reason. A second one has its default action. */
function watchSignals() {
  const controller = new AbortController();
  const abort = (name) => {
    for (const watched of SIGNALS) {
      process.off(watched, abort);
    }
    controller.abort(name);
  };
  for (const name of SIGNALS) {
    process.on(name, abort);
  }
  return controller.signal;
}

/** Resolves when standard output has taken its text, and it is on the disk if that is a file. */
async function print(printed) {
  const { stdout } = printed;
  await written(process.stdout, stdout);
  const { fd } = process.stdout;
  if (stdout !== '' && fstatSync(fd).isFile()) {
    await synced(fd);
  }
  process.stderr.write(complaintOf(printed));
}

/** A failure, as text on a terminal, or as a line of JSON. */
function complaintOf({ stderr, stderrText }) {
  const isForPeople = process.stderr.isTTY === true && !process.argv.includes('--json');
  return (isForPeople && stderrText) || stderr;
}

function synced(fd) {
  return new Promise((resolve, reject) => {
    fdatasync(fd, (error) => (error ? reject(new Problem('output', error.message)) : resolve()));
  });
}

function written(stream, text) {
  return new Promise((resolve, reject) => {
    // A write of nothing fails too where the disk is full.
    if (text === '') {
      resolve();
      return;
    }
    const settle = (error) =>
      error ? reject(new Problem('output', error.message, error.code)) : resolve();
    stream.write(text, settle);
  });
}

function poolOf(url) {
  if (!/^postgres(ql)?:\/\//.test(url)) {
    const message = `the database must be the URL of a PostgreSQL database, for example ${EXAMPLE}; for a journal in a file, run \`payments journal\``;
    throw new Problem('database', message);
  }
  const { Pool } = loadDriver();
  const pool = new Pool({ connectionString: url, connectionTimeoutMillis: 10_000 });
  // An action that needs a lost connection reports it.
  pool.on('error', () => {});
  return pool;
}

/** Loads `pg` from the project that runs the command: this package may be linked. */
function loadDriver() {
  for (const place of [join(process.cwd(), 'package.json'), __filename]) {
    try {
      return createRequire(place)('pg');
    } catch (error) {
      if (error.code !== 'MODULE_NOT_FOUND') {
        throw error;
      }
    }
  }
  const message = 'the package pg is not installed; run `npm install pg` in this project';
  throw new Problem('driver', message);
}

/** The output of the command after this failure. */
function failureOf(error) {
  if (error instanceof PaymentsError) {
    const { kind, code, message, outcome, path } = error;
    return commandFailure({ report: { kind, code, message, outcome, path }, explain: EXPLAIN });
  }
  const problem = error instanceof Problem ? error.problem : 'journal';
  return commandFailure({ problem, message: error.message, explain: EXPLAIN });
}

module.exports = { runCommand };
