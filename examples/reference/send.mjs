import { Client } from 'libpayments';

const client = Client.fromFile('merchant/payments.json');
const response = await client.send({
  method: 'POST',
  path: '/ws/payout/commit',
  body: '{"external_reference":"payout-1001"}',
  reference: 'payout-1001',
});
console.log(JSON.stringify(response.response));
