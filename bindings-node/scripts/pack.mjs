// Packs the package, and the package that holds the build for one platform:
//
//   node pack.mjs ADDON PLATFORM OUT_FOLDER
//
// ADDON is the library that cargo built, PLATFORM a name of lib/platforms.js.
// Prints the paths of the two archives.

import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

const require = createRequire(import.meta.url);
const { PLATFORMS, packageOf } = require('../lib/platforms.js');
const manifest = require('../package.json');

const LICENCES = ['LICENSE-APACHE', 'LICENSE-MIT'];
const home = resolve(import.meta.dirname, '..');
const [addon, platformName, out] = process.argv.slice(2);
const platform = PLATFORMS.find(({ name }) => name === platformName);
if (addon === undefined || out === undefined || platform === undefined) {
  console.error(`usage: pack.mjs ADDON PLATFORM OUT_FOLDER; platforms: ${PLATFORMS.map(({ name }) => name).join(', ')}`);
  process.exit(2);
}

/** A folder with what every package of ours holds. */
function stage(name) {
  const folder = resolve(out, name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const licence of LICENCES) {
    cpSync(join(home, '..', licence), join(folder, licence));
  }
  return folder;
}

function stagePackage() {
  const folder = stage(manifest.name);
  const files = manifest.files.filter((file) => !LICENCES.includes(file));
  for (const file of ['package.json', 'README.md', ...files]) {
    cpSync(join(home, file), join(folder, file), { recursive: true });
  }
  return folder;
}

function stageBuild() {
  const name = packageOf(platform);
  const folder = stage(name);
  const { version, license, engines } = manifest;
  const file = 'payments.node';
  const build = {
    name,
    version,
    description: `libpayments for ${platform.name}`,
    license,
    main: file,
    files: [file, ...LICENCES],
    engines,
    os: [platform.os],
    cpu: [platform.cpu],
    ...(platform.libc && { libc: [platform.libc] }),
  };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(build, null, 2)}\n`);
  writeFileSync(join(folder, 'README.md'), `# ${name}\n\nA build of libpayments. Install libpayments, which takes the right one.\n`);
  cpSync(addon, join(folder, file));
  return folder;
}

for (const folder of [stagePackage(), stageBuild()]) {
  const options = { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] };
  const packed = execFileSync('npm', ['pack', '--json', '--loglevel=error', '--pack-destination', resolve(out)], options);
  console.log(join(resolve(out), JSON.parse(packed)[0].filename));
}
