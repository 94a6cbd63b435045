// The payment of an order: POST requests it, GET looks it up.
//
// A real shop saves the order first, and keeps in its database which of them may have
// a payment. Here the journal of the configuration refuses to pay an order twice.

import { PaymentsError } from 'libpayments';

import { paymentsClient } from '../../../../client.js';

// The shop sets the prices, never the browser.
const CATALOG = { 't-shirt': '100.10', mug: '39.90' };

export async function POST(request, { params }) {
  const { code } = await params;
  const { product, name, email, document } = await request.json();
  if (!Object.hasOwn(CATALOG, product)) {
    return Response.json({ code, member: 'product' }, { status: 422 });
  }
  const payment = {
    name,
    email,
    document,
    country: 'br',
    payment_type_code: 'pix',
    currency_code: 'BRL',
    merchant_payment_code: code,
    amount_total: CATALOG[product],
  };
  return answer(code, 201, () => paymentsClient().createPayment({ payment }));
}

export async function GET(_request, { params }) {
  const { code } = await params;
  return answer(code, 200, () => paymentsClient().queryPayment({ merchant_payment_code: code }));
}

async function answer(code, status, call) {
  try {
    const payment = await call();
    const state = { CO: 'paid', CA: 'cancelled' }[payment.status] ?? 'waiting';
    return Response.json({ code, state, qr_code: payment.qrCodeValue }, { status });
  } catch (error) {
    if (!(error instanceof PaymentsError)) {
      throw error;
    }
    // The message contains no secrets and no payer data.
    console.error(error.message);
    if (error.outcome !== 'not_executed') {
      // Not "failed": do not ask the shopper to pay again. A query finds the payment.
      return Response.json({ code, state: 'unknown' }, { status: 202 });
    }
    const isWrong = error.kind === 'validation';
    const member = isWrong ? error.path : undefined;
    return Response.json({ code, state: 'failed', member }, { status: isWrong ? 422 : 503 });
  }
}
