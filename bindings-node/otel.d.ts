import type { MeterProvider, TracerProvider } from '@opentelemetry/api';

import type { Observer } from './index.js';

/** The providers, by default those of the process, and the header to send. */
export interface TelemetryOptions {
  tracerProvider?: TracerProvider | undefined;
  meterProvider?: MeterProvider | undefined;
  /**
   * Send the header `traceparent` of the call's span to the service. Off by default:
   * the interface does not state it.
   */
  propagateTrace?: boolean | undefined;
}

/**
 * Makes an observer that turns calls into OpenTelemetry spans and metrics, for any
 * number of clients. It needs `@opentelemetry/api`; the SDK that the program sets up
 * exports them. Set it up first.
 *
 * Each call is a span, a child of the span that is active where the call is made. Each
 * attempt and each token request is a client span below it, with the attributes of
 * HTTP clients.
 *
 * The metrics are `payments.calls`, `payments.call.duration` and `payments.tokens`.
 * Alert on `payments.calls` with the `payments.outcome` `unknown`: each is a payment to
 * settle. docs/telemetry.md lists all names.
 */
export function telemetryObserver(options?: TelemetryOptions): Observer;
