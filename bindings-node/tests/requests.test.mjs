// Requests as JSON, and responses as values.

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { inspect } from 'node:util';
import { runInNewContext } from 'node:vm';

import { Client, decimal, verify } from 'libpayments';

import { Sandbox, keyFile, payment, rejection } from './support/sandbox.mjs';

// Signatures change no body.
const signed = { key_file: keyFile('test_rsa_4096_pkcs8.pem'), kid: 'k' };
const client = new Client({ ...signed, base_url: 'http://127.0.0.1:1' });

async function amountOnTheWire(amount_total) {
  const { body } = await client.prepare('create_payment', payment('order-1', { amount_total }));
  return /"amount_total":([^,}]+)/.exec(body)[1];
}

test('amounts are sent with the digits that were given', async () => {
  for (const [amount, digits] of [
    ['100.10', '100.10'],
    ['12345678901234567890123456789012', '12345678901234567890123456789012'],
    [decimal('99.90'), '99.90'],
    [1, '1'],
    [2 ** 53 - 1, '9007199254740991'],
    [2n ** 70n, '1180591620717411303424'],
    [{ toJSON: () => '99.90' }, '99.90'],
  ]) {
    assert.equal(await amountOnTheWire(amount), digits);
  }
});

test('numbers that would change are refused by path, with advice', async () => {
  for (const amount of [
    0.1 + 0.2,
    100.1,
    2 ** 53,
    1e21,
    -(2 ** 53),
    1e-7,
    Number.NaN,
    Number.POSITIVE_INFINITY,
  ]) {
    const error = await rejection(amountOnTheWire(amount));
    const { kind, code, path, outcome } = error;
    assert.deepEqual(
      { kind, code, path, outcome },
      {
        kind: 'validation',
        code: 'wrong_type',
        path: 'payment.amount_total',
        outcome: 'not_executed',
      },
    );
    assert.match(error.message, /give an amount as a string, for example "100\.10"/);
  }
  for (const [member, value, part] of [
    ['netAmount', 0.5, /as decimal\("0\.50"\)/],
    ['rate', Number.NaN, /NaN or Infinity/],
    ['rate', Number.NEGATIVE_INFINITY, /NaN or Infinity/],
    ['id', 2 ** 60, /may have lost digits/],
  ]) {
    const extra = { further: { [member]: [value] } };
    const { path, code, message } = await rejection(
      client.prepare('create_payment', { ...payment(), extra }),
    );
    assert.deepEqual([path, code], [`extra.further.${member}[0]`, 'wrong_type']);
    assert.match(message, part);
  }
  const item = { sku: 'A', unit_price: 2 ** 60 };
  const tracking = {
    order_number: 'o',
    email: 'm@example.com',
    tracking_code: ['A', { tracking_code: 'B', items: [item] }],
  };
  const error = await rejection(client.prepare('register_tracking', tracking));
  assert.equal(error.path, 'tracking_code[1].items[0].unit_price');
  assert.match(error.message, /give a BigInt or a string/);
});

test('values outside of JSON are refused by path', async () => {
  const path = async (further) =>
    (await rejection(client.prepare('create_payment', { ...payment(), extra: { further } }))).path;
  assert.equal(await path({ deep: [() => {}] }), 'extra.further.deep[0]');
  assert.equal(await path({ deep: [undefined] }), 'extra.further.deep[0]');
  assert.equal(await path(new Map()), 'extra.further');
  assert.equal(await path(Promise.resolve('x')), 'extra.further');
  assert.equal(await path(Buffer.from('x').buffer), 'extra.further');
  const circle = {};
  circle.self = circle;
  assert.match(await path(circle), /^extra\.further\.self/);
});

