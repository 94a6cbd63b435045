// Each shop of examples/shop when responses are lost, browsers go away and shops die:
// an order is paid once.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { STARTS, Shop, until } from './shops.mjs';

const PAYER = { name: 'Maria Souza', email: 'maria@example.com', document: '853.513.468-93' };
/** Those that end the requests in flight on SIGTERM. */
const ENDING = ['Python, by uvicorn', 'Python, by two workers of uvicorn', 'Node, by Express'];

let orders = 0;

/** An order that is new at a shop. */
class Order {
  constructor(shop) {
    orders += 1;
    this.number = `${orders}`.padStart(8, '0');
    this.shop = shop;
  }

  /** Clicks on "Pay". */
  async pay({ payer = PAYER, signal = undefined } = {}) {
    const response = await fetch(`${this.shop.url}orders/${this.number}`, {
      method: 'PUT',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ items: { mug: 1, shirt: 0 }, payer }),
      signal,
    });
    return { status: response.status, ...(await response.json()) };
  }

  async hasCode() {
    const response = await fetch(`${this.shop.url}orders/${this.number}`);
    return response.ok && (await response.json()).code !== undefined;
  }

  async isSent() {
    const { requests } = await this.shop.control('requests?operation=create_payment');
    const bodies = requests.map(({ body_base64: body }) => Buffer.from(body, 'base64'));
    return bodies.some((body) => body.includes(`order-${this.number}`));
  }

  async assertPaidOnce() {
    const { status, code } = await this.pay();
    assert.equal(status, 200, this.shop.log());
    assert.ok(code.length > 10);
    const { payments } = await this.shop.control('payments');
    const codes = payments.map(({ merchant_payment_code: reference }) => reference);
    assert.equal(codes.filter((it) => it === `order-${this.number}`).length, 1, codes.join(' '));
  }
}

const fail = (shop, operation, fault, times = 1) =>
  shop.control('faults', 'POST', { operation, times, then: [fault] });

const FAILURES = {
  async 'a mistake of the payer is named, and nothing is paid'(shop) {
    const order = new Order(shop);
    const { status, message } = await order.pay({ payer: { ...PAYER, document: '' } });
    assert.equal(status, 422);
    assert.match(message, /^Not paid: .*document/);
    assert.ok(!(await order.isSent()));
  },

  async 'a lost response is found'(shop) {
    const order = new Order(shop);
    await fail(shop, 'create_payment', { fault: 'close', execute: true });
    const { status, state } = await order.pay();
    assert.deepEqual([status, state], [200, 'waiting']);
    await order.assertPaidOnce();
  },

  async 'many orders at once are paid once each'(shop) {
    const made = Array.from({ length: 40 }, () => new Order(shop));
    const clicks = await Promise.all([...made, ...made].map((order) => order.pay()));
    // 202: the other click did not end in time.
    const areTaken = clicks.every(({ status }) => [200, 202].includes(status));
    assert.ok(areTaken, shop.log());
    for (const order of made) {
      await order.assertPaidOnce();
    }
  },

  async 'the payment of a browser that went away is found'(shop) {
    const order = new Order(shop);
    await fail(shop, 'create_payment', { fault: 'pass', delay_ms: 1000 });
    await assert.rejects(order.pay({ signal: AbortSignal.timeout(500) }));
    await until(() => order.hasCode(), shop.programs[0]);
    await order.assertPaidOnce();
  },

  async 'a payment that may exist is no failure'(shop) {
    const order = new Order(shop);
    await fail(shop, 'create_payment', { fault: 'close', execute: true, delay_ms: 1000 });
    const clicked = order.pay();
    await until(() => order.isSent(), shop.programs[0]);
    await fail(shop, 'query_payment', { fault: 'response', status: 503 }, 'always');
    const { status, message } = await clicked;
    assert.deepEqual([status, message], [202, 'One moment, please: click again.']);
    await shop.control('faults', 'DELETE');
    await order.assertPaidOnce();
  },

  async 'a shop that was killed goes on with its payment'(shop) {
    const order = new Order(shop);
    await fail(shop, 'create_payment', { fault: 'pass', delay_ms: 2000 });
    const cut = assert.rejects(order.pay());
    await until(() => order.isSent(), shop.programs[0]);
    await shop.kill();
    await cut;
    await shop.open();
    await order.assertPaidOnce();
  },
};

async function assertEndsWithItsPayment(shop) {
  const order = new Order(shop);
  await fail(shop, 'create_payment', { fault: 'pass', delay_ms: 1000 });
  const clicked = order.pay();
  await until(() => order.isSent(), shop.programs[0]);
  const [{ child, exited }] = shop.programs;
  child.kill('SIGTERM');
  const { status, code } = await clicked;
  assert.deepEqual([status, code.length > 10], [200, true]);
  const [exitCode, signal] = await exited;
  // uvicorn ends by the signal that it got.
  assert.ok(exitCode === 0 || signal === 'SIGTERM', `${exitCode} ${signal}`);
}

for (const name of Object.keys(STARTS)) {
  describe(name, () => {
    let shop;
    before(async () => {
      // Calls end soon, for those whose outcome stays unknown.
      shop = await Shop.start(STARTS[name], { timeout_ms: 3000 });
    });
    after(() => shop.end());
    for (const [failure, assertPaid] of Object.entries(FAILURES)) {
      test(failure, () => assertPaid(shop));
    }
    if (ENDING.includes(name)) {
      test('a payment in flight ends before SIGTERM ends its shop', () =>
        assertEndsWithItsPayment(shop));
    }
  });
}
