// Live messages of the sandbox, over one connection for all tabs: a browser
// opens only six to one host.

/** Puts what changed into `records`, and drops those before the first. */
export function take(records, { first, records: changed }) {
  for (const sequence of [...records.keys()].filter((known) => known < first)) {
    records.delete(sequence);
  }
  for (const record of changed) {
    records.set(record.sequence, record);
  }
}

/**
 * Follows the sandbox in messages: `state`, `restart` before everything is sent
 * again, `requests` and `changed`.
 */
export function follow(address, tell) {
  const source = new EventSource(address);
  source.addEventListener('open', () => {
    tell({ restart: true });
    tell({ state: 'live' });
  });
  source.addEventListener('error', () => tell({ state: 'not connected' }));
  for (const name of ['requests', 'changed']) {
    source.addEventListener(name, (event) => tell({ [name]: JSON.parse(event.data) }));
  }
}

/** Follows the sandbox in a worker that the tabs share, or alone where there is none. */
export function listen(tell) {
  if (typeof SharedWorker === 'undefined') {
    follow('events', tell);
    return;
  }
  const worker = new SharedWorker('page/worker.js', { type: 'module' });
  worker.port.addEventListener('message', ({ data }) => tell(data));
  worker.port.start();
}
