// The payer's pages, and their defenses against hostile input and other
// origins.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { after, afterEach, before, beforeEach, test } from 'node:test';

import { copyBy, launch, open, Sandbox } from './support.mjs';

const HOSTILE =
  '<img src=x onerror="document.title=\'taken\'"><script>document.title="taken"</script>';
let browser;
let sandbox;
let opened;

before(async () => {
  browser = await launch();
});

after(() => browser.close());

beforeEach(async () => {
  sandbox = await Sandbox.start();
  opened = [];
});

afterEach(async () => {
  for (const { context, problems } of opened) {
    await context.close();
    assert.deepEqual(problems, []);
  }
  await sandbox.stop();
});

async function visit(url, options) {
  const result = await open(browser, url, options);
  opened.push(result);
  return result.page;
}

async function status(reference) {
  return (await sandbox.control('GET', `payments/${reference}`)).payment.status;
}

test('a payer scans a QR code and pays', async () => {
  const response = await sandbox.pay('order-1', { amount_total: 1500 });
  const page = await visit(`${sandbox.page}#payments`);
  await page.getByText('BRL 1\u00a0500.00').waitFor();
  const [payer] = await Promise.all([
    page.context().waitForEvent('page'),
    page.getByRole('link', { name: "Payer's page (pix)" }).click(),
  ]);
  const code = payer.getByAltText('pix QR code');
  await code.waitFor();
  // It may be visible before it is loaded.
  assert.ok(await code.evaluate((image) => image.decode().then(() => image.naturalWidth > 100)));
  assert.equal(await payer.locator('#qr_code_value').textContent(), response.pix.qr_code_value);
  assert.equal(await payer.locator('.amount').textContent(), 'BRL 1\u00a0500.00');
  assert.equal(await copyBy(payer, 'Copy the code'), response.pix.qr_code_value);
  await payer.getByRole('button', { name: 'Pay' }).click();
  await payer.getByText('Paid', { exact: true }).waitFor();
  assert.equal(await payer.getByRole('button').count(), 0);
  assert.equal(await status('order-1'), 'CO');
  await page.getByText('CO (confirmed)').waitFor();
});

test('redirect_url and oxxo_url lead to the page to decline', async () => {
  const card = await sandbox.pay('order-1', { payment_type_code: 'paypal' });
  const page = await visit(card.redirect_url, { javaScriptEnabled: false });
  await page.getByText('Payment by paypal').waitFor();
  await page.getByRole('button', { name: 'Decline' }).click();
  await page.getByText('Declined', { exact: true }).waitFor();
  assert.equal(await status('order-1'), 'CA');
  const voucher = await sandbox.pay('order-2', {
    payment_type_code: 'oxxo',
    country: 'mx',
    currency_code: 'MXN',
  });
  await page.goto(voucher.payment.oxxo_url);
  assert.equal(await page.locator('#oxxo_barcode').textContent(), voucher.payment.oxxo_barcode);
  await page.getByRole('button', { name: 'Pay' }).click();
  await page.getByText('Paid', { exact: true }).waitFor();
});

test('a payment is decided once', async () => {
  const { redirect_url: url } = await sandbox.pay('order-1', { payment_type_code: 'paypal' });
  const decide = (decision) =>
    fetch(url, { method: 'POST', redirect: 'manual', body: new URLSearchParams({ decision }) });
  assert.deepEqual([(await decide('maybe')).status, (await decide('pay')).status], [400, 303]);
  const again = await decide('decline');
  assert.equal(again.status, 409);
  assert.match(await again.text(), /a payment does not go from CO to CA/);
  assert.equal(await status('order-1'), 'CO');
  const unknown = await fetch(`${sandbox.page}pay/none`);
  assert.equal(unknown.status, 404);
});

test('a hostile name is shown as text everywhere', async () => {
  // It is longer than services take.
  await sandbox.control('POST', 'settings', { lenient: true });
  const { payment } = await sandbox.pay(HOSTILE, { name: HOSTILE, payment_type_code: HOSTILE });
  const payer = await visit(`${sandbox.page}pay/${payment.hash}`);
  assert.equal(await payer.locator('#payer').textContent(), HOSTILE);
  assert.equal(await payer.locator('img[src="x"], main script').count(), 0);
  const page = await visit(`${sandbox.page}#payments`);
  await page.getByText(HOSTILE).first().waitFor();
  await page.getByRole('navigation').getByRole('link', { name: 'Requests' }).click();
  // The payments have it in two cells of a row, until the requests are shown.
  await page.getByRole('row', { name: `create_payment ${HOSTILE}` }).waitFor();
  await page.getByRole('link', { name: '2', exact: true }).click();
  await page.locator('#body').waitFor();
  assert.equal(await page.locator('img').count(), 0);
  for (const shown of [payer, page]) {
    assert.doesNotMatch(await shown.title(), /taken/);
  }
});

test('a page of another origin can neither read nor change', async () => {
  await sandbox.pay('order-1');
  const server = createServer((_, response) => {
    response.setHeader('Content-Type', 'text/html').end('<!doctype html><title>foreign</title>');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const { page, context } = await open(browser, `http://127.0.0.1:${server.address().port}/`);
    const outcomes = await page.evaluate(async (address) => {
      const outcome = async (promise) =>
        promise.then(
          () => 'done',
          () => 'refused',
        );
      const events = new Promise((resolve, reject) => {
        const source = new EventSource(`${address}events`);
        source.onopen = resolve;
        source.onerror = reject;
      });
      const framed = new Promise((resolve) => {
        const frame = document.createElement('iframe');
        frame.src = address;
        frame.onload = () => resolve(frame.contentDocument === null ? 'refused' : 'done');
        document.body.append(frame);
      });
      return [
        await outcome(fetch(`${address}requests`)),
        await outcome(fetch(`${address}reset`, { method: 'POST' })),
        await outcome(events),
        await framed,
      ];
    }, sandbox.page);
    assert.deepEqual(outcomes.slice(0, 3), ['refused', 'refused', 'refused']);
    const frame = page.frames().find((one) => one !== page.mainFrame());
    assert.equal(await frame.locator('nav').count(), 0, 'the frame shows no page of the sandbox');
    await context.close();
  } finally {
    server.close();
    server.closeAllConnections();
  }
  const log = await sandbox.requests();
  assert.equal(await status('order-1'), 'PE', 'the reset did nothing');
  const refusals = log.filter((record) => record.refused?.includes('another origin'));
  const paths = refusals.map((record) => record.path).sort();
  assert.deepEqual(paths, ['/sandbox/events', '/sandbox/requests', '/sandbox/reset']);
});

test('every response of the page has the policy', async () => {
  const { payment } = await sandbox.pay('order-1');
  const policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; " +
    "img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
  for (const path of [
    '',
    'page/app.js',
    'page/style.css',
    `pay/${payment.hash}`,
    `pay/${payment.hash}/qr.svg`,
  ]) {
    const response = await fetch(sandbox.page + path);
    assert.equal(response.status, 200, path);
    assert.equal(response.headers.get('content-security-policy'), policy, path);
  }
  const bare = await fetch(`${sandbox.url}/sandbox`);
  assert.equal(bare.url, sandbox.page);
  assert.equal((await fetch(`${sandbox.page}page/nothing.js`)).status, 404);
});
