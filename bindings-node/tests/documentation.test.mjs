// The JavaScript of the pages and READMEs is JavaScript, and imports names that exist.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { test } from 'node:test';

import * as libpayments from 'libpayments';

import { SHARED_FOLDER } from './support/sandbox.mjs';

const root = join(SHARED_FOLDER, '..');
const folder = join(root, 'docs');
const pages = [
  join(root, 'README.md'),
  join(root, 'bindings-node', 'README.md'),
  ...readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name)),
];

for (const page of pages) {
  const blocks = [
    ...readFileSync(page, 'utf8').matchAll(/^```(?:js|ts)(?:,[^\n]*)?\n(.*?)^```$/gms),
  ].map(([, block]) => block);
  if (blocks.length === 0) {
    continue;
  }
  test(`every block of ${relative(root, page)} is a program`, () => {
    for (const block of blocks) {
      const { stderr } = spawnSync(process.execPath, ['--input-type=module', '--check'], {
        input: block,
        encoding: 'utf8',
      });
      assert.equal(stderr, '', block);
      for (const [, names] of block.matchAll(/import \{([^}]*)\} from 'libpayments'/g)) {
        for (const name of names.split(',').map((it) => it.trim())) {
          assert.ok(name in libpayments, `libpayments has no ${name}`);
        }
      }
    }
  });
}

test('the teaching pages have JavaScript', () => {
  for (const page of ['README.md', 'docs/getting-started/node.md', 'bindings-node/README.md']) {
    assert.match(readFileSync(join(root, page), 'utf8'), /^```js/m, page);
  }
});
