// The calls that the benchmarks measure: a payment by libpayments, and the same
// signed request by fetch with signatures by node:crypto and by jose.

import { spawn } from 'node:child_process';
import { createPrivateKey, sign } from 'node:crypto';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

import { FlattenedSign } from 'jose';
import { Client } from 'libpayments';

const KID = 'bench-key';
const INTEGRATION_KEY = 'key';

export function payment(merchant_payment_code = 'order-1001') {
  return {
    payment: {
      name: 'Maria Souza',
      email: 'maria@example.com',
      country: 'br',
      payment_type_code: 'pix',
      merchant_payment_code,
      currency_code: 'BRL',
      amount_total: '100.10',
      document: '853.513.468-93',
    },
  };
}

/** The program of core/benches/peer: the server, and the same call in Rust. */
export class Peer {
  #process;
  #lines;

  static async start(program) {
    const peer = new Peer();
    peer.#process = spawn(program, { stdio: ['pipe', 'pipe', 'inherit'] });
    peer.#lines = createInterface({ input: peer.#process.stdout })[Symbol.asyncIterator]();
    return Object.assign(peer, await peer.#read());
  }

  async #read() {
    return JSON.parse((await this.#lines.next()).value);
  }

  /** How many nanoseconds each of some calls takes in Rust. */
  times(count) {
    this.#process.stdin.write(`${count}\n`);
    return this.#read();
  }

  stop() {
    this.#process.stdin.end();
  }
}

/** The body with the amount as a number, as the library writes it. */
function bodyOf(request) {
  const body = JSON.stringify({ integration_key: INTEGRATION_KEY, ...request });
  return Buffer.from(body.replace('"100.10"', '100.10'));
}

/** Each way to make one call against the server at `url`, by its name. */
export function waysOf(url, { private_key: pem, ca_file }) {
  const client = new Client({
    base_url: url,
    integration_key: INTEGRATION_KEY,
    key: pem,
    kid: KID,
    ca_file,
  });
  const key = createPrivateKey(pem);
  const header = { alg: 'RS256', kid: KID, b64: false, crit: ['b64'] };
  const encodedHeader = Buffer.from(JSON.stringify(header)).toString('base64url');
  const signLater = promisify(sign);

  function signingInput(body) {
    return Buffer.concat([Buffer.from(`${encodedHeader}.`), body]);
  }

  async function send(body, token) {
    const headers = { 'content-type': 'application/json', 'x-jws-signature': token };
    const response = await fetch(`${url}/ws/direct`, { method: 'POST', headers, body });
    const { payment: made } = await response.json();
    if (response.status !== 200 || made.status !== 'PE') {
      throw new Error('another response was expected');
    }
  }

  return {
    libpayments: () => client.createPayment(payment()),
    'fetch, node:crypto': async () => {
      const body = bodyOf(payment());
      await send(
        body,
        `${encodedHeader}..${sign('sha256', signingInput(body), key).toString('base64url')}`,
      );
    },
    'fetch, node:crypto with callback': async () => {
      const body = bodyOf(payment());
      const signature = await signLater('sha256', signingInput(body), key);
      await send(body, `${encodedHeader}..${signature.toString('base64url')}`);
    },
    'fetch, jose': async () => {
      const body = bodyOf(payment());
      const signed = await new FlattenedSign(body)
        .setProtectedHeader(header)
        .sign(key, { crit: { b64: true } });
      await send(body, `${signed.protected}..${signed.signature}`);
    },
  };
}

/** The result of `work`, and how many milliseconds the loop is blocked at most in the meantime. */
export async function longestHold(work) {
  let [longest, last] = [0, performance.now()];
  const tick = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last - 1);
    last = now;
  };
  const watch = setInterval(tick, 1);
  const result = await work();
  tick();
  clearInterval(watch);
  return { longest, result };
}

export function median(values) {
  return values.toSorted((one, other) => one - other)[values.length >> 1];
}

export function milliseconds(nanoseconds) {
  return `${(nanoseconds / 1e6).toFixed(2)} ms`;
}

/**
 * Prints rows with the subject, its figure, the goal, and whether it was
 * reached, and at the end the goals that were missed.
 */
export function printRows(rows) {
  console.log('\n| what is measured | measured | goal |\n|---|---|---|');
  for (const [what, measured, goal = '—'] of rows) {
    console.log(`| ${what} | ${measured} | ${goal} |`);
  }
  for (const [what, measured, goal, isReached = true] of rows) {
    if (!isReached) {
      console.log(`missed: ${what}: ${measured}, goal ${goal}`);
    }
  }
}
