import { chmodSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Sets the modes in a folder: npm packs them as they are, and a checkout has those of its umask. */
export function setModes(folder) {
  for (const name of readdirSync(folder, { recursive: true })) {
    const path = join(folder, name);
    chmodSync(path, statSync(path).mode & 0o100 ? 0o755 : 0o644);
  }
}
