'use strict';

/**
 * The platforms that the addon can be packed for. The loader and the packages of
 * the builds follow this list. Those that `make dist` does not build are built
 * from a checkout only.
 */
const PLATFORMS = [
  { name: 'darwin-arm64', os: 'darwin', cpu: 'arm64', isPublished: false },
  { name: 'darwin-x64', os: 'darwin', cpu: 'x64', isPublished: false },
  { name: 'linux-arm64-gnu', os: 'linux', cpu: 'arm64', libc: 'glibc', isPublished: true },
  { name: 'linux-arm64-musl', os: 'linux', cpu: 'arm64', libc: 'musl', isPublished: true },
  { name: 'linux-x64-gnu', os: 'linux', cpu: 'x64', libc: 'glibc', isPublished: true },
  { name: 'linux-x64-musl', os: 'linux', cpu: 'x64', libc: 'musl', isPublished: true },
  { name: 'win32-x64-msvc', os: 'win32', cpu: 'x64', isPublished: false },
];

/** Returns the name of the package with the build for a platform. */
function packageOf(platform) {
  return `@libpayments/${platform.name}`;
}

module.exports = { PLATFORMS, packageOf };
