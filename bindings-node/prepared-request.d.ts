// Requests that are signed and not sent.

/**
 * A signed request that is not sent. It has no journal and no protection against a second payment:
 * sending it twice, as an HTTP client may do by itself (`fetch` does after a 421), can pay twice.
 * It has no outcome: the library does not learn whether it was sent or executed.
 *
 * `fetch(prepared.url, prepared)` sends it and follows no redirect; other HTTP clients must not
 * follow redirects either. Headers and URL may contain credentials; `util.inspect` does not show
 * them.
 */
export interface PreparedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  /** The exact bytes that were signed, or `null` if there are none. */
  readonly body: Buffer | null;
  /** Prevents `fetch` from forwarding the signed request on a redirect. */
  readonly redirect: 'manual';
}
