// Generated from spec/operations by generate/templates/responses.d.ts.jinja; do not edit. To update: cargo xtask generate

// The responses of the operations.

import type { Open, OperationResponse, SendResponse } from './index.js';

/** How a PNG file of a QR code is drawn. */
export interface QrPngOptions {
  /**
   * The side of a module in pixels, from 1 to 64, and 6 by default. A code of 150 characters has
   * about 60 modules on a side, with its margin.
   */
  moduleSize?: number | undefined;
}

/**
 * The status of a payment. `OP` nothing is decided; `PE` waiting for the payer or the bank; `CO`
 * paid; `CA` declined, expired or withdrawn.
 */
export type PaymentStatus = Open<'OP' | 'PE' | 'CO' | 'CA'>;

/**
 * The status of a payout. `OP` nothing is decided; `PE` on its way to the payee; `PA` the payee has
 * the money; `CA` the payee does not get the money.
 */
export type PayoutStatus = Open<'OP' | 'PE' | 'PA' | 'CA'>;

/**
 * The status of a refund. `RE` requested; `PE` not decided yet; `CO` refunded; `CA` will not be
 * refunded.
 */
export type RefundStatus = Open<'RE' | 'PE' | 'CO' | 'CA'>;

/**
 * A refund of a payment, in the list that the payment has.
 */
export interface PaymentRefund {
  /** The service's id of the refund. */
  readonly id: string | null;
  /** Merchant's own reference for the refund. */
  readonly merchantRefundCode: string | null;
  /** Status of the refund, for example `CO` once it is confirmed. */
  readonly status: Open<'RE' | 'PE' | 'CO' | 'CA'> | null;
  /** Refunded amount, in the currency of the payment: 10.50, not 1050 cents. */
  readonly amountExt: string | null;
}

/**
 * The next action to show the payer, so that the payment is made.
 */
export interface NextAction {
  /** `qr_code`, `pay_slip`, `account`, `page`, `none` (nothing to do) or `unknown`. */
  readonly kind: 'qr_code' | 'pay_slip' | 'account' | 'page' | 'none' | 'unknown';
  /** The code, address, digits or account. */
  readonly value: string | null;
  /** The reference to name with a transfer, or the digits of a pay slip that has an address. */
  readonly reference: string | null;
  /** The last day on which the payer can pay. */
  readonly expires: string | null;
}

/**
 * The service's result for one tracking code.
 */
export interface TrackingResult {
  /** Customer e-mail. */
  readonly customerEmail: string | null;
  /** The code. */
  readonly trackingCode: string | null;
  /** Merchant's order reference. */
  readonly orderNumber: string | null;
  /** `CREATED` for a newly registered code. */
  readonly status: Open<'CREATED'> | null;
}

/**
 * The service responded for more or fewer codes than were sent.
 */
export interface CountMismatch {
  /** How many codes were sent. */
  readonly sent: number;
  /** How many entries came back. */
  readonly received: number;
}

/**
 * A member of an entry that differs from the sent value.
 */
export interface TrackingMismatch {
  /** The entry of `result`, counted from zero. */
  readonly index: number;
  /** The member of the entry that differs. */
  readonly member: 'tracking_code' | 'order_number' | 'customer_email';
  /** The value that was sent. */
  readonly sent: string;
  /** The value that came back. */
  readonly received: string;
}

/**
 * A bearer token that is valid now. It is a secret.
 */
export interface AccessToken {
  /** The token itself. */
  readonly accessToken: string;
  /** `bearer`. */
  readonly tokenType: 'bearer';
  /** When it must no longer be used, in seconds since 1970 UTC. */
  readonly expiresAt: number;
  /** Scope, as the token server gave it. */
  readonly scope?: string;
  /** User name, as the token server gave it. */
  readonly userName?: string;
  /** The token's own id, as the token server gave it. */
  readonly jti?: string;
}

/**
 * A payment as the service returned it. A successful response does not mean that the payment was
 * made: `isPaid` does.
 */
