// Payments, refunds, payouts and trackings.

import { age, button, call, el, facts, inTurn, pages, refill, table, time } from './dom.js';
import { dateAndTime, timeOfDay } from './words.js';

const SHOWN = 50;
const MOVES = { pend: 'Make pending', confirm: 'Confirm', pay: 'Pay', cancel: 'Cancel' };
/** The moves of a payment, which its payer makes. */
const PAYER_MOVES = { ...MOVES, confirm: 'Pay', cancel: 'Decline' };
const STATES = {
  OP: 'open',
  PE: 'pending',
  CO: 'confirmed',
  PA: 'paid',
  CA: 'cancelled',
  RE: 'requested',
};
const KINDS = {
  payments: {
    columns: ['Reference', 'State', 'Amount', 'Payer', 'Refunds', 'History', 'Pay or decline'],
    row: paymentRow,
    named: ({ payment }) => [payment.hash, payment.merchant_payment_code, payment.status],
  },
  refunds: {
    columns: [
      'Refund',
      'State',
      'Amount',
      'Reference',
      'Payment',
      'Requested',
      'Confirm or cancel',
    ],
    row: refundRow,
    named: ({ refund }) => [refund.id, `refund ${refund.id}`, refund.status],
  },
  payouts: {
    columns: ['Reference', 'State', 'Amount', 'Account', 'History', 'Pay or cancel'],
    row: payoutRow,
    named: ({ payout }) => [payout.uid, payout.external_reference, payout.status],
  },
  trackings: {
    columns: ['Code', 'State', 'Order', 'Customer'],
    row: trackingRow,
    named: (tracking) => [tracking.tracking_code, tracking.tracking_code, tracking.status],
  },
};

export function paymentsPart() {
  const state = { kind: 'payments', offset: 0 };
  const text = el('input', {
    type: 'search',
    id: 'find',
    placeholder: 'reference, hash, name …',
    input: () => {
      state.offset = 0;
      refresh();
    },
  });
  const kind = el(
    'select',
    {
      id: 'kind',
      change: () => {
        state.kind = kind.value;
        state.offset = 0;
        refresh();
      },
    },
    Object.keys(KINDS).map((name) => el('option', { value: name }, name)),
  );
  const news = el('p', { class: 'weak', role: 'status', id: 'news' });
  const list = el('div', { id: 'ledger', tabindex: '-1' });
  const element = el(
    'div',
    {},
    el('div', { class: 'bar' }, el('label', {}, 'Show', kind), el('label', {}, 'Find', text)),
    news,
    list,
  );

  const begin = inTurn();

  async function refresh() {
    const isLast = begin();
    const { kind: name, offset } = state;
    const query = new URLSearchParams({ offset, limit: SHOWN, text: text.value.trim() });
    const part = await call('GET', `view/${name}?${query}`);
    if (part === null || !isLast()) {
      return;
    }
    const { columns, row, named } = KINDS[name];
    news.textContent = newStates(part.entries.map(named)) || news.textContent;
    const go = (next) => {
      state.offset = next;
      refresh();
    };
    const none = () =>
      el('p', { class: 'empty' }, `No ${name}${text.value === '' ? ' yet' : ' match'}.`);
    refill(
      list,
      part.entries.length === 0 ? none() : table(columns, part.entries.map(row)),
      pages(offset, part.entries.length, part.total, go, SHOWN),
    );
  }

  function changed(names) {
    if (names.includes('ledger')) {
      refresh();
    }
  }
  /** Shows the payment with this hash, or the whole list. */
  function show(hash) {
    if (hash !== undefined) {
      text.value = hash;
      kind.value = 'payments';
      Object.assign(state, { kind: 'payments', offset: 0 });
    }
    refresh();
  }
  return { element, show, changed };
}

/** The last known state of each entry. */
const known = new Map();

/** A sentence for each entry whose state has changed since it was shown. */
function newStates(entries) {
  const changes = entries.filter(([id, , code]) => known.has(id) && known.get(id) !== code);
  for (const [id, , code] of entries) {
    known.set(id, code);
  }
  return changes.map(([, name, code]) => `${name} is ${STATES[code] ?? code}.`).join(' ');
}

