// The shops of examples/shop, each in a folder with a sandbox.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const { PAYMENTS_COMMAND, PAYMENTS_SHOPS, PAYMENTS_SHOP_PYTHON, PAYMENTS_SHOP_MODULES } =
  process.env;
const { PAYMENTS_SHOP_C, PAYMENTS_SHOP_FPM } = process.env;
export const PATIENCE = 60_000;
/** The owner's password. */
export const KEY = 'owner';
/** The demonstration has its own sandbox, and its shop lives only as long as that. */
export const DEMO = 'payments demo --keep';

/** Each shop, and how to start its programs: first the one that serves the page. */
export const STARTS = {
  'C, by libmicrohttpd': (shop, port) => [shop.run(PAYMENTS_SHOP_C, [port])],
  'Python, by uvicorn': (shop, port) => [uvicorn(shop, port)],
  'Python, by two workers of uvicorn': (shop, port) => [uvicorn(shop, port, '--workers', '2')],
  'Node, by Express': (shop, port) => [shop.run('node', ['shop.mjs'], { PORT: port })],
  'Node, by two processes of a cluster': (shop, port) => {
    const program = `import cluster from 'node:cluster';
      if (cluster.isPrimary) {
        const workers = [cluster.fork(), cluster.fork()];
        process.on('SIGTERM', () => workers.forEach((worker) => worker.process.kill()));
      } else {
        await import('./shop.mjs');
      }`;
    writeFileSync(join(shop.path, 'cluster.mjs'), program);
    return [shop.run('node', ['cluster.mjs'], { PORT: port })];
  },
  'PHP, by its own server': (shop, port) => {
    const env = { PHP_CLI_SERVER_WORKERS: '4' };
    return [
      shop.run('php', ['-d', 'ffi.enable=1', '-S', `127.0.0.1:${port}`, 'shop.php'], env),
      shop.run('php', ['-d', 'ffi.enable=1', 'shop.php', 'follow']),
    ];
  },
  'PHP, by FPM': (shop, port) => {
    const pool = `[global]\nerror_log = ${shop.path}/fpm.log\n[www]\nuser = root\ngroup = root
listen = ${shop.path}/fpm.socket\npm = static\npm.max_children = 2\nclear_env = no
catch_workers_output = yes\nphp_admin_value[ffi.enable] = true\n`;
    writeFileSync(join(shop.path, 'pool.conf'), pool);
    const words = ['--nodaemonize', '--allow-to-run-as-root', '-y', join(shop.path, 'pool.conf')];
    const server = serveByFpm(shop, port);
    const fpm = shop.run(PAYMENTS_SHOP_FPM, words);
    fpm.exited.then(() => {
      server.close();
      server.closeAllConnections();
    });
    return [fpm, shop.run('php', ['-d', 'ffi.enable=1', 'shop.php', 'follow'])];
  },
  [DEMO]: async (shop) => {
    const program = shop.run(PAYMENTS_COMMAND, ['demo', '--keep'], { TMPDIR: shop.path });
    await until(() => program.output.includes('Delete the folder'), program);
    [shop.url, shop.sandbox] = program.output.match(/(http:\S+)\/sandbox\/shop\//);
    shop.merchant = join(program.output.match(/^ {2}cd (\S+)$/m)[1]);
    return [program];
  },
};

/** The names of the shops to test: PAYMENTS_TEST_NAME is a part of them. */
export const SHOPS = Object.keys(STARTS).filter((name) =>
  name.includes(process.env.PAYMENTS_TEST_NAME ?? ''),
);

function uvicorn(shop, port, ...words) {
  return shop.run(PAYMENTS_SHOP_PYTHON, ['-m', 'uvicorn', 'shop:app', '--port', port, ...words]);
}

/** A shop in a folder, a sandbox with its configuration, and the programs that run there. */
export class Shop {
  #programs = [];

  /** Starts a shop, one of `STARTS`, and waits until it has its page. */
  static async start(name, changes = {}) {
    const shop = new Shop();
    shop.name = name;
    try {
      shop.path = mkdtempSync(join(tmpdir(), 'payments-shop-'));
      cpSync(PAYMENTS_SHOPS, shop.path, { recursive: true });
      symlinkSync(PAYMENTS_SHOP_MODULES, join(shop.path, 'node_modules'));
      if (name !== DEMO) {
        await shop.#startSandbox(changes);
      }
      await shop.open();
    } catch (error) {
      await shop.end();
      throw error;
    }
    return shop;
  }

  async #startSandbox(changes) {
    const words = ['sandbox', '--stdin-lifetime', '--json', '--config-out', 'merchant'];
    const program = this.run(PAYMENTS_COMMAND, words);
    await until(() => program.output.includes('\n'), program);
    this.sandbox = JSON.parse(program.output).base_url;
    this.merchant = join(this.path, 'merchant');
    const file = join(this.merchant, 'payments.json');
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file)), ...changes }));
  }

  /** Starts its programs, for the first time or after they were killed. */
  async launch() {
    const port = `${await freePort()}`;
    this.url = `http://127.0.0.1:${port}/`;
    this.programs = await STARTS[this.name](this, port);
    return this.programs;
  }

  isUp() {
    return fetch(this.url).then(
      ({ ok }) => ok,
      () => false,
    );
  }

  /** Starts its programs, and waits until they serve. */
  async open() {
    const [program] = await this.launch();
    await until(() => this.isUp(), program);
  }

  run(command, words, env = {}) {
    const child = spawn(command, words, {
      cwd: this.path,
      env: { ...process.env, SHOP_KEY: KEY, ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
      // In a new process group: a signal reaches the workers too.
      detached: true,
    });
    const program = { child, output: '', exited: once(child, 'exit') };
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (bytes) => {
        program.output += bytes;
      });
    }
    this.#programs.push(program);
    return program;
  }

  log() {
    const file = join(this.path, 'fpm.log');
    const outputs = this.programs.map((program) => program.output);
    return [...outputs, existsSync(file) ? readFileSync(file, 'utf8') : ''].join('');
  }

  /** The sandbox's control API. */
  async control(path, method = 'GET', body = undefined) {
    const response = await fetch(`${this.sandbox}/sandbox/${path}`, {
      method,
      headers: { Connection: 'close' },
      body: body && JSON.stringify(body),
    });
    return response.json();
  }

  /** Kills the shop with its workers; the sandbox continues. */
  async kill() {
    await stop(this.programs, 'SIGKILL');
  }

  async end() {
    await stop(this.#programs, 'SIGTERM');
    rmSync(this.path, { recursive: true });
  }
}

