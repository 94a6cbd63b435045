// Generated from the core's tables; do not edit. To update: cargo xtask generate

'use strict';

/** The method of a client that performs an operation by its name. */
const PERFORM = Symbol('perform');

/** What a client inherits: a method for each operation. */
class Operations {
  createPayment(request, options) {
    return this[PERFORM](Operations.prototype.createPayment, 'create_payment', request, options);
  }

  queryPayment(request, options) {
    return this[PERFORM](Operations.prototype.queryPayment, 'query_payment', request, options);
  }

  refundPayment(request, options) {
    return this[PERFORM](Operations.prototype.refundPayment, 'refund_payment', request, options);
  }

  createPayout(request, options) {
    return this[PERFORM](Operations.prototype.createPayout, 'create_payout', request, options);
  }

  registerTracking(request, options) {
    return this[PERFORM](Operations.prototype.registerTracking, 'register_tracking', request, options);
  }
}

/** The members of responses that hold no payer data. */
const SHOWN = ['status', 'is_paid', 'refund_status', 'payment_status', 'all_created'];

module.exports = { Operations, PERFORM, SHOWN };
