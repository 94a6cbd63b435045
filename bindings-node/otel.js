'use strict';

// OpenTelemetry spans and metrics of every call; otel.d.ts describes them.

const { SpanKind, SpanStatusCode, context, metrics, trace } = require('@opentelemetry/api');

const SCOPE = 'libpayments';
/** Seconds: a payment takes longer than most requests. */
const BOUNDARIES = [0.05, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 10, 20, 30, 60];

function telemetryObserver({ tracerProvider = trace, meterProvider = metrics } = {}) {
  const tracer = tracerProvider.getTracer(SCOPE);
  const record = recorderOf(meterProvider.getMeter(SCOPE));
  // The keys are the objects that all events of a call share.
  const calls = new WeakMap();
  const tokenHosts = new WeakMap();

  const handlers = {
    request_started({ operation, method, path, host }, key) {
      // The caller's span is active here, so it becomes the parent.
      const attributes = {
        'payments.operation': operation,
        'http.request.method': method,
        'url.path': path,
        ...serverOf(host),
      };
      const span = tracer.startSpan(`payments ${operation}`, { attributes });
      calls.set(key, { span, attributes, within: trace.setSpan(context.active(), span) });
    },
    attempt({ number }, key) {
      const call = calls.get(key);
      const resent = number > 1 && { 'http.request.resend_count': number - 1 };
      call.attempt = tracer.startSpan(
        call.attributes['http.request.method'],
        { kind: SpanKind.CLIENT, attributes: { ...call.attributes, ...resent } },
        call.within,
      );
    },
    attempt_ended({ httpStatus, kind }, key) {
      const { attempt } = calls.get(key);
      if (httpStatus !== null) {
        attempt.setAttribute('http.response.status_code', httpStatus);
      }
      if (kind !== null || httpStatus >= 400) {
        fail(attempt, kind ?? String(httpStatus));
      }
      attempt.end();
    },
    token_requested: ({ host }, key) => tokenHosts.set(key, host),
    token_fetched: recordToken,
    token_failed: recordToken,
    request_ended(event, key) {
      const attributes = resultOf(event);
      record.call(event, attributes);
      const { span } = calls.get(key);
      span.setAttributes({
        ...attributes,
        'payments.attempts': event.attempts,
        'payments.signing_us': event.signingUs,
      });
      if (event.kind !== null) {
        const message = `${event.code}, ${event.outcome}`;
        span.setStatus({ code: SpanStatusCode.ERROR, message });
      }
      span.end();
    },
  };

  /** Its events arrive when all is over: no observer runs under a lock. */
  function recordToken({ event, durationUs, kind }, key) {
    const attributes = { 'http.request.method': 'POST', ...serverOf(tokenHosts.get(key)) };
    const startTime = new Date(Date.now() - durationUs / 1000);
    const options = { kind: SpanKind.CLIENT, attributes, startTime };
    const span = tracer.startSpan('payments token', options, calls.get(key)?.within);
    if (event === 'token_failed') {
      fail(span, kind);
    }
    record.token(event === 'token_failed' ? { 'error.type': kind } : {});
    span.end();
  }

  /** Adds an event to the span of the call. `prepare` and `accessToken` have none. */
  function note(event, key) {
    const span = calls.get(key)?.span ?? trace.getActiveSpan();
    span?.addEvent(`payments.${event.event}`, attributesOf(event));
  }

  return (event, key) => (handlers[event.event] ?? note)(event, key);
}

/** Records metrics. */
function recorderOf(meter) {
  const calls = meter.createCounter('payments.calls', {
    description: 'Calls that ended',
    unit: '{call}',
  });
  const durations = meter.createHistogram('payments.call.duration', {
    description: 'How long calls took, with token, signature and all attempts',
    unit: 's',
    advice: { explicitBucketBoundaries: BOUNDARIES },
  });
  const tokens = meter.createCounter('payments.tokens', {
    description: 'Requests to the token server that ended',
    unit: '{token}',
  });
  return {
    call({ durationUs }, attributes) {
      calls.add(1, attributes);
      // The core measured this; the event loop may have been busy.
      durations.record(durationUs / 1e6, attributes);
    },
    token: (attributes) => tokens.add(1, attributes),
  };
}

function fail(span, errorType) {
  span.setAttribute('error.type', errorType);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

/** Attributes with few values, so that they suit metrics. */
function resultOf({ operation, httpStatus, outcome, kind }) {
  return {
    'payments.operation': operation,
    ...(httpStatus !== null && { 'http.response.status_code': httpStatus }),
    ...(kind !== null && { 'payments.outcome': outcome, 'error.type': kind }),
  };
}

/** Tells the host and the port apart, if there is one. */
function serverOf(host) {
  const [, name, port] = /^(.*?)(?::(\d+))?$/.exec(host);
  const address = { 'server.address': name.replace(/^\[(.*)\]$/, '$1') };
  return port === undefined ? address : { ...address, 'server.port': Number(port) };
}

/** All members except the text of a store or a journal, which may contain anything. */
function attributesOf({ event, reason, ...members }) {
  const told = Object.entries(members).filter(([, value]) => value !== null);
  return Object.fromEntries(told.map(([name, value]) => [`payments.${inSnakeCase(name)}`, value]));
}

/** Attributes are written so: `waitUs` is `wait_us`. */
function inSnakeCase(name) {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

module.exports = { telemetryObserver };
