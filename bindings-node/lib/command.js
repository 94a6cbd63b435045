'use strict';

// The commands `libpayments journal` and `follow`: those of `payments`, over a PostgresJournal.

const { existsSync } = require('node:fs');
const { createRequire } = require('node:module');
const { join } = require('node:path');
const { ErrorCode } = require('./error-codes.js');
const { Client, FOLLOW } = require('./client.js');
const { PaymentsError, Refusal } = require('./errors.js');
const { COMMAND } = require('./journal.js');
const { HELP_BASE } = require('./members.js');
const { PostgresJournal } = require('./postgres-journal.js');

const PROGRAM = 'npx libpayments';
const DATABASE = 'PAYMENTS_JOURNAL_DATABASE';
const CONFIGURATION = 'payments.json';
const EXAMPLE = 'postgresql://shop@db.example/shop';
const EXIT = { FAILED: 1, USAGE: 2 };
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Runs the command with the arguments of the program, and sets the exit code. */
async function runCommand(words) {
  // A failed write is reported where it was made.
  process.stdout.on('error', () => {});
  const output = await outputOf(words).catch(failureOf);
  const { stderr, exitCode, interruption } = await written(process.stdout, output.stdout).then(
    () => output,
    failureOf,
  );
  if (interruption !== undefined) {
    process.kill(process.pid, interruption);
  }
  process.stderr.write(stderr);
  process.exitCode = exitCode;
}

/** Standard output did not take what the command prints. */
class OutputFailed extends Error {}

async function outputOf(words) {
  const { config, database, rest } = read(words);
  const [command, ...journalWords] = rest;
  if (command === 'follow') {
    return await follow(config, database || process.env[DATABASE], journalWords);
  }
  if (rest.includes('--help') || command === 'help' || journalWords[0] === 'help') {
    return { stdout: await help(), stderr: '', exitCode: 0 };
  }
  if (command !== 'journal') {
    const message = 'the commands are journal and follow; see --help';
    throw new Refusal(ErrorCode.INVALID_ARGUMENTS, undefined, message);
  }
  const pool = poolOf(database || process.env[DATABASE]);
  try {
    const journal = new PostgresJournal(pool);
    if (journalWords[0] === 'create') {
      return await create(journal, journalWords.slice(1));
    }
    const client = clientOf(config, { journal });
    return await client.journal[COMMAND](PROGRAM, journalWords, isTerminal());
  } finally {
    await pool.end();
  }
}

