// Attacks of buyers, payers, other programs and the service on the shops of examples/shop.
// Each name begins with a state of docs/order-to-delivery.md.

import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { MUG, Order, PAYER, SHIRTS } from './order.mjs';
import { DEMO, SHOPS, Shop, until } from './shops.mjs';

const fail = (shop, operation, ...then) => shop.control('faults', 'POST', { operation, then });
const refusal = (code) => ({ fault: 'response', json: { status: 'ERROR', status_code: code } });
const LOST = { fault: 'close', execute: true };
const REFUSED = refusal('BP-DR-22');
const NOT_FOUND = refusal('BP-REF-CAN-2');

async function assertRefused(shop, items) {
  const order = new Order(shop);
  const { status, text } = await order.pay(items);
  assert.ok(status >= 400 && status < 500, `${status} ${text}`);
  assert.deepEqual(await order.amounts(), []);
  assert.equal((await order.look()).status, 404);
  return order;
}

/** Nothing of these is about another order, and none sets a fault: they run at the same time. */
const ATTACKS = {
  'no order: a negative count': (shop) => assertRefused(shop, { mug: 99, shirt: -20 }),
  'no order: a fraction of a mug': (shop) => assertRefused(shop, { mug: 0.001, shirt: 0 }),
  'no order: a hundred mugs': (shop) => assertRefused(shop, { mug: 100, shirt: 0 }),
  'no order: more mugs than a number has room for': (shop) =>
    // In 64 bits, 4500 times as many are 884.
    assertRefused(shop, { mug: 0, shirt: 4_099_276_460_824_345 }),
  'no order: counts that are no numbers': async (shop) => {
    for (const count of ['1', '1e0', [], [1], {}, true, null]) {
      await assertRefused(shop, { mug: count, shirt: 1 });
    }
  },
  'no order: nothing, which may be corrected': async (shop) => {
    const order = await assertRefused(shop, { mug: 0, shirt: 0 });
    await order.untilCode();
    assert.deepEqual(await order.amounts(), ['10.50']);
  },
  'no order: neither items nor a payer': async (shop) => {
    const order = new Order(shop);
    for (const body of [{}, { items: MUG }, { payer: PAYER }, { items: [], payer: [] }]) {
      const { status } = await order.send(body);
      assert.ok(status >= 400 && status < 500, `${status} for ${JSON.stringify(body)}`);
    }
    assert.equal((await order.look()).status, 404);
  },

  'waiting: a price from the browser is not taken': async (shop) => {
    const order = new Order(shop);
    const over = { amount_total: '0.01', merchant_payment_code: 'order-0', currency_code: 'ARS' };
    await order.send({ items: MUG, payer: PAYER, total: '0.01', state: 'delivered', ...over });
    const [payment] = await order.booked();
    assert.deepEqual([payment?.amount_ext, payment?.currency_ext], ['10.50', 'BRL']);
  },
  'waiting: two baskets at once, of which one is paid': async (shop) => {
    const orders = Array.from({ length: 12 }, () => new Order(shop));
    const both = orders.flatMap((order) => [order.pay(SHIRTS), order.pay(MUG), order.pay(SHIRTS)]);
    await Promise.all(both);
    for (const order of orders) {
      await order.untilCode();
      assert.deepEqual(await order.amounts(), [(await order.look()).total]);
    }
  },
  'waiting: eighty clicks pay once': async (shop) => {
    const order = new Order(shop);
    const clicks = Array.from({ length: 80 }, (_, at) => order.pay(at % 2 ? MUG : SHIRTS));
    const statuses = (await Promise.all(clicks)).map(({ status }) => status);
    assert.deepEqual(new Set(statuses), new Set([200]));
    await order.untilCode();
    assert.deepEqual(await order.amounts(), [(await order.look()).total]);
  },
  'waiting: another basket finds what was ordered': async (shop) => {
    const order = new Order(shop);
    await order.untilCode(SHIRTS);
    const { total, code } = await order.pay(MUG, { ...PAYER, email: 'maria@example.org' });
    assert.deepEqual([total, typeof code], ['4455.00', 'string']);
    assert.deepEqual(await order.amounts(), ['4455.00']);
  },
  'waiting: a page learns nothing of the payer': async (shop) => {
    const order = new Order(shop);
    await order.untilCode();
    assert.doesNotMatch((await order.look()).text, /maria|souza|853\.513/i);
  },
  'waiting: payments of other programs are not its own': async (shop) => {
    const order = new Order(shop);
    await order.untilCode(SHIRTS);
    const others = ['gift-', 'refund-', 'order-order-', 'r1-', ''].map((it) => it + order.number);
    for (const reference of others) {
      await order.payElsewhere(reference);
      await order.move('confirm', reference);
    }
    await order.untilReported(...others.map((reference) => `${reference}: confirmed`));
    assert.deepEqual([(await order.look()).state, order.deliveries()], ['waiting', 0]);
  },
  'waiting: a refund of another payment is not its own': async (shop) => {
    const order = new Order(shop);
    await order.untilCode(SHIRTS);
    const reports = [];
    for (const prefix of ['refund-', 'r1-']) {
      const reference = `other-${prefix}${order.number}`;
      const hash = await order.payElsewhere(reference);
      await order.move('confirm', reference);
      await order.refundElsewhere(hash, prefix + order.number);
      const { payment } = await shop.control(`payments/${reference}`);
      await shop.control(`refunds/${payment.refunds[0].id}/confirm`, 'POST');
      reports.push(`refund_payment of ${hash}: confirmed`);
    }
    await order.untilReported(...reports);
    assert.equal((await order.look()).state, 'waiting');
  },
  'waiting: a refund is not sent': async (shop) => {
    const order = new Order(shop);
    await order.untilCode();
    await order.refund();
    assert.equal((await order.look()).state, 'waiting');
    assert.deepEqual(await order.refunds(), []);
  },

  'cancelled: nothing is delivered, and no code is shown': async (shop) => {
    const order = new Order(shop);
    await order.untilCode();
    await order.move('cancel');
    await order.until('cancelled');
    const { state, code } = await order.pay();
    assert.deepEqual([state, code ?? null, order.deliveries()], ['cancelled', null, 0]);
  },

  'conflict: its reference was paid before by others': async (shop) => {
    const order = new Order(shop);
    await order.payElsewhere(order.reference);
    await order.move('confirm');
    await order.untilReported(`${order.reference}: confirmed`);
    await assertConflict(order);
  },
  'conflict: its reference is paid by others afterwards': async (shop) => {
    const order = new Order(shop);
    await order.payElsewhere(order.reference);
    await order.pay(SHIRTS);
    await order.move('confirm');
    await assertConflict(order);
  },
  'conflict: the same amount in another currency': async (shop) => {
    const order = new Order(shop);
    const over = { currency_code: 'USD', amount_total: '4455.00' };
    await order.payElsewhere(order.reference, over);
    await order.pay(SHIRTS);
    await order.move('confirm');
    await assertConflict(order);
  },

  'delivered: once, and no code is shown': async (shop) => {
    const order = new Order(shop);
    await order.buy();
    const { code, picture, total } = await order.pay(SHIRTS);
    assert.deepEqual([code ?? null, picture ?? null, total], [null, null, '10.50']);
    assert.deepEqual(await order.amounts(), ['10.50']);
    await new Order(shop).buy();
    await order.untilDeliveries(1);
  },
  'delivered: nobody but the owner refunds': async (shop) => {
    const order = new Order(shop);
    await order.buy();
    const wrong = [null, '', 'Owner', 'owner1', 'owne', 'owner\0', 0, true, ['owner'], {}];
    for (const body of [{}, [], ...wrong.map((key) => ({ key }))]) {
      const { status } = await order.refund(body);
      assert.ok(status >= 400 && status < 500, `${status} for ${JSON.stringify(body)}`);
    }
    assert.equal((await order.look()).state, 'delivered');
    assert.deepEqual(await order.refunds(), []);
  },

  'refunding: eighty clicks refund once': async (shop) => {
    const order = new Order(shop);
    await order.buy();
    await Promise.all(Array.from({ length: 80 }, () => order.refund()));
    await order.refund();
    const refunds = await order.refunds();
    assert.deepEqual(
      refunds.map(({ amount_ext: amount, status }) => [amount, status]),
      [['10.50', 'RE']],
    );
    assert.equal((await order.look()).state, 'refunding');
  },
  'refunding: what the service cancels is refunded again': async (shop) => {
    const order = new Order(shop);
    await order.buy();
    await order.refund();
    await order.moveRefund('cancel');
    await order.until('delivered');
    await order.refund();
    assert.equal((await order.look()).state, 'refunding');
    await order.moveRefund('confirm');
    await order.until('refunded');
    const refunds = await order.refunds();
    assert.deepEqual(
      refunds.map(({ status }) => status),
      ['CA', 'CO'],
    );
    assert.equal(new Set(refunds.map((it) => it.merchant_refund_code)).size, 2);
    await order.untilDeliveries(1);
  },

  'refunded: another click sends nothing': async (shop) => {
    const order = new Order(shop);
    await order.buy();
    await order.refund();
    await order.moveRefund('confirm');
    await order.until('refunded');
    await order.refund();
    await order.pay();
    assert.equal((await order.look()).state, 'refunded');
    assert.equal((await order.refunds()).length, 1);
  },
};

