// Compiled only: every misspelling is refused; intended members are in `extra`.

import type {
  Address,
  Client,
  Item,
  Payee,
  Payment,
  RefundPayment,
  TrackingDetails,
} from 'libpayments';

export function refunds(client: Client, hash: string): void {
  // @ts-expect-error
  client.refundPayment({ hash, amount_total: '10.00' });
  // @ts-expect-error
  client.refundPayment({ hash, amout: '10.00' });
  // @ts-expect-error
  client.refundPayment({ hash, Amount: '10.00' });
  // @ts-expect-error
  client.refundPayment({ hash, refund_amount: '10.00' });
  // @ts-expect-error
  client.refundPayment({ hash, amount: null });
  // @ts-expect-error
  client.refundPayment({ hash, amount: undefined });
  // @ts-expect-error
  client.call('refund_payment', { hash, amout: '10.00' });
  // @ts-expect-error
  client.prepare('refund_payment', { hash, amount_total: '10.00' });
  // @ts-expect-error
  const request: RefundPayment = { hash, refund_amount: '10.00' };
  client.refundPayment(request);
  client.refundPayment({ hash, amount: '10.00', description: null, extra: { amout: 'meant' } });
}

export function others(client: Client, payment: Payment, payee: Payee): void {
  // @ts-expect-error
  client.queryPayment({ payment_hash: 'a' });
  // @ts-expect-error
  client.queryPayment({ hash: 'a', page: 2 });
  // @ts-expect-error
  client.createPayment({ payment, Operation: 'request' });
  // @ts-expect-error
  client.createPayment({ payment, amount_total: '1' });
  // @ts-expect-error
  client.createPayment({ payment: { ...payment, amountTotal: '1' } });
  // @ts-expect-error
  payee.nmae = 'x';
  const payout = {
    external_reference: 'p',
    country: 'br',
    currency_code: 'BRL',
    target: 'pix_key',
    target_account: 'k',
    payee,
  };
  // @ts-expect-error
  client.createPayout({ ...payout, amount: '1.00', amout: '1.00' });
  // @ts-expect-error
  const item: Item = { price: 1 };
  // @ts-expect-error
  const address: Address = { zip_code: '1' };
  // @ts-expect-error
  const details: TrackingDetails = { tracking_code: 'B', item: [item] };
  const tracking = { order_number: 'o', email: 'e', tracking_code: ['A', details] };
  // @ts-expect-error
  client.registerTracking({ ...tracking, hash: 'x' });
  client.registerTracking({
    order_number: 'o',
    email: 'e',
    tracking_code: ['A', { tracking_code: 'C', items: [item], address, extra: { x: 1 } }],
  });
}
