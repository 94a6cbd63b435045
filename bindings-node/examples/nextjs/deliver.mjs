// Follows payments, also those whose page was closed, and delivers what is paid.

import { setTimeout } from 'node:timers/promises';

import { Client } from 'libpayments';

import { endOrder, readOrder } from './orders.mjs';

const client = Client.fromFile(process.env.PAYMENTS_FILE);
for (;;) {
  for await (const end of client.follow({ state: 'follow.state' })) {
    // Other programs have payments too.
    const order = end.operation === 'create_payment' && (await readOrder(end.reference));
    if (order?.state !== 'waiting') {
      continue;
    }
    const isIts = Number(end.amount) === Number(order.total) && end.currency === 'BRL';
    if (end.end === 'confirmed' && isIts) {
      await endOrder(end.reference, 'paid', () => console.log(`deliver ${end.reference}`));
    } else if (end.end === 'cancelled') {
      await endOrder(end.reference, 'cancelled', () => {});
    } else {
      console.error(`${end.reference}: a person must decide (${end.end})`);
    }
  }
  await setTimeout(1000);
}
