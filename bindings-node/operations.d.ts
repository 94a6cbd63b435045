// Generated from the core's tables; do not edit. To update: cargo xtask generate

// What a client can be asked.

import type { PaymentAnswer, RefundAnswer, PayoutAnswer, TrackingAnswer } from './answers.js';
import type { CallOptions, JsonText } from './index.js';
import type { CreatePayment, QueryPayment, RefundPayment, CreatePayout, RegisterTracking } from './requests.js';

/** The operations, and what each is asked and answers. */
export interface Operations {
  create_payment: { request: CreatePayment; answer: PaymentAnswer };
  query_payment: { request: QueryPayment; answer: PaymentAnswer };
  refund_payment: { request: RefundPayment; answer: RefundAnswer };
  create_payout: { request: CreatePayout; answer: PayoutAnswer };
  register_tracking: { request: RegisterTracking; answer: TrackingAnswer };
}
export type OperationName = keyof Operations | 'access_token' | 'send';

/** A method for each operation. */
export interface OperationMethods {
  /**
   * Creates a payment in one of a country's methods.
   *
   * With the outcome `unknown`, the payment may exist. Do not send it again; query it by its
   * `merchant_payment_code` until it is found.
   * @throws {PaymentsError} as a rejection.
   */
  createPayment(request: CreatePayment | JsonText, options?: CallOptions): Promise<PaymentAnswer>;

  /**
   * Queries a payment, by its hash or by your own reference. It moves no money, and is tried again
   * a few times when the connection or the service fails.
   *
   * With the outcome `unknown`, nothing was moved. Query it again.
   * @throws {PaymentsError} as a rejection.
   */
  queryPayment(request: QueryPayment | JsonText, options?: CallOptions): Promise<PaymentAnswer>;

  /**
   * Refunds a payment, in whole or in part.
   *
   * With the outcome `unknown`, the refund may exist. Do not send it again; query the payment by
   * its `hash` until its answer lists the refund.
   * @throws {PaymentsError} as a rejection.
   */
  refundPayment(request: RefundPayment | JsonText, options?: CallOptions): Promise<RefundAnswer>;

  /**
   * Sends money to a payee.
   *
   * With the outcome `unknown`, the payout may exist, and the interface has no query for payouts.
   * Do not send it again; look for its `external_reference` on the provider's platform.
   * @throws {PaymentsError} as a rejection.
   */
  createPayout(request: CreatePayout | JsonText, options?: CallOptions): Promise<PayoutAnswer>;

  /**
   * Registers the tracking codes of an order.
   *
   * With the outcome `unknown`, the codes may be registered, and the interface has no query for
   * them. Registering them moves no money.
   * @throws {PaymentsError} as a rejection.
   */
  registerTracking(request: RegisterTracking | JsonText, options?: CallOptions): Promise<TrackingAnswer>;
}
