// One query, with its spans and metrics on the console. For a payment, whose
// reference must be saved before the call, see ../checkout.
//
//   PAYMENTS_BASE_URL=… PAYMENTS_KEY_FILE=… PAYMENTS_KID=… node query.mjs REFERENCE
//
// A real service exports by OTLP instead of printing; the rest is the same.

import { context, metrics, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  ConsoleMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  ConsoleSpanExporter,
} from '@opentelemetry/sdk-trace-base';
import { Client } from 'libpayments';
import { telemetryObserver } from 'libpayments/otel';

// Lets the observer see the span of the code that made the call.
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
const tracing = new BasicTracerProvider({
  spanProcessors: [new BatchSpanProcessor(new ConsoleSpanExporter())],
});
trace.setGlobalTracerProvider(tracing);
const metering = new MeterProvider({
  readers: [new PeriodicExportingMetricReader({ exporter: new ConsoleMetricExporter() })],
});
metrics.setGlobalMeterProvider(metering);

const [reference = 'order-1001'] = process.argv.slice(2);
const client = Client.fromEnv({ observer: telemetryObserver() });
await trace.getTracer('shop').startActiveSpan('follow-up', async (span) => {
  try {
    await client.queryPayment({ merchant_payment_code: reference });
  } catch (error) {
    // The message contains no secrets and no payer data.
    console.error(error.message);
    process.exitCode = 1;
  } finally {
    span.end();
  }
});
await Promise.all([tracing.shutdown(), metering.shutdown()]);
