// The example with Next.js: built, deployed as it was traced, and started as its page says.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';

import { until } from '../support/sandbox.mjs';
import { Program, ask, assertPays, startSandbox } from './programs.mjs';

const BUNDLERS = join(process.env.PAYMENTS_TEST_TOOLS, 'bundlers');
const packages = join(dirname(createRequire(import.meta.url).resolve('libpayments')), '..', '..');
const elsewhere = mkdtempSync(join(tmpdir(), 'payments-nextjs-'));
const project = join(elsewhere, 'shop');
const deployed = join(elsewhere, 'deployed');
const env = { PATH: process.env.PATH, NEXT_TELEMETRY_DISABLED: '1' };
let sandbox;

before(async () => {
  cpSync(join(import.meta.dirname, '..', '..', 'examples', 'nextjs'), project, { recursive: true });
  // As `npm install` leaves it.
  const modules = join(project, 'node_modules');
  cpSync(join(BUNDLERS, 'node_modules'), modules, { recursive: true, verbatimSymlinks: true });
  for (const name of ['libpayments', '@libpayments']) {
    cpSync(join(packages, name), join(modules, name), { recursive: true });
  }
  sandbox = await startSandbox(elsewhere);
});
after(async () => {
  await sandbox?.program.stop();
  rmSync(elsewhere, { recursive: true });
});

/** A port that was free a moment ago. */
async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

test('the route handler takes an order, and is paid', async () => {
  // Where no configuration is: a build makes no client.
  execFileSync('npm', ['run', 'build'], { cwd: project, env, stdio: 'pipe' });
  cpSync(join(project, '.next', 'standalone'), deployed, {
    recursive: true,
    verbatimSymlinks: true,
  });
  rmSync(project, { recursive: true });
  const port = await freePort();
  const place = { HOSTNAME: '127.0.0.1', PORT: String(port), PAYMENTS_FILE: sandbox.file };
  const server = new Program(process.execPath, [join(deployed, 'server.js')], {
    env: { ...env, ...place },
  });
  try {
    const orders = `http://127.0.0.1:${port}/api/orders`;
    await until(() => fetch(orders).then(Boolean, () => false), 'the server');
    await assertPays(orders, sandbox);
    assert.equal((await ask(`${orders}/A-1/payment`, 'GET')).state, 'paid');
  } finally {
    assert.ok([0, 143, 'SIGTERM'].includes(await server.stop()));
  }
});
