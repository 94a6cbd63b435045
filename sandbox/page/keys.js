// Registered keys and live tokens.

import { button, call, el, facts, inTurn, refill, table } from './dom.js';

export function keysPart() {
  const keys = el('div', { id: 'keys', tabindex: '-1' });
  const tokens = el('div', { id: 'tokens', tabindex: '-1' });
  const element = el(
    'div',
    {},
    el('h2', {}, 'Signing keys'),
    keys,
    keyForm(),
    el('h2', {}, 'Tokens'),
    tokens,
  );
  let ticking = null;

  const begin = inTurn();

  async function refresh() {
    const isLast = begin();
    const [known, issued] = await Promise.all([
      call('GET', 'view/keys'),
      call('GET', 'view/tokens'),
    ]);
    if (known === null || issued === null || !isLast()) {
      return;
    }
    refill(
      keys,
      known.keys.length === 0
        ? el('p', { class: 'empty' }, 'No signing keys are registered.')
        : keyTable(known.keys),
    );
    refill(
      tokens,
      blockCard(issued.block),
      issued.tokens.length === 0
        ? el('p', { class: 'empty' }, 'No live tokens.')
        : tokenTable(issued.tokens),
    );
    clearInterval(ticking);
    ticking = setInterval(() => tick(tokens), 1000);
  }
  return {
    element,
    show: refresh,
    changed(names) {
      if (names.includes('keys') || names.includes('tokens')) {
        refresh();
      }
    },
  };
}

/** Registers a key. */
function keyForm() {
  const pem = el('textarea', {
    id: 'pem',
    placeholder: '-----BEGIN PUBLIC KEY-----',
    spellcheck: 'false',
  });
  const kid = el('input', { id: 'kid', autocomplete: 'off', placeholder: 'a new one' });
  const form = el(
    'form',
    { class: 'card', submit: register, dragover, dragleave, drop },
    el('h3', {}, 'Register the public key of a signing key'),
    el('p', {}, 'Paste it, or drop the file here.'),
    el('label', { for: 'pem' }, 'Public key in PEM'),
    pem,
    el(
      'div',
      { class: 'bar' },
      el('label', {}, 'kid', kid),
      el('button', { class: 'primary' }, 'Register'),
    ),
  );

  async function register(event) {
    event.preventDefault();
    const body = kid.value === '' ? { pem: pem.value } : { pem: pem.value, kid: kid.value };
    if ((await call('POST', 'keys', body)) !== null) {
      pem.value = '';
      kid.value = '';
    }
  }

  function dragover(event) {
    event.preventDefault();
    form.classList.add('dropping');
  }

  function dragleave() {
    form.classList.remove('dropping');
  }

  async function drop(event) {
    event.preventDefault();
    dragleave();
    const [file] = event.dataTransfer.files;
    pem.value = file === undefined ? event.dataTransfer.getData('text') : await file.text();
  }

  return form;
}

function keyTable(keys) {
  return table(
    ['kid', 'Bits', 'Thumbprint', 'Remove'],
    keys.map(({ kid, bits, thumbprint }) => [
      kid,
      `${bits}`,
      thumbprint,
      button('Remove', () => call('DELETE', `keys/${encodeURIComponent(kid)}`), {
        id: `keys/${kid}`,
      }),
    ]),
  );
}

function tokenTable(tokens) {
  const rows = tokens.map(({ token, left_ms: left }) => [
    `${token.slice(0, 12)}…${token.slice(-12)}`,
    el(
      'span',
      { class: 'left', 'data-ends': left === null ? null : `${Date.now() + left}` },
      left === null ? 'no end' : life(left),
    ),
    button('Revoke', () => call('POST', 'tokens/revoke', { token }), {
      id: `tokens/${token.slice(-12)}`,
    }),
  ]);
  return el(
    'div',
    {},
    table(['Token', 'Remaining life', 'Revoke'], rows),
    el(
      'p',
      {},
      button('Revoke all', () => call('POST', 'tokens/revoke'), { id: 'tokens/all' }),
    ),
  );
}

function blockCard(block) {
  const change = (body) => () => call('POST', 'tokens/block', body);
  if (block === null) {
    const limit = change({ status: 429, retry_after: 60 });
    return el('p', {}, button('Block the token server', limit, { id: 'tokens/block' }));
  }
  return el(
    'div',
    { class: 'card' },
    el('h3', {}, 'The token server is blocked'),
    facts([
      ['Status', `${block.status}`],
      ['For', block.left_ms === null ? 'until it is unblocked' : life(block.left_ms)],
    ]),
    button('Unblock', change({ blocked: false }), { id: 'tokens/block' }),
  );
}

function tick(parent) {
  for (const place of parent.querySelectorAll('[data-ends]')) {
    const left = Number(place.dataset.ends) - Date.now();
    place.textContent = left > 0 ? life(left) : 'expired';
  }
}

function life(milliseconds) {
  const seconds = Math.ceil(milliseconds / 1000);
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return `${parts[0]} h ${parts[1]} min ${parts[2]} s`;
}