export interface PaymentResponse extends OperationResponse {
  /** Status of the payment. */
  readonly status: PaymentStatus | null;
  /** Whether the payment is paid: true for the status `CO` only. */
  readonly isPaid: boolean;
  /** Payment hash, by which the payment is queried and refunded. */
  readonly hash: string | null;
  /** Merchant's own reference for the payment. */
  readonly merchantPaymentCode: string | null;
  /** The code that the payer scans or pastes to pay by `pix`; if it is missing, query it. */
  readonly qrCodeValue: string | null;
  /** Page on which the payer continues. */
  readonly redirectUrl: string | null;
  /** Page with the pay slip to pay by `oxxo`. */
  readonly oxxoUrl: string | null;
  /** Digits of the barcode to pay by `oxxo`. */
  readonly oxxoBarcode: string | null;
  /** Account (CLABE) to which the payer sends the money. */
  readonly clabeAccount: string | null;
  /** The last day on which the payer can pay. */
  readonly dueDate: string | null;
  /** The acquirer's code of its decision, for example `OK` or `NOK`. */
  readonly declineCode: string | null;
  /** The acquirer's decision in words. */
  readonly declineReason: string | null;
  /** Whether a card payment is authorized and waits for its capture. */
  readonly captureAvailable: boolean;
  /** The refunds of the payment. */
  readonly refunds: readonly PaymentRefund[];
  /** The next action to show the payer. */
  readonly nextAction: NextAction;
  /** Draws `qrCodeValue` as a QR code, an SVG document; `null` without one. */
  qrSvg(): string | null;
  /** Draws `qrCodeValue` as a QR code, a PNG file; `null` without one. */
  qrPng(options?: QrPngOptions): Buffer | null;
}

/**
 * A refund as the service returned it.
 */
export interface RefundResponse extends OperationResponse {
  /** The service's id of the refund. */
  readonly refundId: string | null;
  /** Status of the refund. */
  readonly refundStatus: RefundStatus | null;
  /** Status of the refunded payment. */
  readonly paymentStatus: PaymentStatus | null;
  /** Hash of the refunded payment. */
  readonly hash: string | null;
  /** All refunds of the payment, with this one. */
  readonly refunds: readonly PaymentRefund[];
}

/**
 * A payout as the service returned it. A successful response does not mean that the payee has the
 * money: `isPaid` does. One with the status `CA` was created, and cancelled by the service: correct
 * what `code` is about, and send it again under a new reference.
 */
export interface PayoutResponse extends OperationResponse {
  /** The service's id of the payout. */
  readonly uid: string | null;
  /** Merchant's reference for the payout. */
  readonly externalReference: string | null;
  /** Status of the payout. */
  readonly status: PayoutStatus | null;
  /** Whether the payee has the money: true for the status `PA` only. */
  readonly isPaid: boolean;
  /** The service's code of a cancelled payout, for example `TAX_ID_MISMATCH`. */
  readonly code: string | null;
  /** Amount in `currency`, as it was requested: 10.50, not 1050 cents. */
  readonly amount: string | null;
  /** Three-letter currency code of `amount`. */
  readonly currency: string | null;
  /** When the payout was requested, as the service wrote it. */
  readonly requestDate: string | null;
  /** When the status changed, as the service wrote it. */
  readonly statusDate: string | null;
  /** When the payee got the money, as the service wrote it. */
  readonly paidDate: string | null;
  /** When the payout was cancelled, as the service wrote it. */
  readonly cancelDate: string | null;
}

/**
 * The service's results for the tracking codes.
 */
export interface TrackingResponse extends OperationResponse {
  /** Overall result: `SUCCESS` on success. */
  readonly status: Open<'SUCCESS'> | null;
  /** Whether every code was newly registered, and nothing differs from the request. */
  readonly allCreated: boolean;
  /** One entry for each submitted code, in the order in which they came. */
  readonly result: readonly TrackingResult[];
  /** Set if the service responded for more or fewer codes than were sent. */
  readonly countMismatch: CountMismatch | null;
  /** Set if entries name a different code, order or customer than was sent. */
  readonly mismatches: readonly TrackingMismatch[] | null;
}

/** The response to any operation. */
export type AnyResponse = PaymentResponse | RefundResponse | PayoutResponse | TrackingResponse | SendResponse | AccessToken;
