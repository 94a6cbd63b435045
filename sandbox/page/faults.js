// Faults to inject, and the scripted ones.

import { button, call, el, fill, inTurn, refill, table } from './dom.js';
import { words } from './words.js';

export function faultsPart() {
  const form = faultForm();
  const waiting = el('div', { id: 'waiting', tabindex: '-1' });
  const element = el(
    'div',
    {},
    form.parts,
    el('h2', {}, 'Waiting'),
    waiting,
    el('h2', {}, 'Faults'),
    el(
      'p',
      {},
      'Times is how often a fault must strike in a row until a caller notices: a client sends a request again after one 401, and tries a query three times.',
    ),
    form.list,
  );

  const begin = inTurn();

  async function refresh() {
    const isLast = begin();
    const view = await call('GET', 'view/faults');
    if (view === null || !isLast()) {
      return;
    }
    form.offer(view);
    refill(
      waiting,
      view.waiting.length === 0
        ? el('p', { class: 'empty' }, 'No faults are waiting.')
        : waitingTable(view.waiting),
    );
  }
  return {
    element,
    show: refresh,
    changed(names) {
      if (names.includes('faults')) {
        refresh();
      }
    },
  };
}

/** Scripts a fault. */
function faultForm() {
  const operation = el('select', { id: 'fault-operation' });
  const fault = el('select', { id: 'fault-name', change: explain });
  const times = el('input', { type: 'number', id: 'fault-times', min: '1', value: '1' });
  const delay = el('input', { type: 'number', id: 'fault-delay', min: '0', value: '0' });
  const about = el('p', { id: 'fault-about', 'aria-live': 'polite' });
  const form = el(
    'form',
    { class: 'bar', submit: add },
    el('label', {}, 'Operation', operation),
    el('label', {}, 'Fault', fault),
    el('label', {}, 'Times', times),
    el('label', {}, 'Delay (ms)', delay),
    el('button', { class: 'primary' }, 'Script it'),
  );
  const parts = [el('h2', {}, 'Make something go wrong'), form, about];
  const list = el('div', { id: 'known-faults' });
  let known = [];

  function explain() {
    const chosen = known.find(({ name }) => name === fault.value);
    about.textContent = chosen?.about ?? '';
    times.value = chosen?.times ?? 1;
    if (chosen?.operation) {
      operation.value = chosen.operation;
    } else if (operation.value === 'access_token') {
      operation.value = '';
    }
  }

  async function add(event) {
    event.preventDefault();
    const script = {
      times: Number(times.value),
      then: [{ fault: fault.value, delay_ms: Number(delay.value) }],
    };
    if (operation.value !== '') {
      script.operation = operation.value;
    }
    await call('POST', 'faults', script);
  }

  /** Offers the faults and operations that the sandbox knows. */
  function offer(view) {
    if (known.length > 0) {
      return;
    }
    known = view.known;
    fillChoices(fault, operation, view);
    fill(
      list,
      grouped(known).flatMap(([label, faults]) => [
        el('h3', {}, label),
        knownTable(faults, choose),
      ]),
    );
    explain();
  }

  function choose({ name }) {
    fault.value = name;
    explain();
    form.querySelector('button').focus();
  }
  return { parts, list, offer };
}

/** Fills the choices of the form. */
function fillChoices(fault, operation, { known, operations }) {
  const choice = ({ name, title }) => el('option', { value: name }, title);
  fill(
    fault,
    grouped(known).map(([label, faults]) => el('optgroup', { label }, faults.map(choice))),
  );
  fill(
    operation,
    el('option', { value: '' }, 'any under /ws/'),
    operations.map((name) => el('option', {}, name)),
  );
}

/** The faults by their groups, in their order. */
function grouped(known) {
  const groups = new Map();
  for (const fault of known) {
    groups.set(fault.group, [...(groups.get(fault.group) ?? []), fault]);
  }
  return [...groups];
}

/** The faults that have a name, with their effects. */
function knownTable(known, choose) {
  const rows = known.map((one) => [
    el('div', {}, one.title, el('div', { class: 'weak' }, one.name)),
    one.about,
    `${one.times}`,
    button('Choose', () => choose(one)),
  ]);
  return table(['Fault', 'What happens', 'Times', 'Choose'], rows);
}

function waitingTable(scripts) {
  const rows = scripts.map((script) => [
    words(script.next),
    script.operation ?? script.path ?? 'any under /ws/',
    script.left === null ? 'always' : `${script.left}`,
    `${script.delay_ms} ms`,
    button('Drop', () => call('DELETE', `faults/${script.id}`), { id: `faults/${script.id}` }),
  ]);
  return el(
    'div',
    {},
    table(['Next', 'Requests', 'Left', 'Delay', 'Drop'], rows),
    el(
      'p',
      {},
      button('Drop all', () => call('DELETE', 'faults'), { id: 'faults/all' }),
    ),
  );
}
