// Every request of the shared vectors becomes exactly its bytes.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Client } from 'libpayments';

import { keyFile, readShared } from './support/sandbox.mjs';

// Signatures change no body.
const signed = { key_file: keyFile('test_rsa_4096_pkcs8.pem'), kid: 'k' };

test('vectors: every request becomes exactly its bytes', async () => {
  let count = 0;
  for (const file of ['bodies.json', 'bodies_with_key.json']) {
    for (const { name, operation, config, input, expected_body } of casesOf(file)) {
      const vector = new Client({ ...signed, ...config, base_url: 'https://api.example' });
      const { body } = await vector.prepare(operation, input);
      assert.equal((body ?? '').toString(), expected_body ?? '', name);
      count += 1;
    }
  }
  assert.ok(count > 10, `${count} vectors`);
});

/** Inputs as text: a number in them may have digits that no double holds. */
function casesOf(file) {
  const parsed = JSON.parse(readShared('vectors', file));
  const cases = Array.isArray(parsed) ? parsed : parsed.cases;
  const texts = inputTexts(readShared('vectors', file));
  assert.equal(texts.length, cases.length, file);
  return cases.map((it, index) => ({ ...it, input: texts[index] }));
}

/** The exact texts of all members `input`. */
function inputTexts(text) {
  const found = [];
  for (const match of text.matchAll(/"input":\s*/g)) {
    const start = match.index + match[0].length;
    let depth = 0;
    let isInText = false;
    let end = start;
    do {
      const letter = text[end];
      if (isInText) {
        if (letter === '\\') {
          end += 1;
        } else if (letter === '"') {
          isInText = false;
        }
      } else if (letter === '"') {
        isInText = true;
      } else if ('{['.includes(letter)) {
        depth += 1;
      } else if ('}]'.includes(letter)) {
        depth -= 1;
      }
      end += 1;
    } while (depth > 0);
    found.push(text.slice(start, end));
  }
  return found;
}
