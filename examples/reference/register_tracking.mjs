// Generated from spec/operations by generate/templates/program.mjs.jinja; do not edit. To update: cargo xtask generate
import { Client } from 'libpayments';

const client = Client.fromFile('merchant/payments.json');
const response = await client.registerTracking({
  order_number: 'order-1001',
  email: 'maria@example.com',
  tracking_code: [
    'AA123456785BR',
    { tracking_code: 'AA123456799BR', items: [{ name: 'Mug', quantity: 2 }] },
  ],
});
console.log(JSON.stringify(response.response));
