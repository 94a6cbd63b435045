'use strict';

const { encode } = require('./encode.js');
const { Refusal } = require('./errors.js');
const levels = require('./levels.js');
const { isSignal } = require('./signals.js');

const NOTHING = Buffer.alloc(0);

/** Returns the bytes of an operation's request. JSON text is passed on as it is. */
function requestBody(operation, request) {
  return isText(request) ? bytesOf(request, 'request') : encode(request, levels[operation]);
}

/** Returns the head of a raw request as JSON, and its body. */
function sendParts(request) {
  if (typeof request !== 'object' || request === null) {
    throw new Refusal('wrong_type', 'request', 'must be an object with method and path');
  }
  const { body, query, ...head } = request;
  if (body !== undefined && body !== null && !isText(body)) {
    const message =
      'must be the exact bytes as a string or a Uint8Array, for example from JSON.stringify';
    throw new Refusal('wrong_type', 'body', message);
  }
  const pairs = query instanceof URLSearchParams ? [...query] : query;
  return { head: encode({ ...head, query: pairs }), body: bytesOf(body, 'body') };
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
    throw new Refusal('json_unicode', path, 'contains half of a surrogate pair');
  }
  return typeof text === 'string' ? Buffer.from(text) : text;
}

/** Returns the bytes of a body whose signature is checked. */
function bodyBytes(body) {
  if (body !== undefined && body !== null && !isText(body)) {
    throw new Refusal(
      'wrong_type',
      'body',
      'must be a string or a Uint8Array with the exact bytes',
    );
  }
  return bytesOf(body, 'body');
}

/** Checks that a value is a string; an optional one may be `undefined` or `null`. */
function textOf(value, path, isOptional = false) {
  if (typeof value === 'string' || (isOptional && (value === undefined || value === null))) {
    return value ?? undefined;
  }
  throw new Refusal('wrong_type', path, 'must be a string');
}

/** Checks that an optional value is `true` or `false`. */
function flagOf(value, path) {
  if (value === undefined || value === null || typeof value === 'boolean') {
    return value ?? undefined;
  }
  throw new Refusal('wrong_type', path, 'must be true or false');
}

/** Checks that a value has no other members than these. An absent value has none. */
function knownMembers(value, path, names) {
  if (value === undefined || value === null) {
    return {};
  }
  if (typeof value !== 'object' || isSignal(value)) {
    throw new Refusal('wrong_type', path, `must be an object, for example { ${names[0]} }`);
  }
  const unknown = Object.keys(value).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    const message = `unknown member; the members are ${names.join(', ')}`;
    throw new Refusal('member_unknown', `${path}.${unknown}`, message);
  }
  return value;
}

/** Checks the options of a call. */
function optionsOf(options) {
  const { signal, timeoutMs } = knownMembers(options, 'options', ['signal', 'timeoutMs']);
  if (signal !== undefined && signal !== null && !isSignal(signal)) {
    throw new Refusal('wrong_type', 'options.signal', 'must be an AbortSignal');
  }
  if (
    timeoutMs !== undefined &&
    timeoutMs !== null &&
    !(Number.isSafeInteger(timeoutMs) && timeoutMs > 0)
  ) {
    const message = 'must be a whole number of milliseconds greater than zero';
    throw new Refusal('wrong_type', 'options.timeoutMs', message);
  }
  return { signal: signal ?? undefined, timeoutMs: timeoutMs ?? undefined };
}

module.exports = {
  NOTHING,
  bodyBytes,
  flagOf,
  knownMembers,
  optionsOf,
  requestBody,
  sendParts,
  textOf,
};
