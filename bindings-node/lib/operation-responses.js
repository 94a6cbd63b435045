// Generated from spec/operations by generate/templates/operation-responses.js.jinja; do not edit. To update: cargo xtask generate

'use strict';

const { OperationResponse } = require('./responses.js');

/** Loaded on first use: most programs draw no code. */
const tools = () => require('./tools.js');

class PaymentResponse extends OperationResponse {
  static shown = ['status', 'isPaid'];

  qrSvg() {
    return this.qrCodeValue === null ? null : tools().qrSvg(this.qrCodeValue);
  }

  qrPng(options) {
    return this.qrCodeValue === null ? null : tools().qrPng(this.qrCodeValue, options);
  }
}

class RefundResponse extends OperationResponse {
  static shown = ['refundStatus', 'paymentStatus'];
}

class PayoutResponse extends OperationResponse {
  static shown = ['status', 'isPaid', 'currency'];
}

class TrackingResponse extends OperationResponse {
  static shown = ['status', 'allCreated'];
}

/** The class of each operation's response. */
const RESPONSES = {
  __proto__: null,
  create_payment: PaymentResponse,
  query_payment: PaymentResponse,
  refund_payment: RefundResponse,
  create_payout: PayoutResponse,
  query_payout: PayoutResponse,
  register_tracking: TrackingResponse,
};

module.exports = { RESPONSES, PaymentResponse, RefundResponse, PayoutResponse, TrackingResponse };
