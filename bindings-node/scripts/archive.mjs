// Archives of npm, each packed from a folder with its contents.

import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';

export const LICENSES = ['LICENSE-APACHE', 'LICENSE-MIT'];
const root = resolve(import.meta.dirname, '..', '..');

/** A new folder in `out` with the licenses, `files` by their names in the package, and its manifest. */
export function stage(out, manifest, files) {
  const folder = resolve(out, manifest.name.replace('/', '-'));
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const licenses = LICENSES.map((name) => [name, join(root, name)]);
  for (const [name, path] of [...licenses, ...Object.entries(files)]) {
    cpSync(path, join(folder, name), { recursive: true });
  }
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  return folder;
}

/** Packs the folder into `out`, deletes it, and returns the path of the archive. */
export function pack(folder, out) {
  setModes(folder);
  const destination = resolve(out);
  const packed = execFileSync(
    'npm',
    ['pack', '--json', '--loglevel=error', '--pack-destination', destination],
    { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] },
  );
  rmSync(folder, { recursive: true });
  return join(destination, JSON.parse(packed)[0].filename);
}

/** The files of a folder, by their names. */
export const filesIn = (folder) =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, join(folder, name)]));

/** Sets the modes in a folder: npm packs them as they are, and a checkout has those of its umask. */
function setModes(folder) {
  for (const name of readdirSync(folder, { recursive: true })) {
    const path = join(folder, name);
    chmodSync(path, statSync(path).mode & 0o100 ? 0o755 : 0o644);
  }
}
