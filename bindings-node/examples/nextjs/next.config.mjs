export default {
  output: 'standalone',
  // Keeps the addon out of the bundle, and in the folder that is deployed.
  serverExternalPackages: ['libpayments'],
};
