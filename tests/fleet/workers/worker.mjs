// The Node worker; src/crew.rs describes the protocol.

import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';

import { Client, PaymentsError } from 'libpayments';

const AT_ONCE = 16;
const PAUSE_MS = 1000;
const NOTHING = { responded: 0, lacked: 0, refused: 0, other: null };

let counts = { ...NOTHING };
let isOver = false;

async function askOn(client, payment) {
  while (!isOver) {
    try {
      await client.queryPayment({ hash: payment });
      counts.responded += 1;
    } catch (error) {
      const kind = error instanceof PaymentsError ? error.kind : undefined;
      if (kind === 'token' && error.retryAfter !== undefined) {
        counts.lacked += 1;
      } else if (kind === 'unauthorized') {
        counts.refused += 1;
      } else {
        counts.other = String(error);
      }
    }
    await setTimeout(PAUSE_MS);
  }
}

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const nextLine = async () => (await lines.next()).value;

const client = new Client(JSON.parse(await nextLine()));
const payment = await nextLine();
console.log('ready');
await nextLine();
const asking = Array.from({ length: AT_ONCE }, () => askOn(client, payment));
while ((await nextLine()) !== undefined) {
  console.log(JSON.stringify(counts));
  counts = { ...NOTHING };
}
isOver = true;
await Promise.all(asking);
