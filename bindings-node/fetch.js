'use strict';

// Sends the requests of open calls with fetch; fetch.d.ts describes it.

const { OpenCall } = require('./lib/index.js');

/** The longest time of a timer. */
const LONGEST_MS = 2 ** 31 - 1;
/** What fails before anything of the request can be sent. */
const UNSENT = new Set(['connect', 'getaddrinfo']);

async function send(call, options = {}) {
  let step = call;
  do {
    step = await sendOnce(step, options);
  } while (step instanceof OpenCall);
  return step;
}

async function sendOnce(call, { fetch, signal, dispatcher }) {
  if (call.remainingMs <= 0) {
    return call.fail({ nothingLeft: true, signal });
  }
  // Not before the deadline: timers are of whole milliseconds, and may be early by one.
  const limit = AbortSignal.timeout(Math.min(Math.ceil(call.remainingMs) + 1, LONGEST_MS));
  const init = {
    method: call.method,
    headers: { ...call.headers, 'accept-encoding': 'identity' },
    body: call.body,
    redirect: 'manual',
    credentials: 'omit',
    cache: 'no-store',
    signal: signal ? AbortSignal.any([signal, limit]) : limit,
    ...(dispatcher && { dispatcher }),
  };
  let response;
  try {
    response = await (fetch ?? globalThis.fetch)(call.url, init);
  } catch (cause) {
    // Another function may have sent the request before the one that failed.
    const nothingLeft = fetch === undefined && isUnsent(cause?.cause);
    return call.fail({ nothingLeft, signal, cause });
  }
  const { chunks, ...ending } = await bodyOf(response, call.maxResponseBytes);
  const { status, headers } = response;
  return call.finish(status, headers, Buffer.concat(chunks), { ...ending, signal });
}

function isUnsent(error) {
  return (
    UNSENT.has(error?.syscall) ||
    error?.code === 'UND_ERR_CONNECT_TIMEOUT' ||
    // A port that fetch refuses.
    error?.message === 'bad port' ||
    areUnsent(error)
  );
}

/** Several addresses of a host, none of which could be connected to. */
function areUnsent(error) {
  return error instanceof AggregateError && error.errors.length > 0 && error.errors.every(isUnsent);
}

/** Reads a body, and not much more than is accepted. */
async function bodyOf(response, limit) {
  const chunks = [];
  let length = 0;
  try {
    for await (const chunk of response.body ?? []) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > limit) {
        break;
      }
    }
  } catch (cause) {
    return { chunks, complete: false, cause };
  }
  return { chunks, complete: true };
}

module.exports = { send };
