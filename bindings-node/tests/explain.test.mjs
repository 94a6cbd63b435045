// The command `libpayments explain`.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { test } from 'node:test';

const folder = dirname(createRequire(import.meta.url).resolve('libpayments/package.json'));

function explain(...words) {
  const program = join(folder, 'bin/libpayments.js');
  return spawnSync(process.execPath, [program, 'explain', ...words], { encoding: 'utf8' });
}

/** The output of these commands on a terminal, one after the other. */
function shown(...asked) {
  const program = `process.stdout.isTTY = true;
    process.stdout.setMaxListeners(0);
    const { runCommand } = require(${JSON.stringify(folder)});
    const all = ${JSON.stringify(asked)}.map((word) => ['explain', ...word]);
    all.reduce((before, words) => before.then(() => runCommand(words)), Promise.resolve());`;
  const options = { encoding: 'utf8', maxBuffer: 2 ** 24 };
  const { status, stdout, stderr } = spawnSync(process.execPath, ['-e', program], options);
  assert.deepEqual([status, stderr], [0, '']);
  return stdout;
}

const { codes } = JSON.parse(explain().stdout);

test('a code is explained', () => {
  const { status, stdout, stderr } = explain('rejected/Duplicate_Reference');
  const found = JSON.parse(stdout);
  assert.deepEqual([status, stderr, found.code], [0, '', 'duplicate_reference']);
  assert.match(found.outcome, /unknown/);
  assert.match(found.remedy, /Query the payment/);
  assert.notEqual(found.messages.length, 0);
});

test('an unknown code is answered with the nearest', () => {
  const { status, stdout, stderr } = explain('duplicate_referense');
  const report = JSON.parse(stderr);
  assert.deepEqual([status, stdout, report.kind], [2, '', 'usage']);
  assert.match(report.message, /did you mean duplicate_reference/);
  assert.equal(report.help, `npx libpayments explain ${report.code}`);
  assert.equal(explain(report.code).status, 0);
  assert.equal(explain('refused', 'failed').status, 2);
});

test('every text fits the screen', () => {
  assert.ok(codes.length > 90);
  const list = shown([]);
  for (const { code } of codes) {
    assert.ok(list.includes(`  ${code} `), code);
  }
  const names = [...codes.map(({ code }) => code), 'BP-REF-7'];
  const texts = shown(...names.map((name) => [name]));
  for (const name of names) {
    assert.match(texts, new RegExp(`^${name} \\(`, 'm'));
  }
  assert.doesNotMatch(list + texts, /^.{81}/mu);
});
