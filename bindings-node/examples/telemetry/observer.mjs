// An observer that turns what a client tells into spans and metrics. It needs
// @opentelemetry/api alone; query.mjs sets up the SDK, as the program must before
// it makes the observer.
//
// - One span for each request, a child of the span in which your code made the
//   call, with attempts, retries and what happened to tokens as its events.
// - A histogram of how long requests take, and a counter of those whose outcome
//   is `unknown`: alert on the first.

import { SpanKind, SpanStatusCode, metrics, trace } from '@opentelemetry/api';

const SCOPE = 'libpayments';
/** Seconds; a call may take up to `timeout_ms`. */
const BOUNDARIES = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60];

/** `baseUrl` is the `base_url` of the client that is observed. */
export function telemetryObserver(baseUrl) {
  const server = serverAttributes(new URL(baseUrl));
  const tracer = trace.getTracer(SCOPE);
  const meter = metrics.getMeter(SCOPE);
  const durations = meter.createHistogram('payments.request.duration', {
    description: 'How long requests take, the token and the signature included',
    unit: 's',
    advice: { explicitBucketBoundaries: BOUNDARIES },
  });
  const unknown = meter.createCounter('payments.request.unknown', {
    description: 'Requests that may have been executed: each is to be settled',
    unit: '{request}',
  });
  // By the object that all events of one call have in common.
  const spans = new WeakMap();

  function start({ operation, method, path }, call) {
    const attributes = {
      ...server,
      'payments.operation': operation,
      'http.request.method': method,
      'url.path': path,
    };
    // The caller's span is the active one here, and so becomes the parent.
    spans.set(call, tracer.startSpan(`payments ${operation}`, { kind: SpanKind.CLIENT, attributes }));
  }

  function end(event, call) {
    const result = resultAttributes(event);
    const of = { 'payments.operation': event.operation, ...result };
    // As the core measured it: this function may have waited for the event loop.
    durations.record(event.duration_us / 1e6, of);
    if (event.outcome === 'unknown') {
      unknown.add(1, of);
    }
    const span = spans.get(call);
    span.setAttributes({
      ...result,
      ...(event.attempts > 1 && { 'http.request.resend_count': event.attempts - 1 }),
      'payments.attempts': event.attempts,
      'payments.signing_us': event.signing_us,
    });
    if (event.kind !== null) {
      span.setStatus({ code: SpanStatusCode.ERROR });
    }
    span.end();
  }

  return (event, call) => {
    switch (event.event) {
      case 'request_started':
        start(event, call);
        break;
      case 'request_ended':
        end(event, call);
        break;
      default: {
        // `prepare` and `accessToken` fetch tokens too, and have no span.
        const span = spans.get(call) ?? trace.getActiveSpan();
        span?.addEvent(`payments.${event.event}`, eventAttributes(event));
      }
    }
  };
}

function serverAttributes({ hostname, port, protocol }) {
  const usual = protocol === 'https:' ? 443 : 80;
  return { 'server.address': hostname, 'server.port': port === '' ? usual : Number(port) };
}

/** Few values each, so that they fit metrics; absent what does not apply. */
function resultAttributes({ http_status, kind, outcome }) {
  return withoutNulls({
    'http.response.status_code': http_status,
    'error.type': kind,
    'payments.outcome': outcome,
  });
}

/** All but a store's own words, which may hold anything. */
function eventAttributes({ event, operation, reason, cause, ...members }) {
  return withoutNulls(
    Object.fromEntries(Object.entries(members).map(([name, value]) => [`payments.${name}`, value])),
  );
}

function withoutNulls(attributes) {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== null));
}