async function assertConflict(order) {
  const { state, problem, code } = await order.pay(SHIRTS);
  assert.deepEqual([state, problem, code ?? null], ['conflict', 'reference_used', null]);
  await order.untilReported(`${order.reference}: `);
  assert.equal((await order.pay(SHIRTS)).state, 'conflict');
  assert.equal(order.deliveries(), 0);
}

/** These set faults for the next call, so one comes after the other. */
const FAULTS = {
  'waiting: a lost response is found': async (shop) => {
    const order = new Order(shop);
    await fail(shop, 'create_payment', LOST);
    const { code } = await order.pay();
    assert.equal(typeof code, 'string', shop.log());
    assert.deepEqual(await order.amounts(), ['10.50']);
  },
  'waiting: the browser goes away': async (shop) => {
    const order = new Order(shop);
    await fail(shop, 'create_payment', { fault: 'pass', delay_ms: 2000 });
    const leaving = new AbortController();
    const clicked = order.pay(MUG, PAYER, leaving.signal).catch(() => {});
    await until(async () => (await order.look()).status === 200, shop.programs[0]);
    leaving.abort();
    await clicked;
    await until(async () => (await order.look()).code, shop.programs[0]);
    assert.deepEqual(await order.amounts(), ['10.50']);
  },
  'waiting: after a doubt, a corrected e-mail finds': async (shop) => {
    const order = new Order(shop);
    await fail(shop, 'create_payment', LOST);
    await fail(shop, 'query_payment', ...Array(40).fill(NOT_FOUND));
    const { state, code } = await order.pay(SHIRTS, { ...PAYER, email: 'm@exmaple.com' });
    assert.deepEqual([state, code ?? null], ['waiting', null]);
    await shop.control('faults', 'DELETE');
    await order.untilCode(MUG);
    assert.equal((await order.look()).total, '4455.00');
    assert.deepEqual(await order.amounts(), ['4455.00']);
    await order.move('confirm');
    await order.until('delivered');
  },

  'not_paid: a smaller basket is paid after a refusal': async (shop) => {
    const order = new Order(shop);
    await fail(shop, 'create_payment', REFUSED);
    const { state, problem } = await order.pay(SHIRTS, { ...PAYER, email: 'm@exmaple.com' });
    assert.deepEqual([state, problem], ['not_paid', 'refused'], shop.log());
    await order.untilCode();
    assert.equal((await order.look()).total, '10.50');
    assert.deepEqual(await order.amounts(), ['10.50']);
    await order.move('confirm');
    await order.until('delivered');
  },
  'not_paid: a page learns a code, and the log the rest': async (shop) => {
    const order = new Order(shop);
    const { state, problem, text } = await order.pay(MUG, { ...PAYER, document: '' });
    assert.deepEqual([state, problem], ['not_paid', 'required']);
    assert.doesNotMatch(text, /document/);
    const isLogged = () => new RegExp(`${order.reference}: .*document`).test(shop.log());
    await until(isLogged, shop.programs[0]);
    await fail(shop, 'create_payment', { fault: 'rate_limited' });
    assert.equal((await order.pay()).problem, 'rate_limited');
    await order.untilCode();
  },

  'refunding: a lost response is asked for': async (shop) => {
    const order = new Order(shop);
    await order.buy();
    await fail(shop, 'refund_payment', LOST);
    assert.equal((await order.refund()).state, 'refunding');
    for (let times = 0; times < 3; times += 1) {
      assert.equal((await order.refund()).state, 'refunding');
    }
    assert.equal((await order.refunds()).length, 1);
    await order.moveRefund('confirm');
    assert.equal((await order.refund()).state, 'refunded');
  },
  'refunding: a lost one that the service cancels': async (shop) => {
    const order = new Order(shop);
    await order.buy();
    await fail(shop, 'refund_payment', LOST);
    await order.refund();
    await order.moveRefund('cancel');
    assert.equal((await order.refund()).state, 'delivered');
  },
  'refunding: a doubt is never sent again': async (shop) => {
    const order = new Order(shop);
    await order.buy();
    await fail(shop, 'refund_payment', { fault: 'close' });
    for (let times = 0; times < 3; times += 1) {
      assert.equal((await order.refund()).state, 'refunding');
    }
    const { requests } = await shop.control('requests?operation=refund_payment');
    const [{ hash }] = await order.booked();
    const sent = requests.filter((it) => `${Buffer.from(it.body_base64, 'base64')}`.includes(hash));
    assert.equal(sent.length, 1);
  },
  'refunding: a refusal may be repeated': async (shop) => {
    const order = new Order(shop);
    await order.buy();
    await fail(shop, 'refund_payment', REFUSED);
    assert.equal((await order.refund()).state, 'delivered');
    assert.equal((await order.refund()).state, 'refunding');
    assert.equal((await order.refunds()).length, 1);
  },
};

