// A shop that sells mugs: node shop.mjs, beside merchant/payments.json.
//
// `payments sandbox --config-out merchant` writes that file; PAYMENTS_CONFIG names
// another. It needs the packages express and libpayments. PORT is 3000 by default, HOST
// 127.0.0.1.

import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

import express from 'express';
import { Client, PaymentsError } from 'libpayments';

const CENTS = { mug: 1050, shirt: 4500 };
const ENDS = {
  create_payment: { confirmed: 'paid', cancelled: 'cancelled' },
  refund_payment: { confirmed: 'refunded', cancelled: 'paid' },
};
const client = Client.fromFile(process.env.PAYMENTS_CONFIG ?? 'merchant/payments.json');

const fileOf = (number) => `orders/${number}.json`;

/** An order. In your shop, this is a row of your database. */
const orderOf = (number) => JSON.parse(readFileSync(fileOf(number)));

/** Saves members of an order, and returns it as it was before. */
function change(number, members) {
  const order = orderOf(number);
  writeFileSync(`${fileOf(number)}.new`, JSON.stringify({ ...order, ...members }));
  renameSync(`${fileOf(number)}.new`, fileOf(number));
  return order;
}

/** Learns how payments and refunds end, even if their page was closed. */
async function follow() {
  let said = '';
  for (;;) {
    try {
      for await (const end of client.follow({ state: 'follow.state' })) {
        console.info(`${end.operation} of ${end.reference}: ${end.end}`);
        take(end);
      }
    } catch (error) {
      // Another worker may follow for long.
      if (error.message !== said) {
        console.error(`follow: ${error.message}`);
      }
      said = error.message;
    }
    await sleep(1000);
  }
}

/** Changes the order, and delivers it once it is paid. */
function take(end) {
  const number = (end.refundCode ?? end.reference).replace(/^(order|refund)-/, '');
  const state = ENDS[end.operation]?.[end.end];
  if (state === undefined || !existsSync(fileOf(number))) {
    return; // Ask a person; or it is a payment of another program.
  }
  if (change(number, { state }).state === 'waiting' && state === 'paid') {
    console.info(`deliver order-${number}`);
  }
}

const app = express();
app.use(express.json());
app.get('/', (_, response) => response.sendFile('shop.html', { root: import.meta.dirname }));

app.param('number', (_, response, next, number) =>
  /^[0-9a-f-]{6,20}$/.test(number) ? next() : response.sendStatus(404),
);

/** Pays an order. A second click finds the payment of the first. */
app.put('/orders/:number', async (request, response) => {
  const { number } = request.params;
  const { items, payer } = request.body;
  if (!existsSync(fileOf(number))) {
    // Saved before the call.
    mkdirSync('orders', { recursive: true });
    const cents = Object.entries(CENTS).reduce(
      (sum, [name, price]) => sum + price * items[name],
      0,
    );
    const order = { reference: `order-${number}`, total: (cents / 100).toFixed(2) };
    writeFileSync(fileOf(number), JSON.stringify({ ...order, state: 'waiting' }));
  }
  const payment = {
    name: payer.name,
    email: payer.email,
    document: payer.document,
    country: 'br',
    payment_type_code: 'pix',
    currency_code: 'BRL',
    merchant_payment_code: `order-${number}`,
    amount_total: orderOf(number).total,
  };
  try {
    const ensured = await client.ensurePayment({ payment });
    change(number, { hash: ensured.hash, code: ensured.qrCodeValue, picture: ensured.qrSvg() });
    response.json(orderOf(number));
  } catch (error) {
    fail(response, error, `order-${number}`, 'Not paid');
  }
});

/** An order: the page asks for it every second. */
app.get('/orders/:number', ({ params: { number } }, response) =>
  existsSync(fileOf(number)) ? response.json(orderOf(number)) : response.sendStatus(404),
);

/** Refunds an order. A second click is refused by the journal. */
app.post('/orders/:number/refund', async ({ params: { number } }, response) => {
  const { hash, total } = orderOf(number);
  try {
    await client.refundPayment({
      hash,
      operation: 'request',
      amount: total,
      description: 'order returned',
      merchant_refund_code: `refund-${number}`,
    });
  } catch (error) {
    if (!(error instanceof PaymentsError) || error.outcome === 'not_executed') {
      return fail(response, error, `refund of order-${number}`, 'Not refunded');
    }
    console.warn(`refund of order-${number}: ${error.message}`);
  }
  change(number, { state: 'refunding' });
  return response.json(orderOf(number));
});

function fail(response, error, about, what) {
  console.warn(`${about}: ${error.message}`);
  if (!(error instanceof PaymentsError)) {
    return response.status(500).json({ message: 'Our mistake. Please try again later.' });
  }
  return error.outcome === 'not_executed'
    ? response.status(422).json({ message: `${what}: ${error.message}` })
    : response.status(202).json({ message: 'One moment, please: click again.' });
}

follow();
const { PORT = 3000, HOST = '127.0.0.1' } = process.env;
const server = app.listen(PORT, HOST, (error) => {
  if (error) {
    throw error;
  }
  console.info(`shop at http://${HOST}:${PORT}`);
});
// Requests in flight end first, and with them their payments.
process.once('SIGTERM', () => server.close(() => process.exit()));
