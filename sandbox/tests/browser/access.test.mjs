// The page by keyboard, on a phone, in dark mode, and with much data.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { createRequire } from 'node:module';
import { after, afterEach, before, beforeEach, test } from 'node:test';

import { eventually, launch, open, PATIENCE, payment, Sandbox } from './support.mjs';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
let browser;
let sandbox;
let opened;

before(async () => {
  browser = await launch();
});

after(() => browser.close());

beforeEach(async () => {
  sandbox = await Sandbox.start('--require', 'none');
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

/** Presses Tab until the element with that name has the focus. */
async function tabTo(page, name) {
  for (let presses = 0; presses < 60; presses += 1) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate(() => {
      const element = document.activeElement;
      return element.labels?.[0]?.firstChild?.textContent ?? element.textContent;
    });
    if (focused === name) {
      return;
    }
  }
  assert.fail(`Tab does not lead to "${name}"`);
}

test('everything is reached by keyboard alone', async () => {
  await sandbox.pay('order-1');
  const page = await visit(sandbox.page);
  await page.getByRole('row', { name: 'order-1' }).waitFor();
  await tabTo(page, 'Skip to the content');
  await tabTo(page, 'Filter');
  await page.keyboard.type('create');
  await tabTo(page, '2');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Request 2' }).waitFor();
  await page.waitForFunction(() => document.activeElement.textContent === 'Request 2');
  await page.keyboard.press('Escape');
  await page.waitForFunction(() => document.activeElement.textContent === '2');

  await page.reload();
  await tabTo(page, 'Payments');
  await page.keyboard.press('Enter');
  await page.getByText('PE (pending)').waitFor();
  await tabTo(page, 'Pay');
  await page.keyboard.press('Enter');
  await page.getByText('CO (confirmed)').waitFor();

  await page.reload();
  await tabTo(page, 'Faults');
  await page.keyboard.press('Enter');
  await page.getByText('No faults are waiting.').waitFor();
  await tabTo(page, 'Fault');
  await page.keyboard.type('Silence');
  await tabTo(page, 'Times');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await page
    .locator('#waiting')
    .getByRole('cell', { name: /^silence/ })
    .waitFor();
  await tabTo(page, 'Drop');
  await page.keyboard.press('Space');
  await page.getByText('No faults are waiting.').waitFor();

  await page.reload();
  await tabTo(page, 'Signing keys and tokens');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Revoke' }).first().waitFor();
  await tabTo(page, 'Revoke');
  await page.keyboard.press('Enter');
  await page.getByText('No live tokens.').waitFor();

  await page.reload();
  await tabTo(page, 'Try it');
  await page.keyboard.press('Enter');
  await tabTo(page, 'Make a key and a configuration');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Copy payments.json' }).waitFor();

  const { payment: created } = await sandbox.pay('order-2');
  await page.goto(`${sandbox.page}pay/${created.hash}`);
  await tabTo(page, 'Pay');
  await page.keyboard.press('Enter');
  await page.getByText('Paid', { exact: true }).waitFor();
});

test('a payment that is paid is announced, and keeps the focus', async () => {
  await sandbox.pay('order-1');
  await sandbox.pay('order-2');
  const page = await visit(`${sandbox.page}#payments`);
  const news = (text) => page.locator('#news[role="status"]').filter({ hasText: text }).waitFor();
  const row = page.getByRole('row', { name: 'order-1' });
  await row.getByRole('button', { name: 'Pay' }).press('Enter');
  await news('order-1 is confirmed.');
  await page.waitForFunction(() => document.activeElement.textContent === 'order-1');
  await sandbox.control('POST', 'payments/order-2/cancel');
  await news('order-2 is cancelled.');
  await page.waitForFunction(() => document.activeElement.textContent === 'order-1');
});

/** Visits each part, and waits until it shows what it is for. */
async function* parts(page, request, hash) {
  for (const [part, content] of Object.entries({
    '#requests': '#request-list td',
    [`#requests/${request}`]: '#body',
    [`#requests/of/${hash}`]: 'text=Requests of the payment order-1.',
    '#payments': '#ledger td',
    '#faults': '#known-faults td',
    '#keys': '#tokens td',
    '#start': '#program',
    [`pay/${hash}`]: '.amount',
  })) {
    await page.goto(sandbox.page + part);
    await page.locator(content).first().waitFor();
    yield part;
  }
}

test('buttons keep the focus, or their list takes it', async () => {
  await sandbox.control('POST', 'faults', { then: [{ fault: 'close' }] });
  const page = await visit(`${sandbox.page}#faults`);
  const hasFocus = (place) =>
    page.waitForFunction((wanted) => document.activeElement.matches(wanted), place);
  const press = (name) => page.getByRole('button', { name, exact: true }).first().press('Enter');
  await press('Drop');
  await page.getByText('No faults are waiting.').waitFor();
  await hasFocus('#waiting');

  await page.goto(`${sandbox.page}#keys`);
  for (const name of ['Block the token server', 'Unblock']) {
    await press(name);
    await page.getByRole('button', { name, exact: true }).waitFor({ state: 'detached' });
    await hasFocus('#tokens button');
  }

  const { payment: created } = await sandbox.pay('order-1');
  await page.goto(`${sandbox.page}#requests/of/${created.hash}`);
  await page.getByRole('row', { name: 'order-1' }).getByRole('link').press('Enter');
  await page.getByRole('heading', { name: /^Request/ }).waitFor();
  await press('Replay with a lost response');
  await page.getByRole('row', { name: 'resend of' }).waitFor();
  await hasFocus('#replay');
});

test('a phone shows every part without scrolling sideways', async () => {
  const { payment: created } = await sandbox.pay('order-1', { name: 'x'.repeat(100) });
  await sandbox.send('/ws/direct', payment('order-2'), { signed: 'other' });
  await sandbox.control('POST', 'faults', { then: [{ fault: 'signature_mismatch' }] });
  const token = await sandbox.token();
  for (const status of [401, 200]) {
    const response = await sandbox.send('/ws/direct', payment('order-3'), { token });
    assert.equal(response.status, status);
  }
  const page = await visit(sandbox.page, {
    viewport: { width: 360, height: 740 },
    isMobile: true,
    hasTouch: true,
  });
  await page.getByRole('row', { name: 'order-1' }).waitFor();
  for await (const part of parts(page, 3, created.hash)) {
    const [content, width] = await page.evaluate(() => [
      document.documentElement.scrollWidth,
      innerWidth,
    ]);
    assert.ok(content <= width && width === 360, `${part} is ${content} wide`);
  }
});

test('on a phone, the first row takes its own taps', async () => {
  await sandbox.pay('order-1');
  const page = await visit(sandbox.page, {
    viewport: { width: 360, height: 740 },
    isMobile: true,
    hasTouch: true,
  });
  const first = page.locator('#request-list tbody tr:first-child', { hasText: 'order-1' });
  await first.waitFor();
  const covering = await first.evaluate((row) => {
    const { left, top, width, height } = row.getBoundingClientRect();
    const places = Array.from({ length: 50 }, (_, at) => [
      left + ((at % 10) + 0.5) * (width / 10),
      top + (Math.floor(at / 10) + 0.5) * (height / 5),
    ]);
    const hit = places.map(([x, y]) => document.elementFromPoint(x, y));
    return hit.filter((element) => !row.contains(element)).map((element) => element.outerHTML);
  });
  assert.deepEqual(covering, []);
  await first.getByRole('link').tap();
  await page.getByRole('heading', { name: 'Request 2' }).waitFor();
});

test('ten tabs are live at once', async () => {
  const page = await visit(sandbox.page);
  const tabs = [page];
  while (tabs.length < 10) {
    const tab = await page.context().newPage();
    tab.setDefaultTimeout(PATIENCE);
    await tab.goto(sandbox.page);
    tabs.push(tab);
  }
  await sandbox.pay('order-1');
  for (const tab of tabs) {
    await tab.getByText('live', { exact: true }).waitFor();
    await tab.getByRole('row', { name: 'order-1' }).waitFor();
  }
  await tabs[0].close();
  await tabs[9].getByRole('link', { name: 'Payments' }).click();
  await tabs[9].getByText('PE (pending)').waitFor();
  await sandbox.control('POST', 'payments/order-1/confirm');
  await tabs[9].getByText('CO (confirmed)').waitFor();
  await sandbox.control('POST', 'reset');
  await tabs[8].getByText('No requests yet.').waitFor();
});

for (const [size, options] of Object.entries({
  desktop: { viewport: { width: 1280, height: 800 } },
  phone: { viewport: { width: 360, height: 740 }, isMobile: true },
})) {
  for (const colorScheme of ['light', 'dark']) {
    test(`everyone can use the page: ${size}, ${colorScheme}`, async () => {
      const { payment: created } = await sandbox.pay('order-1', { name: 'João '.repeat(20) });
      await sandbox.send('/ws/direct', payment('order-2'), { signed: '{}\n'.repeat(300) });
      await sandbox.send('/ws/direct', payment('order-3'), { signed: `${payment('order-3')}\n` });
      await sandbox.control('POST', 'faults', { then: [{ fault: 'close' }] });
      const page = await visit(sandbox.page, { ...options, colorScheme });
      await page.getByRole('row', { name: 'order-1' }).waitFor();
      for await (const part of parts(page, 6, created.hash)) {
        assert.deepEqual(await barriers(page), [], part);
      }
      await page.goto(sandbox.page);
      await page.getByRole('button', { name: 'Reset' }).click();
      await page.getByRole('dialog').waitFor();
      assert.deepEqual(await barriers(page), [], 'the question of a reset');
    });
  }
}

/** The serious or critical findings of axe. */
async function barriers(page) {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() => window.axe.run());
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

test('light and dark follow the system', async () => {
  const colors = [];
  for (const colorScheme of ['light', 'dark']) {
    const page = await visit(sandbox.page, { colorScheme });
    colors.push(await page.evaluate(() => getComputedStyle(document.body).backgroundColor));
  }
  assert.deepEqual(colors, ['rgb(255, 255, 255)', 'rgb(20, 23, 28)']);
});

test('long lists are shown a part at a time', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const send = (method, path, body) =>
    new Promise((resolve, reject) => {
      const headers = { 'Content-Type': 'application/json' };
      const sent = request(sandbox.url + path, { method, agent, headers }, (response) => {
        response.resume().on('end', () => resolve(response.statusCode));
      });
      sent.on('error', reject).end(body);
    });
  const page = await visit(sandbox.page);
  await Promise.all(
    Array.from({ length: 1000 }, (_, at) => send('POST', '/ws/direct', payment(`order-${at}`))),
  );
  await Promise.all(
    Array.from({ length: 9000 }, (_, at) =>
      send('GET', `/ws/query?merchant_payment_code=order-${at % 1000}`),
    ),
  );
  agent.destroy();
  const count = () => page.locator('#request-list tbody tr').count();
  await page.getByText('1 to 100 of 10000').waitFor();
  await eventually(count, 100);
  await page.getByRole('button', { name: 'Older' }).click();
  await page.getByText('101 to 200 of 10000').waitFor();
  await page.getByLabel('Filter').fill('order-77 create');
  await page.getByText('of 10000').waitFor({ state: 'detached' });
  await eventually(count, 11, 'order-77 and order-770 to order-779');

  // A page that is opened later shows the same.
  const late = await visit(sandbox.page);
  await late.getByText('1 to 100 of 10000').waitFor();
  await late.getByRole('link', { name: 'Payments' }).click();
  await late.getByText('1 to 50 of 1000').waitFor();
  const listed = () => late.locator('#ledger tbody tr').count();
  await eventually(listed, 50);
  await late.getByLabel('Find').fill('order-999');
  await eventually(listed, 1);
  await late.locator('#ledger').getByText('order-999', { exact: true }).waitFor();
});
