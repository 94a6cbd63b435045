// Generated from spec/operations by generate/templates/operations.d.ts.jinja; do not edit. To update: cargo xtask generate

// The operations of a client.

import type { PaymentResponse, RefundResponse, PayoutResponse, TrackingResponse } from './responses.js';
import type { CallOptions, JsonText } from './index.js';
import type { CreatePayment, QueryPayment, RefundPayment, CreatePayout, QueryPayout, RegisterTracking } from './requests.js';

/** The operations, with their requests and responses. */
export interface Operations {
  create_payment: { request: CreatePayment; response: PaymentResponse };
  query_payment: { request: QueryPayment; response: PaymentResponse };
  refund_payment: { request: RefundPayment; response: RefundResponse };
  create_payout: { request: CreatePayout; response: PayoutResponse };
  query_payout: { request: QueryPayout; response: PayoutResponse };
  register_tracking: { request: RegisterTracking; response: TrackingResponse };
}
export type OperationName = keyof Operations | 'access_token' | 'send';
/** The operations whose payments, refunds or payouts are followed. */
export type FollowedOperation = 'create_payment' | 'refund_payment' | 'create_payout';

/** A method for each operation. */
export interface OperationMethods {
  /**
   * Creates a payment in one of a country's methods.
   *
   * With the outcome `unknown`, the payment may exist. Do not send it again; query it by its
   * `merchant_payment_code` until it is found.
   * @throws {PaymentsError} as a rejection.
   */
  createPayment(request: CreatePayment | JsonText, options?: CallOptions): Promise<PaymentResponse>;

  /**
   * Queries a payment, by its hash or by your own reference. Try the query by reference with your
   * service before you depend on it. A query moves no money, and is sent again a few times when the
   * connection or the service fails.
   *
   * Nothing was moved after a failure: call it again.
   * @throws {PaymentsError} as a rejection.
   */
  queryPayment(request: QueryPayment | JsonText, options?: CallOptions): Promise<PaymentResponse>;

  /**
   * Refunds a payment, in whole or in part. Check the refunded amount in the response of your first
   * partial refund: a service that ignores `amount` refunds the whole payment.
   *
   * With the outcome `unknown`, the refund may exist. Do not send it again; query the payment by
   * its `hash` until its response lists the refund.
   * @throws {PaymentsError} as a rejection.
   */
  refundPayment(request: RefundPayment | JsonText, options?: CallOptions): Promise<RefundResponse>;

  /**
   * Sends money to a payee.
   *
   * With the outcome `unknown`, the payout may exist. Do not send it again; query it by its
   * `external_reference` if `payout_query` is on, or look for it on the provider's platform.
   * @throws {PaymentsError} as a rejection.
   */
  createPayout(request: CreatePayout | JsonText, options?: CallOptions): Promise<PayoutResponse>;

  /**
   * Queries a payout, by its uid or by your own reference. It is off until `payout_query` is on:
   * the interface does not state it, so ask your provider whether the service has it. A query moves
   * no money, and is sent again a few times when the connection or the service fails.
   *
   * Nothing was moved after a failure: call it again.
   * @throws {PaymentsError} as a rejection.
   */
  queryPayout(request: QueryPayout | JsonText, options?: CallOptions): Promise<PayoutResponse>;

  /**
   * Registers the tracking codes of an order.
   *
   * With the outcome `unknown`, the codes may be registered, and the interface has no query for
   * them. Registering them moves no money.
   * @throws {PaymentsError} as a rejection.
   */
  registerTracking(request: RegisterTracking | JsonText, options?: CallOptions): Promise<TrackingResponse>;
}
