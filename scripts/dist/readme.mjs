// Makes the links of a README absolute, in place: a package has no docs/ next to
// it.
//
//   node readme.mjs FOLDER FILE...
//
// FOLDER is where the README is in the repository.

import { readFileSync, writeFileSync } from 'node:fs';
import { posix, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const manifest = new URL('../../bindings-node/package.json', import.meta.url);
const { homepage, repository, version } = JSON.parse(readFileSync(manifest, 'utf8'));
const sources = `${repository.url.replace(/^git\+/, '')}/blob/v${version}`;

/** The target of a relative link: a page of the documentation, or a file of the repository. */
function target(folder, link, anchor) {
  const path = posix.join(folder, link);
  const page = /^docs\/([\w/-]+)\.md$/.exec(path);
  if (page) {
    return `${homepage}/${page[1]}.html${anchor}`;
  }
  return `${sources}/${path}${path.endsWith('.png') ? '?raw=true' : anchor}`;
}

function absolute(text, folder) {
  // Blocks of code have no links.
  const parts = text.split(/^(```[^]*?^```)$/m);
  const links = /\]\((?![a-z]+:|#)([^)\s#]+)(#[\w-]+)?\)/g;
  const replaced = parts.map((part) =>
    part.startsWith('```')
      ? part
      : part.replaceAll(links, (_, link, anchor = '') => `](${target(folder, link, anchor)})`),
  );
  return replaced.join('');
}

export function makeLinksAbsolute(file, folder) {
  writeFileSync(file, absolute(readFileSync(file, 'utf8'), folder));
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const [folder, ...files] = process.argv.slice(2);
  for (const file of files) {
    makeLinksAbsolute(file, folder);
  }
}
