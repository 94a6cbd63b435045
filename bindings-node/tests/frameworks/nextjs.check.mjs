// The example with Next.js: built by each of its bundlers, deployed as it was traced, and
// started as its page says.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { until } from '../support/sandbox.mjs';
import { Program, freePort, startSandbox } from './programs.mjs';

/** A copy, in which `npm install` was run. */
const example = join(import.meta.dirname, '..', '..', 'examples', 'nextjs');
const elsewhere = mkdtempSync(join(tmpdir(), 'payments-nextjs-'));
const BUNDLERS = ['turbopack', 'webpack'];
const env = { PATH: process.env.PATH, NEXT_TELEMETRY_DISABLED: '1' };

before(() => {
  const project = join(elsewhere, 'shop');
  cpSync(example, project, { recursive: true, verbatimSymlinks: true });
  for (const bundler of BUNDLERS) {
    // Where no configuration is: a build makes no client.
    const words = ['run', 'build', '--', `--${bundler}`];
    execFileSync('npm', words, { cwd: project, env, stdio: ['ignore', 'pipe', 'inherit'] });
    cpSync(join(project, '.next', 'standalone'), join(elsewhere, bundler), {
      recursive: true,
      verbatimSymlinks: true,
    });
    rmSync(join(project, '.next'), { recursive: true });
  }
  rmSync(project, { recursive: true });
});
after(() => rmSync(elsewhere, { recursive: true }));

for (const bundler of BUNDLERS) {
  test(`${bundler}: an order is taken from its own page`, async () => {
    const sandbox = await startSandbox(mkdtempSync(join(elsewhere, 'sandbox-')));
    const port = await freePort();
    const place = {
      HOSTNAME: '127.0.0.1',
      PORT: String(port),
      ORDERS: join(elsewhere, `orders-${bundler}`),
      PAYMENTS_FILE: sandbox.file,
    };
    const server = new Program(process.execPath, [join(elsewhere, bundler, 'server.js')], {
      env: { ...env, ...place },
    });
    try {
      const order = `http://127.0.0.1:${port}/orders/order-1001`;
      await until(() => fetch(order).then(Boolean, () => false), 'the server');
      const click = (origin) => fetch(order, { method: 'POST', headers: { origin } });
      assert.equal((await click('http://evil.example')).status, 403);
      for (const _ of [1, 2]) {
        const { state, code } = await (await click(`http://127.0.0.1:${port}`)).json();
        assert.deepEqual([state, code.slice(0, 8)], ['waiting', '00020126']);
      }
      assert.equal((await sandbox.control('payments/order-1001/confirm')).status, 200);
    } finally {
      assert.ok([0, 143, 'SIGTERM'].includes(await server.stop()));
      await sandbox.program.stop();
    }
  });
}
