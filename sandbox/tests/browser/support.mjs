// A sandbox, a browser, and the requests that a merchant's program sends.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createPrivateKey, sign } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';

import { chromium } from 'playwright-core';

/** Set by scripts/test-browser.sh. */
const COMMAND = required('PAYMENTS_COMMAND');
const KEYS = join(required('PAYMENTS_TEST_FOLDER'), 'vectors', 'keys');
const KID = 'browser';
/** In milliseconds: longer than a busy machine takes. */
export const PATIENCE = 60_000;
const EXECUTABLE = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find((path) =>
  existsSync(path),
);
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];

export const PUBLIC_KEY = join(KEYS, 'test_rsa_4096_public.pem');
export const OTHER_PUBLIC_KEY = join(KEYS, 'test_other_rsa_4096_public.pem');
const PRIVATE_KEY = createPrivateKey(readFileSync(join(KEYS, 'test_rsa_4096_pkcs8.pem')));

function required(name) {
  const value = process.env[name];
  if (value === undefined) {
    throw new Error(`${name} is not set: run scripts/test-browser.sh`);
  }
  return value;
}

/** A sandbox that ends with this process. */
export class Sandbox {
  #child;

  static async start(...options) {
    const sandbox = new Sandbox();
    const key = ['--public-key', PUBLIC_KEY, '--kid', KID, '--key-file', 'unused.pem'];
    sandbox.#child = spawn(COMMAND, ['sandbox', '--json', '--stdin-lifetime', ...key, ...options], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    for await (const line of createInterface({ input: sandbox.#child.stdout })) {
      sandbox.settings = JSON.parse(line);
      break;
    }
    sandbox.url = sandbox.settings.base_url;
    sandbox.page = `${sandbox.url}/sandbox/`;
    return sandbox;
  }

  async stop() {
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.stdin.end();
    await ended;
  }

  async control(method, path, body) {
    const response = await fetch(this.page + path, { method, body: body && JSON.stringify(body) });
    assert.equal(response.status, 200, `${method} ${path}`);
    return response.json();
  }

  async requests() {
    return (await this.control('GET', 'requests')).requests;
  }

  /** A new bearer token; `undefined` if it is refused. */
  async token() {
    const { client_id: id, client_secret: secret } = this.settings;
    const response = await fetch(`${this.url}/authorization-server/oauth/token`, {
      method: 'POST',
      headers: {
        Authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
        'Content-Type': 'application/x-www-form-urlencoded',
      },
      body: 'grant_type=client_credentials',
    });
    return response.status === 200 ? (await response.json()).access_token : undefined;
  }

  /** Sends bytes with the signature over `signed`. */
  async send(path, body, { signed = body, token, headers = {} } = {}) {
    return fetch(this.url + path, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Authorization: `Bearer ${token ?? (await this.token())}`,
        'X-JWS-Signature': signature(signed),
        ...headers,
      },
      body,
    });
  }

  /** Creates a payment and gives the response. */
  async pay(reference, over = {}) {
    const response = await this.send('/ws/direct', payment(reference, over));
    return response.json();
  }
}

/** The detached token for these bytes. */
export function signature(body) {
  const header = Buffer.from(
    JSON.stringify({ alg: 'RS256', kid: KID, b64: false, crit: ['b64'] }),
  ).toString('base64url');
  const input = Buffer.concat([Buffer.from(`${header}.`), Buffer.from(body)]);
  return `${header}..${sign('RSA-SHA256', input, PRIVATE_KEY).toString('base64url')}`;
}

/** The body of a payment. */
export function payment(reference, over = {}) {
  return JSON.stringify({
    payment: {
      name: 'Maria Souza',
      email: 'maria@example.com',
      country: 'br',
      payment_type_code: 'pix',
      merchant_payment_code: reference,
      currency_code: 'BRL',
      amount_total: 100.1,
      document: '853.513.468-93',
      ...over,
    },
  });
}

export function launch() {
  return chromium.launch({ executablePath: EXECUTABLE, args: ARGUMENTS });
}

/**
 * A page in its own context, and the list of failures in it: errors of
 * the console, uncaught exceptions, violations of the policy.
 */
export async function open(browser, url, options = {}) {
  const context = await browser.newContext({
    permissions: ['clipboard-read', 'clipboard-write'],
    ...options,
  });
  const problems = [];
  await context.exposeFunction('reportViolation', (text) => problems.push(`policy: ${text}`));
  await context.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => {
      window.reportViolation(`${event.violatedDirective} ${event.blockedURI}`);
    });
  });
  context.on('console', (message) => {
    if (message.type() === 'error') {
      problems.push(`console: ${message.text()}`);
    }
  });
  context.on('weberror', (error) => problems.push(`uncaught: ${error.error()}`));
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  await page.goto(url);
  return { page, context, problems };
}

/**
 * Waits until `read` gives what is expected: a list is drawn again some time
 * after a click, and until then shows what it showed before.
 */
export async function eventually(read, expected, message) {
  const deadline = Date.now() + PATIENCE;
  let last = await read();
  while (!isDeepStrictEqual(last, expected) && Date.now() < deadline) {
    await sleep(20);
    last = await read();
  }
  assert.deepEqual(last, expected, message);
}

/** Clicks a button that copies, and gives the copied text. */
export async function copyBy(page, name) {
  // It says so for a moment only, which each frame is asked for.
  const says = (wanted) =>
    page.waitForFunction(
      (is) =>
        is === [...document.querySelectorAll('button')].some((it) => it.textContent === 'Copied'),
      wanted,
    );
  await says(false);
  await Promise.all([says(true), page.getByRole('button', { name, exact: true }).click()]);
  return page.evaluate(() => navigator.clipboard.readText());
}