/** The list that a shop delivers into; where a folder has its name, deliveries fail. */
const deliveriesOf = (shop) =>
  join(shop.name === DEMO ? shop.merchant : join(shop.path, 'orders'), 'deliveries.txt');

async function whileDeliveriesFail(shop, act) {
  const file = deliveriesOf(shop);
  rmSync(file, { force: true });
  mkdirSync(file);
  try {
    await act();
  } finally {
    rmSync(file, { recursive: true });
  }
}

async function payInVain(order) {
  await order.untilCode();
  await order.move('confirm');
  await order.until('delivering');
  await until(
    () => order.shop.log().includes(`${order.reference} is delivered later`),
    order.shop.programs[0],
  );
}

/** Deliveries fail for all orders of a shop. */
const DELIVERIES = {
  'delivering: a delivery that fails is made later': async (shop) => {
    const [first, second] = [new Order(shop), new Order(shop)];
    await whileDeliveriesFail(shop, async () => {
      await payInVain(first);
      // Its follower goes on.
      await payInVain(second);
      assert.deepEqual([first.deliveries(), second.deliveries()], [0, 0]);
    });
    await Promise.all([first, second].map((order) => order.until('delivered')));
    await Promise.all([first, second].map((order) => order.untilDeliveries(1)));
  },
  'delivering: what cannot be delivered is refunded': async (shop) => {
    const order = new Order(shop);
    await whileDeliveriesFail(shop, async () => {
      await payInVain(order);
      assert.equal((await order.refund()).state, 'refunding');
    });
    await order.moveRefund('confirm');
    await order.until('refunded');
    await new Order(shop).buy();
    assert.equal(order.deliveries(), 0);
  },
};

