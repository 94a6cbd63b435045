// The tabs of the book's programs, which docs/tabs.js makes.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { launch } from './support.mjs';

const SCRIPT = readFileSync(join(process.env.PAYMENTS_TEST_FOLDER, '../docs/tabs.js'), 'utf8');
const LANGUAGES = ['Rust', 'C', 'Command'];
const block = LANGUAGES.map((it) => `<p><strong>${it}</strong></p>\n<pre>in ${it}</pre>`).join(
  '\n',
);
const BOOK = `<div class="languages">${block}</div><p>Also</p><div class="languages">${block}</div>
<script>
  document.addEventListener('keydown', ({ key }) => { document.title += key; });
  ${SCRIPT}
</script>`;

let browser;

before(async () => {
  browser = await launch();
});

after(() => browser.close());

/** A page of the book, by an address that no host has. */
async function read(options) {
  const context = await browser.newContext(options);
  await context.route('**', (route) => route.fulfill({ contentType: 'text/html', body: BOOK }));
  const page = await context.newPage();
  await page.goto('http://book.example/');
  return page;
}

const shown = (page) => page.locator('pre:visible').allTextContents();

test('one language is shown, and kept for all pages', async () => {
  const page = await read();
  assert.deepEqual(await shown(page), ['in Rust', 'in Rust']);
  await page.getByRole('tab', { name: 'C', exact: true }).first().click();
  assert.deepEqual(await shown(page), ['in C', 'in C']);
  await page.keyboard.press('ArrowRight');
  assert.deepEqual(await shown(page), ['in Command', 'in Command']);
  await page.keyboard.press('ArrowRight');
  assert.deepEqual(await shown(page), ['in Rust', 'in Rust']);
  await page.keyboard.press('ArrowLeft');
  assert.equal(await page.title(), '', 'the book turned a page');
  await page.reload();
  assert.deepEqual(await shown(page), ['in Command', 'in Command']);
  const chosen = page.getByRole('tab', { selected: true });
  assert.deepEqual(await chosen.allTextContents(), ['Command', 'Command']);
  await page.evaluate(() => localStorage.setItem('libpayments-language', 'Cobol'));
  await page.reload();
  assert.deepEqual(await shown(page), ['in Rust', 'in Rust']);
  await page.context().close();
});

test('without JavaScript all languages are shown under their names', async () => {
  const page = await read({ javaScriptEnabled: false });
  assert.equal((await shown(page)).length, 2 * LANGUAGES.length);
  assert.equal(await page.locator('strong:visible').count(), 2 * LANGUAGES.length);
  await page.context().close();
});

test('the script has at most 60 lines', () => {
  assert.ok(SCRIPT.trimEnd().split('\n').length <= 60);
});
