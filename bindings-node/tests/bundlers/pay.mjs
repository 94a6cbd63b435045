// A program of a shop, which the tests bundle in several ways.

import { Client } from 'libpayments';

export async function pay() {
  const { BASE_URL, INTEGRATION_KEY } = process.env;
  const client = new Client({ base_url: BASE_URL, integration_key: INTEGRATION_KEY });
  const { status } = await client.createPayment({
    payment: {
      name: 'Maria Souza',
      email: 'maria@example.com',
      country: 'br',
      payment_type_code: 'pix',
      merchant_payment_code: 'order-1001',
      currency_code: 'BRL',
      amount_total: '100.10',
      document: '853.513.468-93',
    },
  });
  return status;
}
