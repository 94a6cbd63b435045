import { Client } from 'libpayments';

const client = Client.fromFile('merchant/payments.json');
// `accessToken` is a secret, for the header "Authorization: Bearer …".
const { scope } = await client.accessToken();
console.log(JSON.stringify({ scope }));
