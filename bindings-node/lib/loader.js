'use strict';

// Loads the addon from the package for this platform, or from this package,
// where scripts/prepare.mjs of a checkout puts it. No environment variable and
// no path can change that.

const { existsSync } = require('node:fs');
const { join } = require('node:path');
const { PLATFORMS, packageOf } = require('./platforms.js');
const { version } = require('../package.json');

const OWN = '../payments.node';
const OLDEST_NODE = [20, 11];
const NODE_API = 9;

/**
 * Loads a build, if it is there. Bundlers and file tracers find it by a literal,
 * and do without those that are missing because they are in `try`.
 */
function loadBuild(name) {
  try {
    switch (name) {
      case OWN:
        return { addon: require('../payments.node') };
      case '@libpayments/darwin-arm64':
        return { addon: require('@libpayments/darwin-arm64') };
      case '@libpayments/darwin-x64':
        return { addon: require('@libpayments/darwin-x64') };
      case '@libpayments/linux-arm64-gnu':
        return { addon: require('@libpayments/linux-arm64-gnu') };
      case '@libpayments/linux-arm64-musl':
        return { addon: require('@libpayments/linux-arm64-musl') };
      case '@libpayments/linux-x64-gnu':
        return { addon: require('@libpayments/linux-x64-gnu') };
      case '@libpayments/linux-x64-musl':
        return { addon: require('@libpayments/linux-x64-musl') };
      case '@libpayments/win32-x64':
        return { addon: require('@libpayments/win32-x64') };
    }
  } catch (cause) {
    return { cause };
  }
}

/** Returns the addon, or throws an error that says what is missing and what to do. */
function loadAddon(host = process, load = loadBuild) {
  checkNode(host);
  const candidates = PLATFORMS.filter(({ os, cpu }) => os === host.platform && cpu === host.arch);
  const failures = [];
  for (const name of [OWN, ...candidates.map(packageOf)]) {
    const { addon, cause } = load(name);
    if (addon !== undefined) {
      return checkVersion(addon, name);
    }
    failures.push({ name, cause });
  }
  throw explain(failures, host);
}

function checkNode({ version: node, versions }) {
  const [major, minor] = versions.node.split('.').map(Number);
  const isOld = major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1]);
  if (isOld || Number(versions.napi) < NODE_API) {
    throw failure(
      `it needs Node ${OLDEST_NODE.join('.')} or newer, but this is ${node}; update Node`,
    );
  }
}

function checkVersion(addon, name) {
  const found = addon.Port.version();
  if (found !== version) {
    throw failure(
      `${name} has version ${found}, but libpayments has ${version}; ` +
        `install the same version of both, for example with npm install libpayments@${version}`,
    );
  }
  return addon;
}

/** Node's error codes if it may not load addons, or not read the package's files. */
const FORBIDDEN = ['ERR_DLOPEN_DISABLED', 'ERR_ACCESS_DENIED'];

function explain(failures, host) {
  const forbidden = failures.find(({ cause }) => FORBIDDEN.includes(cause?.code));
  if (forbidden !== undefined) {
    return failure(
      `Node may not load the addon (${forbidden.cause.message}): with --permission, start it with ` +
        '--allow-addons, and with --allow-fs-read for the node_modules folder; remove --no-addons',
      forbidden.cause,
    );
  }
  // Yarn's Plug'n'Play has its own words for missing packages.
  const isAbsent = ({ name, cause }) =>
    cause?.code === 'MODULE_NOT_FOUND' &&
    (cause.pnpCode !== undefined || String(cause.message).includes(`'${name}'`));
  const broken = failures.find((it) => !isAbsent(it));
  if (broken !== undefined && (isWhole() || broken.cause?.code === 'ERR_DLOPEN_FAILED')) {
    return failure(
      `${broken.name} is installed but cannot be loaded (${broken.cause?.message}): ` +
        'reinstall it on the system that runs it; if the message names a glibc version, ' +
        'the system is too old for this build',
      broken.cause,
    );
  }
  if (isSingleExecutable()) {
    return failure(
      'this is a single executable, whose require loads built-in modules only. Let its bundle ' +
        'load the addon, payments-….node, from the folder of the executable, and deploy it there: ' +
        'see "Single executables" in docs/bundlers.md',
      failures.at(-1)?.cause,
    );
  }
  const names = failures.map(({ name }) => name).filter((name) => name !== OWN);
  if (names.length === 0) {
    const known = PLATFORMS.map(({ name }) => name).join(', ');
    return failure(
      `there is no build for ${host.platform}-${host.arch}, only for ${known}. ` +
        'Build it from source with Rust: see "Platforms" in the README',
    );
  }
  if (!isWhole()) {
    return failure(
      `a bundler or file tracing left out ${names.join(' or ')}, which has the addon. Keep the ` +
        "package out of the bundle: external: ['libpayments'] (esbuild, Rollup), " +
        "externals: { libpayments: 'commonjs libpayments' } (webpack), " +
        "serverExternalPackages: ['libpayments'] (Next.js). Deploy it with the packages " +
        'for the platform that runs it: see docs/bundlers.md',
      failures.at(-1).cause,
    );
  }
  return failure(
    `${names.join(' or ')} is not installed. It is an optional dependency, which is missing after ` +
      '--omit=optional or --no-optional, and in a node_modules folder or with a lock file ' +
      'from another system. Install on the system that runs it, with ' +
      `optional dependencies, or add it: npm install ${names[0]}@${version}`,
    failures[0].cause,
  );
}

/** Whether the program and Node are one file. Node before 20.12 does not say. */
function isSingleExecutable() {
  try {
    return require('node:sea').isSea();
  } catch {
    return false;
  }
}

/**
 * Whether this file is in the package that npm installed. A bundle is elsewhere, or
 * has no `__dirname`, and tracing copies no declarations.
 */
function isWhole() {
  return typeof __dirname === 'string' && existsSync(join(__dirname, '..', 'journal.d.ts'));
}

function failure(message, cause) {
  const error = new Error(`libpayments cannot be loaded: ${message}`, cause && { cause });
  error.code = 'ERR_LIBPAYMENTS_NOT_LOADED';
  return error;
}

module.exports = { loadAddon };
