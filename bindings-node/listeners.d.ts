// Listeners to the events of a client.

import type { ObserverEvent } from './events.js';

/**
 * Receives a client's events in order. The last event of a call arrives before
 * its promise settles. Tell calls apart by the member `call`.
 */
export type Observer = (event: ObserverEvent) => void | Promise<void>;
/**
 * The message that a subscriber of a channel `libpayments:*` of `node:diagnostics_channel` gets.
 */
export interface ChannelMessage<Event extends ObserverEvent = ObserverEvent> {
  readonly event: Event;
}

/**
 * A logger such as pino's: `fields` is an event. If it has `isLevelEnabled`, and that
 * says `false` for `debug`, events of that level are not even made.
 */
export interface Logger {
  /** Events of every call. */
  debug(fields: ObserverEvent, message: string): void;
  /** A call failed, and its error says all. */
  info(fields: ObserverEvent, message: string): void;
  /** An unknown outcome, a retry, a backoff, or a token store or journal that fails. */
  warn(fields: ObserverEvent, message: string): void;
  isLevelEnabled?(level: string): boolean;
}
