import { join } from 'node:path';

// Where this test has its packages.
const root = join(import.meta.dirname, '..', '..');

export default {
  output: 'standalone',
  pageExtensions: ['mjs'],
  outputFileTracingRoot: root,
  serverExternalPackages: ['libpayments'],
  turbopack: { root },
};
