// The page of an order: GET shows its button, POST pays it.

import { PaymentsError } from 'libpayments';

import { createOrder, isReference } from '../../../orders.mjs';
import { paymentsClient } from '../../client.js';

export function GET() {
  const page = '<form method="post"><button>Pay</button></form>';
  return new Response(page, { headers: { 'content-type': 'text/html' } });
}

export async function POST(request, { params }) {
  // Route handlers have no token, but each browser says which site its form is from.
  const site = request.headers.get('origin')?.replace(/^https?:\/\//, '');
  if (site !== request.headers.get('host')) {
    return Response.json({ state: 'load the page again' }, { status: 403 });
  }
  const { reference } = await params;
  if (!isReference(reference)) {
    return new Response(null, { status: 404 });
  }
  // Saved before the call, with the shop's own price. A second click finds the first order.
  const order = await createOrder(reference, {
    total: '10.50',
    payer: { name: 'Maria Souza', email: 'maria@example.com', document: '853.513.468-93' },
  });
  try {
    const payment = await paymentsClient().ensurePayment({
      payment: {
        ...order.payer,
        country: 'br',
        payment_type_code: 'pix',
        currency_code: 'BRL',
        merchant_payment_code: reference,
        amount_total: order.total,
      },
    });
    return Response.json({ state: order.state, code: payment.qrCodeValue });
  } catch (error) {
    if (!(error instanceof PaymentsError)) {
      throw error;
    }
    // The message contains no secrets and no payer data.
    console.error(`${reference}: ${error.message}`);
    return error.outcome === 'not_executed'
      ? Response.json({ state: 'not paid, click again' }, { status: 422 })
      : Response.json({ state: 'waiting' }, { status: 202 }); // deliver.mjs finds out.
  }
}
