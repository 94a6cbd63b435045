'use strict';

/**
 * The platforms that the addon is built for. The loader, the packages of the
 * builds and `optionalDependencies` all follow this list.
 */
const PLATFORMS = [
  { name: 'darwin-arm64', os: 'darwin', cpu: 'arm64' },
  { name: 'darwin-x64', os: 'darwin', cpu: 'x64' },
  { name: 'linux-arm64-gnu', os: 'linux', cpu: 'arm64', libc: 'glibc' },
  { name: 'linux-arm64-musl', os: 'linux', cpu: 'arm64', libc: 'musl' },
  { name: 'linux-x64-gnu', os: 'linux', cpu: 'x64', libc: 'glibc' },
  { name: 'linux-x64-musl', os: 'linux', cpu: 'x64', libc: 'musl' },
  { name: 'win32-x64-msvc', os: 'win32', cpu: 'x64' },
];

/** Returns the name of the package with the build for a platform. */
function packageOf(platform) {
  return `libpayments-${platform.name}`;
}

module.exports = { PLATFORMS, packageOf };
