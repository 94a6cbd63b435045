// The programs of `examples/reference` print the responses that the reference shows. The
// README of that folder has the rules.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { Sandbox } from 'libpayments/testing';

import { readShared, SHARED_FOLDER } from './support/sandbox.mjs';

const PROGRAMS = join(SHARED_FOLDER, '..', 'examples', 'reference');
const { operations } = JSON.parse(readShared('manifest.json'));
const NAMES = [...operations.map(({ name }) => name), 'ensure_payment'];

const json = (file) => JSON.parse(readFileSync(file, 'utf8'));

/** The output of a program: one JSON value, and nothing else. */
function run(name, folder) {
  // From here it finds the package.
  copyFileSync(join(PROGRAMS, `${name}.mjs`), join(folder, `${name}.mjs`));
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('PAYMENTS_'));
  const { status, stdout, stderr } = spawnSync(process.execPath, [`${name}.mjs`], {
    cwd: folder,
    env: Object.fromEntries(inherited),
    encoding: 'utf8',
  });
  assert.deepEqual([status, stderr], [0, ''], name);
  return JSON.parse(stdout);
}

/** Makes the payment that the program needs, if it does. */
function prepare(name, folder) {
  const file = join(PROGRAMS, `${name}.before.sh`);
  if (existsSync(file)) {
    const PATH = `${dirname(process.env.PAYMENTS_TEST_COMMAND)}:${process.env.PATH}`;
    const { status, stderr } = spawnSync('sh', ['-eu', file], { cwd: folder, env: { PATH } });
    assert.equal(status, 0, `${file}: ${stderr}`);
  }
}

test('the programs print their responses', async (t) => {
  const folder = mkdtempSync(join(import.meta.dirname, 'reference-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const sandbox = await Sandbox.start({
    command: process.env.PAYMENTS_TEST_COMMAND,
    options: [
      ...['--seed', '1', '--config-out', join(folder, 'merchant')],
      ...['--accept-path', '/ws/payout/commit'],
    ],
  });
  t.after(() => sandbox.stop());
  const file = join(folder, 'merchant', 'payments.json');
  writeFileSync(file, JSON.stringify({ ...json(file), payout_query: true }));
  for (const name of NAMES) {
    prepare(name, folder);
    assert.deepEqual(run(name, folder), json(join(PROGRAMS, `${name}.json`)), name);
  }
});
