// Sends the requests of open calls with fetch.
//
//     import { send } from 'libpayments/fetch';
//
//     const response = await send(await client.begin('create_payment', { payment }));

import type { OpenCall } from './index.js';

export interface SendOptions {
  /**
   * Instead of the global one. It must send a request once. Its failures leave the outcome
   * `unknown`, because it may have sent the request before it failed.
   */
  fetch?: typeof globalThis.fetch;
  /** Ends the call when it aborts. */
  signal?: AbortSignal;
  /** Undici's, for the global `fetch`, such as a proxy. It must not retry. */
  dispatcher?: object;
}

/**
 * Sends the request of an open call, again if necessary, and returns and throws what the
 * operation's own method does. Follows no redirect, keeps no cookies, does not start after the
 * deadline and ends at it.
 */
export function send<Result>(call: OpenCall<Result>, options?: SendOptions): Promise<Result>;
