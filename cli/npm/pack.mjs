// Packs libpayments-sandbox, and a package with the command for each platform:
//
//   node pack.mjs OUT_FOLDER NOTICES COMMAND PLATFORM [COMMAND PLATFORM]...
//
// COMMAND is a build that needs no libc, PLATFORM is one such as linux-x64, and
// NOTICES a folder with files about the contents of the builds.

import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LICENSES, filesIn, pack, stage } from '../../bindings-node/scripts/archive.mjs';

const home = import.meta.dirname;
const [out, notices, ...rest] = process.argv.slice(2);
const manifest = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
const { version, homepage, repository, license } = manifest;

const optionalDependencies = {};
const readme = { 'README.md': join(home, 'README.md') };
for (let at = 0; at < rest.length; at += 2) {
  const [command, platform] = rest.slice(at);
  const [os, cpu] = platform.split('-');
  const name = `@libpayments/sandbox-${platform}`;
  const program = os === 'win32' ? 'payments.exe' : 'payments';
  const about = filesIn(notices);
  optionalDependencies[name] = version;
  const description = {
    name,
    version,
    description: `The command payments for ${platform}`,
    homepage,
    repository,
    license,
    files: [program, ...LICENSES, ...Object.keys(about)],
    os: [os],
    cpu: [cpu],
    publishConfig: { access: 'public' },
  };
  const folder = stage(out, description, { ...readme, [program]: command, ...about });
  chmodSync(join(folder, program), 0o755);
  pack(folder, out);
}
pack(stage(out, { ...manifest, optionalDependencies }, { ...readme, bin: join(home, 'bin') }), out);
