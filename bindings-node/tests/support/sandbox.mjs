// The sandbox: the command `payments sandbox`, and its control API.

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

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

export class Sandbox {
  #process;
  #resets = 0;

  static async start() {
    const sandbox = new Sandbox();
    const options = ['--seed', '1', '--require', 'none', '--accept-path', '/ws/*'];
    // Given a key, it makes none.
    options.push('--public-key', keyFile('test_rsa_4096_public.pem'));
    const child = spawn(COMMAND, ['sandbox', ...options], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    sandbox.#process = child;
    for await (const line of createInterface({ input: child.stdout })) {
      const found = /"base_url": "([^"]+)"/.exec(line);
      if (found !== null) {
        sandbox.baseUrl = found[1];
        break;
      }
    }
    if (sandbox.baseUrl === undefined) {
      throw new Error('the sandbox did not start');
    }
    child.stdout.resume();
    // A test that fails must not keep the process alive.
    process.once('exit', () => child.kill('SIGKILL'));
    child.unref();
    child.stdout.unref();
    sandbox.settings = await sandbox.control('GET', '/sandbox/settings');
    const pem = readShared('vectors', 'keys', 'test_rsa_4096_public.pem');
    ({ kid: sandbox.kid } = await sandbox.control('POST', '/sandbox/keys', { pem }));
    return sandbox;
  }

  /** The JSON response, which must be a 200. */
  async control(method, path, body) {
    const response = await fetch(`${this.baseUrl}${path}`, {
      method,
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    if (response.status !== 200) {
      throw new Error(`${method} ${path}: ${response.status} ${text}`);
    }
    return JSON.parse(text);
  }

  /** As after its start, with a client id that has no token in this process yet. */
  async reset() {
    this.#resets += 1;
    const client_id = `client-${process.pid}-${this.#resets}`;
    await this.control('POST', '/sandbox/reset');
    this.settings = await this.control('POST', '/sandbox/settings', { client_id });
  }

  faults(...scripts) {
    return this.control('POST', '/sandbox/faults', scripts);
  }

  async requests() {
    return (await this.control('GET', '/sandbox/requests')).requests;
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

  /** A configuration that has a bearer token, and signs. */
  bearerConfig(over = {}) {
    const { auth_url, client_id, client_secret } = this.settings;
    return this.config({ auth_url, client_id, client_secret, ...over });
  }

  async stop() {
    this.#process.ref();
    const ended = new Promise((resolve) => this.#process.once('exit', resolve));
    this.#process.kill('SIGKILL');
    await ended;
  }
}

/** A payment with a reference of its own. */
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
