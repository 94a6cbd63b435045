// The requests, newest first, as they come.

import { detailOf } from './detail.js';
import { el, fill, head, pages, time } from './dom.js';
import { take } from './stream.js';
import { duration, kindOf, timeOfDay, verdict, words } from './words.js';

const SHOWN = 100;
const COLUMNS = [
  'Number',
  'Time',
  'Took',
  'Operation',
  'Reference',
  'Status',
  'Signature',
  'Bearer',
  'Key',
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
];

export function requestsPart() {
  const records = new Map();
  const state = { offset: 0, chosen: null, isWaiting: false };
  const filter = filterBar(() => {
    state.offset = 0;
    draw();
  });
  const table = requestTable();
  const note = el('p', { class: 'empty' });
  const pager = el('div');
  const detail = el('section', { class: 'detail', 'aria-live': 'off', hidden: true });
  const list = el('div', { class: 'list' }, filter.element, table.element, note, pager);
  const element = el('div', { class: 'split' }, list, detail);

  function draw() {
    state.isWaiting = false;
    const found = newestFirst(filter.matching(records.values()));
    const part = found.slice(state.offset, state.offset + SHOWN);
    table.draw(part, state.chosen);
    fill(note, part.length > 0 ? null : noneOf(records));
    const turn = (offset) => {
      state.offset = offset;
      draw();
    };
    fill(pager, pages(state.offset, part.length, found.length, turn, SHOWN));
  }

  function soon() {
    if (!state.isWaiting) {
      state.isWaiting = true;
      requestAnimationFrame(draw);
    }
  }

  async function open(sequence, takesFocus = false) {
    const content = await detailOf(sequence);
    if (state.chosen === sequence) {
      fill(detail, content);
      if (takesFocus) {
        detail.querySelector('h2').focus();
      }
    }
  }

  function show(sequence) {
    const chosen = sequence === undefined ? null : Number(sequence);
    const before = state.chosen;
    state.chosen = chosen;
    element.classList.toggle('open', chosen !== null);
    detail.hidden = chosen === null;
    draw();
    if (chosen !== null) {
      open(chosen, chosen !== before);
    } else if (before !== null) {
      table.focus(before);
    }
  }

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
      open(state.chosen);
    }
  }

  return { element, restart, apply, show };
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
  const element = el(
    'div',
    { class: 'bar' },
    el('label', {}, 'Filter', text),
    el('label', { class: 'check' }, refused, 'refused only'),
  );

  function matching(records) {
    const wanted = text.value
      .trim()
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== '');
    return [...records].filter(
      (record) =>
        !(refused.checked && record.refused === null) &&
        wanted.every((word) => record.text.includes(word)),
    );
  }

  return { element, matching };
}

function requestTable() {
  const rows = new Map();
  const body = el('tbody');
  const element = el('table', { id: 'request-list' }, head(COLUMNS), body);

  function draw(records, chosen) {
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
      write(row, record);
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

function write(row, record) {
  if (row.record === record) {
    return;
  }
  row.record = record;
  const cells = cellsOf(record);
  if (row.children.length === 0) {
    const link = el('a', { href: `#requests/${record.sequence}` }, `${record.sequence}`);
    row.append(
      el('td', {}, link),
      ...cells.map((cell, index) => el('td', { 'data-name': COLUMNS[index + 1] }, cell)),
    );
  } else {
    for (const [index, cell] of cells.entries()) {
      fill(row.children[index + 1], cell);
    }
  }
}

function cellsOf(record) {
  const fault =
    record.fault === null ? null : el('div', { class: 'warn' }, `fault: ${words(record.fault)}`);
  const resend =
    record.resend_of === null
      ? null
      : el('div', { class: 'weak' }, `resend of ${record.resend_of}`);
  return [
    time(record.received_ms, timeOfDay),
    record.duration_ms === null ? '' : duration(record.duration_ms),
    el(
      'div',
      {},
      record.operation ?? (`${record.method} ${record.path}`.trim() || 'not HTTP'),
      ...[resend, fault].filter(Boolean),
    ),
    record.reference ?? '',
    statusOf(record),
    ...verdictsOf(record).map((name) => el('span', { class: kindOf(name) }, verdict(name))),
  ];
}

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
