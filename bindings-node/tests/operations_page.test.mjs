// The example of docs/operations.md for keys in a KMS, run unchanged.

import assert from 'node:assert/strict';
import { constants, createPrivateKey, privateEncrypt } from 'node:crypto';
import { after, before, beforeEach, test } from 'node:test';

import { Client } from 'libpayments';

import { Sandbox, payment, readShared, rejection } from './support/sandbox.mjs';

const privateKey = createPrivateKey(readShared('vectors', 'keys', 'test_rsa_4096_pkcs8.pem'));
const publicKeyPem = readShared('vectors', 'keys', 'test_rsa_4096_public.pem');
// What PKCS#1 puts in front of a SHA-256 digest.
const DIGEST_INFO = Buffer.from('3031300d060960864801650304020105000420', 'hex');
let sandbox;
before(async () => {
  sandbox = await Sandbox.start();
});
beforeEach(() => sandbox.reset());
after(() => sandbox.stop());

/** The client that the page makes, with this KMS. */
function clientOfThePage(kms) {
  const page = readShared('..', 'docs', 'operations.md');
  const examples = [...page.matchAll(/^```js\n(.*?)^```$/gms)].map(([, example]) => example);
  assert.equal(examples.length, 1);
  const example = examples[0]
    .replace('https://payments.example', sandbox.baseUrl)
    .replace('<KEY_ID>', sandbox.kid);
  return new Function('Client', 'kms', 'publicKeyPem', `${example}\nreturn client;`)(
    Client,
    kms,
    publicKeyPem,
  );
}

test('a KMS signs', async () => {
  const client = clientOfThePage({
    async signDigest({ key, digest, signal }) {
      assert.equal(key, 'payments/1');
      assert.ok(signal instanceof AbortSignal);
      const padded = { key: privateKey, padding: constants.RSA_PKCS1_PADDING };
      return privateEncrypt(padded, Buffer.concat([DIGEST_INFO, digest]));
    },
  });
  assert.equal((await client.createPayment(payment())).status, 'PE');
  assert.deepEqual(
    (await sandbox.requests()).map(({ signature }) => signature),
    ['verified'],
  );
});

test('a wrong signature is not sent', async () => {
  const client = clientOfThePage({ signDigest: () => Buffer.alloc(512) });
  const error = await rejection(client.createPayment(payment()));
  assert.deepEqual([error.kind, error.code], ['signing', 'signature_invalid']);
  assert.deepEqual(await sandbox.requests(), []);
});
