// Requests that your own HTTP client sends, and the calls that judge their responses.

/**
 * A signed request that is not sent. `fetch(prepared.url, prepared)` sends it
 * and follows no redirect; other HTTP clients must not follow redirects either.
 * Headers and URL may contain credentials; `util.inspect` does not show them.
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

/** How an open call is ended. */
export interface EndOptions {
  /** Ends the call as cancelled when it aborts; the error has the response. */
  signal?: AbortSignal;
  /** The `cause` of the error, if there is one: what the HTTP client threw. */
  cause?: unknown;
}

/**
 * A call that waits for the response to its request, which you send: once, with headers and body
 * unchanged, without following redirects, and not when `remainingMs` is 0. Then end the call once,
 * by `finish` or `fail`. A call that is dropped stays open in the journal. `send` of
 * `libpayments/fetch` does all of this.
 *
 * Both return an open call instead of a response if its request is to be sent now: another bearer
 * token is there after a 401, or a query failed. A second end rejects with the code
 * `already_ended`. What is wrong with the arguments rejects with a `TypeError` and ends nothing.
 */
export interface OpenCall<Result> extends PreparedRequest {
  /** The time left for the request; 0 if it must not be sent any more. */
  readonly remainingMs: number;
  /** Stop reading the response after so many bytes, and pass on one more. */
  readonly maxResponseBytes: number;
  /** Ends the call with the response, also after the deadline. */
  finish(
    status: number,
    headers:
      | Iterable<readonly [string, string]>
      | Readonly<Record<string, string | readonly string[] | undefined>>,
    body: Uint8Array | ArrayBuffer | string | null,
    options?: EndOptions & {
      /** Whether it is all of the body; by default it is. */
      complete?: boolean;
    },
  ): Promise<Result | OpenCall<Result>>;
  /** Ends the call without a response. It rejects, unless a query is to be sent again. */
  fail(
    options: EndOptions & {
      /** Whether certainly nothing of the request was sent; otherwise the outcome is `unknown`. */
      nothingLeft: boolean;
    },
  ): Promise<OpenCall<Result>>;
}
