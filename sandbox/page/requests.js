// The requests, newest first, as they come.

import { detailOf } from './detail.js';
import { age, call, el, fill, head, inTurn, pages, refill, time } from './dom.js';
import { harOf } from './har.js';
import { take } from './stream.js';
import { duration, kindOf, timeOfDay, verdict, words } from './words.js';

const SHOWN = 100;
const COLUMNS = [
  'Number',
  'Time',
  'Took',
  'Operation',
  'Reference',
  'Amount',
  'Status',
  'Client reports',
  'Signature',
  'Bearer',
  'Integration key',
];
/** The members of a record that the filter searches. */
const SEARCHED = [
  'sequence',
  'operation',
  'method',
  'path',
  'reference',
  'status',
  'signature',
  'bearer',
  'integration_key',
  'refused',
  'fault',
  'outcome',
];

export function requestsPart() {
  const records = new Map();
  const state = { offset: 0, chosen: null };
  const filter = filterBar(() => turn(0));
  const table = requestTable();
  const note = el('p', { class: 'empty' });
  const pager = el('div');
  const detail = detailPane();
  const list = el(
    'div',
    { class: 'list' },
    filter.element,
    filter.only,
    table.element,
    note,
    pager,
  );
  const element = el('div', { class: 'split' }, list, detail.element);

  function turn(offset) {
    state.offset = offset;
    draw();
  }

  function draw() {
    const found = folded(newestFirst(filter.matching(records.values())));
    const part = found.slice(state.offset, state.offset + SHOWN);
    table.draw(part, state.chosen, records);
    fill(note, part.length > 0 ? null : noneOf(records));
    fill(pager, pages(state.offset, part.length, found.length, turn, SHOWN));
  }

  function show(sequence, hash) {
    if (sequence === undefined || sequence === 'of') {
      filter.showOnly(hash);
    }
    choose(sequence === 'of' ? undefined : sequence);
  }

  function choose(sequence) {
    const chosen = sequence === undefined ? null : Number(sequence);
    const before = state.chosen;
    state.chosen = chosen;
    element.classList.toggle('open', chosen !== null);
    detail.open(chosen, chosen !== before);
    draw();
    if (chosen === null && before !== null) {
      table.focus(before);
    }
  }

  const soon = oncePerFrame(draw);

  /** Forgets all requests: they are sent again. */
  function restart() {
    records.clear();
    table.clear();
    soon();
  }

  function apply(change) {
    take(records, withTexts(change));
    soon();
    if (change.records.some((record) => record.sequence === state.chosen)) {
      detail.open(state.chosen);
    }
  }

  return { element, restart, apply, show };
}

/** Calls `draw` with the next frame, once for all calls until then. */
function oncePerFrame(draw) {
  let isWaiting = false;
  return () => {
    if (!isWaiting) {
      isWaiting = true;
      requestAnimationFrame(() => {
        isWaiting = false;
        draw();
      });
    }
  };
}

/** Everything about the request that is chosen. */
function detailPane() {
  const element = el('section', {
    class: 'detail',
    'aria-live': 'off',
    tabindex: '-1',
    hidden: true,
  });
  const begin = inTurn();
  let shown = '';

  async function open(sequence, takesFocus = false) {
    const isLast = begin();
    element.hidden = sequence === null;
    const record = sequence === null ? null : await call('GET', `view/requests/${sequence}`);
    const text = JSON.stringify([sequence, record]);
    if (sequence === null || !isLast() || (text === shown && !takesFocus)) {
      return;
    }
    shown = text;
    refill(element, detailOf(sequence, record));
    if (takesFocus) {
      element.querySelector('h2').focus();
    }
  }
  return { element, open };
}

/** All names by which requests are about a payment. */
const namesOf = ({ payment }) =>
  [
    payment.hash,
    payment.merchant_payment_code,
    ...payment.refunds.map((refund) => refund.merchant_refund_code),
  ].filter((name) => name !== null);

/**
 * Without the requests that were sent again after a 401: the row of the next
 * one tells.
 */
function folded(records) {
  const shown = new Map(records.map((record) => [record.sequence, record]));
  for (const { resend_of: first } of records) {
    if (shown.get(first)?.status === 401) {
      shown.delete(first);
    }
  }
  return [...shown.values()];
}

/** They come in the order in which they changed. */
function newestFirst(records) {
  return records.sort((one, other) => other.sequence - one.sequence);
}

/** The records of a change with the texts that the filter searches. */
function withTexts({ first, records }) {
  return { first, records: records.map((record) => ({ ...record, text: searchText(record) })) };
}

function noneOf(records) {
  return records.size > 0
    ? 'No request matches the filter.'
    : [
        'No requests yet. ',
        el('a', { href: '#start' }, 'Make a configuration'),
        ' and a first payment.',
      ];
}

