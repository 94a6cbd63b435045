// A checkout with Express: takes an order, asks for a pix payment, and treats
// an unknown outcome as what it is: the payment may exist.
//
//   PAYMENTS_BASE_URL=… PAYMENTS_KEY_FILE=… PAYMENTS_KID=… node server.mjs
//
// The orders are kept in memory; a shop keeps them in its database.

import { pathToFileURL } from 'node:url';

import express from 'express';
import { Client, PaymentsError } from 'libpayments';

export function checkout(client) {
  const orders = new Map();
  const app = express();
  app.use(express.json());

  app.post('/orders/:code/payment', async (request, response) => {
    const { code } = request.params;
    const known = orders.get(code);
    // Pressed twice, or sent again by a proxy: one order is paid once.
    if (known !== undefined && known.state !== 'failed') {
      return response.status(known.state === 'unknown' ? 202 : 200).json(known);
    }
    const order = { code, state: 'paying', total: request.body.total };
    orders.set(code, order);
    try {
      const answer = await client.createPayment({
        payment: {
          name: request.body.name,
          email: request.body.email,
          document: request.body.document,
          country: 'br',
          payment_type_code: 'pix',
          currency_code: 'BRL',
          // The reference is the order's own code, written down before the
          // call: by it the payment is found whatever happens.
          merchant_payment_code: code,
          amount_total: order.total,
        },
      });
      take(order, answer);
      return response.status(201).json(order);
    } catch (error) {
      if (!(error instanceof PaymentsError)) {
        throw error;
      }
      return answerFailure(order, error, response);
    }
  });

  /** The shopper's page asks until the order is paid, failed or cancelled. */
  app.get('/orders/:code', async (request, response) => {
    const order = orders.get(request.params.code);
    if (order === undefined) {
      return response.status(404).json({ error: 'no such order' });
    }
    if (order.state === 'unknown' || order.state === 'waiting') {
      await findOut(order);
    }
    return response.json(order);
  });

  function answerFailure(order, error, response) {
    // For the log: no secret and no payer data is in it.
    console.error(error.message);
    if (error.outcome === 'unknown') {
      // Not "failed": the shopper must not be asked to pay again.
      order.state = 'unknown';
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

  /** Queries by the order's own code: it moves no money. */
  async function findOut(order) {
    try {
      take(order, await client.queryPayment({ merchant_payment_code: order.code }));
    } catch (error) {
      if (!(error instanceof PaymentsError)) {
        throw error;
      }
      // The service knows of none, so the shopper may try again. Should the
      // first request arrive late after all, one of the two is refused: both
      // have the same reference. Any other failure leaves things as they are.
      if (order.state === 'unknown' && error.serviceCode === 'BP-REF-CAN-2') {
        order.state = 'failed';
      }
    }
  }

  function take(order, answer) {
    const states = { CO: 'paid', CA: 'cancelled' };
    order.state = states[answer.status] ?? 'waiting';
    order.qr_code = answer.qr_code_value ?? order.qr_code;
  }

  return app;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const server = checkout(Client.fromEnv()).listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
    console.log(`http://127.0.0.1:${server.address().port}`);
  });
}
