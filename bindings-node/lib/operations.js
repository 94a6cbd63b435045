// Generated from spec/operations by generate/templates/operations.js.jinja; do not edit. To update: cargo xtask generate

'use strict';

// Generated, so it decides nothing: client.js performs an operation by its name.

/** The method of a client that performs an operation by its name. */
const PERFORM = Symbol('perform');

/** The base class of a client: a method for each operation. */
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

  queryPayout(request, options) {
    return this[PERFORM](Operations.prototype.queryPayout, 'query_payout', request, options);
  }

  registerTracking(request, options) {
    return this[PERFORM](Operations.prototype.registerTracking, 'register_tracking', request, options);
  }
}

/** The operations whose requests take members that are in no table. */
const OPEN = ['create_payment'];

module.exports = { OPEN, Operations, PERFORM };
