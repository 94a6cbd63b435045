'use strict';

// The listeners of a call's events: the observer and the logger of its client, and
// the subscribers of the channels `libpayments:*`.

const { channel } = require('node:diagnostics_channel');
const { EVENT_NAMES } = require('./event-names.js');
const { loadAddon } = require('./loader.js');

const { WantedEvents } = loadAddon();

/** The method of an observer that propagates traces (otel.js). */
const TRACEPARENT = Symbol.for('libpayments.traceparent');

const CHANNELS = new Map(EVENT_NAMES.map((name) => [name, channel(`libpayments:${name}`)]));

/** The events that the listeners of a new call want. */
function wantedEventsOf(callbacks) {
  if (callbacks.observer !== undefined || hasSubscribers()) {
    return WantedEvents.All;
  }
  const { hasJournal, logger } = callbacks;
  if (logger === undefined) {
    // Failures of the journal are warnings then.
    return hasJournal ? WantedEvents.Notable : WantedEvents.None;
  }
  return wantsDebug(logger) ? WantedEvents.All : WantedEvents.Notable;
}

function hasSubscribers() {
  for (const { hasSubscribers } of CHANNELS.values()) {
    if (hasSubscribers) {
      return true;
    }
  }
  return false;
}

/** A logger without `isLevelEnabled` gets everything. */
function wantsDebug(logger) {
  try {
    return logger.isLevelEnabled?.('debug') !== false;
  } catch {
    return true;
  }
}

/** Publishes an event on its channel. */
function publish(event) {
  const its = CHANNELS.get(event.event);
  if (its.hasSubscribers) {
    its.publish({ event });
  }
}

module.exports = { TRACEPARENT, wantedEventsOf, publish };
