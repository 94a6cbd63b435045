'use strict';

// Writes values as JSON text. Unlike JSON.stringify, it refuses values that JSON
// text would change, and the error has their path.

const { Decimal } = require('./decimal.js');
const { Refusal } = require('./errors.js');

/** More than the core accepts, so that the core refuses deep values. */
const DEEPEST = 200;

/**
 * Returns the JSON text of a value, as bytes. If the value is an object of a
 * request, `level` describes it (see levels.js).
 */
function encode(value, level) {
  return Buffer.from(write(value, '', 0, level) ?? '');
}

function write(value, path, depth, level) {
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
      return value === null ? 'null' : writeObject(value, path, depth, level);
    default:
      throw new Refusal('not_json', path, `a ${typeof value} cannot be sent`);
  }
}

function writeNumber(value, path) {
  if (!Number.isSafeInteger(value)) {
    const message =
      'is not an integer that JavaScript represents exactly; give an amount as a string, for example "100.10", ' +
      'a whole number as an integer or a BigInt, and a number with a fraction as decimal("0.50")';
    throw new Refusal('wrong_type', path, message);
  }
  return String(value);
}

function writeObject(value, path, depth, level) {
  if (depth > DEEPEST) {
    throw new Refusal('json_too_deep', path, 'is nested too deeply, or contains itself');
  }
  if (value instanceof Decimal) {
    return value.toString();
  }
  if (typeof value.toJSON === 'function') {
    const plain = value.toJSON();
    if (plain !== value) {
      return write(plain, path, depth + 1, level);
    }
  }
  if (Array.isArray(value)) {
    return writeArray(value, path, depth, level);
  }
  if (value instanceof String || value instanceof Number || value instanceof Boolean) {
    return write(value.valueOf(), path, depth);
  }
  refuseContainers(value, path);
  const members = [];
  for (const name of namesOf(value, level)) {
    const inner = innerLevel(level, name);
    const written = write(value[name], path === '' ? name : `${path}.${name}`, depth + 1, inner);
    const text = written ?? (isSeenByTheCore(level, name) ? 'null' : undefined);
    if (text !== undefined) {
      members.push(`${JSON.stringify(name)}:${text}`);
    }
  }
  return `{${members.join(',')}}`;
}

/** Returns the names of members; in a request they may be getters of its class. */
function namesOf(value, level) {
  const names = Object.keys(value);
  const prototype = Object.getPrototypeOf(value);
  if (level === undefined || prototype === Object.prototype || prototype === null) {
    return names;
  }
  const inherited = Object.keys(level.members).filter(
    (name) => name in value && !names.includes(name),
  );
  return [...names, ...inherited];
}

function innerLevel(level, name) {
  return level !== undefined && Object.hasOwn(level.members, name)
    ? (level.members[name] ?? undefined)
    : undefined;
}

/**
 * Whether an undefined member is passed to the core as null. An undefined amount,
 * misspelled or not, must not vanish: without it everything is refunded.
 */
function isSeenByTheCore(level, name) {
  return level !== undefined && (!level.isOpen || Object.hasOwn(level.members, name));
}

function writeArray(elements, path, depth, level) {
  const texts = [];
  for (let index = 0; index < elements.length; index += 1) {
    const place = `${path}[${index}]`;
    const text = write(elements[index], place, depth + 1, level);
    if (text === undefined) {
      throw new Refusal('not_json', place, 'is undefined; an array must contain values');
    }
    texts.push(text);
  }
  return `[${texts.join(',')}]`;
}

/** Refuses objects without own members: they would be sent as an empty object. */
function refuseContainers(value, path) {
  if (typeof value.then === 'function') {
    throw new Refusal('not_json', path, 'is a promise; await it first');
  }
  if (value instanceof Map || value instanceof Set) {
    throw new Refusal('not_json', path, 'is a Map or a Set; give a plain object or an array');
  }
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) {
    throw new Refusal('not_json', path, 'contains bytes; give a string');
  }
}

module.exports = { encode };
