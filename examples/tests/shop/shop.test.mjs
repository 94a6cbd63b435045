// Buys in each shop of examples/shop, in a browser, and pays on the payer's page.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, describe, test } from 'node:test';

import { chromium } from 'playwright-core';

import { KEY, PATIENCE, SHOPS, Shop, until } from './shops.mjs';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
let browser;

before(async () => {
  browser = await chromium.launch({
    executablePath: process.env.PAYMENTS_CHROMIUM,
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  });
});
after(() => browser.close());

/** Opens the page of a shop, and calls `visit` with it. */
async function visiting(shop, visit) {
  const context = await browser.newContext({
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  context.setDefaultTimeout(PATIENCE);
  try {
    const page = await context.newPage();
    await page.goto(shop.url);
    await visit(page);
  } finally {
    await context.close();
  }
}

const fail = (shop, operation, ...then) => shop.control('faults', 'POST', { operation, then });
const refusal = (code) => ({ fault: 'response', json: { status: 'ERROR', status_code: code } });
const pays = (page) => page.getByRole('button', { name: 'Pay by pix' });
const says = (page, text) => page.getByRole('status').filter({ hasText: text }).waitFor();
const referenceOf = (page) => page.locator('#reference').textContent();

async function paymentsOf(shop, page) {
  const reference = await referenceOf(page);
  const { payments } = await shop.control('payments');
  return payments.filter((payment) => payment.merchant_payment_code === reference);
}

/** Waits until the element that has the focus has this text. */
const hasFocus = (page, text) =>
  page.waitForFunction((wanted) => document.activeElement.textContent.includes(wanted), text);

async function assertUsable(page) {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() => window.axe.run());
  assert.deepEqual(
    violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`),
    [],
  );
}

async function payAtTheSandbox(page) {
  const [payments] = await Promise.all([
    page.context().waitForEvent('page'),
    page.getByRole('link', { name: 'Pay at the sandbox' }).click(),
  ]);
  const row = payments.getByRole('row', { name: await referenceOf(page) });
  await row.getByRole('button', { name: 'Pay' }).click();
  await row.getByText('CO (confirmed)').waitFor();
  await payments.close();
}

const PAGES = {
  async 'a mug is bought, paid and refunded'(shop, page) {
    await assertUsable(page);
    await page.getByLabel('T-shirts').fill('2');
    // A second click before the first is answered pays once.
    const answers = [];
    page.on('response', (response) => answers.push(response.request().method()));
    await pays(page).dblclick();
    await until(() => answers.filter((method) => method === 'PUT').length >= 2, shop.programs[0]);
    await page.getByRole('button', { name: 'Copy the code' }).waitFor();
    await says(page, 'Waiting for your payment.');
    await hasFocus(page, await referenceOf(page));
    await assertUsable(page);
    assert.equal(await page.locator('#total').textContent(), '100.50');
    await page.locator('#picture').evaluate((image) => image.decode());
    await page.getByRole('button', { name: 'Copy the code' }).click();
    const code = await page.locator('#code').textContent();
    const copied = () => page.evaluate(() => navigator.clipboard.readText());
    await until(async () => (await copied()) === code, shop.programs[0]);
    const made = await paymentsOf(shop, page);
    assert.deepEqual(
      made.map(({ amount_ext: amount, pix }) => [amount, pix.qr_code_value]),
      [['100.50', code]],
    );

    await payAtTheSandbox(page);
    await says(page, 'Paid. Thank you!');
    await hasFocus(page, await referenceOf(page));
    assert.ok(await page.locator('#code').isHidden());
    await assertUsable(page);

    await page.getByText('For the owner').click();
    await page.getByLabel('Password').fill('guessed');
    await page.getByRole('button', { name: 'Refund' }).click();
    await page.getByRole('alert').filter({ hasText: 'another password' }).waitFor();
    await page.getByLabel('Password').fill(KEY);
    await page.getByRole('button', { name: 'Refund' }).click();
    await says(page, 'a refund is on its way');
    const [{ refunds }] = await paymentsOf(shop, page);
    assert.equal(refunds.length, 1);
    await shop.control(`refunds/${refunds[0].id}/confirm`, 'POST');
    await says(page, 'Refunded.');
    await hasFocus(page, await referenceOf(page));
  },
};

/** Codes that a page tells apart; the last one is in place of all others. */
const CODES = [
  'required',
  'value_invalid',
  'refused',
  'rate_limited',
  'connect_failed',
  'reference_used',
];

/** These depend on the page alone, so one shop is enough. */
const PAGES_OF_ONE = {
  async 'after a refusal, the number stays'(shop, page) {
    await fail(shop, 'create_payment', refusal('BP-DR-22'));
    await pays(page).click();
    await says(page, 'Your payment was refused.');
    const reference = await referenceOf(page);
    await page.getByLabel('E-mail').fill('maria@example.org');
    await pays(page).click();
    await says(page, 'Waiting for your payment.');
    assert.equal(await referenceOf(page), reference);
  },
  async 'after the shop was away, the number stays'(_, page) {
    await page.route('**/orders/*', (route) => route.abort());
    await pays(page).click();
    await says(page, 'We cannot be reached.');
    const { hash } = new URL(page.url());
    await page.unroute('**/orders/*');
    await pays(page).click();
    await says(page, 'Waiting for your payment.');
    assert.equal(`#${(await referenceOf(page)).replace('order-', '')}`, hash);
  },
  async 'after a reload, the order is there'(shop, page) {
    await pays(page).click();
    await says(page, 'Waiting for your payment.');
    const reference = await referenceOf(page);
    await page.reload();
    await says(page, 'Waiting for your payment.');
    assert.equal(await referenceOf(page), reference);
    assert.equal((await paymentsOf(shop, page)).length, 1);
  },
  async 'after a cancellation, a new number is taken on request'(shop, page) {
    await pays(page).click();
    await says(page, 'Waiting for your payment.');
    const reference = await referenceOf(page);
    await shop.control(`payments/${reference}/cancel`, 'POST');
    await says(page, 'this payment was cancelled');
    assert.ok(await pays(page).isHidden());
    await page.getByRole('button', { name: 'Order again' }).click();
    await page.waitForFunction(() => document.activeElement.name === 'mug');
    await pays(page).click();
    await says(page, 'Waiting for your payment.');
    assert.notEqual(await referenceOf(page), reference);
  },
  async 'a code that comes after its payment is shown'(shop, page) {
    const late = { fault: 'edit', remove: ['/pix', '/payment/pix'] };
    await fail(shop, 'create_payment', late);
    await pays(page).click();
    await page.getByRole('button', { name: 'Copy the code' }).waitFor();
  },
  async 'after a lost response, the payment is found'(shop, page) {
    await fail(shop, 'create_payment', { fault: 'close', execute: true });
    await pays(page).click();
    await says(page, 'Waiting for your payment.');
    assert.equal((await paymentsOf(shop, page)).length, 1);
  },
  async 'each problem is told in words for buyers'(_, page) {
    const told = ['', ...CODES];
    for (const problem of CODES) {
      const state = problem === 'reference_used' ? 'conflict' : 'not_paid';
      const json = { reference: 'order-1', total: '10.50', state, problem };
      await page.route('**/orders/*', (route) => route.fulfill({ json }));
      await pays(page).click();
      const said = await page.waitForFunction((earlier) => {
        const text = document.getElementById('state').textContent;
        return earlier.includes(text) ? null : text;
      }, told);
      told.push(await said.jsonValue());
    }
  },
  async 'an order of nothing may be corrected'(shop, page) {
    await page.getByLabel('Mugs').fill('0');
    await pays(page).click();
    await says(page, 'Please check');
    await page.getByLabel('Mugs').fill('1');
    await pays(page).click();
    await says(page, 'Waiting for your payment.');
    assert.equal((await paymentsOf(shop, page)).length, 1);
  },
};

for (const [at, name] of SHOPS.entries()) {
  describe(name, () => {
    let shop;
    before(async () => {
      shop = await Shop.start(name);
    });
    after(() => shop.end());
    for (const [what, act] of Object.entries(at === 0 ? { ...PAGES, ...PAGES_OF_ONE } : PAGES)) {
      test(what, () => visiting(shop, (page) => act(shop, page)));
    }
  });
}
