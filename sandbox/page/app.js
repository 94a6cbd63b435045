// The page: its visible part, and live messages of the sandbox.

import { call, fill, growOlder, inTurn, showProblem } from './dom.js';
import { faultsPart } from './faults.js';
import { keysPart } from './keys.js';
import { paymentsPart } from './ledger.js';
import { requestsPart } from './requests.js';
import { startPart } from './start.js';
import { listen } from './stream.js';

const parts = {
  requests: requestsPart(),
  payments: paymentsPart(),
  faults: faultsPart(),
  keys: keysPart(),
  start: startPart(),
};
const content = document.getElementById('content');
let shown = null;

function show() {
  const [name, ...rest] = location.hash.slice(1).split('/').map(decodeURIComponent);
  if (name === 'content') {
    return;
  }
  const part = parts[name] ?? parts.requests;
  for (const link of document.querySelectorAll('nav a')) {
    const isCurrent = parts[link.hash.slice(1)] === part;
    link.toggleAttribute('aria-current', isCurrent);
  }
  if (shown !== part) {
    shown = part;
    fill(content, part.element);
  }
  part.show(...rest);
}

/** Messages of the sandbox. */
function receive({ state, restart, requests, changed }) {
  if (restart) {
    parts.requests.restart();
  }
  if (state) {
    document.getElementById('live').textContent = state;
  }
  if (requests) {
    parts.requests.apply(requests);
  }
  if (changed) {
    shown.changed?.(changed);
    if (changed.includes('faults')) {
      countFaults();
    }
  }
}

const beginCount = inTurn();

/** Shows at the tab how many faults are waiting. */
async function countFaults() {
  const isLast = beginCount();
  const view = await call('GET', 'view/faults');
  if (view !== null && isLast()) {
    const count = view.waiting.length;
    document.getElementById('fault-count').textContent = count === 0 ? '' : ` (${count})`;
  }
}

const asking = document.getElementById('asking');
document.getElementById('reset').addEventListener('click', () => asking.showModal());
asking.addEventListener('close', () => {
  if (asking.returnValue === 'reset') {
    call('POST', 'reset');
  }
  asking.returnValue = '';
});
setInterval(() => growOlder(content), 1000);
document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape' && location.hash.includes('/')) {
    location.hash = location.hash.split('/')[0];
  }
});
window.addEventListener('hashchange', show);
showProblem('');
show();
listen(receive);
