'use strict';

// OpenTelemetry spans and metrics of every call; otel.d.ts describes them.

const {
  SpanKind,
  SpanStatusCode,
  context,
  isSpanContextValid,
  metrics,
  trace,
} = require('@opentelemetry/api');

const SCOPE = 'libpayments';
/** The client, which is bundled without this file, knows it by this name too. */
const TRACEPARENT = Symbol.for('libpayments.traceparent');
/** Seconds: a payment takes longer than most requests. */
const BOUNDARIES = [0.05, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 10, 20, 30, 60];

function telemetryObserver({
  tracerProvider = trace,
  meterProvider = metrics,
  propagateTrace = false,
} = {}) {
  const spans = new CallSpans(tracerProvider.getTracer(SCOPE));
  const record = recorderOf(meterProvider.getMeter(SCOPE));
  const observer = (event) => {
    record[event.event]?.(event);
    if (HANDLED.includes(event.event)) {
      spans[event.event](event);
    } else {
      spans.note(event);
    }
  };
  if (propagateTrace) {
    observer[TRACEPARENT] = (call) => spans.traceparent(call);
  }
  return observer;
}

/** The events that have a method of `CallSpans`. */
const HANDLED = [
  'request_started',
  'attempt',
  'attempt_ended',
  'token_requested',
  'token_fetched',
  'token_failed',
  'request_ended',
];

/** The spans of calls, by the number of the call. */
class CallSpans {
  #tracer;
  #calls = new Map();
  #tokenHosts = new Map();

  constructor(tracer) {
    this.#tracer = tracer;
  }

  traceparent(call) {
    return traceparentOf(this.#calls.get(call).span.spanContext());
  }

  request_started({ call, reference, hash, operation, method, path, host }) {
    const attributes = {
      'payments.operation': operation,
      'http.request.method': method,
      'url.path': path,
      ...serverOf(host),
    };
    // The caller's span is active here, so it becomes the parent.
    const span = this.#tracer.startSpan(`payments ${operation}`, { attributes });
    setIfKnown(span, { 'payments.reference': reference, 'payments.hash': hash });
    const within = trace.setSpan(context.active(), span);
    this.#calls.set(call, { span, attributes, within });
  }

  attempt({ call, number }) {
    const open = this.#calls.get(call);
    const resent = number > 1 && { 'http.request.resend_count': number - 1 };
    const options = { kind: SpanKind.CLIENT, attributes: { ...open.attributes, ...resent } };
    const method = open.attributes['http.request.method'];
    open.attempt = this.#tracer.startSpan(method, options, open.within);
  }

  attempt_ended({ call, httpStatus, kind }) {
    const { attempt } = this.#calls.get(call);
    setIfKnown(attempt, { 'http.response.status_code': httpStatus });
    if (kind !== null || httpStatus >= 400) {
      fail(attempt, kind ?? String(httpStatus));
    }
    attempt.end();
  }

  token_requested({ call, host }) {
    this.#tokenHosts.set(call, host);
  }

  token_fetched({ call, durationUs }) {
    this.#startToken(call, durationUs).end();
  }

  token_failed({ call, durationUs, kind }) {
    const span = this.#startToken(call, durationUs);
    fail(span, kind);
    span.end();
  }

  /** Its events arrive when all is over: no observer runs under a lock. */
  #startToken(call, durationUs) {
    const host = this.#tokenHosts.get(call);
    this.#tokenHosts.delete(call);
    const attributes = { 'http.request.method': 'POST', ...serverOf(host) };
    const startTime = new Date(Date.now() - durationUs / 1000);
    const options = { kind: SpanKind.CLIENT, attributes, startTime };
    return this.#tracer.startSpan('payments token', options, this.#calls.get(call)?.within);
  }

  request_ended(event) {
    const { span } = this.#calls.get(event.call);
    this.#calls.delete(event.call);
    span.setAttributes({
      ...resultOf(event),
      'payments.attempts': event.attempts,
      'payments.signing_us': event.signingUs,
    });
    setIfKnown(span, { 'payments.hash': event.hash });
    if (event.kind !== null) {
      const message = `${event.code}, ${event.outcome}`;
      span.setStatus({ code: SpanStatusCode.ERROR, message });
    }
    span.end();
  }

  /** Adds an event to the span of the call. `prepare` and `accessToken` have none. */
  note(event) {
    const span = this.#calls.get(event.call)?.span ?? trace.getActiveSpan();
    span?.addEvent(`payments.${event.event}`, attributesOf(event));
  }
}

/** The metrics that some events change. */
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
    request_ended(event) {
      const attributes = resultOf(event);
      calls.add(1, attributes);
      // The core measured this; the event loop may have been busy.
      durations.record(event.durationUs / 1e6, attributes);
    },
    token_fetched: () => tokens.add(1),
    token_failed: ({ kind }) => tokens.add(1, { 'error.type': kind }),
  };
}

function traceparentOf(spanContext) {
  if (!isSpanContextValid(spanContext)) {
    return undefined;
  }
  const flags = spanContext.traceFlags.toString(16).padStart(2, '0');
  return `00-${spanContext.traceId}-${spanContext.spanId}-${flags}`;
}

function setIfKnown(span, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null) {
      span.setAttribute(name, value);
    }
  }
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

/**
 * The members that the span does not have yet, without the text of a store or a journal,
 * which may contain anything.
 */
function attributesOf({ event, call, reference, hash, reason, ...members }) {
  const present = Object.entries(members).filter(([, value]) => value !== null);
  return Object.fromEntries(
    present.map(([name, value]) => [`payments.${inSnakeCase(name)}`, value]),
  );
}

/** The name of a member as an attribute: `wait_us` for `waitUs`. */
function inSnakeCase(name) {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

module.exports = { telemetryObserver };
