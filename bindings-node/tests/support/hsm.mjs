// An HSM in software: SoftHSM with a new token for each test file.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { keyFile } from './sandbox.mjs';

export const PIN = 'canary-pin-27182';
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
   * Puts the test key into the token `payments`, next to an empty one. The
   * module finds both by a variable of this process's environment.
   */
  constructor() {
    mkdirSync(join(this.#folder, 'tokens'));
    const configuration = this.write(
      'softhsm2.conf',
      `directories.tokendir = ${join(this.#folder, 'tokens')}\nobjectstore.backend = file\nlog.level = ERROR\n`,
    );
    process.env.SOFTHSM2_CONF = configuration;
    for (const label of ['payments', 'empty']) {
      util('--init-token', '--free', '--label', label, '--so-pin', SO_PIN, '--pin', PIN);
    }
    const key = [
      '--import',
      keyFile('test_rsa_4096_pkcs8.pem'),
      '--label',
      'signing',
      '--id',
      'a1',
    ];
    util(...key, '--token', 'payments', '--pin', PIN);
  }

  /** Writes a file, and gives its path. */
  write(name, text) {
    const path = join(this.#folder, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  }

  /** The members of a configuration that sign with the key. */
  config(over = {}) {
    return {
      key_file: undefined,
      pkcs11_module: softHsm(),
      pkcs11_token: 'payments',
      pkcs11_key_label: 'signing',
      pkcs11_pin: PIN,
      ...over,
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
