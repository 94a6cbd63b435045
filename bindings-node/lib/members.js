// Generated from spec by generate/templates/members.js.jinja; do not edit. To update: cargo xtask generate

'use strict';

/** The properties of an error, which may all be logged. */
const MEMBERS = [
  'kind',
  'code',
  'outcome',
  'advice',
  'path',
  'operation',
  'reference',
  'httpStatus',
  'serviceCode',
  'paymentHash',
  'retryAfter',
  'diagnosis',
  'journalEntry',
  'attempts',
  'help',
];

/** Members that may hold payer data. */
const HIDDEN = ['serviceMessage', 'response', 'requestBody', 'responseBody'];

/** The command that explains a code. */
const EXPLAIN = 'npx libpayments explain';

const OUTCOMES = ['not_executed', 'unknown', 'executed'];

module.exports = { HIDDEN, MEMBERS, EXPLAIN, OUTCOMES };
