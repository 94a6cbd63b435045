// A Redis server for tests: on its own port, empty, stopped with the test.

import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { sleep } from './sandbox.mjs';

/**
 * Starts a server and ends it when its input ends, which it does when the
 * test ends, however that happens.
 */
const KEEPER = 'redis-server "$@" >/dev/null 2>&1 & cat >/dev/null; kill -9 $!';

export class RedisServer {
  #folder = mkdtempSync(join(tmpdir(), 'payments-redis-'));
  #keeper;

  static async start() {
    const server = new RedisServer();
    server.port = await freePort();
    const given = [
      '--bind',
      '127.0.0.1',
      '--save',
      '',
      '--dir',
      server.#folder,
      '--port',
      String(server.port),
    ];
    server.#keeper = spawn('sh', ['-c', KEEPER, 'sh', ...given], {
      stdio: ['pipe', 'ignore', 'inherit'],
    });
    const deadline = Date.now() + 20_000;
    while (!(await isListening(server.port))) {
      if (Date.now() > deadline) {
        await server.stop();
        throw new Error('redis-server does not start; scripts/setup.sh node installs it');
      }
      await sleep(20);
    }
    return server;
  }

  get url() {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** The output of `redis-cli` with these arguments. */
  cli(...given) {
    const of = ['-h', '127.0.0.1', '-p', String(this.port), ...given];
    const { error, status, stdout } = spawnSync('redis-cli', of, { encoding: 'utf8' });
    if (error !== undefined || status !== 0) {
      throw new Error(`redis-cli ${given[0]} failed; scripts/setup.sh node installs it`, {
        cause: error,
      });
    }
    return stdout.trim();
  }

  /** Everything that the server would write to its disk. */
  dump() {
    this.cli('CONFIG', 'SET', 'rdbcompression', 'no');
    this.cli('SAVE');
    return readFileSync(join(this.#folder, 'dump.rdb'));
  }

  async stop() {
    const ended = new Promise((resolve) => this.#keeper.once('exit', resolve));
    this.#keeper.stdin.end();
    await ended;
    rmSync(this.#folder, { recursive: true });
  }
}

/** A port that nothing listens on. */
function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

function isListening(port) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const end = (response) => {
      socket.destroy();
      resolve(response);
    };
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
  });
}
