'use strict';

// Writes values as JSON text. Unlike JSON.stringify it refuses what would lose
// something on the way, with the path of the culprit.

const { Refusal } = require('./errors.js');

/** Deeper than what the core accepts, so that it is the core which refuses. */
const DEEPEST = 200;

/** The JSON text of a value, as bytes. */
function encode(value) {
  return Buffer.from(write(value, '', 0) ?? '');
}

function write(value, path, depth) {
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
      return value === null ? 'null' : writeObject(value, path, depth);
    default:
      throw new Refusal('not_json', path, `a ${typeof value} cannot be sent`);
  }
}

function writeNumber(value, path) {
  if (!Number.isFinite(value)) {
    throw new Refusal('number_unsafe', path, 'is not a finite number');
  }
  const advice = 'give it as text, for example "100.10"';
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) {
    const message = `is beyond 2^53, where JavaScript's numbers lose digits; ${advice}, or as bigint`;
    throw new Refusal('number_unsafe', path, message);
  }
  const text = String(value);
  if (text.includes('e')) {
    const message = `is so small that JavaScript writes it with an exponent; ${advice}`;
    throw new Refusal('number_unsafe', path, message);
  }
  return text;
}

function writeObject(value, path, depth) {
  if (depth > DEEPEST) {
    throw new Refusal('too_deep', path, 'is nested too deeply, or holds itself');
  }
  if (typeof value.toJSON === 'function') {
    const plain = value.toJSON();
    if (plain !== value) {
      return write(plain, path, depth + 1);
    }
  }
  if (Array.isArray(value)) {
    return writeArray(value, path, depth);
  }
  if (value instanceof String || value instanceof Number || value instanceof Boolean) {
    return write(value.valueOf(), path, depth);
  }
  refuseContainers(value, path);
  const members = [];
  for (const name of Object.keys(value)) {
    const text = write(value[name], path === '' ? name : `${path}.${name}`, depth + 1);
    if (text !== undefined) {
      members.push(`${JSON.stringify(name)}:${text}`);
    }
  }
  return `{${members.join(',')}}`;
}

function writeArray(elements, path, depth) {
  const texts = [];
  for (let index = 0; index < elements.length; index += 1) {
    const place = `${path}[${index}]`;
    const text = write(elements[index], place, depth + 1);
    if (text === undefined) {
      throw new Refusal('not_json', place, 'is undefined; a list must hold values');
    }
    texts.push(text);
  }
  return `[${texts.join(',')}]`;
}

/** What has no members of its own would be sent as an empty object. */
function refuseContainers(value, path) {
  if (typeof value.then === 'function') {
    throw new Refusal('not_json', path, 'is a promise; await it first');
  }
  if (value instanceof Map || value instanceof Set) {
    throw new Refusal('not_json', path, 'is a Map or a Set; give a plain object or a list');
  }
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) {
    throw new Refusal('not_json', path, 'holds bytes; give a text');
  }
}

module.exports = { encode };
