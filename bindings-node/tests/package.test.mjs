// The package as it is installed: modules, loader, contents.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';

import * as libpayments from 'libpayments';

import { Sandbox } from './support/sandbox.mjs';

const require = createRequire(import.meta.url);
const home = dirname(require.resolve('libpayments/package.json'));
const manifest = require('libpayments/package.json');
// The package has them in its one file.
const sources = join(process.env.PAYMENTS_TEST_FOLDER, '..', 'bindings-node', 'lib');
const { PLATFORMS, packageOf } = require(join(sources, 'platforms.js'));
const { loadAddon } = require(join(sources, 'loader.js'));
const ours = PLATFORMS.map(packageOf).find((name) => existsSync(join(home, '..', name)));

const scratch = mkdtempSync(join(tmpdir(), 'payments-package-'));
after(() => rmSync(scratch, { recursive: true }));

test('import and require give the same classes', () => {
  const required = require('libpayments');
  const names = [
    'Client',
    'JournalUnavailableError',
    'PaymentsError',
    'PostgresJournal',
    'createJournal',
    'decimal',
    'generateKey',
    'lint',
    'qrPng',
    'qrSvg',
    'verify',
  ];
  assert.deepEqual(Object.keys(libpayments).sort(), [...names, 'default'].sort());
  assert.equal(libpayments.default, required);
  assert.deepEqual(Object.keys(required).sort(), names);
  for (const name of names) {
    assert.equal(required[name], libpayments[name]);
  }
});

test('exactly the packed builds are optional dependencies', () => {
  assert.deepEqual(manifest.optionalDependencies, { [ours]: manifest.version });
  const build = require(`${ours}/package.json`);
  assert.deepEqual(
    [build.version, build.os, build.cpu],
    [manifest.version, [process.platform], [process.arch]],
  );
});

test('the packages hold what they need and nothing else', () => {
  const list = (folder) =>
    readdirSync(folder, { recursive: true })
      .filter((it) => !it.startsWith('node_modules'))
      .sort();
  assert.deepEqual(list(join(home, '..', ours)), [
    'LICENSE-APACHE',
    'LICENSE-MIT',
    'README.md',
    'package.json',
    'payments.node',
  ]);
  const kinds = new Set(
    list(home)
      .filter((it) => it !== 'lib')
      .map((it) => it.replace(/^lib\/testing.*/, 'lib/testing')),
  );
  const types = [
    'responses.d.ts',
    'config.d.ts',
    'errors.d.ts',
    'events.d.ts',
    'following.d.ts',
    'index.d.mts',
    'index.d.ts',
    'journal-entry.d.ts',
    'journal.d.ts',
    'listeners.d.ts',
    'operations.d.ts',
    'prepared-request.d.ts',
    'requests.d.ts',
  ];
  const otel = ['otel.d.mts', 'otel.d.ts', 'otel.js', 'otel.mjs'];
  const testing = ['testing.d.mts', 'testing.d.ts', 'testing.js', 'testing.mjs'];
  const whole = [
    'LICENSE-APACHE',
    'LICENSE-MIT',
    'README.md',
    'bin',
    'bin/libpayments.js',
    'lib/index.js',
    'lib/index.mjs',
    'lib/testing',
    'package.json',
    ...types,
    ...otel,
    ...testing,
  ].sort();
  assert.deepEqual([...kinds].sort(), whole);
  assert.equal(manifest.scripts, undefined, 'nothing runs at installation');
  assert.equal(manifest.dependencies, undefined);
});

/** The message of a program that uses a package without its build, or with another. */
function loadFailure(place, prepare) {
  const project = join(scratch, place);
  mkdirSync(join(project, 'node_modules'), { recursive: true });
  cpSync(home, join(project, 'node_modules', 'libpayments'), { recursive: true });
  prepare(join(project, 'node_modules', ours));
  return messageOf(project, 'libpayments');
}

function messageOf(project, place) {
  const program = `try { require(${JSON.stringify(place)}) }
    catch ({ message, code }) { console.log(code, message) }`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--eval', program], {
    cwd: project,
    encoding: 'utf8',
    env: { ...process.env, NAPI_RS_NATIVE_LIBRARY_PATH: join(home, '..', ours, 'payments.node') },
  });
  assert.equal(stderr, '');
  assert.match(stdout, /^ERR_LIBPAYMENTS_NOT_LOADED libpayments cannot be loaded: /);
  return stdout;
}

