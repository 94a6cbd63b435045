// The tests of the shop with vitest, as far as they differ from those for node:test.

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';

import { Sandbox } from 'libpayments/testing';

import { Shop } from '../node/shop.mjs';

let sandbox;
let shop;
let order;

beforeAll(async () => {
  sandbox = await Sandbox.start();
});

afterAll(() => sandbox.stop());

beforeEach(async () => {
  await sandbox.reset();
  shop = new Shop(sandbox.client());
  order = { number: 'order-1', amount: '100.10', state: 'new' };
});

test('a payer pays', async () => {
  expect(await shop.pay(order)).toBe('waiting');
  await sandbox.pay('order-1');
  expect(await shop.settle(order)).toBe('paid');
});

test('a lost response is found', async () => {
  await sandbox.failNext('response_lost', { operation: 'create_payment' });
  expect(await shop.pay(order)).toBe('waiting');
  expect(await sandbox.requests('create_payment')).toHaveLength(1);
});

test('each test begins with an empty sandbox', async () => {
  expect(await sandbox.payments()).toEqual([]);
  expect(await shop.pay(order)).toBe('waiting');
  expect(await sandbox.payments()).toHaveLength(1);
});
