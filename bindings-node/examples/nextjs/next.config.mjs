export default {
  output: 'standalone',
  pageExtensions: ['mjs'],
  // Keeps the addon out of the bundle, and in the folder that is deployed.
  serverExternalPackages: ['libpayments'],
};
