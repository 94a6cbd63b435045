// Everything about one request.

import { asText, compare, fromBase64, visible } from './bytes.js';
import { block, button, call, copyButton, el, facts, time } from './dom.js';
import { curl, node, php, python } from './snippets.js';
import { bearer, dateAndTime, duration, verdict, words } from './words.js';

/** The elements of the pane for a record, which is `null` if the sandbox has none. */
export function detailOf(sequence, record) {
  if (record === null) {
    return [
      heading(sequence),
      el('p', { class: 'empty' }, 'The sandbox no longer has this request.'),
    ];
  }
  const body = fromBase64(record.body_base64);
  return [
    heading(sequence),
    refusal(record),
    facts([
      ['Request', `${record.method} ${record.target}`],
      ['Time', time(record.received_ms, dateAndTime)],
      ['Took', record.duration_ms === null ? 'not ended' : duration(record.duration_ms)],
      ['Operation', record.operation],
      ['Reference', record.reference],
      ['Payment', paymentLink(record.payment)],
      ['Client reports', record.outcome === null ? null : words(record.outcome)],
      ['Fault', record.fault === null ? null : words(record.fault)],
      ['Executed', record.executed ? 'yes' : 'no'],
      ['Signature', verdict(record.signature)],
      ['Bearer token', bearer(record.bearer)],
      ['Integration key', verdict(record.integration_key)],
      ['Sent', sendings(record)],
    ]),
    diagnosis(record, body),
    findings(record.findings),
    copies(record, body),
    replay(record),
    record.protected_header === null
      ? null
      : [
          el('h3', {}, 'Protected header'),
          block('Protected header', { id: 'protected-header' }, indented(record.protected_header)),
        ],
    el('h3', {}, 'Headers'),
    block('Headers', {}, record.headers.map(([name, value]) => `${name}: ${value}`).join('\n')),
    el('h3', {}, `Body, ${record.body_length} bytes`),
    block('Body', { id: 'body' }, visible(body)),
    el('h3', {}, 'Response'),
    response(record.response),
  ].flat();
}

function heading(sequence) {
  return el(
    'div',
    { class: 'top' },
    el('h2', { tabindex: '-1' }, `Request ${sequence}`),
    el('a', { href: '#requests' }, 'Close'),
  );
}

/** Why the request was refused, in one sentence. */
function refusal(record) {
  if (record.refused === null) {
    return null;
  }
  const reason = record.diagnosis?.message ?? record.refused.replace(/^[a-z_]+(?=:)/, words);
  return el('p', { class: 'bad' }, 'Refused: ', el('span', { id: 'finding' }, reason));
}

function paymentLink(payment) {
  return payment === null
    ? null
    : el('a', { href: `#payments/${payment.hash}` }, payment.merchant_payment_code);
}

/** The links to the other times the same request was sent. */
function sendings({ sequence, sendings: all }) {
  if (all.length < 2) {
    return null;
  }
  const links = all.map((number, index) => {
    const name = index === 0 ? `first as ${number}` : `again as ${number}`;
    return number === sequence
      ? el('strong', {}, name)
      : el('a', { href: `#requests/${number}` }, name);
  });
  return el(
    'span',
    {},
    links.flatMap((link, index) => (index === 0 ? [link] : [', ', link])),
  );
}

function diagnosis(record, body) {
  if (record.diagnosis === undefined) {
    return null;
  }
  return [
    el('h3', {}, 'Why the signature was refused'),
    facts([
      ['Cause', el('span', { class: 'bad', id: 'cause' }, verdict(record.signature))],
      ['Detail', record.signature_detail],
    ]),
    difference(record.signed, body),
  ].flat();
}

/** The mistakes in the body, sure and probable ones. */
function findings(found) {
  if (found.length === 0) {
    return null;
  }
  const lines = found.map(({ path, certainty, message }) =>
    el('li', {}, el('strong', {}, path), ` ${message} (${certainty})`),
  );
  return [el('h3', {}, 'Findings'), el('ul', { id: 'findings' }, lines)];
}

function difference(found, body) {
  if (found === null || found.differences.length === 0) {
    return null;
  }
  const [signed, arrived] = compare(fromBase64(found.base64), body, found.differences);
  return [
    el('h3', {}, 'What was signed'),
    block('What was signed', { id: 'signed' }, marked(signed)),
    el('h3', {}, 'What arrived'),
    block('What arrived', { id: 'arrived' }, marked(arrived)),
  ];
}

function marked(runs) {
  return runs.map(([isSame, bytes]) => (isSame ? visible(bytes) : el('mark', {}, visible(bytes))));
}

function copies(record, body) {
  const languages = [
    ['curl', curl],
    ['Python', python],
    ['Node', node],
    ['PHP', php],
  ];
  return [
    el('h3', {}, 'Copy as'),
    el(
      'div',
      { class: 'buttons' },
      languages.map(([name, write]) => copyButton(name, () => write(record, body, asText(body)))),
    ),
  ];
}

/** Sends the same bytes again, and loses the response. */
function replay({ sequence, operation, complete }) {
  if (operation === null || !complete) {
    return null;
  }
  const path = `view/requests/${sequence}/replay`;
  return [
    el(
      'div',
      { class: 'buttons' },
      button('Replay with a lost response', () => call('POST', path), { id: 'replay' }),
    ),
    el(
      'p',
      { class: 'weak' },
      'Sends the same bytes again. The request is executed as any other, and the connection closes without a response.',
    ),
  ];
}

function response(response) {
  if (response === null) {
    return el('p', { class: 'empty' }, 'None was sent.');
  }
  const head = [
    `${response.status}`,
    ...response.headers.map(([name, value]) => `${name}: ${value}`),
  ].join('\n');
  return block(
    'Response',
    { id: 'response' },
    response.body === '' ? head : `${head}\n\n${indented(response.body)}`,
  );
}

function indented(text) {
  try {
    // Numbers keep their digits: only what parses to the same text is laid out again.
    const tree = JSON.parse(text);
    return JSON.stringify(tree) === text ? JSON.stringify(tree, null, 2) : text;
  } catch {
    return text;
  }
}
