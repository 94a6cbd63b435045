// The program `payments` of npm, which runs the command of the platform: a signal
// reaches the command once.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

const WRAPPER = join(process.env.PAYMENTS_TEST_FOLDER, '../cli/npm/bin/payments.js');

/** Instead of the command: says how many signals came, a moment after the first. */
const COMMAND = `#!/usr/bin/env node
let count = 0;
process.on('SIGINT', () => {
  count += 1;
  setTimeout(() => process.exit(console.log('signals: ' + count)), 300);
});
setInterval(() => {}, 1000);
console.log('ready');
`;

let folder;
before(() => {
  folder = mkdtempSync(join(import.meta.dirname, 'command-'));
  cpSync(WRAPPER, join(folder, 'payments.js'));
  const name = `@libpayments/sandbox-${process.platform}-${process.arch}`;
  const home = join(folder, 'node_modules', name);
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, 'package.json'), JSON.stringify({ name, version: '0.0.0' }));
  writeFileSync(join(home, 'payments'), COMMAND, { mode: 0o755 });
});
after(() => rmSync(folder, { recursive: true }));

/** Starts a program, lets `interrupt` act when the command is ready, and returns its output. */
async function printed(program, words, interrupt) {
  const running = spawn(program, words, { cwd: folder, stdio: ['pipe', 'pipe', 'inherit'] });
  let text = '';
  running.stdout.on('data', (part) => {
    text += part;
    if (text.trim() === 'ready') {
      interrupt(running);
    }
  });
  await once(running, 'close');
  return text;
}

test('Ctrl-C in a terminal reaches the command once, even piped', async () => {
  const reader = `sh -c "trap '' INT; cat"`;
  for (const line of [
    'payments.js',
    'payments.js </dev/null',
    `payments.js </dev/null | ${reader}`,
  ]) {
    const text = await printed('script', ['-qec', `node ${line}`, '/dev/null'], ({ stdin }) =>
      stdin.write('\x03'),
    );
    assert.match(text, /signals: 1\b/, `${line}: ${text}`);
  }
});

test('signals of a supervisor reach the command', async () => {
  const text = await printed(process.execPath, ['payments.js'], (running) =>
    running.kill('SIGINT'),
  );
  assert.match(text, /signals: 1\b/, text);
});
