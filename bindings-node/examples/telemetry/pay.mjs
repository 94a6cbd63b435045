// One payment, with its spans and metrics on the console.
//
//   PAYMENTS_BASE_URL=… PAYMENTS_KEY_FILE=… PAYMENTS_KID=… node pay.mjs REFERENCE
//
// A service would export by OTLP where this one prints; the rest is the same.

import { context, metrics, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { ConsoleMetricExporter, MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, BatchSpanProcessor, ConsoleSpanExporter } from '@opentelemetry/sdk-trace-base';
import { Client } from 'libpayments';

import { telemetryObserver } from './observer.mjs';

// With it, the observer sees the span of the code that made the call.
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
const tracing = new BasicTracerProvider({ spanProcessors: [new BatchSpanProcessor(new ConsoleSpanExporter())] });
trace.setGlobalTracerProvider(tracing);
const metering = new MeterProvider({
  readers: [new PeriodicExportingMetricReader({ exporter: new ConsoleMetricExporter() })],
});
metrics.setGlobalMeterProvider(metering);

const [reference = `order-${Date.now()}`] = process.argv.slice(2);
const client = Client.fromEnv({ observer: telemetryObserver(process.env.PAYMENTS_BASE_URL) });
await trace.getTracer('shop').startActiveSpan('checkout', async (span) => {
  try {
    await client.createPayment({
      payment: {
        name: 'Maria Souza', email: 'maria@example.com', document: '853.513.468-93', country: 'br',
        payment_type_code: 'pix', merchant_payment_code: reference, currency_code: 'BRL', amount_total: '100.10',
      },
    });
  } catch (error) {
    // No secret and no payer data is in the message.
    console.error(error.message);
    process.exitCode = error.outcome === 'unknown' ? 3 : 1;
  } finally {
    span.end();
  }
});
await Promise.all([tracing.shutdown(), metering.shutdown()]);
