// Generated from spec/operations by generate/templates/program.mjs.jinja; do not edit. To update: cargo xtask generate
import { Client } from 'libpayments';

const client = Client.fromFile('merchant/payments.json');
const response = await client.createPayout({
  external_reference: 'payout-1001',
  country: 'br',
  currency_code: 'BRL',
  amount: '10.50',
  target: 'pix_key',
  target_account: 'maria@example.com',
  payee: { name: 'Maria Souza', document: '853.513.468-93', document_type: 'CPF' },
});
console.log(JSON.stringify(response.response));
