// The same classes as for require: a process has one of each.
import libpayments from './index.js';

export const { Client, PaymentsError, decimal, doctor, generateKey, verify } = libpayments;
