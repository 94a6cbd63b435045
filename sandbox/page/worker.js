// The worker that all tabs share: it follows the sandbox, and tells each tab.

import { follow, take } from './stream.js';

const tabs = [];
const records = new Map();
const known = { state: 'connecting', first: 0 };

self.addEventListener('connect', ({ ports: [tab] }) => {
  tabs.push(tab);
  tab.postMessage({ state: known.state });
  tab.postMessage({ requests: { first: known.first, records: [...records.values()] } });
});

follow('../events', (message) => {
  if (message.restart) {
    records.clear();
  }
  if (message.state) {
    known.state = message.state;
  }
  if (message.requests) {
    known.first = message.requests.first;
    take(records, message.requests);
  }
  for (const tab of tabs) {
    tab.postMessage(message);
  }
});
