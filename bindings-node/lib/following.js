'use strict';

// Following open payments: a loop over steps of the core.

const { encode } = require('./encode.js');
const { ErrorCode } = require('./error-codes.js');
const { flagOf, knownMembers } = require('./input.js');
const { EXPLAIN } = require('./members.js');
const { Action } = require('./port.js');

const OPTIONS = [
  'references',
  'byHash',
  'byExternalReference',
  'byUid',
  'state',
  'sinceMs',
  'giveUpAfterMs',
  'forgetAfterMs',
  'perSecond',
];

const asItIs = (report) => report;

/** The ends, as they come. `start` is the client's. The stack of a step begins below this. */
async function* ends(start, given, options) {
  const perform = performing(start, ends, options);
  // Not aborted: with the number, whatever begins later can be ended.
  const { follow } = await performing(start, ends)('follow_begin', () => membersOf(given));
  let confirmed = false;
  try {
    for (;;) {
      const step = { follow, confirmed };
      const { end, isOver } = await perform('follow_next', () => step);
      if (isOver) {
        return;
      }
      if (end !== null) {
        yield end;
      }
      // Asking for the next one means that this one was handled.
      confirmed = true;
    }
  } finally {
    // A client that was closed in the meantime no longer follows.
    await performing(start, ends)('follow_end', () => ({ follow })).catch(() => {});
  }
}

/**
 * Follows as the command, with one query at a time. `print` resolves when its text has left
 * this process, and `signal` ends it between queries. Resolves to the exit code, or to null if
 * the signal ended it and nothing is still given up.
 */
async function followAsCommand(start, method, words, isTerminal, print, signal) {
  const perform = performing(start, method);
  const interruptible = performing(start, method, { signal });
  let printed = await perform('follow_command', () => ({ arguments: words, explain: EXPLAIN }));
  await print(printed);
  const step = {
    follow: printed.follow,
    confirmed: false,
    is_terminal: isTerminal,
    explain: EXPLAIN,
  };
  while (printed.exitCode === null && !signal.aborted) {
    try {
      printed = await interruptible('follow_command', () => step);
    } catch (error) {
      if (!signal.aborted) {
        throw error;
      }
      // Its last result, if any, was not printed.
      step.confirmed &&= error.code !== ErrorCode.INTERRUPTED_AFTER_RESPONSE;
      break;
    }
    await print(printed);
    step.confirmed = true;
  }
  if (printed.exitCode === null) {
    printed = await perform('follow_command', () => ({ ...step, interrupted: true }));
  }
  return printed.exitCode;
}

function performing(start, method, options) {
  return (operation, input) =>
    start({ method, action: Action.Journal, operation }, options, asItIs, () => {
      // Each query has the client's own deadline.
      knownMembers(options, 'options', ['signal']);
      return { input: encode(input()) };
    });
}

function membersOf(given) {
  const known = knownMembers(given, 'options', OPTIONS);
  return {
    references: known.references,
    by_hash: flagOf(known.byHash, 'byHash'),
    by_external_reference: flagOf(known.byExternalReference, 'byExternalReference'),
    by_uid: flagOf(known.byUid, 'byUid'),
    state: known.state,
    since_ms: known.sinceMs,
    give_up_after_ms: known.giveUpAfterMs,
    forget_after_ms: known.forgetAfterMs,
    per_second: known.perSecond,
  };
}

module.exports = { ends, followAsCommand };
