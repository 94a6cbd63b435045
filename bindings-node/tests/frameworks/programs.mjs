// Programs that the tests start as their pages say: the sandbox with its files, and servers.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** The line that a program prints first and that matches, or fails if it ends before. */
async function lineOf(child, pattern) {
  for await (const line of createInterface({ input: child.stdout })) {
    const found = pattern.exec(line);
    if (found !== null) {
      child.stdout.resume();
      return found[0];
    }
  }
  assert.fail(`the program ended without ${pattern}`);
}

/** A program that runs until it gets SIGTERM. */
export class Program {
  constructor(command, words, options) {
    this.child = spawn(command, words, { stdio: ['pipe', 'pipe', 'inherit'], ...options });
    this.exited = once(this.child, 'exit');
  }

  async url() {
    return lineOf(this.child, /http:\/\/(127\.0\.0\.1|localhost):\d+/);
  }

  /** Ends it as a service manager does, and gives its exit code or its signal. */
  async stop() {
    this.child.kill('SIGTERM');
    const [code, signal] = await this.exited;
    return code ?? signal;
  }
}

/** The README's sandbox: `payments sandbox --config-out merchant`. */
export async function startSandbox(folder) {
  const merchant = join(folder, 'merchant');
  const command = process.env.PAYMENTS_TEST_COMMAND;
  const words = ['sandbox', '--stdin-lifetime', '--config-out', merchant];
  const program = new Program(command, words, { cwd: folder });
  const url = await program.url();
  const control = (path) => fetch(`${url}/sandbox/${path}`, { method: 'POST' });
  return { program, file: join(merchant, 'payments.json'), control };
}

/** A port that was free a moment ago. */
export async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

export async function ask(url, method, body) {
  const response = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json', connection: 'close' },
    body: body && JSON.stringify(body),
  });
  return { status: response.status, ...(await response.json()) };
}
