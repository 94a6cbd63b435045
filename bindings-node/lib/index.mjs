// The same classes as with require: a process has only one of each.
import libpayments from './index.js';

export default libpayments;
export const {
  Client,
  JournalUnavailableError,
  PaymentsError,
  PostgresJournal,
  createJournal,
  decimal,
  generateKey,
  lint,
  qrPng,
  qrSvg,
  verify,
} = libpayments;
