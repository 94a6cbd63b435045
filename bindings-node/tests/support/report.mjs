// An error of the package as the report that all languages share.

import { inspect } from 'node:util';

import { PaymentsError } from 'libpayments';

import { isSame } from './tree.mjs';

/** Members of the report, and where they are here. */
export const REPORT = {
  kind: 'kind',
  code: 'code',
  message: 'message',
  outcome: 'outcome',
  advice: 'advice',
  path: 'path',
  operation: 'operation',
  reference: 'reference',
  http_status: 'httpStatus',
  service_code: 'serviceCode',
  service_message: 'serviceMessage',
  payment_hash: 'paymentHash',
  retry_after: 'retryAfter',
  diagnosis: 'diagnosis',
  journal_entry: 'journalEntry',
  attempts: 'attempts',
  help: 'help',
};

export function reportOf(error) {
  if (!(error instanceof PaymentsError)) {
    throw error;
  }
  return Object.fromEntries(
    Object.entries(REPORT).map(([name, ours]) => [name, error[ours] ?? null]),
  );
}

/**
 * Whether the errors that other threads and processes make of this one's report are the same,
 * but for the text of the service.
 */
export function survives(error, report) {
  const expected = { ...report, service_message: null };
  const passed = [structuredClone(error.toJSON()), JSON.parse(JSON.stringify(error))];
  return passed.every((it) => isSame(expected, reportOf(PaymentsError.from(it))));
}

/** Every way in which an error may be logged. */
export function shownForms(error) {
  const deep = { depth: 20, showHidden: true, getters: false };
  return [
    String(error),
    error.stack,
    error.message,
    inspect(error),
    inspect(error, deep),
    JSON.stringify(error),
  ].join('\n');
}
