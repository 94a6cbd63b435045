'use strict';

// The JavaScript side of src/port.rs: the calls in flight, and the messages of
// their threads.

const { errorOfReport } = require('./errors.js');
const { loadAddon } = require('./loader.js');
const { watch } = require('./signals.js');

/** The numbers of `MessageKind` in src/message.rs. */
const KIND = {
  RESPONSE: 0,
  FAILURE: 1,
  REPORT: 2,
  PREPARED: 3,
  KEY_PAIR: 4,
  EVENT: 5,
  SIGN: 6,
  STORE: 7,
  INTERRUPTED: 8,
  JOURNAL: 9,
};

/** Loaded on first use: only clients with callbacks need this file. */
const callbacksModule = () => require('./callbacks.js');

const addon = loadAddon();
const port = new addon.Port(onMessage);
const calls = new Map();
let lastNumber = 0;

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

function onMessage(kind, number, extra, text, moreText, bytes, moreBytes) {
  const call = calls.get(number);
  if (call === undefined) {
    return;
  }
  switch (kind) {
    case KIND.RESPONSE:
      call.resolve({
        httpStatus: extra,
        view: text,
        headers: moreText,
        body: bytes,
        parts: moreBytes,
      });
      break;
    case KIND.FAILURE:
      call.fail(JSON.parse(text), moreText, {
        requestBody: bytes ?? undefined,
        responseBody: moreBytes ?? undefined,
      });
      break;
    case KIND.INTERRUPTED: {
      const [report, message, headers] = JSON.parse(moreText);
      const response = {
        httpStatus: extra,
        view: text,
        headers: JSON.stringify(headers),
        body: bytes,
        parts: moreBytes,
      };
      call.fail(report, message, { responseBody: bytes, response });
      break;
    }
    case KIND.REPORT:
      call.resolve(JSON.parse(text));
      break;
    case KIND.PREPARED:
      call.resolve({ head: JSON.parse(text), headers: JSON.parse(moreText), body: bytes });
      break;
    case KIND.KEY_PAIR:
      call.resolve({ privateKeyPem: text, publicKeyPem: moreText });
      break;
    case KIND.EVENT:
      callbacksModule().tellObserver(call, JSON.parse(text));
      break;
    case KIND.SIGN:
      callbacksModule().askSigner(port, call, extra, bytes, moreBytes);
      break;
    case KIND.STORE:
      callbacksModule().askStore(port, call, extra, text, JSON.parse(moreText));
      break;
    case KIND.JOURNAL:
      callbacksModule().askJournal(port, call, extra, text, JSON.parse(moreText));
      break;
  }
}

module.exports = { NativeClient: addon.NativeClient, port, start };
