'use strict';

const { captureTrace, errorOfRefusal } = require('./errors.js');
const { NOTHING, optionsOf } = require('./input.js');
const { listeningFor } = require('./listeners.js');
const { Listening, port, start } = require('./port.js');
const { PreparedRequest } = require('./responses.js');

/** A call that waits for the response to its request, which JavaScript sends. */
class OpenCall extends PreparedRequest {
  #native;
  #begun;

  /** `begun` has what all steps of the call share. */
  constructor(opened, begun) {
    super(opened);
    this.#native = opened.call;
    this.#begun = begun;
    this.maxResponseBytes = opened.maxResponseBytes;
  }

  get remainingMs() {
    return this.#native.remainingMs;
  }

  finish(status, headers, body, { complete = true, ...options } = {}) {
    return this.#end(OpenCall.prototype.finish, options, () => ({
      httpStatus: statusOf(status),
      headers: pairsOf(headers),
      body: bodyOf(body),
      isComplete: complete,
    }));
  }

  fail({ nothingLeft, ...options } = {}) {
    return this.#end(OpenCall.prototype.fail, options, () => {
      if (typeof nothingLeft !== 'boolean') {
        throw new TypeError('nothingLeft must be true or false');
      }
      return { nothingLeft };
    });
  }

  /** Every failure rejects; what is wrong with the arguments does not end the call. */
  #end(method, { signal, cause }, told) {
    const trace = captureTrace(method);
    const { callbacks, identity, operation, Result } = this.#begun;
    const nothing = { httpStatus: 0, headers: [], body: NOTHING, isComplete: true };
    let given;
    try {
      optionsOf({ signal });
      given = { ...nothing, ...told() };
    } catch (error) {
      return Promise.reject(errorOfRefusal(error, 'validation', operation, trace));
    }
    const listening = listeningFor(callbacks);
    const callsBack = callbacks.isAsked || listening !== Listening.None;
    const read = (parts) => readStep(parts, this.#begun, Result);
    const options = { trace, signal, callbacks, callsBack, read, identity, cause };
    return start(options, (number) => {
      port.endCall(number, this.#native, { ...given, aborted: signal?.aborted, listening });
    });
  }
}

/** The response, or the call whose request is to be sent. */
function readStep(parts, begun, Result = begun.Result) {
  return parts.kind === 'open' ? new OpenCall(parts, begun) : new Result(parts);
}

function statusOf(status) {
  if (!Number.isInteger(status) || status < 0 || status > 65535) {
    throw new TypeError('status must be an HTTP status');
  }
  return status;
}

/** The pairs of `Headers`, a map, pairs, or an object as Node's own `headers`. */
function pairsOf(headers) {
  const entries = headers?.[Symbol.iterator] ? [...headers] : Object.entries(headers ?? {});
  return entries.flatMap(([name, value]) => [value].flat().map((it) => [`${name}`, `${it}`]));
}

function bodyOf(body) {
  if (body === null || body === undefined) {
    return NOTHING;
  }
  if (typeof body === 'string') {
    return Buffer.from(body);
  }
  if (body instanceof ArrayBuffer) {
    return new Uint8Array(body);
  }
  if (body instanceof Uint8Array) {
    return body;
  }
  throw new TypeError('body must be the bytes of the response');
}

module.exports = { OpenCall, readStep };
