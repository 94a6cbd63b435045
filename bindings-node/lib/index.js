'use strict';

const { Client } = require('./client.js');
const { decimal } = require('./decimal.js');
const { JournalUnavailableError, PaymentsError } = require('./errors.js');
const { RESPONSES } = require('./operation-responses.js');

module.exports = {
  Client,
  JournalUnavailableError,
  PaymentsError,
  decimal,
  // Loaded on first use: most programs need none of them.
  get PostgresJournal() {
    return require('./postgres-journal.js').PostgresJournal;
  },
  get createJournal() {
    return require('./tools.js').createJournal;
  },
  get generateKey() {
    return require('./tools.js').generateKey;
  },
  get lint() {
    return require('./tools.js').lint;
  },
  get qrPng() {
    return require('./tools.js').qrPng;
  },
  get qrSvg() {
    return require('./tools.js').qrSvg;
  },
  get verify() {
    return require('./tools.js').verify;
  },
};

Object.defineProperties(module.exports, {
  // For libpayments/testing, which makes responses without a call.
  RESPONSES: { value: RESPONSES },
  // For bin/libpayments.js.
  runCommand: { get: () => require('./command.js').runCommand },
});
