// OpenTelemetry spans and metrics, as exporters of its SDK receive them.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, beforeEach, test } from 'node:test';
import { inspect } from 'node:util';

import { SpanKind, SpanStatusCode, context, metrics, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { Client } from 'libpayments';
import { telemetryObserver } from 'libpayments/otel';

import { Sandbox, payment, rejection } from './support/sandbox.mjs';

const spans = new InMemorySpanExporter();
const points = new InMemoryMetricExporter(AggregationTemporality.DELTA);
const metering = new MeterProvider({
  readers: [new PeriodicExportingMetricReader({ exporter: points })],
});
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
trace.setGlobalTracerProvider(
  new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }),
);
metrics.setGlobalMeterProvider(metering);
const tracer = trace.getTracer('shop');

let sandbox;
before(async () => {
  sandbox = await Sandbox.start();
});
beforeEach(async () => {
  await sandbox.reset();
  await collected();
  spans.reset();
});
after(async () => {
  await metering.shutdown();
  await sandbox.stop();
});

function observed(config = sandbox.bearerConfig()) {
  return new Client(config, { observer: telemetryObserver() });
}

/** Does something within a span of the caller's, and gives the span. */
function within(name, act) {
  return tracer.startActiveSpan(name, async (span) => {
    await act().catch(() => {});
    span.end();
    return span;
  });
}

const callSpans = () =>
  spans
    .getFinishedSpans()
    .filter(({ name, kind }) => name.startsWith('payments ') && kind === SpanKind.INTERNAL);
const childrenOf = (parent) => {
  const { traceId, spanId } = parent.spanContext();
  return spans
    .getFinishedSpans()
    .filter(
      (span) => span.parentSpanContext?.spanId === spanId && span.spanContext().traceId === traceId,
    );
};
const namesOf = (found) => found.map(({ name }) => name);
const serverOf = (url) => {
  const { hostname, port } = new URL(url);
  return { 'server.address': hostname, 'server.port': Number(port) };
};
const eventsOf = (span) => span.events.map(({ name }) => name);

/** The points of each metric since the last time. */
async function collected() {
  await metering.forceFlush();
  const found = points
    .getMetrics()
    .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics));
  points.reset();
  return Object.fromEntries(
    found.map(({ descriptor, dataPoints }) => [descriptor.name, dataPoints]),
  );
}

test('a payment has a span, with children for token and attempt', async () => {
  const client = observed();
  const caller = await within('checkout', () => client.createPayment(payment()));
  const [span, ...others] = callSpans();
  assert.deepEqual(others, []);
  assert.deepEqual(childrenOf(caller), [span]);
  const { base_url, auth_url } = sandbox.bearerConfig();
  const http = {
    'payments.operation': 'create_payment',
    'http.request.method': 'POST',
    'url.path': '/ws/direct',
    ...serverOf(base_url),
    'http.response.status_code': 200,
  };
  const {
    'payments.signing_us': signing,
    'payments.attempts': count,
    'payments.reference': reference,
    'payments.hash': hash,
    ...rest
  } = span.attributes;
  assert.deepEqual([rest, count], [http, 1]);
  assert.equal(reference, payment().payment.merchant_payment_code);
  assert.match(hash, /^\w+$/);
  assert.ok(signing > 0);
  assert.deepEqual(
    [span.name, span.status.code, eventsOf(span)],
    ['payments create_payment', SpanStatusCode.UNSET, []],
  );
  const [token, attempt, ...more] = childrenOf(span);
  assert.deepEqual(more, []);
  assert.deepEqual(
    [token.name, token.kind, token.attributes],
    ['payments token', SpanKind.CLIENT, { 'http.request.method': 'POST', ...serverOf(auth_url) }],
  );
  assert.deepEqual(
    [attempt.name, attempt.kind, attempt.attributes],
    ['POST', SpanKind.CLIENT, http],
  );
  assert.ok(token.duration[0] > 0 || token.duration[1] > 0);

  const {
    'payments.call.duration': [taken, ...second],
    'payments.calls': [counted],
    'payments.tokens': [tokens],
  } = await collected();
  assert.deepEqual([taken.value.count, second, counted.value, tokens.value], [1, [], 1, 1]);
  assert.ok(taken.value.sum > signing / 1e6, 'seconds');
  const executed = { 'payments.operation': 'create_payment', 'http.response.status_code': 200 };
  assert.deepEqual(
    [taken.attributes, counted.attributes, tokens.attributes],
    [executed, executed, {}],
  );
});

