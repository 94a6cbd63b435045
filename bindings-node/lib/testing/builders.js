'use strict';

const { PaymentsError, RESPONSES } = require('../index.js');

const HASH = '0'.repeat(48);
const UID = '00000000-0000-4000-a000-000000000000';

function responseOf(operation, members, body) {
  return new RESPONSES[operation]({
    httpStatus: 200,
    members: JSON.stringify({ ...members, response: body }),
    largeNames: [],
    headers: JSON.stringify([['content-type', 'application/json']]),
    body: Buffer.from(JSON.stringify(body)),
  });
}

function paymentResponse({
  status = 'PE',
  hash = HASH,
  merchantPaymentCode = 'order-1',
  qrCodeValue = null,
  ...further
} = {}) {
  const payment = { hash, merchant_payment_code: merchantPaymentCode, status, ...further };
  const pix = qrCodeValue === null ? {} : { pix: { qr_code_value: qrCodeValue } };
  const members = { status, isPaid: status === 'CO', hash, merchantPaymentCode, qrCodeValue };
  return responseOf('create_payment', members, { payment, status: 'SUCCESS', ...pix });
}

function refundResponse({
  refundId = '1',
  refundStatus = 'RE',
  paymentStatus = 'CO',
  hash = HASH,
  ...further
} = {}) {
  const refund = { id: refundId, status: refundStatus, ...further };
  const payment = { hash, status: paymentStatus, refunds: [refund] };
  const members = { refundId, refundStatus, paymentStatus, hash };
  const body = { payment, refund, operation: 'refund', status: 'SUCCESS' };
  return responseOf('refund_payment', members, body);
}

function payoutResponse({ uid = UID, status = 'OP', ...further } = {}) {
  const body = { type: 'success', payout: { uid, status, ...further } };
  return responseOf('create_payout', { uid, status }, body);
}

function trackingResponse(...trackingCodes) {
  const of = { customerEmail: null, orderNumber: null, status: 'CREATED' };
  const members = {
    status: 'SUCCESS',
    allCreated: true,
    result: trackingCodes.map((trackingCode) => ({ ...of, trackingCode })),
    countMismatch: null,
    mismatches: null,
  };
  const sent = { customer_email: null, order_number: null, status: 'CREATED' };
  const result = trackingCodes.map((tracking_code) => ({ ...sent, tracking_code }));
  return responseOf('register_tracking', members, { status: 'SUCCESS', result });
}

function error(code, { kind, outcome = 'unknown', ...details }) {
  const { operation } = details;
  const where = operation === undefined ? '' : `${operation}: `;
  return new PaymentsError(`${where}${code} [${kind}/${code}, ${outcome}]`, {
    ...details,
    kind,
    code,
    outcome,
  });
}

module.exports = { error, paymentResponse, payoutResponse, refundResponse, trackingResponse };
