// Generated from spec/operations by generate/templates/made-responses.js.jinja; do not edit. To update: cargo xtask generate

'use strict';

const { firstOf, made } = require('./builders.js');

function paymentResponse({
  status = 'PE',
  hash = '000000000000000000000000000000000000000000000000',
  merchantPaymentCode = 'order-1',
  qrCodeValue = null,
  redirectUrl = null,
  oxxoUrl = null,
  oxxoBarcode = null,
  clabeAccount = null,
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
    nextAction: firstOf(['CO', 'CA'].includes(status), [
      ['qr_code', qrCodeValue],
      ['pay_slip', oxxoUrl],
      ['pay_slip', oxxoBarcode],
      ['account', clabeAccount],
      ['page', redirectUrl],
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
    '/status': 'SUCCESS',
  };
  return made('create_payment', members, places, '/payment', further);
}

function refundResponse({
  refundId = '1',
  refundStatus = 'RE',
  paymentStatus = 'CO',
  hash = '000000000000000000000000000000000000000000000000',
  ...further
} = {}) {
  const members = {
    refundId,
    refundStatus,
    paymentStatus,
    hash,
  };
  const places = {
    '/refund/id': refundId,
    '/refund/status': refundStatus,
    '/payment/status': paymentStatus,
    '/payment/hash': hash,
    '/operation': 'refund',
    '/status': 'SUCCESS',
  };
  return made('refund_payment', members, places, '/refund', further);
}

function payoutResponse({
  uid = '00000000-0000-4000-a000-000000000000',
  status = 'OP',
  code = null,
  ...further
} = {}) {
  const members = {
    uid,
    status,
    isPaid: status === 'PA',
    code,
  };
  const places = {
    '/payout/uid': uid,
    '/payout/status': status,
    '/payout/code': code,
    '/type': 'success',
  };
  return made('create_payout', members, places, '/payout', further);
}

module.exports = {
  paymentResponse,
  refundResponse,
  payoutResponse,
};
