// Takes the screenshots for the documentation: node screenshots.mjs FOLDER

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

import { launch, open, payment, Sandbox } from './support.mjs';

const folder = process.argv[2];
mkdirSync(folder, { recursive: true });
const browser = await launch();
const sandbox = await Sandbox.start();
try {
  const token = await sandbox.token();
  await sandbox.pay('order-1001');
  const body = payment('order-1002', { amount_total: 25 });
  await sandbox.send('/ws/direct', body, { token });
  await sandbox.send('/ws/direct', body, { token });
  const parsedAgain = payment('order-1003');
  const signed = parsedAgain.replace('100.1', '100.10');
  await sandbox.send('/ws/direct', parsedAgain, { token, signed });
  await sandbox.control('POST', 'payments/order-1002/confirm');
  const log = await sandbox.requests();
  const { payment: paid } = await sandbox.control('GET', 'payments/order-1001');
  const wide = { viewport: { width: 1280, height: 960 } };
  const pictures = {
    requests: [`#requests/${log.at(-1).sequence}`, wide, '#arrived mark'],
    payments: ['#payments', { viewport: { width: 1280, height: 420 } }, '#ledger table'],
    faults: [
      '#faults',
      { viewport: { width: 1280, height: 420 }, colorScheme: 'dark' },
      '#waiting',
    ],
    payer: [`pay/${paid.hash}`, { viewport: { width: 420, height: 800 } }, '.qr'],
  };
  await sandbox.control('POST', 'faults', {
    operation: 'create_payment',
    then: [{ fault: 'response_lost' }],
  });
  for (const [name, [path, options, shown]] of Object.entries(pictures)) {
    const { page, context } = await open(browser, sandbox.page + path, options);
    await page.locator(shown).first().waitFor();
    await page.screenshot({ path: join(folder, `sandbox-${name}.png`) });
    await context.close();
  }
} finally {
  await browser.close();
  await sandbox.stop();
}
