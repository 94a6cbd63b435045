// Generated from spec/operations by generate/templates/program.mjs.jinja; do not edit. To update: cargo xtask generate
import { Client } from 'libpayments';

const client = Client.fromFile('merchant/payments.json');
const payment = await client.queryPayment({ merchant_payment_code: 'order-1003' });
const response = await client.refundPayment({
  hash: payment.hash,
  amount: '50.05',
  description: 'one of two items came back',
  merchant_refund_code: 'refund-1001',
});
console.log(JSON.stringify(response.response));
