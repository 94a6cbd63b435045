'use strict';

const { inspect } = require('node:util');
const { ErrorCode } = require('./error-codes.js');
const { Refusal, errorOfRefusal } = require('./errors.js');

const NUMBER = /^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$/;

/** A JSON number, kept as its text. */
class Decimal {
  #text;

  constructor(text) {
    if (typeof text !== 'string' || !NUMBER.test(text)) {
      const message = 'decimal() takes a number as a string, for example "0.50"';
      const refusal = new Refusal(ErrorCode.VALUE_INVALID, undefined, message);
      throw errorOfRefusal(refusal, 'validation');
    }
    this.#text = text;
  }

  toString() {
    return this.#text;
  }

  toJSON() {
    return this.#text;
  }

  [inspect.custom]() {
    return `decimal('${this.#text}')`;
  }
}

/** Creates a number that keeps exactly the digits of the text. */
function decimal(text) {
  return new Decimal(text);
}

module.exports = { Decimal, decimal };
