import testing from './testing.js';

export const { Sandbox, error, paymentResponse, payoutResponse, refundResponse, trackingResponse } =
  testing;
