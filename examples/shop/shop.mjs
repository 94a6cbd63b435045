// A shop that sells mugs: node shop.mjs, beside merchant/payments.json.
//
// `payments sandbox --config-out merchant` writes that file; PAYMENTS_CONFIG names another. PORT
// is 3000, HOST 127.0.0.1. SHOP_KEY is the owner's password: without it, nothing is refunded.

import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import * as fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

import express from 'express';
import { Client } from 'libpayments';

const CENTS = { mug: 1050, shirt: 4500 };
const PIX = { country: 'br', payment_type_code: 'pix', currency_code: 'BRL' };
const OPEN = ['waiting', 'not_paid', 'refunding'];
const NUMBER = /^[0-9a-f-]{6,16}$/;
const CALL_MS = 8000;
const { PAYMENTS_CONFIG = 'merchant/payments.json', SHOP_KEY } = process.env;
const { PORT = 3000, HOST = '127.0.0.1' } = process.env;
const { base_url: base } = JSON.parse(fs.readFileSync(PAYMENTS_CONFIG));
const sandbox = base.startsWith('http://127.0.0.1:') ? `${base}/sandbox/#payments` : null;

const client = Client.fromFile(PAYMENTS_CONFIG);
await client.journal.show('order-1'); // Fails without a journal.
fs.mkdirSync('orders/drafts', { recursive: true });

/** An order and its version, 0 if there is none. In your shop, this is a row of your database. */
function load(number) {
  const folder = `orders/${number}`;
  const version = fs.existsSync(folder) ? fs.readdirSync(folder).length : 0;
  return [version, version > 0 ? JSON.parse(fs.readFileSync(`${folder}/${version}`)) : {}];
}

/** Stores the members that `decide` changes, and returns the order, unless none change. */
function change(number, decide) {
  const [version, order] = load(number);
  const changes = decide(order);
  if (!changes) return undefined;
  const changed = { ...order, ...changes };
  const draft = `orders/drafts/${randomUUID()}`;
  fs.writeFileSync(draft, JSON.stringify(changed), { flush: true });
  fs.mkdirSync(`orders/${number}`, { recursive: true });
  try {
    fs.linkSync(draft, `orders/${number}/${version + 1}`);
    return changed;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    return change(number, decide); // Another worker was faster.
  } finally {
    fs.unlinkSync(draft);
  }
}

/** Begins a call for an order: until it has ended for sure, no other request makes one. */
const attempt = () => ({ attempt: randomUUID(), until: Date.now() + CALL_MS + 2000 });

/** Stores how a call ended, unless the order has moved on. */
const settle = (number, { state, attempt: id }, changes) =>
  change(number, (it) => it.state === state && it.attempt === id && { ...changes, until: 0 });

/** Learns how payments and refunds end, even if their page was closed. */
async function follow() {
  for (;;) {
    try {
      for await (const end of client.follow({ state: 'follow.state' })) {
        console.info(`${end.operation} of ${end.reference}: ${end.end}`);
        const number = (end.refundCode ?? end.reference).replace(/^[^-]*-/, '');
        if (NUMBER.test(number)) change(number, (order) => take(order, end));
      }
    } catch (error) {
      if (error.code !== 'already_running') console.error('follow:', error);
    }
    await sleep(1000);
  }
}

/** The changes by an end. If the order waits for no such end, ask a person. */
function take(order, { operation, reference, refundCode, hash, amount, currency, end }) {
  const isAmount = /^\d+(\.\d+)?$/.test(amount ?? '');
  const isIts =
    JSON.stringify(order.expects) === JSON.stringify([operation, reference, refundCode]) &&
    (!isAmount || Number(amount) === Number(order.total)) &&
    (currency ?? 'BRL') === 'BRL' &&
    // The service may show too little to compare.
    ((isAmount && currency) || (order.hash ?? hash) === hash);
  const state = isIts && OPEN.includes(order.state) && order.ends[end];
  return state && { state, hash: order.hash ?? hash, tries: 0, until: 0 };
}

/** Delivers an order. After a failure or a crash, it is called again. */
async function deliver({ reference }) {
  await fs.promises.appendFile('orders/deliveries.txt', `${reference}\n`);
  console.info(`deliver ${reference}`);
}

/** Delivers what is paid, with growing pauses between the tries. */
async function deliverAll() {
  const tried = ({ state, until, tries }) => {
    const pause = Math.min(5000 * 2 ** tries, 3_600_000);
    const isDue = state === 'delivering' && until < Date.now();
    return isDue && { tries: tries + 1, until: Date.now() + pause };
  };
  for (const number of fs.readdirSync('orders').filter((name) => NUMBER.test(name))) {
    try {
      const order = change(number, tried);
      if (order) await deliver(order);
      if (order) settle(number, order, { state: 'delivered' });
    } catch (error) {
      console.error(`order-${number} is delivered later:`, error);
    }
  }
  setTimeout(deliverAll, 1000);
}

