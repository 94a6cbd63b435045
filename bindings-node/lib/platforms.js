'use strict';

/**
 * The platforms that have a build. The loader and the packages of the builds
 * follow this list.
 */
const PLATFORMS = [
  { name: 'darwin-arm64', os: 'darwin', cpu: 'arm64' },
  { name: 'darwin-x64', os: 'darwin', cpu: 'x64' },
  { name: 'linux-arm64-gnu', os: 'linux', cpu: 'arm64', libc: 'glibc' },
  { name: 'linux-arm64-musl', os: 'linux', cpu: 'arm64', libc: 'musl' },
  { name: 'linux-x64-gnu', os: 'linux', cpu: 'x64', libc: 'glibc' },
  { name: 'linux-x64-musl', os: 'linux', cpu: 'x64', libc: 'musl' },
  { name: 'win32-x64', os: 'win32', cpu: 'x64' },
];

/** Returns the name of the package with the build for a platform. */
function packageOf(platform) {
  return `@libpayments/${platform.name}`;
}

module.exports = { PLATFORMS, packageOf };