test('the span of an unknown outcome is an error with its facts', async () => {
  await sandbox.faults({ operation: 'create_payment', then: [{ fault: 'close', execute: true }] });
  const error = await rejection(observed().createPayment(payment()));
  assert.equal(error.outcome, 'unknown');
  const [span] = callSpans();
  assert.equal(span.parentSpanContext, undefined, 'nobody called it within a span');
  const { 'error.type': kind, 'payments.outcome': outcome } = span.attributes;
  assert.deepEqual(
    [kind, outcome, span.status],
    ['transport', 'unknown', { code: SpanStatusCode.ERROR, message: `${error.code}, unknown` }],
  );
  assert.ok(!Object.hasOwn(span.attributes, 'http.response.status_code'));
  const attempt = childrenOf(span).at(-1);
  assert.deepEqual(
    [attempt.attributes['error.type'], attempt.status.code],
    ['transport', SpanStatusCode.ERROR],
  );
  const {
    'payments.calls': [counted],
    'payments.call.duration': [taken],
  } = await collected();
  const attributes = {
    'payments.operation': 'create_payment',
    'error.type': 'transport',
    'payments.outcome': 'unknown',
  };
  assert.deepEqual(
    [counted.value, counted.attributes, taken.attributes],
    [1, attributes, attributes],
  );
});

test('a refusal is a failure and does not count as unknown', async () => {
  await within('look', () => observed().queryPayment({ hash: 'none' }));
  const [{ attributes, status }] = callSpans();
  const {
    'error.type': kind,
    'payments.outcome': outcome,
    'http.response.status_code': code,
  } = attributes;
  assert.deepEqual(
    [kind, outcome, code, status.code],
    ['rejected', 'not_executed', 200, SpanStatusCode.ERROR],
  );
  const [{ attributes: of }] = (await collected())['payments.calls'];
  assert.equal(of['payments.outcome'], 'not_executed');
});

test('a token that cannot be obtained fails span and request', async () => {
  await sandbox.control('POST', '/sandbox/tokens/block', { status: 429, retry_after: 7 });
  await rejection(observed().createPayment(payment()));
  const [span] = callSpans();
  const [token, ...others] = childrenOf(span);
  assert.deepEqual(
    [token.name, token.attributes['error.type'], token.status.code, others],
    ['payments token', 'token', SpanStatusCode.ERROR, []],
  );
  const [{ value, attributes }] = (await collected())['payments.tokens'];
  assert.deepEqual([value, attributes], [1, { 'error.type': 'token' }]);
});

test('spans of concurrent calls have their own parent and events', async () => {
  await sandbox.faults(
    { operation: 'query_payment', times: 5, then: [{ fault: 'pass' }, { fault: 'close' }] },
    { operation: 'create_payment', times: 5, then: [{ fault: 'pass' }, { fault: 'close' }] },
  );
  const client = observed();
  const callers = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      within(`order ${index}`, () =>
        Promise.allSettled([
          client.createPayment(payment(`o-${index}`)),
          client.queryPayment({ hash: `h-${index}` }),
          client.queryPayment({ hash: `i-${index}` }),
        ]),
      ),
    ),
  );
  assert.equal(callSpans().length, 60);
  let retried = 0;
  for (const caller of callers) {
    const children = childrenOf(caller);
    const operations = children.map(({ attributes }) => attributes['payments.operation']).sort();
    assert.deepEqual(operations, ['create_payment', 'query_payment', 'query_payment']);
    for (const span of children) {
      const attempts = childrenOf(span).filter(({ name }) => name !== 'payments token');
      const count = span.attributes['payments.attempts'];
      assert.deepEqual(
        attempts.map(({ attributes }) => attributes['http.request.resend_count'] ?? 0),
        Array.from({ length: count }, (_, index) => index),
      );
      const retries = span.events.filter(({ name }) => name === 'payments.retry').length;
      assert.equal(retries, count - 1);
      retried += retries;
    }
  }
  // Of five failures, three may strike one query, which ends with the third.
  assert.ok(retried >= 4, `${retried} retries`);
  const { 'payments.calls': counted, 'payments.call.duration': taken } = await collected();
  const unknown = counted.filter(({ attributes }) => attributes['payments.outcome'] === 'unknown');
  assert.deepEqual(
    unknown
      .filter(({ attributes }) => attributes['payments.operation'] === 'create_payment')
      .map(({ value }) => value),
    [5],
  );
  assert.equal(
    taken.reduce((sum, { value }) => sum + value.count, 0),
    60,
  );
});

test('a token fetched without a request is a child of the caller', async () => {
  const client = observed();
  const caller = await within('warm up', async () => {
    await client.accessToken();
    await client.accessToken();
  });
  assert.deepEqual(callSpans(), []);
  assert.deepEqual(namesOf(childrenOf(caller)), ['payments token']);
  assert.deepEqual(eventsOf(caller), ['payments.token_reused']);
});

