// Foreign JSON that is merged carelessly adds members to `Object.prototype`: they change nothing.

import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';

import { Client } from 'libpayments';

import { MemoryJournal } from './support/journal.mjs';
import { PACKAGE } from './support/programs.mjs';
import { Sandbox, payment, rejection } from './support/sandbox.mjs';

let sandbox;
before(async () => {
  sandbox = await Sandbox.start();
});
after(() => sandbox.stop());

/** The engine itself looks at it, wherever an array is taken apart. */
const OF_THE_ENGINE = ['return'];

/** All words in the code of the package, among which are the names of all members that it reads. */
function words() {
  const folder = dirname(PACKAGE);
  const code = readdirSync(folder).filter((name) => name.endsWith('.js'));
  const texts = code.map((name) => readFileSync(join(folder, name), 'utf8'));
  const found = new Set(texts.join('\n').match(/\b[a-zA-Z_]\w*\b/g));
  return [...found].filter((name) => !(name in Object.prototype) && !OF_THE_ENGINE.includes(name));
}

/** Runs `act` while every object seems to have these members. */
async function polluted(names, value, act) {
  for (const name of names) {
    Object.prototype[name] = value;
  }
  try {
    return await act();
  } finally {
    for (const name of names) {
      delete Object.prototype[name];
    }
  }
}

test('a polluted Object.prototype changes no call', async () => {
  const config = sandbox.config();
  const { signal } = new AbortController();
  const kept = new Client(config);
  const { status } = await kept.createPayment(payment('order-1'));
  const { body } = await kept.prepare('create_payment', payment('order-1'));
  const act = async () => {
    const client = new Client(config, { observer() {}, journal: new MemoryJournal() });
    const prepared = await client.prepare('create_payment', payment('order-1'), {});
    assert.deepEqual([prepared.body, prepared.toRequestInit({}).body], [body, body]);
    const made = await kept.queryPayment({ merchant_payment_code: 'order-1' }, { signal });
    assert.deepEqual([made.httpStatus, made.status], [200, status]);
    assert.equal((await rejection(client.createPayment({}))).path, 'payment');
    const unknown = await rejection(kept.queryPayment({ hash: 'unknown' }));
    assert.deepEqual([unknown.kind, unknown.httpStatus], ['rejected', 200]);
    client.close();
  };
  await act();
  const names = words();
  assert.ok(
    ['timeoutMs', 'signal', 'observer', 'response', 'value'].every((it) => names.includes(it)),
  );
  while (names.length > 0) {
    const some = names.splice(-20);
    for (const value of ['x', 1]) {
      await polluted(some, value, act).catch((cause) => {
        throw new Error(`${some} = ${value}: ${cause}`, { cause });
      });
    }
  }
});
