'use strict';

const { spawn } = require('node:child_process');
const { once } = require('node:events');
const { createInterface } = require('node:readline');
const { Client } = require('../index.js');
const { findCommand } = require('./command.js');

let clientIds = 0;

/** The payments service on loopback, in its own process. */
class Sandbox {
  #child;
  #given;

  static async start({ options = [], command } = {}) {
    const [program, ...first] = command === undefined ? findCommand() : [command];
    const child = spawn(program, [...first, 'sandbox', '--json', '--stdin-lifetime', ...options], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const failed = once(child, 'error').then(([cause]) => {
      throw new Error(`the sandbox did not start: could not run ${program}`, { cause });
    });
    const given = await Promise.race([firstLine(child), failed]);
    failed.catch(() => {});
    if (given === undefined) {
      throw new Error('the sandbox did not start; standard error has the reason');
    }
    // It ends when this process does, and does not keep it alive until then.
    for (const handle of [child, child.stdin, child.stdout]) {
      handle.unref();
    }
    const sandbox = new this();
    sandbox.#child = child;
    sandbox.#given = JSON.parse(given);
    return sandbox;
  }

  get baseUrl() {
    return this.#given.base_url;
  }

  get pageUrl() {
    return `${this.baseUrl}/sandbox/`;
  }

  async reset() {
    clientIds += 1;
    const client_id = `test-${process.pid}-${clientIds}`;
    await this.call('POST', 'reset');
    await this.call('POST', 'settings', { client_id });
    this.#given = { ...this.#given, client_id };
  }

  configuration(members = {}) {
    const merged = Object.entries({ ...this.#given, ...members });
    return Object.fromEntries(merged.filter(([, value]) => value !== undefined));
  }

  client(members) {
    return new Client(this.configuration(members));
  }

  async failNext(fault, { operation, times = 1, ...members } = {}) {
    const then = [{ ...inSnakeCase(members), fault }];
    await this.call('POST', 'faults', { operation, times, then });
  }

  async pay(reference) {
    return (await this.call('POST', `payments/${encodeURIComponent(reference)}/confirm`)).payment;
  }

  async decline(reference) {
    return (await this.call('POST', `payments/${encodeURIComponent(reference)}/cancel`)).payment;
  }

  async payments() {
    return (await this.call('GET', 'payments')).payments;
  }

  async payouts() {
    return (await this.call('GET', 'payouts')).payouts;
  }

  async requests(operation) {
    const query = operation === undefined ? '' : `?operation=${encodeURIComponent(operation)}`;
    return (await this.call('GET', `requests${query}`)).requests;
  }

  async blockTokens({ status = 429, retryAfter = 60 } = {}) {
    await this.call('POST', 'tokens/block', inSnakeCase({ status, retryAfter }));
  }

  async unblockTokens() {
    await this.call('POST', 'tokens/block', { blocked: false });
  }

  async revokeTokens() {
    await this.call('POST', 'tokens/revoke');
  }

  async call(method, path, body) {
    const response = await fetch(`${this.pageUrl}${path}`, {
      method,
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    if (response.status !== 200) {
      throw new Error(`${method} ${path}: ${response.status} ${text}`);
    }
    return JSON.parse(text);
  }

  async stop() {
    const child = this.#child;
    if (child.exitCode === null && child.signalCode === null) {
      child.ref();
      const ended = once(child, 'exit');
      child.stdin.end();
      await ended;
    }
  }
}

/** Members as the sandbox names them. */
function inSnakeCase(members) {
  const named = Object.entries(members).map(([name, value]) => [
    name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    value,
  ]);
  return Object.fromEntries(named);
}

async function firstLine(child) {
  for await (const line of createInterface({ input: child.stdout })) {
    return line;
  }
  return undefined;
}

module.exports = { Sandbox };
