'use strict';

const { encode } = require('./encode.js');
const { KeyPair } = require('./responses.js');
const { captureTrace, errorOfRefusal, wrongType } = require('./errors.js');
const { bodyBytes, knownMembers, requestBody, textOf } = require('./input.js');
const { own } = require('./own.js');
const { port, start } = require('./port.js');

/** Checks a detached signature over a body. */
function verify(given) {
  return run(verify, 'verify', () => {
    const { publicKey, token, body } = membersOf(given);
    return [textOf(publicKey, 'publicKey'), textOf(token, 'token', true), bodyBytes(body)];
  });
}

/** Finds what is probably wrong in a request for a payment or a payout. */
function lint(request) {
  return run(lint, 'lint', () => [requestBody('create_payment', request)]);
}

/** Draws a text as a QR code, an SVG document. */
function qrSvg(text) {
  return port.qrSvg(drawable(text));
}

/** Draws a text as a QR code, a PNG file. */
function qrPng(text, options) {
  const trace = captureTrace(qrPng);
  try {
    return port.qrPng(drawable(text), moduleSizeOf(options));
  } catch (error) {
    throw errorOfRefusal(error, 'validation', undefined, trace);
  }
}

function drawable(text) {
  if (typeof text !== 'string') {
    throw new TypeError('text must be a string');
  }
  return text;
}

function moduleSizeOf(options) {
  const { moduleSize } = knownMembers(options, 'options', ['moduleSize']);
  const size = moduleSize ?? 6;
  if (!Number.isInteger(size) || size < 1 || size > 64) {
    const message = 'must be a whole number of pixels from 1 to 64';
    throw wrongType('options.moduleSize', message);
  }
  return size;
}

/** The plan of a command. */
function commandPlan(given) {
  return run(commandPlan, 'commandPlan', () => [encode(given)]);
}

/** The output of a command that failed. */
function commandFailure(given) {
  return run(commandFailure, 'commandFailure', () => [encode(given)]);
}

/** Makes the file of a journal. */
function createJournal(path) {
  const nothing = () => undefined;
  return run(createJournal, 'createJournal', () => [textOf(path, 'path')], nothing);
}

/** Generates an RSA key pair of 4096 bits. */
function generateKey() {
  const keyPair = (pair) => new KeyPair(pair);
  return run(generateKey, 'generateKey', () => [], keyPair);
}

function membersOf(given) {
  if (typeof given !== 'object' || given === null) {
    throw wrongType('request', 'must be an object');
  }
  return own(given);
}

/** Lets the addon do the work of this name with what `prepare` returns. */
function run(method, work, prepare, read = (report) => report) {
  const trace = captureTrace(method);
  let given;
  try {
    given = prepare();
  } catch (error) {
    return Promise.reject(errorOfRefusal(error, 'validation', undefined, trace));
  }
  return start({ trace, read }, (number) => port[work](number, ...given));
}

module.exports = {
  commandFailure,
  commandPlan,
  createJournal,
  generateKey,
  lint,
  qrPng,
  qrSvg,
  verify,
};
