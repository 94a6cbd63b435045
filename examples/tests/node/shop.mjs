// A shop's own code around libpayments, which the tests of this folder test.

import { PaymentsError } from 'libpayments';

const STATES = { OP: 'waiting', PE: 'waiting', CO: 'paid', CA: 'declined' };

/** Pays orders, once each. An order has a number, an amount and a state, as a row of a table has. */
export class Shop {
  #payments;

  /** Uses this client, or a stand-in for it. */
  constructor(payments) {
    this.#payments = payments;
  }

  /** Creates the payment of an order, unless that was tried before. */
  async pay(order) {
    if (order.state !== 'new' && order.state !== 'failed') {
      return this.settle(order);
    }
    // In a real shop, this is committed before the call.
    order.state = 'unknown';
    try {
      return note(order, await this.#payments.createPayment({ payment: paymentOf(order) }));
    } catch (error) {
      if (!(error instanceof PaymentsError)) {
        throw error;
      }
      if (error.outcome !== 'not_executed') {
        return this.settle(order);
      }
      order.state = 'failed';
      return order.state;
    }
  }

  /** Finds out the outcome of a payment. Safe at any time. */
  async settle(order) {
    try {
      return note(
        order,
        await this.#payments.queryPayment({ merchant_payment_code: order.number }),
      );
    } catch (error) {
      if (!(error instanceof PaymentsError)) {
        throw error;
      }
      // Still unknown, and a job asks again later. Even a payment that is not
      // found may appear yet, so the order is never reopened here.
      return order.state;
    }
  }
}

function note(order, response) {
  order.state = STATES[response.status] ?? 'unknown';
  return order.state;
}

function paymentOf(order) {
  return {
    name: 'Maria Souza',
    email: 'maria@example.com',
    document: '853.513.468-93',
    country: 'br',
    payment_type_code: 'pix',
    currency_code: 'BRL',
    merchant_payment_code: order.number,
    amount_total: order.amount,
  };
}