function status(code) {
  const kind = { CO: 'good', PA: 'good', CA: 'bad' }[code] ?? '';
  return el('span', { class: `short ${kind}` }, `${code} (${STATES[code] ?? code})`);
}

/** A name that takes the focus when the buttons of its row are gone. */
const nameOf = (id, name) => el('strong', { id, tabindex: '-1' }, name);

const inOneLine = (amount) => el('span', { class: 'short' }, amount);

/** When it happened; empty for what an earlier sandbox kept without a time. */
function when(milliseconds) {
  if (typeof milliseconds !== 'number') {
    return '';
  }
  const isToday = new Date(milliseconds).toDateString() === new Date().toDateString();
  return time(milliseconds, isToday ? timeOfDay : dateAndTime);
}

const steps = (history) =>
  el(
    'ol',
    { class: 'history' },
    history.map(([code, since]) => el('li', {}, `${code} `, when(since))),
  );

function moveButtons(path, names, labels = MOVES) {
  const buttons = names.map((name) =>
    button(labels[name], () => call('POST', `${path}/${name}`), { id: `${path}/${name}` }),
  );
  return buttons.length === 0 ? '' : el('div', { class: 'buttons' }, buttons);
}

/** The state of the last step, with its age. */
function stateOf(code, history) {
  const [, at] = history.at(-1);
  return [status(code), typeof at === 'number' ? age(at) : null];
}

function paymentRow({ payment, amount, refunds, history, moves, pay_path: payPath }) {
  return [
    el(
      'div',
      {},
      nameOf(`payments/${payment.hash}`, payment.merchant_payment_code),
      el('div', { class: 'weak' }, payment.hash),
      el('a', { href: `#requests/of/${payment.hash}` }, 'Requests'),
    ),
    stateOf(payment.status, history),
    inOneLine(amount),
    el(
      'div',
      {},
      payment.customer.name,
      el(
        'div',
        {},
        el(
          'a',
          { href: payPath, target: '_blank', rel: 'noopener' },
          `Payer's page (${payment.payment_type_code})`,
        ),
      ),
    ),
    refunds.map((refund) => el('div', {}, `${refund.amount} `, status(refund.status))),
    steps(history),
    moveButtons(`payments/${payment.hash}`, moves, PAYER_MOVES),
  ];
}

function refundRow({ refund, amount, payment_hash: hash, moves, times_ms: [requested] }) {
  return [
    nameOf(`refunds/${refund.id}`, refund.id),
    status(refund.status),
    inOneLine(amount),
    facts([
      ['Reference', refund.merchant_refund_code],
      ['Reason', refund.description],
    ]),
    el('a', { class: 'weak', href: `#payments/${hash}` }, hash),
    when(requested),
    moveButtons(`refunds/${refund.id}`, moves),
  ];
}

/** The code that was chosen last, which survives a refresh of the list. */
let chosenCode = '';

/** The codes to cancel a payout with, and the button that does. */
function cancelling(path, codes) {
  const code = el(
    'select',
    {
      id: `${path}/code`,
      'aria-label': 'Code of the cancellation',
      change: () => {
        chosenCode = code.value;
      },
    },
    codes.map((name) => el('option', { selected: name === chosenCode }, name)),
  );
  const cancel = () => call('POST', `${path}/cancel`, { code: code.value });
  return el(
    'div',
    { class: 'buttons' },
    button(MOVES.cancel, cancel, { id: `${path}/cancel` }),
    code,
  );
}

function payoutRow({ payout, amount, history, moves, cancel_codes: codes }) {
  const path = `payouts/${payout.uid}`;
  const others = moves.filter((name) => name !== 'cancel');
  return [
    el(
      'div',
      {},
      nameOf(path, payout.external_reference),
      el('div', { class: 'weak' }, payout.uid),
    ),
    [...stateOf(payout.status, history), el('div', { class: 'weak' }, payout.code ?? '')],
    inOneLine(amount),
    [payout.target ?? 'bank account', payout.target_account].join(' '),
    steps(history),
    el(
      'div',
      {},
      moveButtons(path, others),
      others.length < moves.length ? cancelling(path, codes) : null,
    ),
  ];
}

function trackingRow(tracking) {
  return [tracking.tracking_code, tracking.status, tracking.order_number, tracking.customer_email];
}
