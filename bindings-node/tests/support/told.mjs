// The observer, the logger and the channels of a client, compared with the scenario.

import { subscribe } from 'node:diagnostics_channel';

import { exactDifferences, fillTree, isSame, withSharedNames } from './tree.mjs';

/** The channels on which an event was published: all clients of the process publish there. */
const published = new WeakMap();
const subscribed = new Set();

function note({ event }, channel) {
  published.set(event, [...(published.get(event) ?? []), channel]);
}

function listen(name) {
  if (!subscribed.has(name)) {
    subscribed.add(name);
    subscribe(`libpayments:${name}`, note);
  }
}

export class Told {
  #expected;
  #also;
  #events = [];
  #lines = [];

  /** `also` is another observer. */
  constructor({ events }, also) {
    this.#expected = events;
    this.#also = also;
    for (const { event } of events ?? []) {
      listen(event);
    }
  }

  get listeners() {
    const write = (level) => (fields, message) => this.#lines.push([level, fields, message]);
    const logger = { debug: write('debug'), info: write('info'), warn: write('warn') };
    const observer = (event) => {
      this.#events.push(event);
      this.#also?.(event);
    };
    return { observer, logger };
  }

  differences(values) {
    if (this.#expected === undefined) {
      return [];
    }
    // The first call is 1, the second 2, and so on.
    const calls = [...new Set(this.#events.map(({ call }) => call))];
    const events = this.#events.map((event) =>
      withSharedNames({ ...event, call: calls.indexOf(event.call) + 1 }),
    );
    return [
      ...exactDifferences('events', fillTree(this.#expected, values), events),
      ...this.#lineDifferences(),
      ...this.#channelDifferences(),
    ];
  }

  /** A line for each event, which has its members. */
  #lineDifferences() {
    const expected = this.#events.map((it) => [levelOf(it), it, `payments ${it.event}`]);
    return isSame(expected, this.#lines) ? [] : exactDifferences('log', expected, this.#lines);
  }

  #channelDifferences() {
    return this.#events.flatMap((it) =>
      exactDifferences('channels', [`libpayments:${it.event}`], published.get(it) ?? []),
    );
  }
}

/** Doubts and failures that a person must look at are warnings. */
function levelOf({ event, outcome = null, backoffUs = null }) {
  const isBad = ['retry', 'store_bypassed', 'journal_failed'].includes(event);
  if (isBad || outcome === 'unknown' || backoffUs !== null) {
    return 'warn';
  }
  return outcome === null ? 'debug' : 'info';
}
