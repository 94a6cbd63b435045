// An HSM in software: SoftHSM with a new token.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { keyFile } from './sandbox.mjs';

const PIN = 'canary-pin-27182';
const SO_PIN = 'canary-so-pin-31415';
const MODULES = [
  '/usr/lib/softhsm/libsofthsm2.so',
  '/usr/lib64/softhsm/libsofthsm2.so',
  '/usr/local/lib/softhsm/libsofthsm2.so',
  '/usr/lib64/pkcs11/libsofthsm2.so',
];

export class Hsm {
  #folder = mkdtempSync(join(tmpdir(), 'payments-hsm-'));

  /**
   * Puts the test key into the token `payments`, which the module finds by a variable of this
   * process's environment.
   */
  constructor() {
    const tokens = join(this.#folder, 'tokens');
    mkdirSync(tokens);
    process.env.SOFTHSM2_CONF = join(this.#folder, 'softhsm2.conf');
    const text = `directories.tokendir = ${tokens}\nobjectstore.backend = file\nlog.level = ERROR\n`;
    writeFileSync(process.env.SOFTHSM2_CONF, text);
    util('--init-token', '--free', '--label', 'payments', '--so-pin', SO_PIN, '--pin', PIN);
    const key = ['--import', keyFile('test_rsa_4096_pkcs8.pem'), '--label', 'signing'];
    util(...key, '--id', 'a1', '--token', 'payments', '--pin', PIN);
  }

  /** The members of a configuration that sign with the key. */
  config() {
    return {
      key_file: undefined,
      pkcs11_module: softHsm(),
      pkcs11_token: 'payments',
      pkcs11_key_label: 'signing',
      pkcs11_pin: PIN,
    };
  }

  remove() {
    rmSync(this.#folder, { recursive: true });
  }
}

function softHsm() {
  const found = MODULES.find((path) => existsSync(path));
  if (found === undefined) {
    throw new Error('libsofthsm2.so is missing: install softhsm2, or run scripts/setup.sh node');
  }
  return found;
}

function util(...given) {
  const { error, status, stderr } = spawnSync('softhsm2-util', given, { encoding: 'utf8' });
  if (error !== undefined) {
    throw new Error('softhsm2-util is missing: install softhsm2, or run scripts/setup.sh node', {
      cause: error,
    });
  }
  if (status !== 0) {
    throw new Error(`softhsm2-util ${given[0]}: ${stderr}`);
  }
}