/** Payments that are named need no journal, and the configuration may have one. */
async function follow(config, database, words) {
  const isHelp = words.includes('--help') || words.includes('-h');
  const pool = database && !isHelp ? poolOf(database) : undefined;
  try {
    const callbacks = pool && { journal: new PostgresJournal(pool) };
    const client = isHelp ? unused() : clientOf(config, callbacks);
    const isForPeople = isTerminal() && !words.includes('--json');
    const signal = watchSignals();
    const exitCode = await client[FOLLOW](words, isForPeople, print, signal);
    const interruption = exitCode === null ? signal.reason : undefined;
    return { stdout: '', stderr: '', exitCode, interruption };
  } finally {
    await pool?.end();
  }
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

/** Resolves when standard output has taken its text. */
async function print({ stdout, stderr }) {
  await written(process.stdout, stdout);
  process.stderr.write(stderr);
}

function written(stream, text) {
  return new Promise((resolve, reject) => {
    // A write of nothing fails too where the disk is full.
    if (text === '') {
      resolve();
      return;
    }
    const refuse = ({ message }) => {
      const problem = `could not write to standard output (${message}); redirect it elsewhere`;
      reject(new OutputFailed(problem));
    };
    stream.write(text, (error) => (error ? refuse(error) : resolve()));
  });
}

/** A client that calls nothing. */
function unused() {
  return new Client({ base_url: 'http://127.0.0.1', integration_key: 'unused' });
}

/** Takes the options that say where things are out of the arguments. */
function read(words) {
  const found = { config: undefined, database: undefined, rest: [] };
  const others = words.values();
  for (const word of others) {
    const [, name, value] = /^--(config|database)(?:=(.*))?$/s.exec(word) ?? [];
    if (name === undefined) {
      found.rest.push(word);
      continue;
    }
    found[name] = value ?? others.next().value;
    if (found[name] === undefined) {
      throw new Refusal(ErrorCode.INVALID_ARGUMENTS, undefined, `--${name} needs a value`);
    }
  }
  return found;
}

function isTerminal() {
  return process.stdout.isTTY === true;
}

async function create(journal, words) {
  const unknown = words.find((word) => word !== '--json');
  if (unknown !== undefined) {
    const message = `unknown argument ${unknown} of create; see --help`;
    throw new Refusal(ErrorCode.INVALID_ARGUMENTS, undefined, message);
  }
  await journal.create();
  const isForPeople = isTerminal() && !words.includes('--json');
  const stdout = isForPeople
    ? 'Made the table payments_journal.\n'
    : `${JSON.stringify({ table: 'payments_journal' })}\n`;
  return { stdout, stderr: '', exitCode: 0 };
}

function poolOf(url) {
  if (!url) {
    const message = `no database is named: give --database URL, or set ${DATABASE}, for example ${EXAMPLE}`;
    throw new Refusal(ErrorCode.INVALID_ARGUMENTS, undefined, message);
  }
  if (!/^postgres(ql)?:\/\//.test(url)) {
    const message = `the database must be the URL of a PostgreSQL database, for example ${EXAMPLE}; for a journal in a file, run \`payments journal\``;
    throw new Refusal(ErrorCode.INVALID_ARGUMENTS, undefined, message);
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
  throw new Refusal(ErrorCode.DRIVER_MISSING, undefined, message);
}

/** A client as this folder and the environment configure it. */
function clientOf(config, callbacks) {
  const file = config ?? (existsSync(CONFIGURATION) ? CONFIGURATION : undefined);
  if (file !== undefined) {
    return Client.fromFile(file, callbacks);
  }
  try {
    return Client.fromEnv(callbacks);
  } catch (error) {
    if (error.code !== ErrorCode.REQUIRED || error.path !== 'base_url') {
      throw error;
    }
    const message = `nothing is configured: give --config FILE, put ${CONFIGURATION} into this folder, or set variables such as PAYMENTS_BASE_URL`;
    throw new Refusal(ErrorCode.REQUIRED, 'base_url', message);
  }
}

/** The core describes its actions; that needs no journal. */
async function help() {
  const { stdout } = await unused().journal[COMMAND](PROGRAM, ['--help'], false);
  const line = (option, purpose) => `${option.padEnd(46)} ${purpose}\n`;
  return [
    `Usage: ${PROGRAM} journal ACTION [--config FILE] [--database URL]\n`,
    `       ${PROGRAM} follow [--config FILE] [--database URL] [REFERENCE...]\n\n`,
    'Works with a journal in PostgreSQL, and follows open payments: see follow --help.\n\n',
    line('create', 'makes the table payments_journal, once for a database'),
    stdout,
    line('--config FILE', `reads this configuration, by default ${CONFIGURATION} or,`),
    line('', 'without that file, variables such as PAYMENTS_BASE_URL'),
    line('--database URL', `names the database, by default ${DATABASE}`),
    '\nExit codes: 0 done, 1 failed, 2 wrong usage or configuration, 3 recover left entries open.\n',
    '\nExamples:\n',
    `  export ${DATABASE}=${EXAMPLE}\n`,
    `  ${PROGRAM} journal create\n`,
    `  ${PROGRAM} journal recover --config payments.json\n`,
    `  ${PROGRAM} journal resolve payout-17 --executed yes --note 'listed on the platform'\n`,
    `  ${PROGRAM} journal resolve --from decisions.csv\n`,
    `  ${PROGRAM} follow --state follow.state\n`,
  ].join('');
}

/** One line of JSON, as `payments` reports what it did not do. */
function failureOf(error) {
  const { kind, code, path } = reportOf(error);
  const members = { kind, code, message: error.message, outcome: 'not_executed', path };
  const stderr = `${JSON.stringify({ ...members, help: `${HELP_BASE}${code}` })}\n`;
  const isUsage = kind === 'usage' || kind === 'config';
  return { stdout: '', stderr, exitCode: isUsage ? EXIT.USAGE : EXIT.FAILED };
}

function reportOf(error) {
  if (error instanceof PaymentsError) {
    return error;
  }
  if (error instanceof Refusal) {
    const { code, path } = error;
    return { kind: code === ErrorCode.INVALID_ARGUMENTS ? 'usage' : 'config', code, path };
  }
  if (error instanceof OutputFailed) {
    return { kind: 'io', code: ErrorCode.OUTPUT_FAILED };
  }
  return { kind: 'journal', code: ErrorCode.UNAVAILABLE };
}

module.exports = { runCommand };
