// A PostgreSQL server for tests, which ends with the test however that happens.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { SHARED_FOLDER } from './sandbox.mjs';

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
