// Bundlers and file tracers: what they make pays where nothing else is installed.

import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';

import { Sandbox, until } from './support/sandbox.mjs';

/** Set by scripts/test-node.sh: where tools are installed. */
const TOOLS = process.env.PAYMENTS_TEST_TOOLS;
const BUNDLERS = join(TOOLS, 'bundlers');
const tools = createRequire(join(BUNDLERS, 'package.json'));
/** The one that also packs the package. */
const esbuild = createRequire(join(TOOLS, 'esbuild', 'package.json'))('esbuild');
const packages = join(dirname(createRequire(import.meta.url).resolve('libpayments')), '..', '..');

/** A project with the package and its build. The bundlers are in a folder around it. */
const project = mkdtempSync(join(BUNDLERS, 'project-'));
/** Where no folder around it has a package. */
const elsewhere = mkdtempSync(join(tmpdir(), 'payments-bundles-'));
const handler = join(project, 'handler.mjs');
const program = join(project, 'program.mjs');
let sandbox;

before(async () => {
  cpSync(join(import.meta.dirname, 'bundlers'), project, { recursive: true });
  for (const name of ['libpayments', '@libpayments']) {
    cpSync(join(packages, name), join(project, 'node_modules', name), { recursive: true });
  }
  sandbox = await Sandbox.start();
});
beforeEach(() => sandbox.reset());
after(async () => {
  await sandbox.stop();
  for (const folder of [project, elsewhere]) {
    rmSync(folder, { recursive: true });
  }
});

/** The variables in which the program finds the sandbox. */
function serviceVariables() {
  return { BASE_URL: sandbox.baseUrl, INTEGRATION_KEY: sandbox.settings.integration_key };
}

