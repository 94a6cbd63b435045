// A configuration that works, and a first payment in each language.

import { block, button, call, copyButton, el, fill } from './dom.js';
import { PROGRAMS } from './snippets.js';

export function startPart() {
  const configuration = block('payments.json', { id: 'configuration', hidden: true });
  const copyConfiguration = copyButton('Copy payments.json', () => configuration.textContent);
  copyConfiguration.hidden = true;
  const make = button('Make a key and a configuration', makeKey, { class: 'primary' });
  const program = block('Program', { id: 'program' });
  const language = el(
    'select',
    { id: 'language', change: choose },
    Object.keys(PROGRAMS).map((name) => el('option', {}, name)),
  );
  const element = el(
    'div',
    {},
    el('h2', {}, 'A configuration for this sandbox'),
    el(
      'p',
      {},
      'The sandbox makes an RSA key, registers its public half, and shows the private half once, in the configuration. Save it as payments.json.',
    ),
    el('div', { class: 'buttons' }, make, copyConfiguration),
    configuration,
    el('h2', {}, 'A first payment'),
    el(
      'div',
      { class: 'bar' },
      el('label', {}, 'Language', language),
      copyButton('Copy the program', () => program.textContent),
    ),
    program,
  );

  async function makeKey() {
    make.disabled = true;
    make.textContent = 'Making a key';
    const made = await call('POST', 'view/key');
    make.disabled = false;
    make.textContent = 'Make another key';
    if (made !== null) {
      configuration.textContent = `${JSON.stringify(made, null, 2)}\n`;
      configuration.hidden = false;
      copyConfiguration.hidden = false;
    }
  }

  function choose() {
    fill(program, PROGRAMS[language.value]);
  }
  choose();
  return { element, show() {} };
}
