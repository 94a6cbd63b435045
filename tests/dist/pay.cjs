// As pay.mjs, for a Node under Wine, where the module node:process cannot be
// imported: pay.cjs CONFIGURATION REFERENCE.

'use strict';

const { Client } = require('libpayments');
const { version } = require('libpayments/package.json');

const [configuration, reference] = process.argv.slice(2);
Client.fromFile(configuration)
  .createPayment({
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
  })
  .then((answer) => console.log('paid', version, answer.merchantPaymentCode, answer.status));
