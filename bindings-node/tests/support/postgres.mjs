// A PostgreSQL server for tests, which ends with the test however that happens, and
// journals in it.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, afterEach, before, beforeEach } from 'node:test';

import { Client, PostgresJournal } from 'libpayments';
import pg from 'pg';

import { SHARED_FOLDER, Sandbox } from './sandbox.mjs';

export class PostgresServer {
  #keeper;

  static async start() {
    const server = new PostgresServer();
    const program = join(SHARED_FOLDER, 'postgresql', 'serve.sh');
    server.#keeper = spawn(program, { stdio: ['pipe', 'pipe', 'inherit'] });
    const lines = createInterface(server.#keeper.stdout);
    const ended = once(server.#keeper, 'exit');
    [server.url] = await Promise.race([once(lines, 'line'), ended]);
    if (typeof server.url !== 'string') {
      throw new Error('PostgreSQL does not start');
    }
    return server;
  }

  async stop() {
    const ended = once(this.#keeper, 'exit');
    this.#keeper.stdin.end();
    await ended;
  }
}

/** A sandbox and a server for the tests of a file, with an empty journal for each. */
export class JournalTests {
  #pools = [];

  constructor() {
    before(async () => {
      this.sandbox = await Sandbox.start();
      this.server = await PostgresServer.start();
    });
    beforeEach(async () => {
      await this.sandbox.reset();
      await new PostgresJournal(this.poolOf()).create();
    });
    afterEach(async () => {
      await this.poolOf().query('DROP TABLE payments_journal');
      await Promise.all(this.#pools.splice(0).map((pool) => pool.end()));
    });
    after(async () => {
      await this.server?.stop();
      await this.sandbox.stop();
    });
  }

  /** A pool that the end of the test closes. */
  poolOf(settings = {}) {
    const pool = new pg.Pool({ connectionString: this.server.url, ...settings });
    pool.on('error', () => {});
    this.#pools.push(pool);
    return pool;
  }

  clientOf(pool, config = {}, observer = undefined) {
    const journal = new PostgresJournal(pool);
    return new Client(
      { ...this.sandbox.config(), journal_scope: 'shop', ...config },
      { journal, observer },
    );
  }
}

/** A filter that wants all entries. */
export const ALL = {
  scope: 'shop',
  id: null,
  reference: null,
  is_open: false,
  after: null,
  limit: 1_000,
};

/** An entry as a call begins it. */
export function entryOf(number, reference, over = {}) {
  const id = String(number).padStart(32, '0');
  const times = { created_at: 1_000, deadline_at: 31_000, settles_at: 931_000, ended_at: null };
  const ends = { decided_by: null, hash: null, uid: null, kind: null, code: null };
  const rest = { note: null, rival: null };
  const amount = { refund_code: null, amount: '10.00', currency: 'BRL' };
  const from = { body_sha256: '00'.repeat(32), host: 'shop-1', process: '7' };
  const begun = { scope: 'shop', operation: 'create_payout', version: 1, state: 'in_progress' };
  return { id, ...begun, reference, ...amount, ...from, ...times, ...ends, ...rest, ...over };
}
