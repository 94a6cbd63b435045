// The payer's page works without this: it adds buttons that copy a code.

import { copyButton } from './dom.js';

for (const code of document.querySelectorAll('main:has(form) .code')) {
  code.after(copyButton('Copy the code', () => code.textContent));
}
