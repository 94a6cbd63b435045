// The examples of pages that are whole programs, run unchanged.

import assert from 'node:assert/strict';
import { constants, createPrivateKey, privateEncrypt } from 'node:crypto';
import { after, before, beforeEach, test } from 'node:test';

import { Client } from 'libpayments';

import { Sandbox, payment, readShared, rejection } from './support/sandbox.mjs';

const privateKey = createPrivateKey(readShared('vectors', 'keys', 'test_rsa_4096_pkcs8.pem'));
const publicKeyPem = readShared('vectors', 'keys', 'test_rsa_4096_public.pem');
// The prefix of PKCS#1 for a SHA-256 digest.
const DIGEST_INFO = Buffer.from('3031300d060960864801650304020105000420', 'hex');
const AsyncFunction = (async () => {}).constructor;
let sandbox;
before(async () => {
  sandbox = await Sandbox.start();
});
beforeEach(() => sandbox.reset());
after(() => sandbox.stop());

function exampleOf(page) {
  const text = readShared('..', page);
  const [example, ...others] = [...text.matchAll(/^```js\n(.*?)^```$/gms)].map(([, it]) => it);
  assert.deepEqual(others, []);
  return example;
}

/** The client that the page makes, with this KMS. */
function clientOfThePage(kms) {
  const example = exampleOf('docs/keys.md')
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

test('refunds', async () => {
  const client = sandbox.client();
  const hashes = [];
  for (const code of ['order-1001', 'order-1002']) {
    hashes.push((await client.createPayment(payment(code))).hash);
    await sandbox.pay(code);
  }
  const refund = new AsyncFunction('client', 'first', 'second', exampleOf('docs/refunds.md'));
  await refund(client, ...hashes);
  assert.deepEqual(
    (await sandbox.payments()).map(({ refunds }) => refunds.map(({ amount_ext }) => amount_ext)),
    [['40.00'], ['100.10']],
  );
});

test('from order to delivery, twice', async () => {
  const pictures = [];
  const delivered = [];
  const orders = new Map();
  let isPaid;
  const own = {
    saveOnce(order) {
      orders.set(order.reference, orders.get(order.reference) ?? order);
      return orders.get(order.reference);
    },
    show(picture) {
      pictures.push(picture.slice(0, 5));
      isPaid ??= sandbox.pay('order-1001');
    },
    change(reference, from, to) {
      const order = orders.get(reference);
      const isChanged = order.state === from;
      order.state = isChanged ? to : order.state;
      return isChanged;
    },
    deliver: ({ reference }) => delivered.push(reference),
  };
  const example = exampleOf('docs/order-to-delivery.md');
  const sell = new AsyncFunction('client', ...Object.keys(own), example);
  const client = sandbox.client();
  await sell(client, ...Object.values(own));
  await sell(client, ...Object.values(own));
  await isPaid;
  assert.deepEqual([pictures, delivered], [['<svg ', '<svg '], ['order-1001']]);
});
