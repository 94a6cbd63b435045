// Generated from spec/operations by generate/templates/program.mjs.jinja; do not edit. To update: cargo xtask generate
import { Client } from 'libpayments';

const client = Client.fromFile('merchant/payments.json');
const response = await client.queryPayout({ external_reference: 'payout-1001' });
console.log(JSON.stringify(response.response));
