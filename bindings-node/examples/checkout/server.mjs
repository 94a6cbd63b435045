// A checkout with Express: takes an order, requests a pix payment, and treats
// every payment but one that was not executed as one that may exist.
//
//   node server.mjs merchant/payments.json
//
// Without a file, the configuration is that of the environment (PAYMENTS_BASE_URL
// and so on).
//
// The orders are in memory; a real shop keeps them in its database.

import { pathToFileURL } from 'node:url';

import express from 'express';
import { Client, PaymentsError } from 'libpayments';

// The shop sets the prices, never the browser.
const CATALOG = new Map([
  ['t-shirt', '100.10'],
  ['mug', '39.90'],
]);

const CALL_MS = 30_000;
// For this long after the deadline of its call, a payment that the service does
// not find may still appear. After that, a person may decide.
const SETTLE_AFTER_MINUTES = 15;

export function checkout(client, now = Date.now) {
  const orders = new Map();
  const app = express();
  app.use(express.json());

  app.post('/orders/:code/payment', async (request, response) => {
    const { code } = request.params;
    const known = orders.get(code);
    // An order is paid once, even if the button is clicked twice or a proxy
    // repeats the request. "Failed" means that nothing was executed.
    if (known !== undefined && known.state !== 'failed') {
      return response.status(isOpen(known) ? 202 : 200).json(known);
    }
    const total = CATALOG.get(request.body.product);
    if (total === undefined) {
      return response.status(422).json({ code, state: 'failed', member: 'product' });
    }
    // Save the order before the call: whatever happens, its code finds the
    // payment. Do not rely on the service to refuse a code that was used before.
    const settle_at = now() + CALL_MS + SETTLE_AFTER_MINUTES * 60_000;
    const order = { code, state: 'unknown', total, settle_at };
    orders.set(code, order);
    try {
      take(order, await pay(client, order, request.body));
      return response.status(201).json(order);
    } catch (error) {
      return reportFailure(order, error, response);
    }
  });

  /** The shopper's page polls this until the order is paid, failed or cancelled. */
  app.get('/orders/:code', async (request, response) => {
    const order = orders.get(request.params.code);
    if (order === undefined) {
      return response.status(404).json({ error: 'no such order' });
    }
    if (isOpen(order) || order.state === 'waiting') {
      await findOut(client, order, now);
    }
    return response.json(order);
  });

  return app;
}

function pay(client, order, shopper) {
  const payment = {
    name: shopper.name,
    email: shopper.email,
    document: shopper.document,
    country: 'br',
    payment_type_code: 'pix',
    currency_code: 'BRL',
    merchant_payment_code: order.code,
    amount_total: order.total,
  };
  return client.createPayment({ payment }, { timeoutMs: CALL_MS });
}

function reportFailure(order, error, response) {
  if (!(error instanceof PaymentsError)) {
    throw error;
  }
  // The message contains no secrets and no payer data.
  console.error(error.message);
  if (error.outcome !== 'not_executed') {
    // Not "failed": do not ask the shopper to pay again.
    return response.status(202).json(order);
  }
  order.state = 'failed';
  if (error.kind === 'validation') {
    return response.status(422).json({ ...order, member: error.path });
  }
  if (error.retryAfter !== undefined) {
    response.set('Retry-After', String(error.retryAfter));
  }
  return response.status(503).json(order);
}

/**
 * Queries by the order's own code, which moves no money. Try such a query
 * with your service before you depend on it.
 */
async function findOut(client, order, now) {
  try {
    take(order, await client.queryPayment({ merchant_payment_code: order.code }));
  } catch (error) {
    if (!(error instanceof PaymentsError)) {
      throw error;
    }
    console.error(error.message);
    // Only this code says that the service does not know the payment. Even
    // then it may still appear for a while. The order is never reopened here;
    // a person decides, using the shop's records.
    if (
      error.code === 'payment_not_found' &&
      now() > order.settle_at &&
      order.state === 'unknown'
    ) {
      order.state = 'needs_decision';
    }
  }
}

function isOpen(order) {
  return order.state === 'unknown' || order.state === 'needs_decision';
}

function take(order, payment) {
  const states = { CO: 'paid', CA: 'cancelled' };
  order.state = states[payment.status] ?? 'waiting';
  order.qr_code = payment.qrCodeValue ?? order.qr_code;
  // A payment may be there before its code: a query finds that later.
  const lacksCode = order.state === 'waiting' && order.qr_code === undefined;
  order.message = lacksCode ? 'no code yet: look again in a moment' : undefined;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [file] = process.argv.slice(2);
  const client = file === undefined ? Client.fromEnv() : Client.fromFile(file);
  const server = checkout(client).listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
    console.log(`http://127.0.0.1:${server.address().port}`);
  });
  process.once('SIGTERM', () => {
    // Requests in flight end first, and with them their payments.
    server.close(() => client.close());
  });
}
