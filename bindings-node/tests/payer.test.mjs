// What the payer does next, waiting for it, and what is looked at before.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { inspect } from 'node:util';

import { Client, lint } from 'libpayments';
import { paymentResponse } from 'libpayments/testing';

import { Sandbox, payment, rejection } from './support/sandbox.mjs';

let sandbox;
before(async () => {
  sandbox = await Sandbox.start();
});
after(() => sandbox.stop());

test('a response says what to show the payer', async () => {
  const client = new Client(sandbox.config());
  const response = await client.createPayment(payment('next-1'));
  const { kind, value } = response.nextAction;
  assert.deepEqual([kind, value], ['qr_code', response.qrCodeValue]);
  assert.ok(!inspect(response).includes('000201'));
  assert.match(response.qrSvg(), /^<\?xml/);
});

test('the kit makes the same action', () => {
  const made = paymentResponse({ qrCodeValue: '0002', redirectUrl: 'https://a.example/1' });
  assert.deepEqual(made.nextAction, { kind: 'qr_code', value: '0002' });
  assert.equal(paymentResponse({ oxxoBarcode: '12' }).nextAction.kind, 'pay_slip');
  assert.equal(paymentResponse({ status: 'CO', qrCodeValue: '0002' }).nextAction.kind, 'none');
  assert.deepEqual(paymentResponse().nextAction, { kind: 'unknown', value: null });
  assert.equal(paymentResponse().qrSvg(), null);
});

test('a client that is warm has its token and sends nothing more', async () => {
  await sandbox.reset();
  const client = new Client(sandbox.bearerConfig());
  assert.equal(await client.warmUp(), undefined);
  assert.ok((await client.tokenStatus()).isUsable);
  assert.deepEqual(await sandbox.requests('create_payment'), []);
});

test('waiting ends with the payment, with the time, or by a signal', async () => {
  const client = new Client(sandbox.config());
  const { hash } = await client.createPayment(payment('wait-1'));
  const open = await client.waitForPayment({ hash }, { timeoutMs: 1000 });
  assert.equal(open.status, 'PE');
  const controller = new AbortController();
  const waits = client.waitForPayment({ hash }, { timeoutMs: 60_000, signal: controller.signal });
  controller.abort();
  assert.equal((await rejection(waits)).kind, 'cancelled');
  await sandbox.pay(hash);
  assert.ok((await client.waitForPayment({ hash }, { timeoutMs: 60_000 })).isPaid);
  assert.equal((await rejection(client.waitForPayment({}))).kind, 'validation');
});

test('lint finds what is probably wrong', async () => {
  const payout = { country: 'br', target: 'pix_key', target_account: 'Maria' };
  const found = await lint({ ...payout, payee: { document: '853.513.468-92' } });
  assert.deepEqual(
    found.map(({ path, code }) => [path, code]),
    [
      ['target_account', 'pix_key_form'],
      ['payee.document', 'cpf_check_digits'],
    ],
  );
  const [missing] = await lint({ hash: '5a4f' });
  assert.deepEqual([missing.path, missing.code], ['amount', 'refund_amount_missing']);
  assert.deepEqual(await lint(payment('lint-1')), []);
  const [spaced] = await lint({ external_reference: 'payout-1\n' });
  assert.deepEqual([spaced.path, spaced.code], ['external_reference', 'white_space']);
  assert.equal((await rejection(lint('[]'))).code, 'wrong_type');
});
