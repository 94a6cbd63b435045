// Buys in each shop of examples/shop, in a browser, and pays on the payer's page.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { chromium } from 'playwright-core';

import { PATIENCE, STARTS, Shop, until } from './shops.mjs';

let browser;

before(async () => {
  browser = await chromium.launch({
    executablePath: process.env.PAYMENTS_CHROMIUM,
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  });
});
after(() => browser.close());

/** Starts a shop, and calls `visit` with it and with its page. */
async function visiting(start, visit) {
  const context = await browser.newContext({
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  context.setDefaultTimeout(PATIENCE);
  const shop = await Shop.start(start);
  try {
    const page = await context.newPage();
    await page.goto(shop.url);
    await visit(shop, page);
  } finally {
    await context.close();
    await shop.end();
  }
}

for (const [name, start] of Object.entries(STARTS)) {
  test(`a mug is bought, paid and refunded: ${name}`, () =>
    visiting(start, async (shop, page) => {
      await payElsewhere(shop);
      await buy(shop, page);
    }));
}

test('a mug is bought, paid and refunded: payments demo --keep', () => visiting(startDemo, buy));

/** Starts the demonstration, which has a sandbox for its shop. */
async function startDemo(shop) {
  const words = ['demo', '--keep'];
  const program = shop.run(process.env.PAYMENTS_COMMAND, words, { TMPDIR: shop.path });
  await until(() => program.output.includes('Delete the folder'), program);
  [shop.url, shop.sandbox] = program.output.match(/(http:\S+)\/sandbox\/shop\//);
  return [program];
}

test('a code that comes after its payment is shown', () =>
  visiting(STARTS['Node, by Express'], async (shop, page) => {
    const then = [{ fault: 'edit', remove: ['/pix', '/payment/pix'] }];
    await shop.control('faults', 'POST', { operation: 'create_payment', then });
    await page.getByRole('button', { name: 'Pay by pix' }).click();
    await page.getByText('waiting for your payment').waitFor();
    await page.getByRole('button', { name: 'Copy the code' }).waitFor();
  }));

/** Pays by another program with the journal of the shop, which leaves that payment alone. */
async function payElsewhere(shop) {
  const request = {
    name: 'Maria Souza',
    email: 'maria@example.com',
    document: '853.513.468-93',
    country: 'br',
    payment_type_code: 'pix',
    merchant_payment_code: 'order-1005',
    currency_code: 'BRL',
    amount_total: '10.50',
  };
  const payment = JSON.stringify({ payment: request });
  const words = ['ensure-payment', '--config', 'merchant/payments.json', payment];
  const { exited } = shop.run(process.env.PAYMENTS_COMMAND, words);
  assert.deepEqual(await exited, [0, null]);
  await shop.control('payments/order-1005/confirm', 'POST');
  await until(() => shop.log().includes('order-1005: confirmed'), shop.programs[0]);
}

async function buy(shop, page) {
  const payments = async () => {
    const reference = await page.locator('#reference').textContent();
    const all = (await shop.control('payments')).payments;
    return all.filter((payment) => payment.merchant_payment_code === reference);
  };
  await page.getByLabel('T-shirts').fill('2');
  // A second click before the first is answered pays once.
  await page.getByRole('button', { name: 'Pay by pix' }).dblclick();
  await page.getByText('waiting for your payment').waitFor();
  assert.equal(await page.locator('#total').textContent(), '100.50');
  assert.ok(await page.locator('#picture').evaluate((image) => image.decode().then(() => true)));
  await page.getByRole('button', { name: 'Copy the code' }).click();
  const code = await page.locator('#code').textContent();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), code);
  const made = await payments();
  assert.deepEqual(
    made.map(({ amount_ext: amount, pix }) => [amount, pix.qr_code_value]),
    [['100.50', code]],
  );

  const payer = await page.context().newPage();
  await payer.goto(`${shop.sandbox}/sandbox/pay/${made[0].hash}`);
  await payer.getByRole('button', { name: 'Pay' }).click();
  await payer.getByText('Paid', { exact: true }).waitFor();
  await page.getByText('paid', { exact: true }).waitFor();

  await page.getByRole('button', { name: 'Refund' }).click();
  await page.getByText('a refund is on its way').waitFor();
  const [{ refunds }] = await payments();
  assert.equal(refunds.length, 1);
  await shop.control(`refunds/${refunds[0].id}/confirm`, 'POST');
  await page.getByText('refunded', { exact: true }).waitFor();
  const log = shop.log();
  assert.equal(log.match(/deliver order-/g)?.length, 1, log);
}