function filterBar(change) {
  const text = el('input', {
    type: 'search',
    id: 'filter',
    input: change,
    placeholder: 'reference, status, cause …',
  });
  const refused = el('input', { type: 'checkbox', id: 'only-refused', change });
  const queries = el('input', { type: 'checkbox', id: 'no-queries', change });
  const element = el(
    'div',
    { class: 'bar' },
    el('label', {}, 'Filter', text),
    el('label', { class: 'check' }, refused, 'refused only'),
    el('label', { class: 'check' }, queries, 'no queries'),
    el('button', { type: 'button', click: exportHar }, 'Export as HAR'),
  );

  // The names of the payment whose requests alone are shown.
  let names = null;
  const begin = inTurn();
  const only = el('p', { hidden: true });

  /** Shows the requests of the payment with this hash; all of them without it. */
  async function showOnly(hash) {
    const isLast = begin();
    const view = hash === undefined ? null : await call('GET', `view/payments?text=${hash}`);
    if (!isLast()) {
      return;
    }
    const [found] = view?.entries ?? [];
    names = found === undefined ? null : new Set(namesOf(found));
    only.hidden = names === null;
    fill(
      only,
      'Requests of the payment ',
      el('a', { href: `#payments/${hash}` }, found?.payment.merchant_payment_code ?? ''),
      '. ',
      el('a', { href: '#requests' }, 'Show all'),
    );
    change();
  }

  function matching(records) {
    const wanted = text.value
      .trim()
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== '');
    return [...records].filter(
      (record) =>
        !(refused.checked && record.refused === null) &&
        !(queries.checked && record.operation?.startsWith('query_')) &&
        (names === null || names.has(record.reference)) &&
        wanted.every((word) => record.text.includes(word)),
    );
  }

  return { element, only, showOnly, matching };
}

/** Saves all requests as a file that browsers and proxies read. */
async function exportHar() {
  const log = await call('GET', 'requests');
  if (log !== null) {
    const file = new Blob([JSON.stringify(harOf(log.requests), null, 2)]);
    const href = URL.createObjectURL(file);
    el('a', { href, download: 'sandbox.har' }).click();
    URL.revokeObjectURL(href);
  }
}

/** Opens the request of a row, wherever it is clicked. */
function openRow({ target }) {
  const row = target.closest('tr');
  if (target.closest('a') === null && getSelection().isCollapsed) {
    location.hash = row.querySelector('a').hash;
  }
}

function requestTable() {
  const rows = new Map();
  const body = el('tbody', { click: openRow });
  const element = el('table', { id: 'request-list' }, head(COLUMNS), body);

  function draw(records, chosen, known) {
    const kept = new Set(records.map((record) => record.sequence));
    for (const [sequence, row] of rows) {
      if (!kept.has(sequence)) {
        row.remove();
        rows.delete(sequence);
      }
    }
    // Rows that stay are not moved, so that they keep the focus.
    let next = body.firstChild;
    for (const record of records) {
      let row = rows.get(record.sequence);
      if (row === undefined) {
        row = el('tr');
        rows.set(record.sequence, row);
      }
      row.classList.toggle('chosen', record.sequence === chosen);
      write(row, record, known);
      if (row === next) {
        next = next.nextSibling;
      } else {
        body.insertBefore(row, next);
      }
    }
  }

  function clear() {
    rows.clear();
    fill(body);
  }

  return {
    element,
    draw,
    clear,
    focus: (sequence) => rows.get(sequence)?.querySelector('a').focus(),
  };
}

function write(row, record, known) {
  if (row.record === record) {
    return;
  }
  row.record = record;
  const cells = cellsOf(record, known.get(record.resend_of));
  if (row.children.length === 0) {
    const link = el('a', { href: `#requests/${record.sequence}` }, `${record.sequence}`);
    row.append(
      el('td', {}, link),
      ...cells.map((cell, index) => el('td', { 'data-name': COLUMNS[index + 1] }, cell)),
    );
  } else {
    for (const [index, cell] of cells.entries()) {
      fill(row.children[index + 1], ...[cell].flat());
    }
  }
}

function cellsOf(record, earlier) {
  const fault =
    record.fault === null ? null : el('div', { class: 'warn' }, `fault: ${words(record.fault)}`);
  const resend =
    record.resend_of === null
      ? null
      : el('div', { class: 'weak' }, `resend of ${record.resend_of}`, refusedBefore(earlier));
  return [
    [time(record.received_ms, timeOfDay), age(record.received_ms)],
    record.duration_ms === null ? '' : duration(record.duration_ms),
    el(
      'div',
      {},
      record.operation ?? (`${record.method} ${record.path}`.trim() || 'not HTTP'),
      ...[resend, fault].filter(Boolean),
    ),
    record.reference ?? '',
    record.amount ?? '',
    statusOf(record),
    record.outcome === null ? '' : words(record.outcome),
    ...verdictsOf(record).map((name) => el('span', { class: kindOf(name) }, verdict(name))),
  ];
}

/** The request that this one folds into its row. */
const refusedBefore = (earlier) =>
  earlier?.status === 401
    ? [', ', el('a', { href: `#requests/${earlier.sequence}` }, 'which had a 401')]
    : [];

const verdictsOf = (record) => [record.signature, record.bearer, record.integration_key];

/** The status, and why the request was refused if no verdict tells. */
function statusOf(record) {
  if (record.status === null) {
    return el('span', { class: 'warn' }, 'no response');
  }
  const isRefused = record.refused !== null;
  const kind = record.status >= 400 || isRefused ? 'bad' : 'good';
  const text = isRefused && record.status < 400 ? `${record.status} refused` : `${record.status}`;
  const isTold = verdictsOf(record).some((name) => kindOf(name) === 'bad');
  const reason = isRefused && !isTold ? el('div', { class: 'reason' }, record.refused) : null;
  return el('div', {}, el('span', { class: kind }, text), reason);
}

function searchText(record) {
  const members = SEARCHED.map((name) => record[name]).filter((member) => member !== null);
  return [...members, ...verdictsOf(record).map(verdict)].join(' ').toLowerCase();
}
