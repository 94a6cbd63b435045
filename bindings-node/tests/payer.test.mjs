// The payer's next action, and waiting for the payment.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { inspect } from 'node:util';

import { Client, qrPng, qrSvg } from 'libpayments';
import { paymentResponse } from 'libpayments/testing';

import { Sandbox, payment, rejection } from './support/sandbox.mjs';

let sandbox;
before(async () => {
  sandbox = await Sandbox.start();
});
after(() => sandbox.stop());

test('a response has the next action of the payer', async () => {
  const client = new Client(sandbox.config());
  const response = await client.createPayment(payment('next-1'));
  const { kind, value } = response.nextAction;
  assert.deepEqual([kind, value], ['qr_code', response.qrCodeValue]);
  assert.ok(!inspect(response).includes('000201'));
  assert.equal(response.qrSvg(), qrSvg(response.qrCodeValue));
  assert.match(response.qrSvg(), /^<svg /);
  assert.deepEqual(response.qrPng(), qrPng(response.qrCodeValue, { moduleSize: 6 }));
});

test('the kit makes the same action', () => {
  const made = paymentResponse({ qrCodeValue: '0002', redirectUrl: 'https://a.example/1' });
  assert.deepEqual(made.nextAction, {
    kind: 'qr_code',
    value: '0002',
    reference: null,
    expires: null,
  });
  assert.equal(paymentResponse({ oxxoBarcode: '12' }).nextAction.kind, 'pay_slip');
  assert.equal(paymentResponse({ status: 'CO', qrCodeValue: '0002' }).nextAction.kind, 'none');
  const none = { value: null, reference: null, expires: null };
  assert.deepEqual(paymentResponse().nextAction, { kind: 'unknown', ...none });
  const card = paymentResponse({ captureAvailable: true, redirectUrl: 'https://pay.example' });
  assert.deepEqual(card.nextAction, { kind: 'none', ...none });
  const slip = paymentResponse({
    boleto_url: 'https://pay.example',
    boleto_barcode: '34',
    dueDate: '2026-12-01',
  });
  assert.deepEqual(slip.nextAction, {
    kind: 'pay_slip',
    value: 'https://pay.example',
    reference: '34',
    expires: '2026-12-01',
  });
  const refunds = [{ id: '7', status: 'CA', amount_ext: '1.00' }];
  const listed = [{ id: '7', merchantRefundCode: null, status: 'CA', amountExt: '1.00' }];
  assert.deepEqual(paymentResponse({ refunds }).refunds, listed);
  assert.equal(paymentResponse().qrSvg(), null);
  assert.equal(paymentResponse().qrPng(), null);
});

test('a code is a PNG file with modules of the requested size', () => {
  // The width is in the header; one bit is a pixel, and gray.
  const header = (file) => [file.readUInt32BE(16), file.readUInt32BE(20), ...file.subarray(24, 26)];
  assert.equal(qrPng('00020126').toString('latin1', 1, 4), 'PNG');
  assert.deepEqual(header(qrPng('00020126')), [174, 174, 1, 0]);
  assert.deepEqual(header(qrPng('00020126', { moduleSize: 64 })), [1856, 1856, 1, 0]);
  assert.deepEqual(header(qrPng('00020126', { moduleSize: undefined })), [174, 174, 1, 0]);
  assert.equal(qrPng('a'.repeat(2332)), null);
  assert.throws(() => qrPng(1), TypeError);
  for (const moduleSize of [0, 65, -1, 1.5, Number.NaN, '6', true]) {
    const isRefusal = ({ code, path }) => code === 'wrong_type' && path === 'options.moduleSize';
    assert.throws(() => qrPng('00020126', { moduleSize }), isRefusal);
    assert.throws(() => paymentResponse({ qrCodeValue: '1' }).qrPng({ moduleSize }), isRefusal);
  }
  assert.throws(() => qrPng('1', { size: 6 }), { code: 'member_unknown', path: 'options.size' });
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
