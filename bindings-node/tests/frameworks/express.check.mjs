// The checkout with Express, started as its page says, with the sandbox of the README.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { Program, ask, assertPays, startSandbox } from './programs.mjs';

const SERVER = join(import.meta.dirname, '..', '..', 'examples', 'checkout', 'server.mjs');
const folder = mkdtempSync(join(tmpdir(), 'payments-express-'));
let sandbox;

before(async () => {
  sandbox = await startSandbox(folder);
});
after(async () => {
  await sandbox.program.stop();
  rmSync(folder, { recursive: true });
});

test('the checkout takes an order, and is paid', async () => {
  const env = { PATH: process.env.PATH, PORT: '0' };
  const server = new Program(process.execPath, [SERVER, sandbox.file], { env });
  try {
    const orders = `${await server.url()}/orders`;
    await assertPays(orders, sandbox);
    assert.equal((await ask(`${orders}/A-1`, 'GET')).state, 'paid');
  } finally {
    assert.equal(await server.stop(), 0);
  }
});
