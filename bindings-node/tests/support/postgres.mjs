// A PostgreSQL server for tests with a pooler in front of it, which end with the test
// however that happens, and journals in it.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, afterEach, before, beforeEach } from 'node:test';

import { Client, PostgresJournal } from 'libpayments';
import pg from 'pg';

import { SHARED_FOLDER, Sandbox, readShared } from './sandbox.mjs';

export class PostgresServer {
  #keeper;

  static async start() {
    const server = new PostgresServer();
    const program = join(SHARED_FOLDER, 'postgresql', 'serve.sh');
    server.#keeper = spawn(program, ['--pooler'], { stdio: ['pipe', 'pipe', 'inherit'] });
    const lines = createInterface(server.#keeper.stdout)[Symbol.asyncIterator]();
    for (const name of ['url', 'poolerUrl']) {
      const { value } = await lines.next();
      if (value === undefined) {
        throw new Error('PostgreSQL does not start');
      }
      server[name] = value;
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
      await this.poolOf().query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
      await Promise.all(this.#pools.splice(0).map((pool) => pool.end()));
    });
    after(async () => {
      await this.server?.stop();
      await this.sandbox.stop();
    });
  }

  /** A pool of connections behind PgBouncer that the end of the test closes. */
  pooledPoolOf() {
    return this.poolOf({ connectionString: this.server.poolerUrl });
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

const { entry, filter } = JSON.parse(readShared('journal_databases.json'));

/** A filter that wants all entries. */
export const ALL = filter;

/** An entry as a call begins it. */
export function entryOf(number, reference, over = {}) {
  return { ...entry, id: String(number).padStart(32, '0'), reference, ...over };
}
