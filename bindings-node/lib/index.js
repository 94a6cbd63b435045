'use strict';

const { Client } = require('./client.js');
const { decimal } = require('./decimal.js');
const { PaymentsError } = require('./errors.js');

module.exports = {
  Client,
  PaymentsError,
  decimal,
  // Loaded when they are asked for: a program that pays needs none of them.
  get doctor() {
    return require('./tools.js').doctor;
  },
  get generateKey() {
    return require('./tools.js').generateKey;
  },
  get verify() {
    return require('./tools.js').verify;
  },
};
