'use strict';

const { PaymentsError, Response } = require('../index.js');

const HASH = '0'.repeat(48);
const UID = '00000000-0000-4000-a000-000000000000';

function response(view, body) {
  return new Response({
    httpStatus: 200,
    view: JSON.stringify([{ ...view, response: body }, []]),
    headers: JSON.stringify([['content-type', 'application/json']]),
    body: Buffer.from(JSON.stringify(body)),
    parts: '{}',
  });
}

function paymentResponse({
  status = 'PE',
  hash = HASH,
  merchant_payment_code = 'order-1',
  qr_code_value = null,
  ...members
} = {}) {
  const payment = { hash, merchant_payment_code, status, ...members };
  const body = {
    payment,
    status: 'SUCCESS',
    ...(qr_code_value !== null && { pix: { qr_code_value } }),
  };
  return response(
    { status, is_paid: status === 'CO', hash, merchant_payment_code, qr_code_value },
    body,
  );
}

function refundResponse({
  refund_id = '1',
  refund_status = 'RE',
  payment_status = 'CO',
  hash = HASH,
  ...members
} = {}) {
  const refund = { id: refund_id, status: refund_status, ...members };
  const payment = { hash, status: payment_status, refunds: [refund] };
  const body = { payment, refund, operation: 'refund', status: 'SUCCESS' };
  return response({ refund_id, refund_status, payment_status, hash }, body);
}

function payoutResponse({ uid = UID, status = 'OP', ...members } = {}) {
  return response({ uid, status }, { type: 'success', payout: { uid, status, ...members } });
}

function trackingResponse(...trackingCodes) {
  const entry = (tracking_code) => ({
    customer_email: null,
    tracking_code,
    order_number: null,
    status: 'CREATED',
  });
  const result = trackingCodes.map(entry);
  const view = {
    status: 'SUCCESS',
    all_created: true,
    result,
    count_mismatch: null,
    mismatches: null,
  };
  return response(view, { status: 'SUCCESS', result });
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