async function restart(shop) {
  await shop.kill();
  await shop.open();
}

/** Shops are killed. */
const RESTARTS = {
  'waiting: a shop that was killed finds its payment': async (shop) => {
    const order = new Order(shop);
    await fail(shop, 'create_payment', { fault: 'pass', delay_ms: 2000 });
    // A web server in front of php-fpm answers for it.
    const cut = order.pay().then(
      ({ status }) => assert.equal(status, 502),
      () => {},
    );
    await until(async () => (await order.booked()).length > 0, shop.programs[0]);
    await shop.kill();
    await cut;
    await shop.open();
    await order.untilCode();
    assert.deepEqual(await order.amounts(), ['10.50']);
  },
  'waiting: SIGTERM ends a shop after its payment': async (shop) => {
    const order = new Order(shop);
    await fail(shop, 'create_payment', { fault: 'pass', delay_ms: 1000 });
    const clicked = order.pay();
    await until(async () => (await order.booked()).length > 0, shop.programs[0]);
    const [{ child, exited }] = shop.programs;
    // It ends the requests in flight by itself; for FPM, see bindings-php/README.md.
    if (/Python|Node/.test(shop.name)) {
      child.kill('SIGTERM');
      assert.equal(typeof (await clicked).code, 'string');
      const [exitCode, signal] = await exited;
      // uvicorn ends by the signal that it got.
      assert.ok(exitCode === 0 || signal === 'SIGTERM', `${exitCode} ${signal}`);
      await shop.open();
    }
    assert.equal(typeof (await clicked).code, 'string');
  },
  'waiting: paid while its shop is down': async (shop) => {
    const order = new Order(shop);
    await order.untilCode();
    await shop.kill();
    await order.move('confirm');
    await shop.open();
    await order.until('delivered');
    await order.untilDeliveries(1);
  },
  'delivering: after a kill': async (shop) => {
    const order = new Order(shop);
    await whileDeliveriesFail(shop, async () => {
      await payInVain(order);
      await shop.kill();
    });
    await shop.open();
    await order.until('delivered');
    await order.untilDeliveries(1);
  },
  'refunded: an end that is reported again changes nothing': async (shop) => {
    const order = new Order(shop);
    await order.buy();
    await order.refund();
    await order.moveRefund('confirm');
    await order.until('refunded');
    await shop.kill();
    rmSync(join(shop.path, 'follow.state'));
    await shop.open();
    await order.untilReported(`${order.reference}: confirmed`);
    assert.equal((await order.look()).state, 'refunded');
    assert.equal(order.deliveries(), 0);
  },
  'no order: without a journal': async (shop) => {
    const file = join(shop.merchant, 'payments.json');
    const configuration = readFileSync(file);
    await shop.kill();
    const { journal, ...others } = JSON.parse(configuration);
    assert.ok(journal);
    writeFileSync(file, JSON.stringify(others));
    const order = new Order(shop);
    await shop.launch();
    // Each says why, at its start or when it is asked.
    for (let times = 0; times < 600 && !shop.log().includes('journal'); times += 1) {
      await order.pay().catch(() => {});
      await sleep(100);
    }
    assert.match(shop.log(), /journal/);
    assert.deepEqual(await order.amounts(), []);
    writeFileSync(file, configuration);
    await restart(shop);
  },
};

