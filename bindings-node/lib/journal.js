'use strict';

// The journal of a client, for people and their jobs.

const { isDate } = require('node:util/types');
const { ErrorCode } = require('./error-codes.js');
const { encode } = require('./encode.js');
const { Refusal } = require('./errors.js');
const { flagOf, knownMembers } = require('./input.js');
const { EXPLAIN } = require('./members.js');
const { own } = require('./own.js');
const { Action } = require('./port.js');
const { withTimes } = require('./times.js');

/** The name of a method that only the command `libpayments journal` needs. */
const COMMAND = Symbol('command');

const asItIs = (report) => report;

/** Reads the entries of a client's journal, and settles those that are open. */
class ClientJournal {
  #start;

  /** `start` is that of the client. */
  constructor(start) {
    this.#start = start;
  }

  async *list(filter, options) {
    const method = ClientJournal.prototype.list;
    let last;
    for (;;) {
      const page = await this.#perform(method, 'list', options, entriesOf, () => {
        const { onlyOpen, after } = knownMembers(filter, 'filter', ['onlyOpen', 'after']);
        return { only_open: flagOf(onlyOpen, 'onlyOpen'), after: last ?? after };
      });
      if (page.length === 0) {
        return;
      }
      yield* page;
      last = page.at(-1).id;
    }
  }

  show(reference, options) {
    const method = ClientJournal.prototype.show;
    return this.#perform(method, 'show', options, entriesOf, () => ({ reference }));
  }

  recover(options) {
    const method = ClientJournal.prototype.recover;
    return this.#perform(method, 'recover', options, recoveryOf, () => ({}));
  }

  resolve(entry, decision, options) {
    const method = ClientJournal.prototype.resolve;
    const read = (report) => entriesOf(report)[0];
    return this.#perform(method, 'resolve', options, read, () => {
      const { executed, note } = knownMembers(decision, 'decision', ['executed', 'note']);
      return { entry, executed, note };
    });
  }

  prune(range, options) {
    const method = ClientJournal.prototype.prune;
    return this.#perform(method, 'prune', options, asItIs, () => {
      const known = ['before', 'recent', 'dryRun'];
      const { before, recent, dryRun } = knownMembers(range, 'range', known);
      return { before: timeOf(before), recent, dry_run: flagOf(dryRun, 'dryRun') };
    });
  }

  /** The output of the command for these arguments, and its exit code. */
  [COMMAND](program, words, is_terminal) {
    const method = ClientJournal.prototype[COMMAND];
    const input = { program, arguments: words, is_terminal, explain: EXPLAIN };
    return this.#perform(method, 'command', undefined, asItIs, () => input);
  }

  #perform(method, action, options, read, input) {
    const call = { method, action: Action.Journal, operation: `journal_${action}` };
    return this.#start(call, options, read, () => {
      // Each step has the client's own deadline.
      knownMembers(options, 'options', ['signal']);
      return { input: encode(input()) };
    });
  }
}

/** The core reads dates, and times in ISO 8601. */
function timeOf(before) {
  if (!isDate(before)) {
    return before;
  }
  if (Number.isNaN(before.getTime())) {
    throw new Refusal(ErrorCode.VALUE_INVALID, 'before', 'is an invalid Date');
  }
  return before.toISOString();
}

function entriesOf({ entries }) {
  return entries.map((entry) => entryOf(entry));
}

function entryOf(row, needs = own(row).needs ?? null) {
  return withTimes({ ...row, needs });
}

function recoveryOf({ recovered, open }) {
  return {
    recovered: recovered.map((entry) => entryOf(entry)),
    open: open.map(({ entry, needs, reason }) => ({ entry: entryOf(entry, needs), needs, reason })),
  };
}

module.exports = { COMMAND, ClientJournal };
