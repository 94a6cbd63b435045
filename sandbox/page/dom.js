// Elements, and calls of the sandbox.

import { since } from './words.js';

/** An element with attributes and children. Texts stay texts: nothing is parsed as HTML. */
export function el(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'function') {
      element.addEventListener(key, value);
    } else if (value === true) {
      element.setAttribute(key, '');
    } else if (value !== false && value !== null && value !== undefined) {
      element.setAttribute(key, value);
    }
  }
  element.append(...present(children));
  return element;
}

const present = (children) => children.flat().filter((it) => it !== null && it !== undefined);

/** A button that calls `click`. */
export const button = (label, click, attributes = {}) =>
  el('button', { type: 'button', click, ...attributes }, label);

/** Puts `children` into `parent`, in place of its earlier children. */
export function fill(parent, ...children) {
  parent.replaceChildren(...present(children));
}

/**
 * Fills a part of the page. An element with the focus keeps it by its id. If it is gone, the
 * element whose id is the part before the last `/` takes it, or else the whole part.
 */
export function refill(parent, ...children) {
  const focused = document.activeElement;
  const hadFocus = parent.contains(focused);
  fill(parent, ...children);
  if (hadFocus) {
    const ids = [focused.id, focused.id.replace(/\/[^/]*$/, '')];
    const places = ids.map((id) => document.getElementById(id));
    (places.find((it) => parent.contains(it) && it !== null) ?? parent).focus();
  }
}

/** A list of names and values, without those that have none. */
export function facts(pairs) {
  const known = pairs.filter(([, value]) => value !== null && value !== undefined && value !== '');
  return el(
    'dl',
    {},
    known.flatMap(([name, value]) => [el('dt', {}, name), el('dd', {}, value)]),
  );
}

/** A time as people read it, with the exact one for programs. */
export function time(milliseconds, write) {
  return el('time', { datetime: new Date(milliseconds).toISOString() }, write(milliseconds));
}

/** How long ago a time is, which changes as time passes. */
export const age = (milliseconds) =>
  el('div', { class: 'weak', 'data-since': `${milliseconds}` }, since(milliseconds));

/** Writes the ages below an element again. */
export function growOlder(parent) {
  for (const place of parent.querySelectorAll('[data-since]')) {
    place.textContent = since(Number(place.dataset.since));
  }
}

/** Text that may scroll, also by keyboard. */
export function block(label, attributes, ...children) {
  return el(
    'pre',
    { tabindex: '0', role: 'group', 'aria-label': label, ...attributes },
    ...children,
  );
}

/** The columns and rows of a table; a narrow window shows the names next to the values. */
export function table(names, rows) {
  const row = (cells) =>
    el(
      'tr',
      {},
      cells.map((cell, index) => el('td', { 'data-name': names[index] }, cell ?? '')),
    );
  return el('table', {}, head(names), el('tbody', {}, rows.map(row)));
}

/** The names of the columns of a table. */
export function head(names) {
  const cells = names.map((name) => el('th', { scope: 'col', 'data-name': name }, name));
  return el('thead', {}, el('tr', {}, cells));
}

/** Shows what went wrong, until the next call succeeds. */
export function showProblem(message) {
  const place = document.getElementById('problem');
  place.textContent = message;
  place.hidden = message === '';
}

/** The JSON response of the sandbox; `null` after a refusal, which is shown. */
export async function call(method, path, body) {
  let response;
  try {
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    response = await fetch(path, { method, body: text });
  } catch {
    showProblem('The sandbox does not respond. Is it still running?');
    return null;
  }
  const json = await response.json().catch(() => ({}));
  if (!response.ok) {
    showProblem(json.error ?? `${method} ${path}: ${response.status}`);
    return null;
  }
  showProblem('');
  return json;
}

/**
 * Numbers the calls for a part of the page: each gets a function that tells
 * whether it still is the last one. What others return is out of date.
 */
export function inTurn() {
  let last = 0;
  return () => {
    last += 1;
    const own = last;
    return () => own === last;
  };
}

/** A button that copies a text. */
export function copyButton(label, textOf) {
  const copying = button(label, async () => {
    await navigator.clipboard.writeText(textOf());
    copying.textContent = 'Copied';
    setTimeout(() => {
      copying.textContent = label;
    }, 1500);
  });
  return copying;
}

/** Buttons for the newer and the older entries. */
export function pages(offset, shown, total, go, size) {
  if (total <= size && offset === 0) {
    return null;
  }
  return el(
    'div',
    { class: 'pages' },
    button('Newer', () => go(Math.max(0, offset - size)), { disabled: offset === 0 }),
    el('span', {}, `${offset + 1} to ${offset + shown} of ${total}`),
    button('Older', () => go(offset + size), { disabled: offset + shown >= total }),
  );
}
