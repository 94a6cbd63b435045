// Requests that are signed and not sent.

/** The signed part, which `fetch` must not change. */
type Fixed = 'method' | 'url' | 'headers' | 'body' | 'redirect';

/**
 * A signed request that is not sent. It has no journal and no protection against a second payment:
 * sending it twice, as an HTTP client may do on its own (`fetch` does after a 421), can pay
 * twice. It has no outcome: the library does not learn whether it was sent or executed.
 *
 * `fetch(prepared.url, prepared)` sends it and follows no redirect; other HTTP clients must not
 * follow redirects either. Headers and URL may contain credentials. All members are accessors, so
 * that no log shows them: a spread or a clone of the request has none.
 */
export interface PreparedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  /** The exact bytes that were signed, or `null` if there are none. */
  readonly body: Buffer | null;
  /** Prevents `fetch` from forwarding the signed request on a redirect. */
  readonly redirect: 'manual';
  /**
   * The request with further options of `fetch`:
   * `fetch(prepared.url, prepared.toRequestInit({ signal }))`.
   * @throws {PaymentsError} `validation`, if an option is a member of the request.
   */
  toRequestInit<Options extends object>(
    options: Options & { readonly [Name in Fixed]?: never },
  ): PreparedRequest & Options;
  /** The members that may be logged: neither the values of headers nor the body. */
  toJSON(): { readonly method: string; readonly host: string; readonly headers: readonly string[] };
}
