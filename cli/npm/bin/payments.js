#!/usr/bin/env node
'use strict';

// Runs the command `payments` from the package for this platform.

const { spawn } = require('node:child_process');
const { constants } = require('node:os');
const { isatty } = require('node:tty');

const name = `@libpayments/sandbox-${process.platform}-${process.arch}`;

function find() {
  try {
    return require.resolve(`${name}/payments${process.platform === 'win32' ? '.exe' : ''}`);
  } catch {
    console.error(
      `libpayments-sandbox: ${name} is not installed. It is an optional dependency: install on the system ` +
        'that runs it, with optional dependencies. There are builds for Linux and macOS on x64 and arm64, and for Windows on x64; elsewhere, run ' +
        '"cargo install --path cli" in a checkout of libpayments',
    );
    return process.exit(1);
  }
}

const command = spawn(find(), process.argv.slice(2), { stdio: 'inherit' });
// A terminal sends Ctrl-C to both, and a second signal would end the command at
// once. So does the console of Windows, where kill() would end it as well.
const sentToBoth = (signal) =>
  process.platform === 'win32' || (signal === 'SIGINT' && [0, 1, 2].some(isatty));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => sentToBoth(signal) || command.kill(signal));
}
command.on('error', ({ message }) => {
  console.error(`libpayments-sandbox: could not start ${name}: ${message}`);
  process.exitCode = 1;
});
command.on('exit', (status, signal) => {
  process.exitCode = signal === null ? status : 128 + constants.signals[signal];
});
