'use strict';

// Checks the arguments of a call. Apart from the client, so that whatever is refused
// here is refused before a call exists.

const { ErrorCode } = require('./error-codes.js');
const { CLOSED, encode } = require('./encode.js');
const { Refusal, wrongType } = require('./errors.js');
const { OPEN } = require('./operations.js');
const { own, unreadReason, unreadReasonAt } = require('./own.js');
const { isSignal } = require('./signals.js');

const NOTHING = Buffer.alloc(0);
/** The members of a raw request. */
const SEND = ['method', 'path', 'query', 'body', 'contentType', 'reference'];

/** Returns the bytes of an operation's request. JSON text is passed on as it is. */
function requestBody(operation, request) {
  if (isText(request)) {
    return bytesOf(request, 'request');
  }
  return OPEN.includes(operation) ? encode(request) : encode(request, CLOSED);
}

/**
 * Returns the call that gives a refusal of `ensure_payment` the outcome of its reference;
 * `undefined` for another operation, or if the reference cannot be read.
 */
function refusedEnsure(operation, request, refusal) {
  if (operation !== 'ensure_payment' || !(refusal instanceof Refusal)) {
    return undefined;
  }
  let reference;
  try {
    reference = own(own(request).payment).merchant_payment_code;
  } catch {
    // A getter or a proxy of the caller may throw.
  }
  if (typeof reference !== 'string') {
    return undefined;
  }
  const { path, code, message } = refusal;
  const input = encode({ reference, path, code, message });
  return { operation: 'refused_ensure_payment', input };
}

/** Returns why the missing member at a path is not read, although the request has it. */
function unreadReasonIn(operation, request, path) {
  return OPEN.includes(operation) && !isText(request) ? unreadReasonAt(request, path) : undefined;
}

/** Returns the head of a raw request as JSON, and its body. */
function sendParts(request) {
  if (typeof request !== 'object' || request === null) {
    throw wrongType('request', 'must be an object with method and path');
  }
  const given = knownMembers(request, undefined, SEND);
  const { method, path, query, body, contentType, reference } = given;
  if (body !== undefined && body !== null && !isText(body)) {
    const message =
      'must be the exact bytes as a string or a Uint8Array, for example from JSON.stringify';
    throw wrongType('body', message);
  }
  const pairs = query instanceof URLSearchParams ? [...query] : query;
  const content_type = textOf(contentType, 'contentType', true);
  const head = { method, path, query: pairs, content_type, reference };
  return { input: encode(head), body: bytesOf(body, 'body') };
}

function isText(value) {
  return typeof value === 'string' || value instanceof Uint8Array;
}

/** Encodes text as UTF-8. A lone surrogate would be replaced, so it is refused. */
function bytesOf(text, path) {
  if (text === undefined || text === null) {
    return NOTHING;
  }
  if (typeof text === 'string' && !text.isWellFormed()) {
    throw new Refusal(ErrorCode.JSON_INVALID, path, 'contains half of a surrogate pair');
  }
  return typeof text === 'string' ? Buffer.from(text) : text;
}

/** Returns the bytes of a body whose signature is checked. */
function bodyBytes(body) {
  if (body !== undefined && body !== null && !isText(body)) {
    throw wrongType('body', 'must be a string or a Uint8Array with the exact bytes');
  }
  return bytesOf(body, 'body');
}

/** Checks that a value is a string; an optional one may be `undefined` or `null`. */
function textOf(value, path, isOptional = false) {
  if (typeof value === 'string' || (isOptional && (value === undefined || value === null))) {
    return value ?? undefined;
  }
  throw wrongType(path, 'must be a string');
}

/** Checks that an optional value is `true` or `false`. */
function flagOf(value, path) {
  if (value === undefined || value === null || typeof value === 'boolean') {
    return value ?? undefined;
  }
  throw wrongType(path, 'must be true or false');
}

/** Checks that an optional value is an object and no signal, which `example` may name. */
function checkObject(value, path, example) {
  const isAbsent = value === undefined || value === null;
  if (!isAbsent && (typeof value !== 'object' || Array.isArray(value) || isSignal(value))) {
    throw wrongType(path, `must be an object, for example { ${example} }`);
  }
}

/**
 * Returns the members of the value at a path, if it has one, which has no others than these.
 * An absent value has none.
 */
function knownMembers(value, path, names) {
  checkObject(value, path, names[0]);
  if (value === undefined || value === null) {
    return own({});
  }
  const placeOf = (name) => (path === undefined ? name : `${path}.${name}`);
  const unknown = Object.keys(value).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    const message = `unknown member; the members are ${names.join(', ')}`;
    throw new Refusal(ErrorCode.MEMBER_UNKNOWN, placeOf(unknown), message);
  }
  for (const name of names) {
    const unread = unreadReason(value, name);
    if (unread !== undefined) {
      throw wrongType(placeOf(name), unread);
    }
  }
  return own(value);
}

/** Checks the options of a call. */
function optionsOf(options, operation) {
  const ofAll = ['signal', 'timeoutMs', 'traceparent'];
  const known = operation === 'ensure_payment' ? [...ofAll, 'ensureWaitMs'] : ofAll;
  const given = knownMembers(options, 'options', known);
  const { signal, timeoutMs, traceparent, ensureWaitMs } = given;
  if (signal !== undefined && signal !== null && !isSignal(signal)) {
    throw wrongType('options.signal', 'must be an AbortSignal');
  }
  if (
    timeoutMs !== undefined &&
    timeoutMs !== null &&
    !(Number.isSafeInteger(timeoutMs) && timeoutMs > 0)
  ) {
    const message = 'must be a whole number of milliseconds greater than zero';
    throw wrongType('options.timeoutMs', message);
  }
  if (
    ensureWaitMs !== undefined &&
    ensureWaitMs !== null &&
    !(Number.isSafeInteger(ensureWaitMs) && ensureWaitMs >= 0)
  ) {
    throw wrongType('options.ensureWaitMs', 'must be a whole number of milliseconds');
  }
  return {
    signal: signal ?? undefined,
    timeoutMs: timeoutMs ?? undefined,
    traceparent: textOf(traceparent, 'options.traceparent', true),
    ensureWaitMs: ensureWaitMs ?? undefined,
  };
}

module.exports = {
  NOTHING,
  bodyBytes,
  checkObject,
  flagOf,
  knownMembers,
  optionsOf,
  refusedEnsure,
  requestBody,
  sendParts,
  textOf,
  unreadReasonIn,
};
