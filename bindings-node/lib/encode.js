'use strict';

// Writes values as JSON text. Unlike JSON.stringify, it refuses values that JSON
// text would change, and the error has their path.

const { isDate } = require('node:util/types');
const { ErrorCode } = require('./error-codes.js');
const { Decimal } = require('./decimal.js');
const { Refusal, wrongType } = require('./errors.js');
const { prototypesOf } = require('./own.js');

/** The text that the `toJSON` of a Date writes, and of library classes that represent one. */
const INSTANT = /^[+-]?\d{4,6}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/;

/** More than the core accepts, so that the core refuses deep values. */
const DEEPEST = 200;

/** Members that are undefined or inherited are left out, as JSON.stringify does. */
const PLAIN = { isClosed: false };
/**
 * A request that refuses unknown members. Values that JSON would drop reach the core,
 * undefined as null: a lost amount, misspelled or not, would refund everything.
 */
const CLOSED = { isClosed: true };
/** The members of a request that it takes as they are. */
const EXTRA = 'extra';

/** Returns the JSON text of a value, as bytes. */
function encode(value, form = PLAIN) {
  return Buffer.from(write(value, '', 0, form) ?? '');
}

function write(value, path, depth, form) {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value);
    case 'number':
      return writeNumber(value, path);
    case 'bigint':
    case 'boolean':
      return String(value);
    case 'undefined':
      return undefined;
    case 'object':
      return value === null ? 'null' : writeObject(value, path, depth, form);
    default:
      throw wrongType(path, `a ${typeof value} cannot be sent`);
  }
}

/** Returns the shortest digits of a number, as every language writes floats. */
function writeNumber(value, path) {
  const message = Number.isSafeInteger(value) ? null : problemOf(value, path);
  if (message !== null) {
    throw wrongType(path, message);
  }
  return String(value);
}

/** Returns why a number that is not a safe integer cannot be sent, or null. */
function problemOf(value, path) {
  const [member] = path
    .replace(/(\[\d+\])+$/, '')
    .split('.')
    .slice(-1);
  if (/amount/i.test(member)) {
    return (
      'is not an integer that JavaScript represents exactly; give an amount as a string, for example "100.10", ' +
      'or as decimal("0.50")'
    );
  }
  if (!Number.isFinite(value)) {
    return 'is not a number (NaN or Infinity); omit it, or give a number';
  }
  if (Number.isInteger(value)) {
    return 'is an integer beyond 2^53 - 1, which may have lost digits; give a BigInt or a string';
  }
  return null;
}

function writeObject(value, path, depth, form) {
  if (depth > DEEPEST) {
    throw new Refusal(ErrorCode.JSON_TOO_LARGE, path, 'is nested too deeply, or contains itself');
  }
  if (value instanceof Decimal) {
    return value.toString();
  }
  if (isDate(value)) {
    throw timeRefused(path);
  }
  if (typeof value.toJSON === 'function') {
    const plain = value.toJSON();
    if (typeof plain === 'string' && INSTANT.test(plain)) {
      throw timeRefused(path);
    }
    if (plain !== value) {
      return write(plain, path, depth + 1, form);
    }
  }
  if (Array.isArray(value)) {
    return writeArray(value, path, depth, form);
  }
  if (value instanceof String || value instanceof Number || value instanceof Boolean) {
    return write(value.valueOf(), path, depth, form);
  }
  refuseContainers(value, path);
  const members = [];
  for (const name of namesOf(value, form)) {
    const inner = name === EXTRA ? PLAIN : form;
    const place = path === '' ? name : `${path}.${name}`;
    const written = write(value[name], place, depth + 1, inner);
    const text = written ?? (form.isClosed ? 'null' : undefined);
    if (text !== undefined) {
      members.push(`${JSON.stringify(name)}:${text}`);
    }
  }
  return `{${members.join(',')}}`;
}

/** The day of such an object depends on the time zone: written in UTC, it may be the next one. */
function timeRefused(path) {
  const message =
    'is a Date, whose day depends on the time zone; write the day as a string in the format that ' +
    'the service documents, for example "31/12/2027"';
  return wrongType(path, message);
}

/** Returns the names of an object's members; in a closed request also of inherited ones. */
function namesOf(value, { isClosed }) {
  const names = Object.keys(value);
  for (const prototype of isClosed ? prototypesOf(value) : []) {
    const inherited = Object.entries(Object.getOwnPropertyDescriptors(prototype));
    for (const [name, { get, enumerable }] of inherited) {
      if ((get !== undefined || enumerable) && !names.includes(name)) {
        names.push(name);
      }
    }
  }
  return names;
}

function writeArray(elements, path, depth, form) {
  const texts = [];
  for (let index = 0; index < elements.length; index += 1) {
    const place = `${path}[${index}]`;
    const text = write(elements[index], place, depth + 1, form);
    if (text === undefined) {
      throw wrongType(place, 'is undefined; an array must contain values');
    }
    texts.push(text);
  }
  return `[${texts.join(',')}]`;
}

/** Refuses objects without own members: they would be sent as an empty object. */
function refuseContainers(value, path) {
  if (typeof value.then === 'function') {
    throw wrongType(path, 'is a promise; await it first');
  }
  if (value instanceof Map || value instanceof Set) {
    throw wrongType(path, 'is a Map or a Set; give a plain object or an array');
  }
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) {
    throw wrongType(path, 'contains bytes; give a string');
  }
}

module.exports = { CLOSED, encode };
