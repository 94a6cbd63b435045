// The shop with Express, beside the sandbox of the README.

import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { SHARED_FOLDER, until } from '../support/sandbox.mjs';
import { Program, ask, freePort, startSandbox } from './programs.mjs';

const payer = { name: 'Maria Souza', email: 'maria@example.com', document: '853.513.468-93' };
const folder = mkdtempSync(join(tmpdir(), 'payments-express-'));
let sandbox;

before(async () => {
  cpSync(join(SHARED_FOLDER, '..', 'examples', 'shop'), folder, { recursive: true });
  symlinkSync(join(import.meta.dirname, '..', '..', 'node_modules'), join(folder, 'node_modules'));
  sandbox = await startSandbox(folder);
});
after(async () => {
  await sandbox.program.stop();
  rmSync(folder, { recursive: true });
});

test('the shop takes an order, is paid, and ends on SIGTERM', async () => {
  const port = await freePort();
  const order = `http://127.0.0.1:${port}/orders/00000001`;
  const env = { PATH: process.env.PATH, PORT: `${port}` };
  const server = new Program(process.execPath, ['shop.mjs'], { cwd: folder, env });
  try {
    await until(() => fetch(order).then(Boolean, () => false), 'the server');
    const made = await ask(order, 'PUT', { items: { mug: 1, shirt: 0 }, payer });
    assert.deepEqual([made.status, made.state, made.total], [200, 'waiting', '10.50']);
    assert.ok(made.code.length > 10);
    await sandbox.control('payments/order-00000001/confirm');
    await until(async () => (await ask(order, 'GET')).state === 'delivered', 'the delivery');
  } finally {
    assert.equal(await server.stop(), 0);
  }
});
