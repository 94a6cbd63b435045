// Buys in each shop of examples/shop, in a browser, and pays on the payer's page.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { chromium } from 'playwright-core';

const { PAYMENTS_COMMAND, PAYMENTS_SHOPS, PAYMENTS_SHOP_PYTHON, PAYMENTS_SHOP_MODULES } =
  process.env;
const { PAYMENTS_SHOP_C, PAYMENTS_SHOP_FPM, PAYMENTS_CHROMIUM } = process.env;
const PATIENCE = 60_000;
let browser;

before(async () => {
  browser = await chromium.launch({
    executablePath: PAYMENTS_CHROMIUM,
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  });
});
after(() => browser.close());

/** A folder with the shops and a sandbox's configuration, and the programs that run in it. */
class Folder {
  #programs = [];

  constructor() {
    this.path = mkdtempSync(join(tmpdir(), 'payments-shop-'));
    cpSync(PAYMENTS_SHOPS, this.path, { recursive: true });
    symlinkSync(PAYMENTS_SHOP_MODULES, join(this.path, 'node_modules'));
  }

  run(command, words, env = {}) {
    const child = spawn(command, words, {
      cwd: this.path,
      env: { ...process.env, ...env },
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

  async startSandbox() {
    const words = ['sandbox', '--stdin-lifetime', '--json', '--config-out', 'merchant'];
    const program = this.run(PAYMENTS_COMMAND, words);
    await until(() => program.output.includes('\n'), program);
    return JSON.parse(program.output).base_url;
  }

  async end() {
    for (const { child, exited } of this.#programs) {
      if (child.exitCode === null) {
        process.kill(-child.pid, 'SIGTERM');
      }
      await exited;
    }
    rmSync(this.path, { recursive: true });
  }
}

async function until(isTrue, program) {
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
function serveByFpm(folder, port) {
  const script = join(folder.path, 'shop.php');
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    const program = spawn('cgi-fcgi', ['-bind', '-connect', join(folder.path, 'fpm.socket')], {
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

const SHOPS = {
  'C, by libmicrohttpd': (folder, port) => [folder.run(PAYMENTS_SHOP_C, [port])],
  'Python, by uvicorn': (folder, port) => [
    folder.run(PAYMENTS_SHOP_PYTHON, ['-m', 'uvicorn', 'shop:app', '--port', port]),
  ],
  'Node, by Express': (folder, port) => [folder.run('node', ['shop.mjs'], { PORT: port })],
  'PHP, by its own server': (folder, port) => {
    const env = { PHP_CLI_SERVER_WORKERS: '4' };
    return [
      folder.run('php', ['-d', 'ffi.enable=1', '-S', `127.0.0.1:${port}`, 'shop.php'], env),
      folder.run('php', ['-d', 'ffi.enable=1', 'shop.php', 'follow']),
    ];
  },
  'PHP, by FPM': (folder, port) => {
    const pool = `[global]\nerror_log = ${folder.path}/fpm.log\n[www]\nuser = root\ngroup = root
listen = ${folder.path}/fpm.socket\npm = static\npm.max_children = 2\nclear_env = no
catch_workers_output = yes\nphp_admin_value[ffi.enable] = true\n`;
    writeFileSync(join(folder.path, 'pool.conf'), pool);
    const words = ['--nodaemonize', '--allow-to-run-as-root', '-y', join(folder.path, 'pool.conf')];
    const server = serveByFpm(folder, port);
    const fpm = folder.run(PAYMENTS_SHOP_FPM, words);
    fpm.exited.then(() => {
      server.close();
      server.closeAllConnections();
    });
    return [fpm, folder.run('php', ['-d', 'ffi.enable=1', 'shop.php', 'follow'])];
  },
};

for (const [name, start] of Object.entries(SHOPS)) {
  test(`a mug is bought, paid and refunded: ${name}`, () =>
    visit(async (folder) => {
      const sandbox = await folder.startSandbox();
      const port = `${await freePort()}`;
      const programs = start(folder, port);
      const shop = `http://127.0.0.1:${port}/`;
      const isUp = () =>
        fetch(shop).then(
          ({ ok }) => ok,
          () => false,
        );
      await until(isUp, programs[0]);
      return { shop, sandbox, programs };
    }));
}

test('a mug is bought, paid and refunded: payments demo --keep', () =>
  visit(async (folder) => {
    const program = folder.run(PAYMENTS_COMMAND, ['demo', '--keep'], { TMPDIR: folder.path });
    await until(() => program.output.includes('Delete the folder'), program);
    const [shop, sandbox] = program.output.match(/(http:\S+)\/sandbox\/shop\//);
    return { shop, sandbox, programs: [program] };
  }));

/** Buys in the shop that `open` starts. */
async function visit(open) {
  const folder = new Folder();
  const context = await browser.newContext({
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  context.setDefaultTimeout(PATIENCE);
  try {
    const { shop, sandbox, programs } = await open(folder);
    await buy(context, shop, sandbox);
    const log = programs.map((program) => program.output).join('');
    assert.equal(log.match(/deliver order-/g)?.length, 1, log);
  } finally {
    await context.close();
    await folder.end();
  }
}

async function buy(context, shop, sandbox) {
  const page = await context.newPage();
  const control = async (path, method = 'GET') =>
    (await fetch(`${sandbox}/sandbox/${path}`, { method })).json();
  const payments = async () => {
    const reference = await page.locator('#reference').textContent();
    const all = (await control('payments')).payments;
    return all.filter((payment) => payment.merchant_payment_code === reference);
  };
  await page.goto(shop);
  await page.getByLabel('T-shirts').fill('2');
  // A second click before the first is answered pays once.
  await page.getByRole('button', { name: 'Pay by pix' }).dblclick();
  await page.getByText('waiting for your payment').waitFor();
  assert.equal(await page.locator('#total').textContent(), '100.50');
  assert.ok(await page.locator('#picture').evaluate((image) => image.decode().then(() => true)));
  await page.getByRole('button', { name: 'Copy the code' }).click();
  const code = await page.locator('#code').textContent();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), code);
  const made = await payments();
  assert.deepEqual(
    made.map(({ amount_ext: amount, pix }) => [amount, pix.qr_code_value]),
    [['100.50', code]],
  );

  const payer = await context.newPage();
  await payer.goto(`${sandbox}/sandbox/pay/${made[0].hash}`);
  await payer.getByRole('button', { name: 'Pay' }).click();
  await payer.getByText('Paid', { exact: true }).waitFor();
  await page.getByText('paid', { exact: true }).waitFor();

  await page.getByRole('button', { name: 'Refund' }).click();
  await page.getByText('a refund is on its way').waitFor();
  const [{ refunds }] = await payments();
  assert.equal(refunds.length, 1);
  await control(`refunds/${refunds[0].id}/confirm`, 'POST');
  await page.getByText('refunded', { exact: true }).waitFor();
}
