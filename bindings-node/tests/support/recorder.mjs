// The observer, the logger and the channels of a client, compared with the scenario.

import { subscribe } from 'node:diagnostics_channel';

import { exactDifferences, fillTree, lineDifferences, withSharedNames } from './tree.mjs';

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

export class Recorder {
  #expected;
  #telemetry;
  #events = [];
  #lines = [];

  /** `telemetry` is another observer, and the spans that it made. */
  constructor(scenario, telemetry) {
    this.#expected = scenario;
    this.#telemetry = telemetry;
    for (const { event } of scenario.events ?? []) {
      listen(event);
    }
  }

  /** None without events: such a call crosses to JavaScript only at its end. */
  get listeners() {
    if (this.#expected.events === undefined) {
      return {};
    }
    const write = (level) => (fields, message) => this.#lines.push([level, fields, message]);
    const logger = { debug: write('debug'), info: write('info'), warn: write('warn') };
    const observer = (event) => {
      this.#events.push(event);
      this.#telemetry?.observer(event);
    };
    return { observer, logger };
  }

  differences(values) {
    const { events: expected, log, spans } = this.#expected;
    if (expected === undefined) {
      return [];
    }
    // The first call is 1, the second 2, and so on.
    const calls = [...new Set(this.#events.map(({ call }) => call))];
    const events = this.#events.map((event) =>
      withSharedNames({ ...event, call: calls.indexOf(event.call) + 1 }),
    );
    return [
      ...exactDifferences('events', fillTree(expected, values), events),
      ...(log === undefined ? [] : lineDifferences(fillTree(log, values), this.#logged(calls))),
      ...this.#channelDifferences(),
      ...(spans === undefined || this.#telemetry === undefined
        ? []
        : exactDifferences('spans', fillTree(spans, values), this.#telemetry.spans())),
    ];
  }

  /** The lines of the logger as `PAYMENTS_LOG` writes them: here they have fields. */
  #logged(calls) {
    return this.#lines.map(([level, { event, ...fields }, message]) => {
      const members = withSharedNames({ ...fields, call: calls.indexOf(fields.call) + 1 });
      const shown = Object.entries(members).filter(([, value]) => value !== null);
      const words = [level === 'warn' ? 'warning' : level, event, ...shown.map(wordOf)];
      return message === `payments ${event}` ? words.join(' ') : message;
    });
  }

  #channelDifferences() {
    return this.#events.flatMap((it) =>
      exactDifferences('channels', [`libpayments:${it.event}`], published.get(it) ?? []),
    );
  }
}

function wordOf([name, value]) {
  if (name.endsWith('_us')) {
    return `${name.slice(0, -3)}=${value / 1000}ms`;
  }
  return `${name}=${/^[!#-~]+$/.test(value) ? value : JSON.stringify(value)}`;
}
