// Generated from the core's tables; do not edit. To update: cargo xtask generate

'use strict';

// The objects of requests: their members, each with the object that is
// there, and whether they take members that are in no table.

const Payment = {
  members: {
    name: null,
    email: null,
    country: null,
    payment_type_code: null,
    merchant_payment_code: null,
    currency_code: null,
    amount_total: null,
    document: null,
    integration_key: null,
    extra: null,
  },
  isOpen: true,
};

const CreatePayment = {
  members: {
    operation: null,
    payment: Payment,
    integration_key: null,
    extra: null,
  },
  isOpen: true,
};

const QueryPayment = {
  members: {
    hash: null,
    merchant_payment_code: null,
    integration_key: null,
    extra: null,
  },
  isOpen: false,
};

const RefundPayment = {
  members: {
    hash: null,
    operation: null,
    amount: null,
    description: null,
    merchant_refund_code: null,
    integration_key: null,
    extra: null,
  },
  isOpen: false,
};

const Payee = {
  members: {
    name: null,
    email: null,
    document: null,
    document_type: null,
    extra: null,
  },
  isOpen: false,
};

const CreatePayout = {
  members: {
    external_reference: null,
    country: null,
    amount: null,
    currency_code: null,
    target: null,
    target_account: null,
    payee: Payee,
    integration_key: null,
    extra: null,
  },
  isOpen: false,
};

const Item = {
  members: {
    sku: null,
    name: null,
    description: null,
    unit_price: null,
    quantity: null,
    type: null,
    extra: null,
  },
  isOpen: false,
};

const Address = {
  members: {
    zipcode: null,
    address: null,
    street_number: null,
    street_complement: null,
    city: null,
    state: null,
    country: null,
    extra: null,
  },
  isOpen: false,
};

const TrackingDetails = {
  members: {
    tracking_code: null,
    items: Item,
    address: Address,
    extra: null,
  },
  isOpen: false,
};

const RegisterTracking = {
  members: {
    order_number: null,
    email: null,
    tracking_code: TrackingDetails,
    payment_hash: null,
    integration_key: null,
    extra: null,
  },
  isOpen: false,
};

/** The object that each operation takes. */
module.exports = {
  create_payment: CreatePayment,
  query_payment: QueryPayment,
  refund_payment: RefundPayment,
  create_payout: CreatePayout,
  register_tracking: RegisterTracking,
};