test('each state of the table is attacked', () => {
  const page = join(process.env.PAYMENTS_SHOPS, '../../docs/order-to-delivery.md');
  const rows = readFileSync(page, 'utf8').split('| State of the order |')[1].split('\n\n')[0];
  const states = [...rows.matchAll(/^\| `?([a-z_ ]+)`? \|/gm)].map(([, state]) => state);
  const names = Object.keys({ ...ATTACKS, ...FAULTS, ...DELIVERIES, ...RESTARTS });
  const attacked = new Set(names.map((name) => name.split(':')[0]));
  assert.deepEqual([...attacked].sort(), states.sort());
});

describe('shops', { concurrency: 8 }, () => {
  for (const name of SHOPS) {
    describe(name, { concurrency: 1 }, () => {
      let shop;
      before(async () => {
        shop = await Shop.start(name, { timeout_ms: 3000 });
      });
      after(() => shop.end());

      const others = { ...(name === DEMO ? {} : RESTARTS), ...FAULTS, ...DELIVERIES };
      describe('one after the other', { concurrency: 1 }, () => {
        for (const [attack, resist] of Object.entries(others)) {
          test(attack, () => resist(shop));
        }
      });
      describe('at the same time', { concurrency: 8 }, () => {
        for (const [attack, resist] of Object.entries(ATTACKS)) {
          test(attack, () => resist(shop));
        }
      });
    });
  }
});
