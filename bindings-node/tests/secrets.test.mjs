// No way of printing, writing or copying an object of the package shows a key, token or signature.

import assert from 'node:assert/strict';
import { Console } from 'node:console';
import { Writable } from 'node:stream';
import { after, before, test } from 'node:test';
import { format, inspect } from 'node:util';
import { serialize } from 'node:v8';

import { Client, PostgresJournal, generateKey } from 'libpayments';

import { MemoryJournal, payout } from './support/journal.mjs';
import { Sandbox, payment, readShared, rejection } from './support/sandbox.mjs';

let sandbox;
before(async () => {
  sandbox = await Sandbox.start();
});
after(() => sandbox.stop());

const key = readShared('vectors', 'keys', 'test_rsa_4096_pkcs8.pem');
const PASSWORD = 'canary-password-of-a-pool';

/** The output of one of a console's methods. */
function printed(method, value) {
  let text = '';
  const stream = new Writable({
    write(bytes, _encoding, done) {
      text += bytes;
      done();
    },
  });
  new Console({ stdout: stream, stderr: stream })[method](value);
  return text;
}

const inspected = (options) => (value) => inspect(value, { depth: 20, ...options });
const bare = inspected({ customInspect: false });

/** A value that cannot be cloned is not copied. */
function cloned(value) {
  try {
    return bare(structuredClone(value)) + serialize(value).toString('latin1');
  } catch (error) {
    assert.equal(error.name, 'DataCloneError');
    return '';
  }
}

/** Every way in which a value may get into a log or another object, as a text. */
const WAYS = {
  'console.log': (value) => printed('log', value),
  'console.dir': (value) => printed('dir', value),
  'console.table': (value) => printed('table', value),
  'console.table of several': (value) => printed('table', [value, value]),
  'console.error': (value) => printed('error', value),
  '%s': (value) => format('%s', value),
  '%o': (value) => format('%o', value),
  '%O': (value) => format('%O', value),
  '%j': (value) => format('%j', value),
  String: (value) => String(value),
  'JSON.stringify': (value) => JSON.stringify(value, undefined, 2),
  'util.inspect': inspected({}),
  customInspect: bare,
  showHidden: inspected({ showHidden: true }),
  'showHidden and customInspect': inspected({ showHidden: true, customInspect: false }),
  getters: inspected({ getters: true }),
  'getters and customInspect': inspected({ getters: true, customInspect: false }),
  'a spread': (value) => bare({ ...value }) + JSON.stringify({ ...value }),
  'Object.assign': (value) => bare(Object.assign({}, value)),
  entries: (value) => bare(Object.entries(value)),
  'for in': (value) => {
    const members = {};
    for (const name in value) {
      members[name] = value[name];
    }
    return bare(members);
  },
  'own properties': (value) => bare(Object.getOwnPropertyDescriptors(value)),
  structuredClone: cloned,
  cause: (value) => printed('error', new Error('x', { cause: value })),
  'a member': (value) => printed('log', { a: [value], b: new Map([['c', value]]) }),
  'an assertion': (value) => {
    try {
      assert.deepEqual(value, { a: 1 });
    } catch (error) {
      return error.message + bare(error);
    }
    throw new Error('it is equal');
  },
};

/** The errors of configurations that are not accepted, by their mistake. */
function refusals(config) {
  const { client_secret } = config;
  const wrong = {
    'an invalid key': { ...config, key: key.replace('MIIJ', 'AAAA') },
    'an unknown member': { ...config, clientSecret: client_secret },
    'an invalid secret': { ...config, client_secret: [client_secret] },
  };
  const refused = Object.entries(wrong).map(([name, given]) => {
    try {
      new Client(given).close();
    } catch (error) {
      assert.equal(error.kind, 'config', name);
      return [name, error];
    }
    throw new Error(`${name} is accepted`);
  });
  return Object.fromEntries(refused);
}