test('no secret and no payer data is in spans and metrics', async () => {
  const { integration_key, client_secret } = sandbox.settings;
  const over = { integration_key, token_store: 'redis://:canary-password@127.0.0.1:1' };
  const client = observed(sandbox.bearerConfig(over));
  await within('checkout', () => client.createPayment(payment('canary@example.com')));
  await within('look', () => client.queryPayment({ merchant_payment_code: 'canary@example.com' }));
  await sandbox.faults({
    then: [
      {
        fault: 'response',
        status: 400,
        json: { status: 'ERROR', status_message: 'canary-message' },
      },
    ],
  });
  await within('checkout', () => client.createPayment(payment('canary+2@example.com')));
  const { headers } = (await sandbox.requests()).find(
    ({ operation }) => operation === 'create_payment',
  );
  const sent = new Map(headers.map(([name, value]) => [name.toLowerCase(), value]));
  const shown = inspect(
    [spans.getFinishedSpans().map((span) => ({ ...span })), await collected()],
    {
      depth: 20,
      maxArrayLength: null,
    },
  );
  assert.ok(callSpans().some((span) => eventsOf(span).includes('payments.store_bypassed')));
  assert.match(shown, /create_payment/);
  const secrets = [
    integration_key,
    client_secret,
    sent.get('authorization').slice(7),
    sent.get('x-jws-signature'),
  ];
  const payer = ['canary', 'Maria', 'maria@example.com', '853.513', '85351346893', '100.10'];
  assert.deepEqual(
    [...secrets, ...payer].filter((each) => shown.includes(each)),
    [],
  );
});

const tracedHeaders = async (operation) => {
  const requests = (await sandbox.requests()).filter((request) => request.operation === operation);
  return requests.map(({ headers }) => new Headers(headers).get('traceparent'));
};

test('no header is sent unless asked', async () => {
  await observed().createPayment(payment('A-1'));
  assert.deepEqual(await tracedHeaders('create_payment'), [null]);
});

test('the header names the span of its call, also concurrently', async () => {
  const observer = telemetryObserver({ propagateTrace: true });
  const client = new Client(sandbox.bearerConfig(), { observer });
  await rejection(client.createPayment(payment('A-0', { amount_total: 0 })));
  const checkout = await within('checkout', () =>
    Promise.all(['A-1', 'A-2', 'A-3'].map((code) => client.createPayment(payment(code)))),
  );
  const paid = callSpans();
  const expected = paid.map((span) => {
    const { traceId, spanId } = span.spanContext();
    return `00-${traceId}-${spanId}-01`;
  });
  assert.deepEqual((await tracedHeaders('create_payment')).sort(), expected.sort());
  assert.equal(expected.length, 3);
  for (const { parentSpanContext, attributes } of paid) {
    assert.equal(parentSpanContext.spanId, checkout.spanContext().spanId);
    assert.equal(attributes['url.path'], '/ws/direct');
  }
  assert.deepEqual(await tracedHeaders('access_token'), [null]);
  // The caller's header is sent.
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
  await client.queryPayment({ merchant_payment_code: 'A-1' }, { traceparent });
  assert.deepEqual(await tracedHeaders('query_payment'), [traceparent]);
});

test('each query of a wait has its own span', async () => {
  const observer = telemetryObserver({ propagateTrace: true });
  const client = new Client(sandbox.bearerConfig(), { observer });
  const { hash } = await new Client(sandbox.bearerConfig()).createPayment(payment('A-1'));
  // Long enough for a second query.
  await client.waitForPayment({ hash }, { timeoutMs: 3500 });
  const headers = await tracedHeaders('query_payment');
  const expected = callSpans().map((span) => {
    const { traceId, spanId } = span.spanContext();
    return `00-${traceId}-${spanId}-01`;
  });
  assert.deepEqual(headers, expected);
  assert.ok(new Set(headers).size > 1);
});

test('a tracer that fails changes no call', async () => {
  const tracerProvider = { getTracer: () => undefined };
  const observer = telemetryObserver({ tracerProvider, propagateTrace: true });
  const client = new Client(sandbox.bearerConfig(), { observer });
  await client.createPayment(payment('A-1'));
  assert.deepEqual(await tracedHeaders('create_payment'), [null]);
});

test('the program pays and prints its spans and metrics', async () => {
  const { base_url, key_file, kid } = sandbox.config();
  await new Client(sandbox.config()).createPayment(payment('A-1'));
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, '..', 'examples', 'telemetry', 'query.mjs'), 'A-1'],
    {
      env: {
        ...process.env,
        PAYMENTS_BASE_URL: base_url,
        PAYMENTS_KEY_FILE: key_file,
        PAYMENTS_KID: kid,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const ended = new Promise((resolve) => child.once('close', resolve));
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  assert.deepEqual([stderr, code], ['', 0]);
  for (const said of ['payments query_payment', 'follow-up', 'payments.call.duration']) {
    assert.ok(stdout.includes(said), said);
  }
  assert.doesNotMatch(stdout, /Maria|853\.513/);
  const sent = (await sandbox.requests()).map(({ operation }) => operation);
  assert.deepEqual(sent, ['create_payment', 'query_payment']);
});