const app = express();
app.use(express.json());
app.get('/', (_, response) => response.sendFile('shop.html', { root: import.meta.dirname }));
app.param('number', (_, response, next, number) =>
  NUMBER.test(number) ? next() : response.sendStatus(404),
);

/** The members of an order for its page, which asks for them every second. */
function look({ params: { number } }, response) {
  const [version, { reference, total, state, problem, ...order }] = load(number);
  const { code, picture } = state === 'waiting' ? order : {};
  const shown = { reference, total, state, problem, code, picture, sandbox };
  return version > 0 ? response.json(shown) : response.sendStatus(404);
}
app.get('/orders/:number', look);

/** Stores an attempt, makes its call, stores how that ended, and answers. */
async function call(request, response, attempted, make) {
  const { number } = request.params;
  const order = change(number, attempted);
  if (order) settle(number, order, await make(order));
  return look(request, response);
}

/** The order in a request; undefined if it has none. */
function read({ items, payer }) {
  const counts = Object.keys(CENTS).map((key) => items?.[key]);
  const { name, email, document } = payer ?? {};
  const isCount = (it) => Number.isInteger(it) && it >= 0 && it <= 99;
  const isText = (it) => typeof it === 'string' && it.length <= 100;
  const cents = Object.values(CENTS).reduce((sum, price, at) => sum + price * counts[at], 0);
  return counts.every(isCount) && [name, email, document].every(isText) && cents > 0
    ? { items, payer: { name, email, document }, total: (cents / 100).toFixed(2) }
    : undefined;
}

/** Pays an order. A second click finds the payment of the first. */
app.put('/orders/:number', (request, response) => {
  const reference = `order-${request.params.number}`;
  const expects = ['create_payment', reference, null];
  const ends = { confirmed: 'delivering', cancelled: 'cancelled' };
  const asked = read(request.body ?? {});
  const attempted = ({ state = 'not_paid', code, until }) =>
    state === 'not_paid'
      ? { ...asked, reference, expects, ends, state: 'waiting', ...attempt() }
      : state === 'waiting' && !code && until < Date.now() && attempt();
  return asked ? call(request, response, attempted, ensure) : response.sendStatus(422);
});

/** Finds or creates the payment, and returns what changes. */
async function ensure({ reference, payer, total }) {
  const payment = { ...payer, ...PIX, merchant_payment_code: reference, amount_total: total };
  try {
    const found = await client.ensurePayment({ payment }, { timeoutMs: CALL_MS });
    return { hash: found.hash, code: found.qrCodeValue, picture: found.qrSvg() };
  } catch ({ code: problem, outcome, message }) {
    console.warn(`${reference}: ${message}`);
    const state = problem === 'reference_used' ? 'conflict' : 'waiting';
    return { problem, state: outcome === 'not_executed' ? 'not_paid' : state };
  }
}

/** Refunds an order. A second click asks for the refund of the first. */
app.post('/orders/:number/refund', (request, response) => {
  const digest = (key) => createHash('sha256').update(key).digest();
  const [given, wanted] = [request.body?.key, SHOP_KEY].map((key) => JSON.stringify([key]));
  const isOwner = SHOP_KEY && timingSafeEqual(digest(given), digest(wanted));
  const attempted = ({ state, hash, refunds = 0, until }) => {
    if (state === 'delivering' || state === 'delivered') {
      const expects = ['refund_payment', hash, `r${refunds + 1}-${request.params.number}`];
      const ends = { confirmed: 'refunded', cancelled: state };
      const its = { refunds: refunds + 1, isNew: true, expects, ends };
      return { state: 'refunding', ...its, ...attempt() };
    }
    return state === 'refunding' && until < Date.now() && { isNew: false, ...attempt() };
  };
  return isOwner ? call(request, response, attempted, refund) : response.sendStatus(403);
});

/** Asks for a refund, or sends it, and returns what changes. The journal sends none twice. */
async function refund({ total, expects: [, hash, code], ends, isNew }) {
  const options = { timeoutMs: CALL_MS / 2 };
  try {
    const { refunds } = await client.queryPayment({ hash }, options);
    const found = refunds.filter((it) => it.merchantRefundCode === code).map((it) => it.status);
    if (found.length === 0) {
      const what = { operation: 'request', amount: total, description: 'order returned' };
      await client.refundPayment({ hash, ...what, merchant_refund_code: code }, options);
    }
    return { state: { CA: ends.cancelled, CO: ends.confirmed }[found.join()] ?? 'refunding' };
  } catch (error) {
    console.warn(`${code}: ${error.message}`);
    return isNew && error.outcome === 'not_executed' ? { state: ends.cancelled } : {};
  }
}

follow();
deliverAll();
const server = app.listen(PORT, HOST, (error) => {
  if (error) throw error;
  console.info(`shop at http://${HOST}:${PORT}`);
});
// Requests in flight end first, and with them their payments.
process.once('SIGTERM', () => server.close(() => process.exit()));
