'use strict';

const { existsSync } = require('node:fs');
const { createRequire } = require('node:module');
const { delimiter, dirname, join } = require('node:path');

const PACKAGE = 'libpayments-sandbox';
const VARIABLE = 'PAYMENTS_COMMAND';

/** The program and its first arguments, which run the command `payments`. */
function findCommand() {
  const named = process.env[VARIABLE];
  if (named) {
    return [named];
  }
  const found = inPackages() ?? onPath();
  if (found === undefined) {
    throw new Error(
      `the command payments was not found: run \`npm install --save-dev ${PACKAGE}\`, or set ${VARIABLE} to its path`,
    );
  }
  return found;
}

/** Looks from the project that runs the tests: this package may be linked. */
function inPackages() {
  try {
    const manifest = createRequire(join(process.cwd(), 'package.json')).resolve(
      `${PACKAGE}/package.json`,
    );
    return [process.execPath, join(dirname(manifest), require(manifest).bin.payments)];
  } catch {
    return undefined;
  }
}

function onPath() {
  const name = process.platform === 'win32' ? 'payments.exe' : 'payments';
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const found = folders.map((folder) => join(folder, name)).find((file) => existsSync(file));
  return found === undefined ? undefined : [found];
}

module.exports = { findCommand };
