// An observer that turns a client's events into spans and metrics. It needs only
// @opentelemetry/api. The program must set up the SDK before it creates the
// observer, as query.mjs does.
//
// - One span for each request, a child of the span in which your code made the
//   call, with attempts, retries and token events as its events.
// - A histogram of durations, and a counter of requests whose outcome is
//   `unknown`: alert as soon as it is above zero.

import { SpanKind, SpanStatusCode, metrics, trace } from '@opentelemetry/api';

const SCOPE = 'libpayments';
/** Seconds; a call may take up to `timeout_ms`. */
const BOUNDARIES = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60];

/** `baseUrl` is the `base_url` of the observed client. */
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
  // The key is the object that all events of a call share.
  const spans = new WeakMap();

  function start({ operation, method, path }, call) {
    const attributes = {
      ...server,
      'payments.operation': operation,
      'http.request.method': method,
      'url.path': path,
    };
    // The caller's span is active here, so it becomes the parent.
    spans.set(
      call,
      tracer.startSpan(`payments ${operation}`, { kind: SpanKind.CLIENT, attributes }),
    );
  }

  function end(event, call) {
    const result = resultAttributes(event);
    const of = { 'payments.operation': event.operation, ...result };
    // The core measured this; the event loop may have delayed this function.
    durations.record(event.durationUs / 1e6, of);
    if (event.outcome === 'unknown' && event.code !== 'in_progress') {
      unknown.add(1, of);
    }
    const span = spans.get(call);
    span.setAttributes({
      ...result,
      ...(event.attempts > 1 && { 'http.request.resend_count': event.attempts - 1 }),
      'payments.attempts': event.attempts,
      'payments.signing_us': event.signingUs,
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

/** Attributes with few values, so that they suit metrics. Omits those that do not apply. */
function resultAttributes({ httpStatus, kind, outcome }) {
  return withoutNulls({
    'http.response.status_code': httpStatus,
    'error.type': kind,
    'payments.outcome': outcome,
  });
}

/** All members except a store's own text, which may contain anything. */
function eventAttributes({ event, operation, reason, cause, ...members }) {
  return withoutNulls(
    Object.fromEntries(
      Object.entries(members).map(([name, value]) => [`payments.${inSnakeCase(name)}`, value]),
    ),
  );
}

/** Attributes are written so: `waitUs` is `wait_us`. */
function inSnakeCase(name) {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function withoutNulls(attributes) {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== null));
}
