'use strict';

const { ErrorCode } = require('./error-codes.js');
const { EXPLAIN, HIDDEN, MEMBERS, OUTCOMES } = require('./members.js');
const { own } = require('./own.js');
const { withTimes } = require('./times.js');

/**
 * A failure, which says whether money may have moved.
 *
 * Members that must not reach a log by accident (`HIDDEN`) are not enumerable: the
 * service's own message, the bodies of request and response, and the response.
 */
class PaymentsError extends Error {
  #hidden;

  constructor(message, given = {}, options) {
    super(message, options);
    const details = own(given);
    for (const name of MEMBERS) {
      if (details[name] !== undefined && details[name] !== null) {
        this[name] = details[name];
      }
    }
    if (this.code !== undefined) {
      this.help = `${EXPLAIN} ${this.code}`;
    }
    this.#hidden = Object.fromEntries(HIDDEN.map((name) => [name, details[name] ?? undefined]));
  }

  /** Makes the error again whose `toJSON` this is, in whatever thread or process. */
  static from(report) {
    const isText = (name) => typeof report?.[name] === 'string';
    if (!['message', 'kind', 'code'].every(isText) || !OUTCOMES.includes(report.outcome)) {
      throw new TypeError(
        'PaymentsError.from takes what toJSON() of a PaymentsError returned, with message, kind, ' +
          'code and outcome; post error.toJSON(), because a clone of the error has only its message',
      );
    }
    const trace = captureTrace(PaymentsError.from);
    return errorOfReport(report, report.message, { trace });
  }

  /** The members that survive `postMessage` and JSON: all that may be logged. */
  toJSON() {
    const given = MEMBERS.filter((name) => this[name] !== undefined);
    const members = given.map((name) => [name, this[name]]);
    return { name: this.name, message: this.message, ...Object.fromEntries(members) };
  }

  /** Whether the outcome is anything but `not_executed`. */
  get mayHaveBeenExecuted() {
    return this.outcome !== 'not_executed';
  }

  static {
    for (const name of HIDDEN) {
      const get = function () {
        return this.#hidden[name];
      };
      Object.defineProperty(PaymentsError.prototype, name, { get, configurable: true });
    }
  }
}
nameErrors(PaymentsError, 'PaymentsError');

/** Gives the errors of a class its name, without an own property. */
function nameErrors(kind, value) {
  Object.defineProperty(kind.prototype, 'name', { value, configurable: true, writable: true });
}

/** Why a journal does not work. Its message is shown, so it holds no secret. */
class JournalUnavailableError extends Error {
  constructor(message, { duringCommit, ...options } = {}) {
    super(message, options);
    const value = typeof duringCommit === 'boolean' ? duringCommit : undefined;
    Object.defineProperty(this, 'duringCommit', own({ value }));
  }
}
nameErrors(JournalUnavailableError, 'JournalUnavailableError');

/** The report, with the times of its journal entry as `Date`. */
function withEntryTimes(report) {
  if (report.journalEntry !== undefined) {
    const isEntry = typeof report.journalEntry === 'object' && report.journalEntry !== null;
    report.journalEntry = isEntry ? withTimes(report.journalEntry) : undefined;
  }
  return report;
}

/** Captures the stack of a call, for its possible error. The program may have replaced how. */
function captureTrace(method) {
  const trace = {};
  try {
    Error.captureStackTrace(trace, method);
  } catch {
    // The error has no frames.
  }
  return trace;
}

/** Makes an error without stack frames, which cost as much as the rest of it. */
function withoutFrames(make) {
  const limit = Error.stackTraceLimit;
  if (!Reflect.set(Error, 'stackTraceLimit', 0)) {
    return make();
  }
  try {
    return make();
  } finally {
    Error.stackTraceLimit = limit;
  }
}

/** Gives an error the frames of `trace`. Writing them out takes longer than the rest of the error. */
function setTrace(error, trace) {
  const { name, message } = error;
  const define = (value) =>
    Object.defineProperty(error, 'stack', own({ value, writable: true, configurable: true }));
  const get = () => {
    define(`${name}: ${message}${framesOf(trace)}`);
    return error.stack;
  };
  // Replacing it would read it first, by the program's `prepareStackTrace`.
  Reflect.deleteProperty(error, 'stack');
  Object.defineProperty(error, 'stack', own({ get, set: define, configurable: true }));
}

/** The frames of a trace as text; none if the program's `prepareStackTrace` writes no such text. */
function framesOf(trace) {
  try {
    const start = trace.stack.indexOf('\n    at ');
    return start < 0 ? '' : trace.stack.slice(start);
  } catch {
    return '';
  }
}

/** The message of an error as the core writes it. */
function textOf({ operation, path, message, kind, code, outcome }) {
  const where = [operation, path].filter((it) => it !== undefined && it !== '');
  return `${[...where, message].join(': ')} [${kind}/${code}, ${outcome}]`;
}

/** Creates the error for a report of the core. */
function errorOfReport(report, text, given) {
  const { trace, cause, ...kept } = own(given);
  const details = Object.assign(withEntryTimes(own(report)), kept);
  const make = () => new PaymentsError(text, details, cause === undefined ? undefined : { cause });
  if (trace === undefined) {
    return make();
  }
  const error = withoutFrames(make);
  setTrace(error, trace);
  return error;
}

/** A problem with a value, found before the core is called. */
class Refusal extends Error {
  constructor(code, path, message) {
    super(message);
    this.code = code;
    this.path = path;
  }
}

/** Creates the error for a refusal. Anything else is a bug and is returned unchanged. */
function errorOfRefusal(refusal, kind, operation, trace) {
  if (!(refusal instanceof Refusal)) {
    return refusal;
  }
  const { code, path, message } = refusal;
  const report = { kind, code, message, outcome: 'not_executed', path, operation, attempts: 0 };
  return errorOfReport(report, textOf(report), { trace });
}

/** The refusal of a value of another type, or of one that its type does not have. */
function wrongType(path, message) {
  return new Refusal(ErrorCode.WRONG_TYPE, path, message);
}

module.exports = {
  JournalUnavailableError,
  PaymentsError,
  Refusal,
  captureTrace,
  errorOfRefusal,
  errorOfReport,
  textOf,
  wrongType,
};