/** Runs Node, or a program, with the given environment, and resolves to its output. */
function run(words, { program: executable = process.execPath, ...options } = {}) {
  const env = { PATH: process.env.PATH, ...serviceVariables() };
  return new Promise((resolve) => {
    execFile(executable, words, { env, ...options }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });
}

/** Sends one payment by a program. */
async function assertPays(words, options) {
  const { stdout, stderr } = await run(words, { cwd: elsewhere, ...options });
  assert.deepEqual([stdout, stderr], ['PE\n', '']);
  assert.equal((await sandbox.requests()).length, 1);
}

/** Calls the handler of a bundle, as a serverless platform does. */
function callOf(bundle) {
  const call = `require(${JSON.stringify(bundle)}).handler()`;
  return ['--eval', `${call}.then(({ body }) => console.log(body))`];
}

/** A folder for a bundle, outside of the project. */
function newFolder(name) {
  const folder = join(elsewhere, name);
  mkdirSync(folder);
  return folder;
}

test('@vercel/nft traces the addon', async () => {
  const { nodeFileTrace } = tools('@vercel/nft');
  const { fileList } = await nodeFileTrace([program], { base: project });
  const folder = newFolder('traced');
  for (const file of fileList) {
    cpSync(join(project, file), join(folder, file));
  }
  await assertPays([join(folder, 'program.mjs')]);
});

test('esbuild with libpayments as external', async () => {
  const outfile = join(project, 'esbuild', 'program.mjs');
  const options = { bundle: true, platform: 'node', format: 'esm', external: ['libpayments'] };
  await esbuild.build({ entryPoints: [program], outfile, ...options });
  await assertPays([outfile]);
});

test('a function that esbuild bundles with the addon', async () => {
  const outfile = join(newFolder('function'), 'index.js');
  const options = { bundle: true, platform: 'node', loader: { '.node': 'copy' } };
  await esbuild.build({ entryPoints: [handler], outfile, ...options });
  await assertPays(callOf(outfile));
});

test('Rollup with libpayments as external', async () => {
  const bundle = await tools('rollup').rollup({ input: program, external: ['libpayments'] });
  const file = join(project, 'rollup', 'program.mjs');
  await bundle.write({ file });
  await assertPays([file]);
});

/** Runs webpack, and resolves to the messages of its errors. */
async function pack(path, options) {
  const webpack = tools('webpack');
  const output = { path, filename: 'index.js', library: { type: 'commonjs2' } };
  const common = { mode: 'production', target: 'node', context: project, entry: handler, output };
  const stats = await new Promise((resolve, reject) => {
    webpack({ ...common, ...options }, (error, made) => (error ? reject(error) : resolve(made)));
  });
  return stats.compilation.errors.map(({ message }) => message);
}

test('webpack with libpayments as external', async () => {
  const folder = join(project, 'webpack');
  const externals = { libpayments: 'commonjs libpayments' };
  assert.deepEqual(await pack(folder, { externals }), []);
  await assertPays(callOf(folder));
});

test('a function that webpack bundles with the addon', async () => {
  const folder = newFolder('packed');
  const rules = [{ test: /\.node$/, loader: tools.resolve('node-loader') }];
  assert.deepEqual(await pack(folder, { module: { rules } }), []);
  await assertPays(callOf(folder));
});

test('a build that does not mention the package names the addon', async () => {
  const bundle = { bundle: true, platform: 'node', write: false, logLevel: 'silent' };
  await assert.rejects(esbuild.build({ entryPoints: [program], ...bundle }), /payments\.node/);
  const [error] = await pack(join(project, 'failed'), {});
  assert.match(error, /Module parse failed/);
});

test('a bundle without the addon says how to exclude the package', async () => {
  const folder = newFolder('lost');
  const outfile = join(folder, 'esbuild.js');
  const options = { bundle: true, platform: 'node', external: ['@libpayments/*'] };
  await esbuild.build({ entryPoints: [handler], outfile, ...options });
  assert.deepEqual(await pack(folder, { externals: [/^@libpayments\//] }), []);
  const said = /a bundler or file tracing left out @libpayments\/.*external: \['libpayments'\]/;
  for (const place of [outfile, folder]) {
    const { code, stderr } = await run(['--eval', `require(${JSON.stringify(place)})`]);
    assert.equal(code, 1);
    assert.match(stderr, said);
  }
});

/** Makes a single executable of a bundle with these options of esbuild. */
async function executableOf(folder, options) {
  const main = join(folder, 'index.js');
  const bundle = { bundle: true, platform: 'node', loader: { '.node': 'copy' } };
  await esbuild.build({
    entryPoints: [join(project, 'executable.mjs')],
    outfile: main,
    ...bundle,
    ...options,
  });
  const config = join(folder, 'sea.json');
  const blob = join(folder, 'sea.blob');
  const members = { main, output: blob, disableExperimentalSEAWarning: true };
  writeFileSync(config, JSON.stringify(members));
  const made = await run(['--experimental-sea-config', config]);
  assert.equal(made.code, 0, made.stderr);
  const executable = join(folder, 'shop');
  cpSync(process.execPath, executable);
  const sentinel = { sentinelFuse: 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2' };
  await tools('postject').inject(executable, 'NODE_SEA_BLOB', readFileSync(blob), sentinel);
  rmSync(main);
  return executable;
}

test('a single executable pays with the addon next to it', async () => {
  const folder = newFolder('executable');
  const js = "require = require('node:module').createRequire(process.execPath);";
  const executable = await executableOf(folder, { format: 'cjs', banner: { js } });
  await assertPays([], { program: executable });
  rmSync(
    join(
      folder,
      readdirSync(folder).find((name) => name.endsWith('.node')),
    ),
  );
  await assertNamesTheFolder(executable);
});

test('a single executable says what it loads', async () => {
  const executable = await executableOf(newFolder('alone'), { format: 'cjs' });
  await assertNamesTheFolder(executable);
});

async function assertNamesTheFolder(executable) {
  const { code, stderr } = await run([], { program: executable });
  assert.equal(code, 1);
  assert.match(stderr, /this is a single executable.* from the folder of the executable/);
}

/** A port that was free a moment ago. */
async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

test('a route of Next.js, deployed as it was traced', async () => {
  const next = join(project, 'next');
  const env = { PATH: process.env.PATH, NEXT_TELEMETRY_DISABLED: '1' };
  const words = [tools.resolve('next/dist/bin/next'), 'build'];
  const { code, stdout, stderr } = await run(words, { cwd: next, env });
  assert.equal(code, 0, `${stdout}${stderr}`);
  const deployed = join(elsewhere, 'deployed');
  cpSync(join(next, '.next', 'standalone'), deployed, { recursive: true, verbatimSymlinks: true });
  const port = await freePort();
  const server = join(deployed, basename(project), 'next', 'server.js');
  const place = { HOSTNAME: '127.0.0.1', PORT: String(port), ...serviceVariables() };
  const running = spawn(process.execPath, [server], {
    env: { ...env, ...place },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  try {
    const url = `http://127.0.0.1:${port}/api/pay`;
    let response;
    await until(async () => {
      response = await fetch(url, { method: 'POST' }).catch(() => undefined);
      return response !== undefined;
    }, 'the server');
    assert.deepEqual(await response.json(), { status: 'PE' });
    assert.equal((await sandbox.requests()).length, 1);
  } finally {
    running.kill();
    await once(running, 'exit');
  }
});
