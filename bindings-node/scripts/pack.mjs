// Packs the package, and a package with the build for each platform:
//
//   node pack.mjs OUT_FOLDER NOTICES ADDON PLATFORM [ADDON PLATFORM]...
//
// ADDON is the library that cargo built, PLATFORM a name of lib/platforms.js.
// NOTICES is a folder with files about what the builds contain, which each
// build gets, or "-". Prints the paths of the archives.
//
// In the package, lib/index.js is one file: reading each of them takes a good
// part of the time of `require`.

import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { LICENSES, filesIn, pack, stage } from './archive.mjs';

import { makeLinksAbsolute } from '../../scripts/dist/readme.mjs';

const require = createRequire(import.meta.url);
const { PLATFORMS, packageOf } = require('../lib/platforms.js');
const { scripts, files: all, ...manifest } = require('../package.json');
// A checkout builds it for `npm install PATH`.
manifest.files = all.filter((it) => it !== 'payments.node');

// An exact version, so that builds are reproducible.
const ESBUILD = '0.28.2';
const home = resolve(import.meta.dirname, '..');
const [out, notices, ...rest] = process.argv.slice(2);
const builds = [];
for (let at = 0; at < rest.length; at += 2) {
  builds.push({ addon: rest[at], platform: PLATFORMS.find(({ name }) => name === rest[at + 1]) });
}
if (builds.length === 0 || builds.some(({ platform }) => platform === undefined)) {
  const known = PLATFORMS.map(({ name }) => name).join(', ');
  console.error(`usage: pack.mjs OUT_FOLDER NOTICES|- ADDON PLATFORM...; platforms: ${known}`);
  process.exit(2);
}

/** The package itself needs the builds that are packed with it, and no others. */
function stagePackage() {
  const names = builds.map(({ platform }) => packageOf(platform)).sort();
  const optionalDependencies = Object.fromEntries(names.map((name) => [name, manifest.version]));
  const own = ['README.md', ...manifest.files.filter((it) => !LICENSES.includes(it))];
  const files = Object.fromEntries(own.map((file) => [file, join(home, file)]));
  const folder = stage(out, { ...manifest, optionalDependencies }, files);
  makeLinksAbsolute(join(folder, 'README.md'), 'bindings-node');
  bundle(join(folder, 'lib'));
  return folder;
}

/** Replaces the modules of the package, and the list of them, by one file. */
function bundle(lib) {
  for (const name of readdirSync(lib).filter((it) => /\.(js|md)$/.test(it))) {
    rmSync(join(lib, name));
  }
  const options = [
    '--bundle',
    '--platform=node',
    '--target=node20',
    '--keep-names',
    '--log-level=warning',
    '--external:*.node',
    '--external:@libpayments/*',
  ];
  const [from, to] = [join(home, 'lib/index.js'), join(lib, 'index.js')];
  execFileSync(esbuild(), [from, `--outfile=${to}`, ...options], { stdio: 'inherit' });
  // The bundler's own helper, whose descriptor inherits what `Object.prototype` was given.
  const text = readFileSync(to, 'utf8');
  const helper = '__defProp(target, "name", { value';
  if (!text.includes(helper)) {
    throw new Error(`${to} does not contain ${helper}: see what --keep-names makes of names now`);
  }
  writeFileSync(to, text.replace(helper, '__defProp(target, "name", { __proto__: null, value'));
}

/** Returns the path of the bundler, which is installed if need be. */
function esbuild() {
  const target = resolve(home, '..', process.env.CARGO_TARGET_DIR ?? 'target');
  const folder = join(target, 'tools/esbuild');
  const path = join(folder, 'node_modules/.bin/esbuild');
  const isThere = spawnSync(path, ['--version'], { encoding: 'utf8' }).stdout?.trim() === ESBUILD;
  if (!isThere) {
    const install = ['install', '--silent', '--no-save', '--prefix', folder, `esbuild@${ESBUILD}`];
    execFileSync('npm', install, { stdio: 'inherit' });
  }
  return path;
}

function stageBuild({ addon, platform }) {
  const name = packageOf(platform);
  const { version, license, engines, homepage, repository } = manifest;
  const file = 'payments.node';
  const about = notices === '-' ? {} : filesIn(notices);
  const description = {
    name,
    version,
    description: `libpayments for ${platform.name}`,
    homepage,
    repository,
    license,
    main: file,
    files: [file, ...LICENSES, ...Object.keys(about)],
    engines,
    os: [platform.os],
    cpu: [platform.cpu],
    ...(platform.libc && { libc: [platform.libc] }),
    publishConfig: { access: 'public' },
  };
  const folder = stage(out, description, { [file]: addon, ...about });
  writeFileSync(
    join(folder, 'README.md'),
    `# ${name}\n\nA build of libpayments. Install libpayments, which takes the right one.\n`,
  );
  return folder;
}

for (const folder of [stagePackage(), ...builds.map(stageBuild)]) {
  console.log(pack(folder, out));
}
