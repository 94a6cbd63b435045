// Packs libpayments-sandbox, and a package with the command for each platform:
//
//   node pack.mjs OUT_FOLDER NOTICES COMMAND PLATFORM [COMMAND PLATFORM]...
//
// COMMAND is a build that needs no libc, PLATFORM is one such as linux-x64, and
// NOTICES a folder with files about the contents of the builds.

import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { setModes } from '../../bindings-node/scripts/modes.mjs';

const LICENCES = ['LICENSE-APACHE', 'LICENSE-MIT'];
const home = import.meta.dirname;
const [out, notices, ...rest] = process.argv.slice(2);
const manifest = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
const { version, homepage, repository, license } = manifest;

/** Packs these files, by their names in the package. */
function pack(description, files) {
  const folder = resolve(out, description.name.replace('/', '-'));
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const licences = LICENCES.map((name) => [name, join(home, '..', '..', name)]);
  for (const [name, path] of [...licences, ...Object.entries(files)]) {
    cpSync(path, join(folder, name), { recursive: true });
  }
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(description, null, 2)}\n`);
  for (const name of ['payments', 'payments.exe'].filter((it) => files[it] !== undefined)) {
    chmodSync(join(folder, name), 0o755);
  }
  setModes(folder);
  execFileSync('npm', ['pack', '--loglevel=error', '--pack-destination', resolve(out)], {
    cwd: folder,
    stdio: 'ignore',
  });
  rmSync(folder, { recursive: true });
}

const optionalDependencies = {};
const readme = { 'README.md': join(home, 'README.md') };
for (let at = 0; at < rest.length; at += 2) {
  const [command, platform] = rest.slice(at);
  const [os, cpu] = platform.split('-');
  const name = `@libpayments/sandbox-${platform}`;
  const program = os === 'win32' ? 'payments.exe' : 'payments';
  const about = readdirSync(notices);
  optionalDependencies[name] = version;
  pack(
    {
      name,
      version,
      description: `The command payments for ${platform}`,
      homepage,
      repository,
      license,
      files: [program, ...LICENCES, ...about],
      os: [os],
      cpu: [cpu],
      publishConfig: { access: 'public' },
    },
    {
      ...readme,
      [program]: command,
      ...Object.fromEntries(about.map((file) => [file, join(notices, file)])),
    },
  );
}
pack({ ...manifest, optionalDependencies }, { ...readme, bin: join(home, 'bin') });
