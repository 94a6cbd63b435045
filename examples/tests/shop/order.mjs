// An order at a shop, as a browser, a payer and the service's books see it.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { KEY, until } from './shops.mjs';

export const PAYER = {
  name: 'Maria Souza',
  email: 'maria@example.com',
  document: '853.513.468-93',
};
export const MUG = { mug: 1, shirt: 0 };
/** 4455.00 */
export const SHIRTS = { mug: 0, shirt: 99 };
let orders = 0;

/** An order that is new at a shop. */
export class Order {
  constructor(shop) {
    orders += 1;
    this.number = `${orders}`.padStart(8, '0');
    this.reference = `order-${this.number}`;
    this.shop = shop;
  }

  async #ask(method, path, body, signal = undefined) {
    const response = await fetch(`${this.shop.url}orders/${this.number}${path}`, {
      method,
      // A connection that waited for the next request may be closed while that is sent.
      headers: { 'Content-Type': 'application/json', Connection: 'close' },
      body: body && JSON.stringify(body),
      signal,
    });
    const text = await response.text();
    return { status: response.status, text, ...(text.startsWith('{') ? JSON.parse(text) : {}) };
  }

  /** Sends any body as an order. */
  send(body, signal) {
    return this.#ask('PUT', '', body, signal);
  }

  /** Clicks on "Pay". */
  pay(items = MUG, payer = PAYER, signal = undefined) {
    return this.send({ items, payer }, signal);
  }

  look() {
    return this.#ask('GET', '');
  }

  /** Clicks on "Refund", as the owner or with another body. */
  refund(body = { key: KEY }) {
    return this.#ask('POST', '/refund', body);
  }

  until(...states) {
    return until(async () => states.includes((await this.look()).state), this.shop.programs[0]);
  }

  /** Clicks until the order has a code, as the page does. */
  untilCode(items = MUG, payer = PAYER) {
    return until(async () => (await this.pay(items, payer)).code, this.shop.programs[0]);
  }

  /** The payments that the service has under a reference. */
  async booked(reference = this.reference) {
    const { payments } = await this.shop.control('payments');
    return payments.filter(({ merchant_payment_code: code }) => code === reference);
  }

  async amounts() {
    return (await this.booked()).map(({ amount_ext: amount }) => amount);
  }

  /** The states of the refunds that the service has, the oldest first. */
  async refunds() {
    return (await this.booked())[0].refunds ?? [];
  }

  /** Moves the payment at the service, as its payer or the service does. */
  move(to, reference = this.reference) {
    return this.shop.control(`payments/${reference}/${to}`, 'POST');
  }

  async moveRefund(to) {
    const { id } = (await this.refunds()).at(-1);
    await this.shop.control(`refunds/${id}/${to}`, 'POST');
  }

  async buy() {
    await this.untilCode();
    await this.move('confirm');
    await this.until('delivered');
  }

  /** Pays by another program, with the configuration and the journal of the shop. */
  async payElsewhere(reference, over = {}) {
    const payment = {
      ...PAYER,
      country: 'br',
      payment_type_code: 'pix',
      merchant_payment_code: reference,
      currency_code: 'BRL',
      amount_total: '1.00',
      ...over,
    };
    const text = await this.#command('ensure-payment', JSON.stringify({ payment }));
    return JSON.parse(text).hash;
  }

  /** Refunds by another program. */
  refundElsewhere(hash, code) {
    const request = { hash, operation: 'request', amount: '1.00', description: 'other' };
    const text = JSON.stringify({ ...request, merchant_refund_code: code });
    return this.#command('refund-payment', text);
  }

  async #command(...words) {
    const config = join(this.shop.merchant, 'payments.json');
    const command = [...words.slice(0, 1), '--config', config, '--json', ...words.slice(1)];
    return (await promisify(execFile)(process.env.PAYMENTS_COMMAND, command)).stdout;
  }

  /** How often it was delivered, by the log, which may come later than its state. */
  deliveries() {
    return this.shop.log().match(new RegExp(`deliver ${this.reference}\\b`, 'g'))?.length ?? 0;
  }

  async untilDeliveries(times) {
    await until(() => this.deliveries() >= times, this.shop.programs[0]);
    assert.equal(this.deliveries(), times);
  }

  /** Waits until the shop has learned of ends, and has had time to deliver. */
  async untilReported(...reports) {
    const { shop } = this;
    await until(() => reports.every((it) => shop.log().includes(it)), shop.programs[0]);
    await new Order(shop).buy();
  }
}
