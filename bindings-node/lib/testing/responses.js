// Generated from spec/operations by generate/templates/made-responses.js.jinja; do not edit. To update: cargo xtask generate

'use strict';

const { entries, made, nextAction } = require('./builders.js');

function paymentResponse({
  status = 'PE',
  hash = '000000000000000000000000000000000000000000000000',
  merchantPaymentCode = 'order-1',
  qrCodeValue = null,
  redirectUrl = null,
  oxxoUrl = null,
  oxxoBarcode = null,
  clabeAccount = null,
  dueDate = null,
  declineCode = null,
  declineReason = null,
  captureAvailable = false,
  refunds = [],
  ...further
} = {}) {
  const members = {
    status,
    isPaid: status === 'CO',
    hash,
    merchantPaymentCode,
    qrCodeValue,
    redirectUrl,
    oxxoUrl,
    oxxoBarcode,
    clabeAccount,
    dueDate,
    declineCode,
    declineReason,
    captureAvailable,
    refunds: entries(refunds, ['id', 'merchant_refund_code', 'status', 'amount_ext']),
    nextAction: nextAction(['CO', 'CA'].includes(status) || captureAvailable, dueDate, [
      ['qr_code', qrCodeValue, null],
      ['pay_slip', oxxoUrl, oxxoBarcode],
      ['pay_slip', further.boleto_url, further.boleto_barcode],
      ['pay_slip', further.baloto_url, further.voucher_id],
      ['pay_slip', further.voucher_url, further.voucher_id],
      ['pay_slip', further.cip_url, further.cip_code],
      ['pay_slip', oxxoBarcode, null],
      ['pay_slip', further.boleto_barcode, null],
      ['pay_slip', further.voucher_id, null],
      ['pay_slip', further.cip_code, null],
      ['account', clabeAccount, further.clabe_reference],
      ['pay_slip', further.spei_url, further.clabe_reference],
      ['page', redirectUrl, null],
    ]),
  };
  const places = {
    '/payment/status': status,
    '/payment/hash': hash,
    '/payment/merchant_payment_code': merchantPaymentCode,
    '/pix/qr_code_value': qrCodeValue,
    '/redirect_url': redirectUrl,
    '/payment/oxxo_url': oxxoUrl,
    '/payment/oxxo_barcode': oxxoBarcode,
    '/payment/clabe_account': clabeAccount,
    '/payment/due_date': dueDate,
    '/payment/transaction_status/code': declineCode,
    '/payment/transaction_status/description': declineReason,
    '/payment/capture_available': captureAvailable || null,
    '/payment/refunds': refunds.length === 0 ? null : refunds,
    '/status': 'SUCCESS',
  };
  return made('create_payment', members, places, '/payment', further);
}

function refundResponse({
  refundId = '1',
  refundStatus = 'RE',
  paymentStatus = 'CO',
  hash = '000000000000000000000000000000000000000000000000',
  refunds = [],
  ...further
} = {}) {
  const members = {
    refundId,
    refundStatus,
    paymentStatus,
    hash,
    refunds: entries(refunds, ['id', 'merchant_refund_code', 'status', 'amount_ext']),
  };
  const places = {
    '/refund/id': refundId,
    '/refund/status': refundStatus,
    '/payment/status': paymentStatus,
    '/payment/hash': hash,
    '/payment/refunds': refunds.length === 0 ? null : refunds,
    '/operation': 'refund',
    '/status': 'SUCCESS',
  };
  return made('refund_payment', members, places, '/refund', further);
}

function payoutResponse({
  uid = '00000000-0000-4000-a000-000000000000',
  externalReference = null,
  status = 'OP',
  code = null,
  amount = null,
  currency = null,
  requestDate = null,
  statusDate = null,
  paidDate = null,
  cancelDate = null,
  ...further
} = {}) {
  const members = {
    uid,
    externalReference,
    status,
    isPaid: status === 'PA',
    code,
    amount,
    currency,
    requestDate,
    statusDate,
    paidDate,
    cancelDate,
  };
  const places = {
    '/payout/uid': uid,
    '/payout/external_reference': externalReference,
    '/payout/status': status,
    '/payout/code': code,
    '/payout/request_amount': amount,
    '/payout/request_currency': currency,
    '/payout/request_date': requestDate,
    '/payout/status_date': statusDate,
    '/payout/paid_date': paidDate,
    '/payout/cancel_date': cancelDate,
    '/type': 'success',
  };
  return made('create_payout', members, places, '/payout', further);
}

module.exports = {
  paymentResponse,
  refundResponse,
  payoutResponse,
};
