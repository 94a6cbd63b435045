// The sandbox: the command `payments sandbox`, and its control API.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import * as testing from 'libpayments/testing';

/** Set by scripts/test-node.sh. */
export const SHARED_FOLDER = required('PAYMENTS_TEST_FOLDER');
const COMMAND = required('PAYMENTS_TEST_COMMAND');

function required(name) {
  const value = process.env[name];
  if (value === undefined) {
    throw new Error(`${name} is not set: run scripts/test-node.sh`);
  }
  return value;
}

export function readShared(...path) {
  return readFileSync(join(SHARED_FOLDER, ...path), 'utf8');
}

/** The path of a test key. */
export function keyFile(name) {
  return join(SHARED_FOLDER, 'vectors', 'keys', name);
}

/** The sandbox with the shared test key, which requires nothing. */
export class Sandbox extends testing.Sandbox {
  static async start() {
    const options = ['--seed', '1', '--require', 'none', '--accept-path', '/ws/*', '--lenient'];
    // Given a key, it makes none.
    options.push(
      '--public-key',
      keyFile('test_rsa_4096_public.pem'),
      '--key-file',
      keyFile('test_rsa_4096_pkcs8.pem'),
    );
    const sandbox = await super.start({ command: COMMAND, options });
    sandbox.settings = await sandbox.call('GET', 'settings');
    sandbox.kid = sandbox.configuration().kid;
    return sandbox;
  }

  /** A call of the control API by its whole path. */
  control(method, path, body) {
    return this.call(method, path.replace('/sandbox/', ''), body);
  }

  async reset() {
    await super.reset();
    this.settings = await this.call('GET', 'settings');
  }

  faults(...scripts) {
    return this.control('POST', '/sandbox/faults', scripts);
  }

  stats() {
    return this.control('GET', '/sandbox/stats');
  }

  /** A configuration that signs. */
  config(over = {}) {
    return {
      base_url: this.baseUrl,
      environment: 'sandbox',
      key_file: keyFile('test_rsa_4096_pkcs8.pem'),
      kid: this.kid,
      ...over,
    };
  }

  /** A configuration that has an integration key alone. */
  unsignedConfig(over = {}) {
    const { integration_key } = this.settings;
    return { base_url: this.baseUrl, integration_key, ...over };
  }

  /** A configuration that has a bearer token, and signs. */
  bearerConfig(over = {}) {
    const { auth_url, client_id, client_secret } = this.settings;
    return this.config({ auth_url, client_id, client_secret, ...over });
  }
}

/** A payment with a new reference. */
export function payment(reference = 'order-1001', over = {}) {
  return {
    payment: {
      name: 'Maria Souza',
      email: 'maria@example.com',
      country: 'br',
      payment_type_code: 'pix',
      merchant_payment_code: reference,
      currency_code: 'BRL',
      amount_total: '100.10',
      document: '853.513.468-93',
      ...over,
    },
  };
}

export function sleep(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** Waits for a condition, generously: only a hang fails. */
export async function until(condition, what) {
  const deadline = Date.now() + 60_000;
  while (!(await condition())) {
    if (Date.now() > deadline) {
      throw new Error(`waited in vain for ${what}`);
    }
    await sleep(20);
  }
}

/** The error that a promise rejects with. */
export async function rejection(promise) {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('it did not reject');
}
