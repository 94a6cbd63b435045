// Generated from spec/operations by generate/templates/program.mjs.jinja; do not edit. To update: cargo xtask generate
import { Client } from 'libpayments';

const client = Client.fromFile('merchant/payments.json');
const response = await client.createPayment({
  payment: {
    name: 'Maria Souza',
    email: 'maria@example.com',
    document: '853.513.468-93',
    country: 'br',
    payment_type_code: 'pix',
    currency_code: 'BRL',
    amount_total: '100.10',
    merchant_payment_code: 'order-1001',
  },
});
console.log(JSON.stringify(response.response));
