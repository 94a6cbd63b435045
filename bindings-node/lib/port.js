'use strict';

// The JavaScript side of src/port.rs: the calls in flight, and the messages of
// their threads. In JavaScript, because only there does an error get the caller's stack.

const { errorOfReport, textOf } = require('./errors.js');
const { loadAddon } = require('./loader.js');
const { own } = require('./own.js');
const { watch } = require('./signals.js');

/** Loaded on first use: only calls with callbacks or listeners need this file. */
const callbacksModule = () => require('./callbacks.js');

/** The handler of each kind of message, by its name in src/message.rs. */
const HANDLERS = {
  response: (call, { response }) => call.resolve(response),
  failure: (call, { failure }) => call.fail(failure),
  report: (call, { json }) => call.resolve(JSON.parse(json)),
  prepared: (call, prepared) => call.resolve(prepared),
  keyPair: (call, keyPair) => call.resolve(keyPair),
  event: (call, { json, level }) =>
    callbacksModule().notifyListeners(call, JSON.parse(json), level),
  traceparent: (call, question) => callbacksModule().askTraceparent(port, call, question),
  sign: (call, question) => callbacksModule().askSigner(port, call, question),
  load: askStore,
  save: askStore,
  deleteIf: askStore,
  tryLock: askStore,
  unlock: askStore,
  journal: (call, question) => callbacksModule().askJournal(port, call, question),
  insertEnds: (call) => call.endInsert(),
};

const addon = loadAddon();
const port = new addon.Port((number, message) => {
  const call = calls.get(number);
  if (call !== undefined) {
    HANDLERS[message.kind](call, own(message));
  }
});
const calls = new Map();

let lastNumber = 0;

function askStore(call, question) {
  return callbacksModule().askStore(port, call, question);
}

/** Cancels calls in one step, the oldest first. */
function cancel(cancelled) {
  port.cancel(cancelled.map(({ number }) => number));
  for (const call of cancelled) {
    call.abortCallbacks();
  }
}

/** A call in flight. */
class Call {
  /** The callbacks of its client. */
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
  #insertController;

  constructor(number, settle, { trace, signal, callbacks, callsBack }) {
    this.number = number;
    this.#settle = settle;
    this.#trace = trace;
    this.callbacks = callbacks;
    if (callsBack) {
      this.scope = callbacksModule().newScope();
    }
    if (signal !== undefined) {
      this.#signal = signal;
      if (!signal.aborted) {
        this.#unwatch = watch(signal, this, cancel);
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

  /** Aborts when the call ends, and already when it is cancelled. */
  get insertSignal() {
    this.#insertController ??= new AbortController();
    return this.#insertController.signal;
  }

  /** Tells the journal that the entry of the call is needed no longer. */
  endInsert() {
    this.#insertController?.abort(this.#reason);
  }

  /** The reason of the caller's signal, which may be an object that throws. */
  get #reason() {
    try {
      return this.#signal?.reason;
    } catch {
      return undefined;
    }
  }

  /** The number that the last event of this call has. */
  observedAs;

  /** Tells the callbacks of the call that it is cancelled. */
  abortCallbacks() {
    this.#controller?.abort(this.#reason);
  }

  resolve(response) {
    this.#end();
    try {
      this.#settle.resolve(this.#settle.read(response));
    } catch (error) {
      this.#settle.reject(error);
    }
  }

  fail(failure) {
    this.#end();
    const { report, text, requestBody, responseBody, response } = own(failure);
    const members = own(JSON.parse(report));
    const unread = this.#settle.unread?.(members);
    if (unread !== undefined) {
      members.message = unread;
    }
    const causes = { cancelled: this.#reason, journal: this.journalFailure };
    const cause = Object.hasOwn(causes, members.kind) ? causes[members.kind] : this.cause;
    const kept = { trace: this.#trace, cause, requestBody };
    kept.responseBody = responseBody ?? response?.body;
    try {
      kept.response = response && this.#settle.read(response);
    } finally {
      const message = unread === undefined ? text : textOf(members);
      this.#settle.reject(errorOfReport(members, message, kept));
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
    this.#insertController?.abort();
  }
}

/**
 * Starts a call with `begin`, which gets its number. The promise resolves to the
 * result of `options.read` on the response, and rejects if `begin` throws. `options.unread`
 * may have another message for a failure.
 */
function start(given, begin) {
  const options = own(given);
  return new Promise((resolve, reject) => {
    do {
      lastNumber = (lastNumber + 1) >>> 0;
    } while (calls.has(lastNumber));
    const number = lastNumber;
    const call = new Call(
      number,
      own({ resolve, reject, read: options.read, unread: options.unread }),
      options,
    );
    if (calls.size === 0) {
      port.hold();
    }
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
  WantedEvents: addon.WantedEvents,
  isInside: (callbacks) => callbacksModule().isInside(callbacks),
  port,
  start,
};