test('half of a surrogate pair is refused, wherever it stands', async () => {
  const half = '\ud83d';
  const prepareSend = (body) => client.prepare('send', { method: 'POST', path: '/ws/x', body });
  for (const [call, path] of [
    [() => client.prepare('create_payment', payment('order-1', { name: half })), 'payment.name'],
    [
      () => client.prepare('create_payment', JSON.stringify(payment()).replace('Maria', half)),
      'request',
    ],
    [() => client.createPayment(half), 'request'],
    [() => prepareSend(`{"a":"${half}"}`), 'body'],
    [() => client.send({ method: 'POST', path: '/ws/x', body: half }), 'body'],
    [() => verify({ publicKey: 'any', token: 'a..b', body: half }), 'body'],
  ]) {
    const { kind, code, path: found, outcome } = await rejection(call());
    const expected = {
      kind: 'validation',
      code: 'json_invalid',
      found: path,
      outcome: 'not_executed',
    };
    assert.deepEqual({ kind, code, found, outcome }, expected);
  }
  assert.equal((await prepareSend('"\ud83d\ude00"')).body.toString(), '"\u{1f600}"');
});

test('a number made from text keeps its digits', async () => {
  const extra = { rate: decimal('0.50'), list: [decimal('-1.0e-7'), decimal('0')] };
  const { body } = await client.prepare('refund_payment', { hash: 'a', extra });
  assert.equal(body.toString(), '{"hash":"a","rate":0.50,"list":[-1.0e-7,0]}');
  assert.equal(
    `${decimal('0.50')} ${JSON.stringify(decimal('0.50'))} ${inspect(decimal('0.50'))}`,
    `0.50 "0.50" decimal('0.50')`,
  );
  for (const text of [
    '',
    '1,5',
    '.5',
    '1.',
    '01',
    '+1',
    '1 ',
    'NaN',
    '1,"amount":0',
    0.5,
    undefined,
  ]) {
    assert.throws(() => decimal(text), { kind: 'validation', code: 'value_invalid' }, String(text));
  }
});

test('an undefined amount refunds nothing', async () => {
  for (const path of ['refund_amount', 'amount']) {
    const error = await rejection(client.refundPayment({ hash: 'a', [path]: undefined }));
    assert.deepEqual([error.kind, error.path, error.outcome], ['validation', path, 'not_executed']);
  }
  const undefinedName = { payment: { ...payment().payment, amount_total: undefined } };
  assert.equal((await rejection(client.createPayment(undefinedName))).path, 'payment.amount_total');
  const { body } = await client.prepare('refund_payment', {
    hash: 'a',
    description: undefined,
    extra: { a: undefined, b: null },
  });
  assert.equal(body.toString(), '{"hash":"a","b":null}');
});

test('inherited members of a request count', async () => {
  class Refund {
    #amount;
    hash = 'a';
    constructor(amount) {
      this.#amount = amount;
    }
    get amount() {
      return this.#amount;
    }
  }
  const { body } = await client.prepare('refund_payment', new Refund('10.00'));
  assert.equal(body.toString(), '{"hash":"a","amount":10.00}');
  assert.equal(
    (await rejection(client.prepare('refund_payment', new Refund(undefined)))).path,
    'amount',
  );
  const inherited = Object.assign(Object.create({ amount: '5.00' }), { hash: 'a' });
  assert.equal(
    (await client.prepare('refund_payment', inherited)).body.toString(),
    '{"hash":"a","amount":5.00}',
  );
  // As in the sandboxes of test runners, whose Object is another one.
  const foreign = runInNewContext('({ hash: "a", amount: "5.00" })');
  assert.equal(
    (await client.prepare('refund_payment', foreign)).body.toString(),
    '{"hash":"a","amount":5.00}',
  );
  class Payment {
    get amount_total() {
      return '10.00';
    }
  }
  const { amount_total, ...others } = payment().payment;
  const lacking = { payment: Object.assign(new Payment(), others) };
  assert.equal((await rejection(client.createPayment(lacking))).path, 'payment.amount_total');
});

test('JSON text is handed over as it is', async () => {
  const text = JSON.stringify(payment()).replace('"100.10"', '100.10');
  for (const given of [text, Buffer.from(text), new Uint8Array(Buffer.from(text))]) {
    const { body } = await client.prepare('create_payment', given);
    assert.match(body.toString(), /"amount_total":100\.10,/);
  }
});

