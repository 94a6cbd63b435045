// The example with Next.js: built by each of its bundlers, deployed as it was traced, and
// started as its page says.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { until } from '../support/sandbox.mjs';
import { Program, ask, assertPays, freePort, startSandbox } from './programs.mjs';

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
  test(`the route handler of ${bundler} takes an order, and is paid`, async () => {
    const sandbox = await startSandbox(mkdtempSync(join(elsewhere, 'sandbox-')));
    const port = await freePort();
    const place = { HOSTNAME: '127.0.0.1', PORT: String(port), PAYMENTS_FILE: sandbox.file };
    const server = new Program(process.execPath, [join(elsewhere, bundler, 'server.js')], {
      env: { ...env, ...place },
    });
    try {
      const orders = `http://127.0.0.1:${port}/api/orders`;
      await until(() => fetch(orders).then(Boolean, () => false), 'the server');
      await assertPays(orders, sandbox);
      assert.equal((await ask(`${orders}/A-1/payment`, 'GET')).state, 'paid');
    } finally {
      assert.ok([0, 143, 'SIGTERM'].includes(await server.stop()));
      await sandbox.program.stop();
    }
  });
}
