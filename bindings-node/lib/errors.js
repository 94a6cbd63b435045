'use strict';

const { HELP_BASE, MEMBERS } = require('./members.js');

const NAMES = Object.values(MEMBERS);

/**
 * A failure, and whether money may have moved.
 *
 * What must not get into a log by accident is not enumerable: the service's
 * own words, the bytes that were sent and answered, and the answer.
 */
class PaymentsError extends Error {
  #hidden;

  constructor(message, details = {}, options) {
    super(message, options);
    for (const name of NAMES) {
      if (details[name] !== undefined && details[name] !== null) {
        this[name] = details[name];
      }
    }
    if (this.code !== undefined) {
      this.help ??= `${HELP_BASE}${this.code}`;
    }
    const { serviceMessage, requestBody, responseBody, answer } = details;
    this.#hidden = { serviceMessage, requestBody, responseBody, answer };
  }

  /** What the service says of its refusal. It may repeat payer data. */
  get serviceMessage() {
    return this.#hidden.serviceMessage;
  }

  /** The body that was signed and sent, at most its first 64 KiB. */
  get requestBody() {
    return this.#hidden.requestBody;
  }

  /** The body of the answer, at most its first 64 KiB. */
  get responseBody() {
    return this.#hidden.responseBody;
  }

  /** The answer of a call that was aborted when its answer was complete. */
  get answer() {
    return this.#hidden.answer;
  }
}
Object.defineProperty(PaymentsError.prototype, 'name', {
  value: 'PaymentsError',
  configurable: true,
  writable: true,
});

/** The place of a call, for the error that it may become. */
function captureTrace(method) {
  const trace = {};
  Error.captureStackTrace(trace, method);
  return trace;
}

/** The error that the core reports. */
function errorOfReport(report, text, { trace, cause, ...kept } = {}) {
  const details = { ...kept, serviceMessage: report.service_message ?? undefined };
  for (const [name, ours] of Object.entries(MEMBERS)) {
    details[ours] = report[name];
  }
  const error = new PaymentsError(text, details, cause === undefined ? undefined : { cause });
  const frames = trace === undefined ? undefined : trace.stack;
  const start = typeof frames === 'string' ? frames.indexOf('\n    at ') : -1;
  if (start >= 0) {
    error.stack = `${error.name}: ${error.message}${frames.slice(start)}`;
  }
  return error;
}

/** What is wrong with a value, found before the core could be asked. */
class Refusal extends Error {
  constructor(code, path, message) {
    super(message);
    this.code = code;
    this.path = path;
  }
}

/** The error for a refusal; anything else is a bug and stays what it is. */
function errorOfRefusal(refusal, kind, operation, trace) {
  if (!(refusal instanceof Refusal)) {
    return refusal;
  }
  const { code, path, message } = refusal;
  const report = { kind, code, message, outcome: 'not_executed', path, operation, attempts: 0 };
  const where = [operation, path].filter((it) => it !== undefined && it !== '');
  const text = `${[...where, message].join(': ')} [${kind}/${code}, not_executed]`;
  return errorOfReport(report, text, { trace });
}

module.exports = { PaymentsError, Refusal, captureTrace, errorOfRefusal, errorOfReport };
