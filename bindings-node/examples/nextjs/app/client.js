import { Client } from 'libpayments';

let client;

/**
 * The one client of this process, made in the first call: `next build` loads this
 * module too, where no key is. The file of the configuration is PAYMENTS_FILE; without
 * it, the configuration is that of the environment (PAYMENTS_BASE_URL and so on).
 */
export function paymentsClient() {
  const file = process.env.PAYMENTS_FILE;
  client ??= file === undefined ? Client.fromEnv() : Client.fromFile(file);
  return client;
}
