// The spans of a scenario, which docs/telemetry.md describes, made of its events.

import { SpanKind, SpanStatusCode } from '@opentelemetry/api';

const FAILED = { code: SpanStatusCode.ERROR };
const UNSET = { code: SpanStatusCode.UNSET };

/** The spans that end, in order, and the events of the caller's span. */
export function spansOf(events) {
  const story = { spans: [], calls: new Map(), hosts: new Map(), caller: [] };
  for (const event of events) {
    (STEPS[event.event] ?? note)(story, event, story.calls.get(event.call));
  }
  const { spans, caller } = story;
  const place = ({ parent }) => (parent === undefined ? 'caller' : spans.indexOf(parent));
  return { spans: spans.map((span) => ({ ...span, parent: place(span) })), caller };
}

/** Finished spans in the same form. */
export function finishedSpans(finished, caller) {
  const { spanId } = caller.spanContext();
  const ids = finished.map((span) => span.spanContext().spanId);
  const parentOf = (id) => (id === spanId ? 'caller' : ids.indexOf(id));
  const spans = finished.map(({ name, kind, parentSpanContext, attributes, status, events }) => ({
    name,
    kind,
    parent: parentOf(parentSpanContext?.spanId),
    attributes,
    status,
    events: notesOf(events),
  }));
  return { spans, caller: notesOf(caller.events) };
}

function notesOf(events) {
  return events.map(({ name, attributes = {} }) => ({ name, attributes }));
}

const STEPS = {
  request_started({ calls }, { call, reference, hash, operation, method, path, host }) {
    const attributes = {
      'payments.operation': operation,
      'http.request.method': method,
      'url.path': path,
      ...serverOf(host),
    };
    const known = present({ 'payments.reference': reference, 'payments.hash': hash });
    const span = newSpan(`payments ${operation}`, SpanKind.INTERNAL, undefined, {
      ...attributes,
      ...known,
    });
    calls.set(call, { span, attributes });
  },
  attempt(_, { number }, its) {
    const resent = number > 1 ? { 'http.request.resend_count': number - 1 } : {};
    const attributes = { ...its.attributes, ...resent };
    its.attempt = newSpan(attributes['http.request.method'], SpanKind.CLIENT, its.span, attributes);
  },
  attempt_ended({ spans }, { http_status, kind }, { attempt }) {
    Object.assign(attempt.attributes, present({ 'http.response.status_code': http_status }));
    const failure = kind ?? (http_status >= 400 ? String(http_status) : null);
    spans.push(failedBy(attempt, failure));
  },
  token_requested({ hosts }, { call, host }) {
    hosts.set(call, host);
  },
  token_fetched: token,
  token_failed: token,
  request_ended({ spans }, event, { span }) {
    const { hash, http_status, kind, code, outcome, attempts, signing_us } = event;
    Object.assign(span.attributes, {
      ...present({ 'payments.hash': hash, 'http.response.status_code': http_status }),
      ...present({ 'payments.outcome': outcome, 'error.type': kind }),
      'payments.attempts': attempts,
      'payments.signing_us': signing_us,
    });
    span.status = kind === null ? UNSET : { ...FAILED, message: `${code}, ${outcome}` };
    spans.push(span);
  },
};

function token({ spans, hosts }, { call, kind = null }, its) {
  const attributes = { 'http.request.method': 'POST', ...serverOf(hosts.get(call)) };
  const span = newSpan('payments token', SpanKind.CLIENT, its?.span, attributes);
  spans.push(failedBy(span, kind));
}

/** Other events are events of the call's span, or of the caller's where there is none. */
function note({ caller }, { event, call, reference, hash, reason, ...members }, its) {
  const named = Object.entries(members).map(([name, value]) => [`payments.${name}`, value]);
  const attributes = present(Object.fromEntries(named));
  (its?.span.events ?? caller).push({ name: `payments.${event}`, attributes });
}

function newSpan(name, kind, parent, attributes) {
  return { name, kind, parent, attributes, status: UNSET, events: [] };
}

function failedBy(span, kind) {
  return kind === null
    ? span
    : Object.assign(span, {
        attributes: { ...span.attributes, 'error.type': kind },
        status: FAILED,
      });
}

function present(members) {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));
}

function serverOf(host) {
  const [name, port] = host.split(':');
  return { 'server.address': name, 'server.port': Number(port) };
}
