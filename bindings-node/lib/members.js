// Generated from the core's tables; do not edit. To update: cargo xtask generate

'use strict';

/** Members of the core's report, and their names here. */
const MEMBERS = {
  kind: 'kind',
  code: 'code',
  outcome: 'outcome',
  advice: 'advice',
  path: 'path',
  operation: 'operation',
  reference: 'reference',
  http_status: 'httpStatus',
  service_code: 'serviceCode',
  payment_hash: 'paymentHash',
  retry_after: 'retryAfter',
  diagnosis: 'diagnosis',
  journal_entry: 'journalEntry',
  attempts: 'attempts',
  help: 'help',
};

/** The prefix of a code in `help`. */
const HELP_BASE = 'docs/errors.md#';

const OUTCOMES = ['not_executed', 'unknown', 'executed'];

module.exports = { MEMBERS, HELP_BASE, OUTCOMES };