test('a raw request takes the types of JavaScript', async () => {
  const prepare = (over) =>
    client.prepare('send', { method: 'post', path: '/ws/transfer', ...over });
  assert.equal((await prepare({})).body, null);
  assert.match((await prepare({ query: new URLSearchParams('a=1&a=2') })).url, /\?a=1&a=2$/);
  assert.match((await prepare({ query: { a: '1 2' } })).url, /\?a=1%202$/);
  const error = await rejection(prepare({ body: { a: 1 } }));
  assert.equal(error.path, 'body');
  assert.match(error.message, /JSON\.stringify/);
  assert.equal((await rejection(prepare({ content_type: 'x' }))).path, 'content_type');
  assert.equal((await rejection(prepare({ contentType: 7 }))).path, 'contentType');
});

let sandbox;
before(async () => {
  sandbox = await Sandbox.start();
});
after(() => sandbox.stop());

test('a response keeps numbers, its bytes, and joins headers', async () => {
  const client = new Client(sandbox.config());
  const headers = { 'X-Seen': ['a', 'b'] };
  const body = '{"big":12345678901234567890,"n":5}';
  await sandbox.faults({ then: [{ fault: 'response', headers, body }] });
  const { response, raw, headers: joined } = await client.send({ method: 'GET', path: '/ws/x' });
  assert.deepEqual([response.big, response.n], ['12345678901234567890', 5]);
  assert.ok(Buffer.isBuffer(raw));
  assert.equal(joined['x-seen'], 'a, b');
});

test('further options of fetch go into a prepared request', async () => {
  const client = new Client(sandbox.config());
  const prepared = await client.prepare('create_payment', payment('order-init'));
  const controller = new AbortController();
  const init = prepared.toRequestInit({ signal: controller.signal, keepalive: true });
  const { method, url, headers, body, redirect } = prepared;
  for (const [name, value] of Object.entries({ method, url, headers, body, redirect })) {
    assert.equal(init[name], value, name);
  }
  assert.deepEqual(Object.keys(init), ['signal', 'keepalive']);
  assert.deepEqual(
    [(await fetch(url, init)).status, (await sandbox.requests()).at(-1).signature],
    [200, 'verified'],
  );
  controller.abort();
  await assert.rejects(fetch(url, init), { name: 'AbortError' });
  assert.equal(prepared.toRequestInit().body, body);
  for (const name of ['method', 'url', 'headers', 'body', 'redirect']) {
    assert.throws(() => prepared.toRequestInit({ [name]: undefined }), {
      name: 'PaymentsError',
      kind: 'validation',
      path: `options.${name}`,
      message: /belongs to the signed request; omit it/,
    });
  }
  for (const given of [controller.signal, 7, 'x']) {
    const wrong = { path: 'options', message: /must be an object, for example \{ signal \}/ };
    assert.throws(() => prepared.toRequestInit(given), wrong);
  }
});

/** A server that notes what it is sent, and responds with `status` with `headers`. */
async function listen(status, headers) {
  const seen = [];
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    request.resume();
    response.writeHead(status, { ...headers, connection: 'close' }).end();
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { seen, server, url: `http://127.0.0.1:${server.address().port}` };
}

test('a prepared request follows no redirect to another host', async () => {
  for (const status of [302, 307]) {
    const other = await listen(200, {});
    const service = await listen(status, { location: `${other.url}/elsewhere` });
    try {
      const client = new Client(sandbox.config({ base_url: service.url }));
      const prepared = await client.prepare('create_payment', payment());
      assert.equal((await fetch(prepared.url, prepared)).status, status);
      assert.deepEqual([service.seen.length, other.seen], [1, []]);
    } finally {
      service.server.close();
      other.server.close();
    }
  }
});

test('a token is requested by its name without a request', async () => {
  await sandbox.reset();
  const client = new Client(sandbox.bearerConfig());
  const { accessToken } = await client.accessToken();
  for (const request of [undefined, null, {}]) {
    assert.equal((await client.call('access_token', request)).accessToken, accessToken);
  }
});

test('callers with the same configuration share a client', async () => {
  await sandbox.reset();
  const config = sandbox.bearerConfig();
  await Client.shared(config).accessToken();
  const again = Client.shared(config);
  assert.ok((await again.tokenStatus()).isUsable);
  again.close();
  assert.ok((await Client.shared(config).tokenStatus()).isUsable);
});
