'use strict';

const { ErrorCode } = require('./error-codes.js');
const { encode } = require('./encode.js');
const { KeyPair } = require('./responses.js');
const { Refusal, captureTrace, errorOfRefusal } = require('./errors.js');
const { bodyBytes, knownMembers, requestBody, textOf } = require('./input.js');
const { own } = require('./own.js');
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

/** Finds what is probably wrong in a request for a payment or a payout. */
function lint(request) {
  return run(lint, () => {
    const body = requestBody('create_payment', request);
    return (number) => port.lint(number, body);
  });
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
    throw new Refusal(ErrorCode.WRONG_TYPE, 'options.moduleSize', message);
  }
  return size;
}

/** The plan of a command. */
function commandPlan(given) {
  return run(commandPlan, () => {
    const input = encode(given);
    return (number) => port.commandPlan(number, input);
  });
}

/** The output of a command that failed. */
function commandFailure(given) {
  return run(commandFailure, () => {
    const input = encode(given);
    return (number) => port.commandFailure(number, input);
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

function membersOf(given) {
  if (typeof given !== 'object' || given === null) {
    throw new Refusal(ErrorCode.WRONG_TYPE, 'request', 'must be an object');
  }
  return own(given);
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
