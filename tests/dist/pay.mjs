// Takes a payment with the package as it is installed: pay.mjs CONFIGURATION REFERENCE.

import { createRequire } from 'node:module';
import process from 'node:process';

import { Client } from 'libpayments';

const [configuration, reference] = process.argv.slice(2);
const { version } = createRequire(import.meta.url)('libpayments/package.json');
const client = Client.fromFile(configuration);
const answer = await client.createPayment({
  payment: {
    name: 'Maria Souza',
    email: 'maria@example.com',
    document: '853.513.468-93',
    country: 'br',
    payment_type_code: 'pix',
    currency_code: 'BRL',
    merchant_payment_code: reference,
    amount_total: '100.10',
  },
});
console.log('paid', version, answer.merchantPaymentCode, answer.status);