/** Objects of all classes of the package, by their names, and the secrets behind them. */
async function everything() {
  const { integration_key, client_secret } = sandbox.settings;
  const secret = { integration_key, key, key_file: undefined };
  const config = sandbox.bearerConfig(secret);
  const pool = { connect() {}, totalCount: 0, options: { password: PASSWORD } };
  const client = new Client(config, { journal: new MemoryJournal(), observer() {} });
  const prepared = await client.prepare('create_payment', payment('prepared'));
  const { signal } = new AbortController();
  const token = await client.accessToken();
  const pair = await generateKey();
  const made = await client.createPayment(payment('made'));
  const refused = { status: 'ERROR', status_code: 'BP-DR-1', status_message: token.accessToken };
  await sandbox.faults({ then: [{ fault: 'response', status: 400, json: refused }] });
  const objects = {
    client,
    shared: Client.shared(config),
    'a client of its own': new Client(sandbox.unsignedConfig()),
    journal: client.journal,
    'a journal of PostgreSQL': new PostgresJournal(pool),
    'a prepared request': prepared,
    'a prepared query': await client.prepare('query_payment', { hash: made.hash }),
    'a prepared request with options': prepared.toRequestInit({ signal }),
    'an access token': token,
    'the same by its name': await client.call('access_token'),
    'its state': await client.tokenStatus(),
    'a pair of keys': pair,
    'a refused payment': await rejection(client.createPayment(payment('refused'))),
    'a payment': made,
    'a queried payment': await client.queryPayment({ hash: made.hash }),
    'a payout': await client.createPayout(payout('p-1')),
    'a refund': await client.refundPayment({ hash: made.hash }).catch((error) => error),
    tracking: await client.registerTracking({
      order_number: 'o',
      email: 'maria@example.com',
      tracking_code: ['A'],
    }),
    'a response': await client.send({ method: 'POST', path: '/ws/x', body: '{}' }),
    entries: await client.journal.show('made'),
    'an invalid request': await rejection(client.createPayment({})),
    ...refusals(config),
  };
  // Whole lines: texts within JSON have their line breaks escaped.
  const body = (pem) => pem.split('\n').slice(1, 3);
  const signature = prepared.headers['x-jws-signature'];
  const secrets = [
    integration_key,
    client_secret,
    PASSWORD,
    token.accessToken,
    signature,
    signature.split('.').at(-1),
    ...body(key),
    ...body(pair.privateKeyPem),
  ];
  return { objects, secrets, prepared, token, pair, signal };
}

test('printing, writing or copying an object shows no secret', async () => {
  const { objects, secrets, prepared, token, pair, signal } = await everything();
  assert.ok(secrets.every((secret) => secret.length >= 8));
  for (const [name, object] of Object.entries(objects)) {
    for (const [way, show] of Object.entries(WAYS)) {
      const shown = show(object);
      const found = secrets.find((secret) => shown.includes(secret));
      assert.equal(found, undefined, `${way} of ${name} shows a secret`);
    }
  }
  // They exist for code that reads them.
  assert.match(prepared.headers.authorization, new RegExp(`Bearer ${token.accessToken}`));
  assert.match(pair.privateKeyPem, /PRIVATE KEY/);
  assert.match(pair.publicKeyPem, /PUBLIC KEY/);
  assert.equal(prepared.toRequestInit({ signal }).signal, signal);
  // The text names the kind of object.
  assert.match(inspect(prepared), /^PreparedRequest \{\s+method: 'POST',\s+host: '127/);
  assert.deepEqual(JSON.parse(JSON.stringify(prepared)), {
    method: 'POST',
    host: new URL(sandbox.baseUrl).host,
    headers: Object.keys(prepared.headers),
  });
  assert.match(inspect(token), /^AccessToken \{\s+tokenType: 'bearer',\s+expiresAt: \d+/);
  assert.match(inspect(objects.client), /^Client \{\s+baseUrl: 'http:\/\/127\.0\.0\.1/);
  assert.ok(inspect(objects.client).includes(sandbox.kid));
});
