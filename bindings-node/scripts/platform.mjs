// Prints the name of this platform, as lib/platforms.js has it.

import { createRequire } from 'node:module';

const { PLATFORMS } = createRequire(import.meta.url)('../lib/platforms.js');

const libc = process.report.getReport().header.glibcVersionRuntime === undefined ? 'musl' : 'glibc';
const platform = PLATFORMS.find(
  (it) => it.os === process.platform && it.cpu === process.arch && (it.libc ?? libc) === libc,
);
if (platform === undefined) {
  console.error(`there is no package for ${process.platform}-${process.arch}`);
  process.exit(1);
}
console.log(platform.name);
