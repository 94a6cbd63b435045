// Every request of the shared vectors becomes exactly its bytes, and every token is signed.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Client, verify } from 'libpayments';

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

test('vectors: every token is signed, and verified', async () => {
  const { cases } = JSON.parse(readShared('vectors', 'tokens.json'));
  assert.ok(cases.length > 10, `${cases.length} vectors`);
  for (const { name, key, kid, body_base64, body_rule, token } of cases) {
    const body = Buffer.from(
      body_base64 ?? body_rule.repeat.repeat(body_rule.times),
      body_rule ? 'utf8' : 'base64',
    );
    const key_file = keyFile(`${key}_pkcs8.pem`);
    const base_url = 'https://api.example';
    const signing = new Client({ base_url, key_file, kid, allow_small_keys: true });
    const { headers } = await signing.prepare('send', { method: 'POST', path: '/ws/x', body });
    assert.equal(headers['x-jws-signature'], token, name);
    const publicKey = readShared('vectors', 'keys', `${key}_public.pem`);
    assert.deepEqual(await verify({ publicKey, token, body }), { valid: true, kid }, name);
    const other = Buffer.concat([body, Buffer.from('.')]);
    const { valid, cause } = await verify({ publicKey, token, body: other });
    assert.deepEqual([valid, cause], [false, 'signature_mismatch'], name);
  }
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