/** A package of the build's name. */
function fake(folder, files) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ name: ours, version: manifest.version, main: 'main.js' }),
  );
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(folder, name), text);
  }
}

test('a missing build: the message says how to install it', () => {
  const said = loadFailure('absent', () => {});
  assert.match(said, new RegExp(`${ours}.* is not installed`));
  assert.match(said, /--omit=optional/);
  assert.match(said, new RegExp(`npm install .*@${manifest.version}`));
});

test('a Node that may not load addons: the message has the option', () => {
  const project = join(home, '..', '..');
  const program = `import('libpayments').catch(({ code, message }) => console.log(code, message))`;
  for (const options of [['--experimental-permission', '--allow-fs-read=*'], ['--no-addons']]) {
    const given = [...options, '--eval', program];
    const { stdout } = spawnSync(process.execPath, given, { cwd: project, encoding: 'utf8' });
    assert.match(stdout, /^ERR_LIBPAYMENTS_NOT_LOADED .* Node may not load the addon/);
    assert.match(stdout, /with --permission, start it with --allow-addons/);
    assert.match(stdout, /remove --no-addons/);
  }
});

test('a build that cannot be loaded: the message has the reason', () => {
  const broken = loadFailure('broken', (folder) => {
    fake(folder, {
      'main.js': "module.exports = require('./payments.node')",
      'payments.node': 'no library',
    });
  });
  assert.match(broken, /is installed but cannot be loaded \(.*payments\.node/);
  const incomplete = loadFailure('incomplete', (folder) => fake(folder, {}));
  assert.match(incomplete, /is installed but cannot be loaded/);
});

test('a build from a checkout needs no other package', () => {
  const project = join(scratch, 'checkout');
  const installed = join(project, 'node_modules', 'libpayments');
  cpSync(home, installed, { recursive: true });
  cpSync(join(home, '..', ours, 'payments.node'), join(installed, 'payments.node'));
  const { stdout } = runIn(
    project,
    "import { decimal } from 'libpayments'; console.log(typeof decimal)",
  );
  assert.equal(stdout, 'function\n');
});

test('the command names a missing driver, and how to add it', () => {
  const project = join(scratch, 'driver');
  const installed = join(project, 'node_modules', 'libpayments');
  cpSync(home, installed, { recursive: true });
  cpSync(join(home, '..', ours, 'payments.node'), join(installed, 'payments.node'));
  const command = join(installed, manifest.bin.libpayments);
  const words = ['journal', 'list', '--database', 'postgresql://127.0.0.1:1/shop'];
  const { status, stderr } = spawnSync(process.execPath, [command, ...words], {
    cwd: project,
    encoding: 'utf8',
    env: {
      ...process.env,
      PAYMENTS_BASE_URL: 'http://127.0.0.1:1',
      PAYMENTS_INTEGRATION_KEY: 'unused',
    },
  });
  const { kind, code, message } = JSON.parse(stderr);
  assert.deepEqual([status, kind, code], [2, 'config', 'driver_missing']);
  assert.equal(message, 'the package pg is not installed; run `npm install pg` in this project');
});

test('bundlers and file tracers see a literal for each build', () => {
  const source = readFileSync(join(home, 'lib', 'index.js'), 'utf8');
  const literals = [
    ...source.matchAll(/case "(@libpayments\/.*)":\s+return \{ addon: require\("(.*)"\)/g),
  ];
  const names = PLATFORMS.map(packageOf);
  assert.deepEqual(
    literals.map(([, name]) => name),
    names,
  );
  assert.deepEqual(
    literals.map(([, , name]) => name),
    names,
  );
});

test('a build left out by a bundler: the message says the remedy', () => {
  const project = join(scratch, 'traced');
  const installed = join(project, 'node_modules', 'libpayments');
  mkdirSync(join(installed, 'lib'), { recursive: true });
  for (const file of ['package.json', 'lib/index.js']) {
    cpSync(join(home, file), join(installed, file));
  }
  const bundled = join(project, 'dist', 'lib', 'bundle.js');
  cpSync(join(home, 'lib', 'index.js'), bundled);
  for (const place of ['libpayments', bundled]) {
    const said = messageOf(project, place);
    assert.match(said, new RegExp(`a bundler or file tracing left out ${ours}`));
    assert.match(said, / external: \['libpayments'\] \(esbuild, Rollup\)/);
    assert.match(said, / externals: \{ libpayments: 'commonjs libpayments' \} \(webpack\)/);
    assert.match(said, / serverExternalPackages: \['libpayments'\] \(Next\.js\)/);
    assert.doesNotMatch(said, /not installed/);
  }
  fake(join(project, 'node_modules', ours), {
    'main.js': "module.exports = require('./payments.node')",
    'payments.node': 'no library',
  });
  assert.match(messageOf(project, bundled), /is installed but cannot be loaded/);
});

test('a build of another version: the message has both versions', () => {
  const said = loadFailure('old', (folder) =>
    fake(folder, { 'main.js': "exports.Port = { version: () => '0.0.9' }" }),
  );
  assert.match(said, new RegExp(`has version 0\\.0\\.9, but libpayments has ${manifest.version}`));
});

test('a platform without a build and an old Node are refused', () => {
  const versions = { node: '20.11.0', napi: '9' };
  const ownRequire = createRequire(join(home, 'lib', 'index.js'));
  const loadBuild = (name) => {
    try {
      return { addon: ownRequire(name) };
    } catch (cause) {
      return { cause };
    }
  };
  const load = (host) => () =>
    loadAddon(
      { version: 'v20.11.0', versions, arch: 'x64', platform: 'linux', ...host },
      loadBuild,
    );
  assert.throws(
    load({ platform: 'sunos' }),
    /there is no build for sunos-x64, only for .*linux-x64-gnu/,
  );
  assert.throws(
    load({ platform: 'win32', arch: 'arm64' }),
    /there is no build for win32-arm64, only for darwin-[^]*win32-x64\. Build it from source/,
  );
  assert.throws(
    load({ version: 'v18.20.0', versions: { node: '18.20.0', napi: '9' } }),
    /needs Node 20.11 or newer, but this is v18/,
  );
  assert.throws(
    load({ version: 'v20.9.0', versions: { node: '20.9.0', napi: '9' } }),
    /needs Node 20.11 or newer, but this is v20.9.0/,
  );
  assert.doesNotThrow(load({ platform: process.platform, arch: process.arch }));
});

test('the README pays in ten lines, and its programs parse', async () => {
  const readme = readFileSync(join(home, 'README.md'), 'utf8');
  const programs = [...readme.matchAll(/```js\n([^]*?)```/g)].map((match) => match[1]);
  assert.ok(programs.length >= 3);
  assert.ok(programs[0].trim().split('\n').length <= 10);
  const project = mkdtempSync(join(import.meta.dirname, 'readme-'));
  const sandbox = await Sandbox.start();
  try {
    writeFileSync(join(project, 'payments.json'), JSON.stringify(sandbox.config()));
    const [first, second] = programs.slice(0, 2).map((program) => runIn(project, program));
    assert.match(first.stdout, /^.{10,}\n$/);
    assert.equal(first.stderr + second.stderr, '');
    for (const program of programs) {
      writeFileSync(join(project, 'program.mjs'), program);
      const { stderr } = spawnSync(process.execPath, ['--check', 'program.mjs'], {
        cwd: project,
        encoding: 'utf8',
      });
      assert.equal(stderr, '');
    }
  } finally {
    rmSync(project, { recursive: true });
    await sandbox.stop();
  }
});

function runIn(cwd, program) {
  return spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    cwd,
    encoding: 'utf8',
  });
}

test('declarations name every member of the classes', () => {
  const declarations = readFileSync(join(home, 'index.d.ts'), 'utf8');
  for (const of of [libpayments.Client.prototype, libpayments.Client]) {
    for (const name of Object.getOwnPropertyNames(of)) {
      if (!['constructor', 'prototype', 'length', 'name'].includes(name)) {
        assert.match(declarations, new RegExp(`\\b${name}[<(:]`), name);
      }
    }
  }
});