async function stop(programs, signal) {
  for (const { child, exited } of programs) {
    if (child.exitCode === null && child.signalCode === null) {
      process.kill(-child.pid, signal);
    }
    await exited;
  }
}

export async function until(isTrue, program) {
  const deadline = Date.now() + PATIENCE;
  while (!(await isTrue())) {
    assert.ok(Date.now() < deadline && program.child.exitCode === null, program.output);
    await sleep(50);
  }
}

async function freePort() {
  const server = createTcpServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/** A web server in front of php-fpm, as nginx would be. */
function serveByFpm(shop, port) {
  const script = join(shop.path, 'shop.php');
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    const program = spawn('cgi-fcgi', ['-bind', '-connect', join(shop.path, 'fpm.socket')], {
      env: {
        PATH: process.env.PATH,
        SCRIPT_FILENAME: script,
        REQUEST_METHOD: request.method,
        REQUEST_URI: request.url,
        CONTENT_TYPE: request.headers['content-type'] ?? '',
        CONTENT_LENGTH: `${body.length}`,
      },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    // Before php-fpm listens, it ends at once.
    program.stdin.on('error', () => {}).end(body);
    const text = Buffer.concat(await program.stdout.toArray()).toString();
    if (text === '') {
      response.writeHead(502).end();
      return;
    }
    const [head, content] = text.split(/\r\n\r\n(.*)/s);
    const headers = head.split('\r\n').map((line) => line.split(/: (.*)/));
    const status = headers.find(([name]) => name === 'Status')?.[1] ?? '200';
    response.writeHead(
      Number.parseInt(status, 10),
      Object.fromEntries(headers.map(([n, v]) => [n, v])),
    );
    response.end(content);
  });
  server.listen(port, '127.0.0.1');
  return server;
}
