'use strict';

const { KeyPair } = require('./responses.js');
const { encode } = require('./encode.js');
const { Refusal, captureTrace, errorOfRefusal } = require('./errors.js');
const { bodyBytes, textOf } = require('./input.js');
const { port, start } = require('./port.js');

const asItIs = (report) => report;

/** Checks a detached signature over a body. */
function verify(given) {
  return run(verify, () => {
    const { publicKey, token, body } = membersOf(given);
    const parts = [textOf(publicKey, 'publicKey'), textOf(token, 'token', true), bodyBytes(body)];
    return (number) => port.verify(number, ...parts);
  });
}

/** Finds out why a detached signature does not verify, and what would have verified. */
function doctor(given) {
  return run(doctor, () => {
    const { publicKeys, token, body } = membersOf(given);
    const parts = [
      encode(keysOf(publicKeys)).toString(),
      textOf(token, 'token', true),
      bodyBytes(body),
    ];
    return (number) => port.doctor(number, ...parts);
  });
}

/** Makes the file of a journal. */
function createJournal(path) {
  return run(
    createJournal,
    () => {
      const place = textOf(path, 'path');
      return (number) => port.createJournal(number, place);
    },
    () => undefined,
  );
}

/** Generates an RSA key pair of 4096 bits. */
function generateKey() {
  return run(
    generateKey,
    () => (number) => port.generateKey(number),
    (pair) => new KeyPair(pair),
  );
}

/** Converts keys to the core's form. They are checked here, so that errors use our names. */
function keysOf(publicKeys) {
  if (!Array.isArray(publicKeys)) {
    const message = 'must be an array of PEM strings, or of objects with publicKey and kid';
    throw new Refusal('wrong_type', 'publicKeys', message);
  }
  return publicKeys.map((key, index) => {
    const { publicKey, kid } = typeof key === 'string' ? { publicKey: key } : (key ?? {});
    const place = `publicKeys[${index}]`;
    return {
      public_key: textOf(publicKey, `${place}.publicKey`),
      kid: textOf(kid, `${place}.kid`, true),
    };
  });
}

function membersOf(given) {
  if (typeof given !== 'object' || given === null) {
    throw new Refusal('wrong_type', 'request', 'must be an object');
  }
  return given;
}

function run(method, prepare, read = asItIs) {
  const trace = captureTrace(method);
  let begin;
  try {
    begin = prepare();
  } catch (error) {
    return Promise.reject(errorOfRefusal(error, 'validation', undefined, trace));
  }
  return start({ trace, read }, begin);
}

module.exports = { createJournal, doctor, generateKey, verify };
