'use strict';

// The command `libpayments explain`.

const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { ErrorCode } = require('./error-codes.js');
const { EXPLAIN } = require('./members.js');

const MOST_SUGGESTIONS = 3;
const LEAST_LIKENESS = 0.6;

const HELP = `Explains an error code: what happened, whether money may have moved, and what to do.

Usage: ${EXPLAIN} [CODE] [--json]

CODE      the \`code\` or \`service_code\` of an error; without it, lists all
--json    prints JSON on a terminal too
`;

// Not `require`: a bundler would put the texts into the program that every import reads.
const { list, codes, service_codes } = JSON.parse(
  readFileSync(join(__dirname, 'explanations.json'), 'utf8'),
);
const entries = [...codes, ...service_codes];

/** The output of the command with these words after its name. */
function explanation(words, isTerminal) {
  const [asked, ...more] = words.filter((word) => word !== '--json');
  if (asked === '--help' || asked === '-h') {
    return printed(HELP);
  }
  if (more.length > 0) {
    return refused('give one code; see --help');
  }
  const isForPeople = isTerminal && !words.includes('--json');
  if (asked === undefined) {
    return printed(isForPeople ? `${list}${EXPLAIN} CODE says what to do.\n` : lineOf(codes));
  }
  const name = nameOf(asked);
  const found = entriesOf(name);
  if (found.length === 0) {
    return refused(`there is no error code ${asked}; ${suggestion(name)}`);
  }
  if (isForPeople) {
    return printed(found.map(({ text }) => text).join('\n'));
  }
  return printed(found.length === 1 ? line(found[0].json) : lineOf(found));
}

/** The entries of this code: the service may use the same word. */
function entriesOf(name) {
  return entries.filter(({ json }) => nameOf(json.code) === name);
}

/** The code in lower case, without the kind before a slash. */
function nameOf(code) {
  return code.slice(code.lastIndexOf('/') + 1).toLowerCase();
}

function suggestion(name) {
  const rated = entries.map(({ json }) => [likeness(name, nameOf(json.code)), json.code]);
  const near = rated.filter(([rating]) => rating >= LEAST_LIKENESS);
  near.sort(([a], [b]) => b - a);
  const nearest = near.slice(0, MOST_SUGGESTIONS).map(([, code]) => code);
  const advice = `\`${EXPLAIN}\` lists all`;
  return nearest.length > 0 ? `did you mean ${nearest.join(' or ')}? ${advice}` : advice;
}

/** The share of pairs of neighboring letters that two names have in common. */
function likeness(one, other) {
  const pairs = (name) => new Set([...name].slice(1).map((letter, at) => name[at] + letter));
  const [all, others] = [pairs(one), pairs(other)];
  const common = [...all].filter((pair) => others.has(pair)).length;
  return (2 * common) / (all.size + others.size);
}

function lineOf(found) {
  return line({ codes: found.map(({ json }) => json) });
}

function line(json) {
  return `${JSON.stringify(json)}\n`;
}

function printed(stdout) {
  return { stdout, stderr: '', exitCode: 0 };
}

function refused(message) {
  const code = ErrorCode.INVALID_ARGUMENTS;
  const help = `${EXPLAIN} ${code}`;
  const report = { kind: 'usage', code, message, outcome: 'not_executed', help };
  return { stdout: '', stderr: line(report), exitCode: 2 };
}

module.exports = { explanation };
