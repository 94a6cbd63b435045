// The events of a client, compared with the scenario.

import { exactDifferences, fillTree, withSharedNames } from './tree.mjs';

export class Told {
  #events = [];
  observer = (event) => this.#events.push(event);

  differences({ events: expected }, values) {
    if (expected === undefined) {
      return [];
    }
    // The first call is 1, the second 2, and so on.
    const calls = [...new Set(this.#events.map(({ call }) => call))];
    const events = this.#events.map((event) =>
      withSharedNames({ ...event, call: calls.indexOf(event.call) + 1 }),
    );
    return exactDifferences('events', fillTree(expected, values), events);
  }
}
