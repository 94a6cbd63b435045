'use strict';

// The JavaScript side of src/port.rs: the calls in flight, and the messages of
// their threads.

const { errorOfReport } = require('./errors.js');
const { loadAddon } = require('./loader.js');
const { watch } = require('./signals.js');

/** Loaded on first use: only clients with callbacks need this file. */
const callbacksModule = () => require('./callbacks.js');

/** What each kind of message does, by its name in src/message.rs. */
const HANDLERS = {
  Response: (call, httpStatus, view, headers, body, parts) =>
    call.resolve({ httpStatus, view, headers, body, parts }),
  Failure: (call, _, report, text, requestBody, responseBody) =>
    call.fail(JSON.parse(report), text, {
      requestBody: requestBody ?? undefined,
      responseBody: responseBody ?? undefined,
    }),
  Interrupted(call, httpStatus, view, failure, body, parts) {
    const [report, text, pairs] = JSON.parse(failure);
    const response = { httpStatus, view, headers: JSON.stringify(pairs), body, parts };
    call.fail(report, text, { responseBody: body, response });
  },
  Report: (call, _, report) => call.resolve(JSON.parse(report)),
  Prepared: (call, _, head, headers, body) =>
    call.resolve({ head: JSON.parse(head), headers: JSON.parse(headers), body }),
  KeyPair: (call, _, privateKeyPem, publicKeyPem) => call.resolve({ privateKeyPem, publicKeyPem }),
  Event: (call, _, event) => callbacksModule().tellObserver(call, JSON.parse(event)),
  Sign: (call, question, _, __, input, sha256) =>
    callbacksModule().askSigner(port, call, question, input, sha256),
  Load: askStore('load'),
  Save: askStore('save'),
  DeleteIf: askStore('deleteIf'),
  TryLock: askStore('tryLock'),
  Unlock: askStore('unlock'),
  Journal: (call, question, action, input) =>
    callbacksModule().askJournal(port, call, question, action, JSON.parse(input)),
};

const addon = loadAddon();
const handlers = handlersOf(addon.MessageKind);
const port = new addon.Port((kind, number, ...content) => {
  const call = calls.get(number);
  if (call !== undefined) {
    handlers[kind](call, ...content);
  }
});
const calls = new Map();
let lastNumber = 0;

function askStore(name) {
  return (call, question, input) =>
    callbacksModule().askStore(port, call, question, name, JSON.parse(input));
}

/** The handlers by the numbers that the addon gives to its kinds. */
function handlersOf(kinds) {
  const handlers = [];
  for (const [name, number] of Object.entries(kinds)) {
    if (HANDLERS[name] === undefined) {
      throw new Error(`there is no handler for messages of the kind ${name}`);
    }
    handlers[number] = HANDLERS[name];
  }
  return handlers;
}

/** A call in flight. */
class Call {
  /** The callbacks of its client, if there are any. */
  callbacks;
  /** Callbacks that run in this scope see the caller's AsyncLocalStorage. */
  scope;
  /** The exception of a signer. */
  cause;
  /** The first exception of a journal. */
  journalFailure;
  /** The exception of the journal's last action, if it failed. */
  recordingFailure;
  #settle;
  #trace;
  #signal;
  #unwatch;
  #controller;
  #endController;
  #identity;

  constructor(number, settle, { trace, signal, callbacks }) {
    this.number = number;
    this.#settle = settle;
    this.#trace = trace;
    this.callbacks = callbacks;
    if (callbacks !== undefined) {
      this.scope = callbacksModule().newScope();
    }
    if (signal !== undefined) {
      this.#signal = signal;
      if (!signal.aborted) {
        this.#unwatch = watch(signal, () => this.#cancel());
      }
    }
  }

  /** Aborts when the call ends, so that its callbacks can stop. */
  get signal() {
    this.#controller ??= new AbortController();
    return this.#controller.signal;
  }

  /** Aborts when the call ends, and not already when it is cancelled. */
  get endSignal() {
    this.#endController ??= new AbortController();
    return this.#endController.signal;
  }

  /** Identifies the events of this call for an observer. It has no members. */
  get identity() {
    this.#identity ??= Object.freeze({});
    return this.#identity;
  }

  #cancel() {
    port.cancel(this.number);
    this.#controller?.abort(this.#signal.reason);
  }

  resolve(response) {
    this.#end();
    try {
      this.#settle.resolve(this.#settle.read(response));
    } catch (error) {
      this.#settle.reject(error);
    }
  }

  fail(report, text, { requestBody, responseBody, response } = {}) {
    this.#end();
    const causes = { cancelled: this.#signal?.reason, journal: this.journalFailure };
    const cause = Object.hasOwn(causes, report.kind) ? causes[report.kind] : this.cause;
    const kept = { trace: this.#trace, cause, requestBody, responseBody };
    try {
      kept.response = response && this.#settle.read(response);
    } finally {
      this.#settle.reject(errorOfReport(report, text, kept));
    }
  }

  /** Removes a call that did not start. */
  drop() {
    this.#end();
  }

  #end() {
    calls.delete(this.number);
    if (calls.size === 0) {
      port.release();
    }
    this.#unwatch?.();
    this.#controller?.abort();
    this.#endController?.abort();
  }
}

/**
 * Starts a call with `begin`, which gets its number. The promise resolves to the
 * result of `options.read` on the response, and rejects if `begin` throws.
 */
function start(options, begin) {
  return new Promise((resolve, reject) => {
    do {
      lastNumber = (lastNumber + 1) >>> 0;
    } while (calls.has(lastNumber));
    const number = lastNumber;
    if (calls.size === 0) {
      port.hold();
    }
    const call = new Call(number, { resolve, reject, read: options.read }, options);
    calls.set(number, call);
    try {
      begin(number);
    } catch (error) {
      call.drop();
      reject(error);
    }
  });
}

module.exports = {
  Action: addon.Action,
  ConfigSource: addon.ConfigSource,
  NativeClient: addon.NativeClient,
  port,
  start,
};
