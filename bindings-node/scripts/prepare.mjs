// Builds the addon in a checkout and puts it into this package. npm runs it for
// `npm install PATH_OF_THIS_FOLDER`; what is published has the addon in a package
// for each platform, and runs nothing.

import { execFileSync } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const FILES = { darwin: 'libpayments_node.dylib', win32: 'payments_node.dll' };

const home = resolve(import.meta.dirname, '..');
const root = resolve(home, '..');
const run = (options) =>
  execFileSync('cargo', options, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });

run(['build', '--locked', '--release', '--package', 'payments-node']);
const metadata = run(['metadata', '--locked', '--no-deps', '--format-version', '1']);
const file = FILES[process.platform] ?? 'libpayments_node.so';
copyFileSync(
  join(JSON.parse(metadata).target_directory, 'release', file),
  join(home, 'payments.node'),
);
