'use strict';

const { PaymentsError, RESPONSES } = require('../index.js');

function responseOf(operation, members, body) {
  return new RESPONSES[operation]({
    httpStatus: 200,
    members: JSON.stringify({ ...members, response: body }),
    largeNames: [],
    headers: JSON.stringify([['content-type', 'application/json']]),
    body: Buffer.from(JSON.stringify(body)),
  });
}

/** A response whose body has texts at JSON Pointers, and `further` in the object `above`. */
function made(operation, members, places, above, further) {
  const body = {};
  const inside = Object.entries(further).map(([name, value]) => [`${above}/${name}`, value]);
  for (const [pointer, value] of [...Object.entries(places), ...inside]) {
    if (value !== null) {
      const names = pointer.split('/').slice(1);
      const last = names.pop();
      const holder = names.reduce((holder, name) => (holder[name] ??= {}), body);
      holder[last] = value;
    }
  }
  return responseOf(operation, members, body);
}

/** The next action: the first of these kinds that has a value. */
function nextAction(isOver, dueDate, actions) {
  const found = actions.find(([, value]) => value) ?? ['unknown'];
  const [kind, value = null, reference = null] = isOver ? ['none'] : found;
  return { kind, value, reference, expires: value && dueDate };
}

/** These members of objects, under the names of JavaScript. */
function entries(given, names) {
  const camel = (name) => name.replace(/_(.)/g, (_, letter) => letter.toUpperCase());
  return given.map((it) =>
    Object.fromEntries(names.map((name) => [camel(name), it[name] ?? null])),
  );
}

function trackingResponse(...trackingCodes) {
  const of = { customerEmail: null, orderNumber: null, status: 'CREATED' };
  const members = {
    status: 'SUCCESS',
    allCreated: true,
    result: trackingCodes.map((trackingCode) => ({ ...of, trackingCode })),
    countMismatch: null,
    mismatches: null,
  };
  const sent = { customer_email: null, order_number: null, status: 'CREATED' };
  const result = trackingCodes.map((tracking_code) => ({ ...sent, tracking_code }));
  return responseOf('register_tracking', members, { status: 'SUCCESS', result });
}

function error(code, { kind, outcome = 'unknown', ...details }) {
  const { operation } = details;
  const where = operation === undefined ? '' : `${operation}: `;
  return new PaymentsError(`${where}${code} [${kind}/${code}, ${outcome}]`, {
    ...details,
    kind,
    code,
    outcome,
  });
}

module.exports = { entries, error, made, nextAction, trackingResponse };
