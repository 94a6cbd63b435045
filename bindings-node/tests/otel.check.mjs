// OpenTelemetry spans and metrics, as exporters of its SDK receive them.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, beforeEach, test } from 'node:test';

import { SpanKind, context, metrics, trace } from '@opentelemetry/api';
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

import { SHARED_FOLDER, Sandbox, payment, readShared, rejection } from './support/sandbox.mjs';
import { runScenario } from './support/scenario.mjs';
import { SpansInOrder } from './support/spans.mjs';

const spans = new InMemorySpanExporter();
const began = new SpansInOrder();
const points = new InMemoryMetricExporter(AggregationTemporality.DELTA);
const metering = new MeterProvider({
  readers: [new PeriodicExportingMetricReader({ exporter: points })],
});
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
trace.setGlobalTracerProvider(
  new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans), began] }),
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

test('every scenario has its expected spans', async () => {
  const files = readdirSync(join(SHARED_FOLDER, 'scenarios'));
  const scenarios = files.flatMap((file) => JSON.parse(readShared('scenarios', file)).scenarios);
  const part = process.env.SCENARIO;
  const told = scenarios.filter((it) => it.spans !== undefined && it.name.includes(part ?? ''));
  assert.ok(part !== undefined || told.length > 10, `${told.length} scenarios`);
  for (const scenario of told) {
    spans.reset();
    began.taken();
    await tracer.startActiveSpan('shop', async (caller) => {
      const telemetry = { observer: telemetryObserver(), spans: () => began.taken(caller) };
      assert.deepEqual(await runScenario(scenario, sandbox, telemetry), [], scenario.name);
      caller.end();
      // Calls without a span have their events in the caller's.
      const calls = scenario.events.filter((it) => it.event === 'request_started');
      const isOfCaller = ({ event, call }) =>
        event === 'token_reused' && !calls.some((it) => it.call === call);
      const expected = scenario.events.filter(isOfCaller).map((it) => `payments.${it.event}`);
      const names = caller.events.map(({ name }) => name);
      assert.deepEqual(names, expected, scenario.name);
    });
    const tokens = spans.getFinishedSpans().filter(({ name }) => name === 'payments token');
    assert.ok(tokens.every(({ duration: [seconds, rest] }) => seconds + rest > 0));
  }
});

test('each end counts by its operation, outcome and failure', async () => {
  const telemetry = telemetryObserver();
  const seconds = [];
  const observer = (event) => {
    telemetry(event);
    if (event.event === 'request_ended') {
      seconds.push(event.durationUs / 1e6);
    }
  };
  const client = new Client(sandbox.bearerConfig(), { observer });
  await client.createPayment(payment());
  await rejection(client.queryPayment({ hash: 'none' }));
  await sandbox.faults({ operation: 'create_payment', then: [{ fault: 'close', execute: true }] });
  await rejection(client.createPayment(payment('o-2')));
  await sandbox.control('POST', '/sandbox/tokens/block', { status: 429, retry_after: 7 });
  await client.forgetToken();
  await rejection(client.createPayment(payment('o-3')));
  const ends = [
    { 'payments.operation': 'create_payment', 'http.response.status_code': 200 },
    {
      'payments.operation': 'query_payment',
      'http.response.status_code': 200,
      'payments.outcome': 'not_executed',
      'error.type': 'rejected',
    },
    {
      'payments.operation': 'create_payment',
      'payments.outcome': 'unknown',
      'error.type': 'transport',
    },
    {
      'payments.operation': 'create_payment',
      'payments.outcome': 'not_executed',
      'error.type': 'token',
    },
  ];
  const {
    'payments.calls': calls,
    'payments.call.duration': durations,
    'payments.tokens': tokens,
  } = await collected();
  const pointsOf = (found) => found.map(({ value, attributes }) => [value, attributes]);
  assert.deepEqual(
    pointsOf(calls),
    ends.map((attributes) => [1, attributes]),
  );
  assert.deepEqual(
    durations.map(({ value, attributes }) => [value.count, value.sum, attributes]),
    ends.map((attributes, index) => [1, seconds[index], attributes]),
  );
  assert.deepEqual(pointsOf(tokens), [
    [1, {}],
    [1, { 'error.type': 'token' }],
  ]);
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
