'use strict';

// The command `libpayments explain`.

const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { ErrorCode } = require('./error-codes.js');
const { EXPLAIN } = require('./members.js');

const WIDTH = 80;
const INDENT = '  ';
/** The column of the texts in the list. */
const COLUMN = 30;
const MOST_SUGGESTIONS = 3;
const LEAST_LIKENESS = 0.6;

const HELP = `Explains an error code: what happened, whether money may have moved, and what to do.

Usage: ${EXPLAIN} [CODE] [--json]

CODE      the \`code\` or \`service_code\` of an error; without it, lists all
--json    prints JSON on a terminal too
`;

// Not `require`: a bundler would put the texts into the program that every import reads.
const { headings, subjects, service_codes } = JSON.parse(
  readFileSync(join(__dirname, 'explanations.json'), 'utf8'),
);
const codes = subjects.flatMap((subject) => subject.codes);

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
    return printed(isForPeople ? list() : line({ codes }));
  }
  const name = nameOf(asked);
  const found = entriesOf(name);
  if (found.length === 0) {
    return refused(`there is no error code ${asked}; ${suggestion(name)}`);
  }
  if (isForPeople) {
    return printed(textOf(found, name));
  }
  return printed(line(found.length === 1 ? found[0] : { codes: found }));
}

/** Those with this code, and those that it is now: the service may have the same word. */
function entriesOf(name) {
  return [...codes, ...service_codes].filter(
    ({ code, was }) => nameOf(code) === name || was?.includes(name),
  );
}

/** In lower case, without the kind before a slash. */
function nameOf(code) {
  return code.slice(code.lastIndexOf('/') + 1).toLowerCase();
}

function list() {
  const row = ({ code, cause }) => {
    const lines = wrapped(cause.split(/[:.](?: |$)/)[0], WIDTH - COLUMN);
    const column = (at) => `${INDENT}${at === 0 ? code : ''}`.padEnd(COLUMN);
    return lines.map((line, at) => `${column(at)}${line}\n`).join('');
  };
  const sections = subjects.map(({ title, codes }) => `${title}\n${codes.map(row).join('')}\n`);
  return `${sections.join('')}${EXPLAIN} CODE says what to do.\n`;
}

function textOf(entries, name) {
  const now = entries.filter(({ was }) => was?.includes(name)).map(({ code }) => code);
  const earlier = now.length > 0 ? `${name} is now ${now.join(' or ')}.\n\n` : '';
  return `${earlier}${entries.map(textOfEntry).join('\n')}`;
}

function textOfEntry(entry) {
  const given = headings.filter(([member]) => entry[member] !== undefined);
  const sections = given.map(([member, heading]) => {
    const paragraphs = [entry[member]].flat();
    const lines = paragraphs.flatMap((text) => wrapped(text, WIDTH - INDENT.length));
    return `\n${heading}\n${lines.map((line) => `${INDENT}${line}\n`).join('')}`;
  });
  return `${entry.code} (${entry.kind})\n${sections.join('')}`;
}

/** Lines of at most `width` characters, unless a word is longer. */
function wrapped(text, width) {
  const lines = [''];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== '' && last.length + 1 + word.length > width) {
      lines.push(word);
    } else {
      lines.splice(-1, 1, last === '' ? word : `${last} ${word}`);
    }
  }
  return lines;
}

function suggestion(name) {
  const rated = [...codes, ...service_codes].map(({ code }) => [
    likeness(name, nameOf(code)),
    code,
  ]);
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
