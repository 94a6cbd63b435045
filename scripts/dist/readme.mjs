// Makes the links of a README absolute, in place: a package has no docs/ beside it.
//
//   node readme.mjs FILE...

import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const manifest = new URL('../../bindings-node/package.json', import.meta.url);
const { homepage, repository, version } = JSON.parse(readFileSync(manifest, 'utf8'));
const sources = `${repository.url.replace(/^git\+/, '')}/blob/v${version}`;

/** The text with links to pages of the documentation and to files of the repository. */
function absolute(text) {
  return text
    .replaceAll(/\]\(\.\.\/docs\/([\w/-]+)\.md(#[\w-]+)?\)/g, `](${homepage}/$1.html$2)`)
    .replaceAll('](../', `](${sources}/`);
}

export function makeLinksAbsolute(file) {
  writeFileSync(file, absolute(readFileSync(file, 'utf8')));
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  process.argv.slice(2).forEach(makeLinksAbsolute);
}
