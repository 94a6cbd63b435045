// Generated from spec/operations by generate/templates/requests.d.ts.jinja; do not edit. To update: cargo xtask generate

// The members of requests: their names are those of the service.

import type { Amount, Open } from './index.js';

/** A lower-case two-letter country code. The service may know others. */
export type CountryCode = Open<
  | 'ar'
  | 'bo'
  | 'br'
  | 'cl'
  | 'co'
  | 'ec'
  | 'gt'
  | 'in'
  | 'mx'
  | 'pe'
  | 'py'
  | 'uy'
>;
/** A three-letter currency code. The service may know others. */
export type CurrencyCode = Open<
  | 'ARS'
  | 'BOB'
  | 'BRL'
  | 'CLP'
  | 'COP'
  | 'USD'
  | 'GTQ'
  | 'INR'
  | 'MXN'
  | 'PEN'
  | 'PYG'
  | 'UYU'
>;
/** A payment method. The service has others, and knows which of them an account may use. */
export type PaymentTypeCode = Open<
  | 'pix'
  | 'boleto'
  | 'banktransfer'
  | 'bancodobrasil'
  | 'banrisul'
  | 'bradesco'
  | 'itau'
  | 'provideraccount'
  | 'picpay'
  | 'nupay'
  | 'oxxo'
  | 'spei'
  | 'baloto'
  | 'efecty'
  | 'pse'
  | 'eft'
  | 'bancolombia-button'
  | 'nequi'
  | 'pagoefectivo'
  | 'safetypay'
  | 'safetypay-cash'
  | 'safetypay-online'
  | 'rapipago'
  | 'pagofacil'
  | 'cupon'
  | 'sencillito'
  | 'servipag'
  | 'flowcl'
  | 'webpay'
  | 'multicaja'
  | 'machpay'
  | 'pagosnet'
  | 'mercadopago'
  | 'upi'
  | 'paypal'
  | 'creditcard'
  | 'debitcard'
  | 'visa'
  | 'mastercard'
  | 'amex'
  | 'diners'
  | 'discover'
  | 'elo'
  | 'hipercard'
  | 'carnet'
>;

/** A payment to make: the object `payment` of a request. Interface, "Payment request". */
export interface Payment {
  /** Payer name. */
  name: string;
  /** Payer e-mail. */
  email: string;
  /** Lower-case two-letter country code. */
  country: CountryCode;
  /** Country-specific method code, for example `pix`. */
  payment_type_code: PaymentTypeCode;
  /** Merchant's own reference for the payment. */
  merchant_payment_code: string;
  /** Three-letter currency code. */
  currency_code: CurrencyCode;
  /** Amount of the payment in `currency_code`, a decimal above zero: 10.50, not 1050 cents. */
  amount_total: Amount;
  /** Payer tax id. Required if `country` is `br`. */
  document?: string | null | undefined;
  /** Merchant key of this request, if none is configured. */
  integration_key?: string | null | undefined;
  /** Members that are in no table; they follow the others as they are. */
  extra?: Readonly<Record<string, unknown>> | null | undefined;
}

/** A request for a payment. Interface, "Endpoints". */
export interface CreatePayment {
  /** Kind of request, known to be `request`. */
  operation?: string | null | undefined;
  /** The payment. */
  payment: Payment;
  /** Merchant key of this request, if none is configured. */
  integration_key?: string | null | undefined;
  /** Members that are in no table; they follow the others as they are. */
  extra?: Readonly<Record<string, unknown>> | null | undefined;
}

/** The payment to query: exactly one of `hash` and `merchant_payment_code`. Interface, "Endpoints". */
export type QueryPayment = {
  /** Merchant key of this request, if none is configured. */
  integration_key?: string | null | undefined;
  /** Members that are in no table; they follow the others as they are. */
  extra?: Readonly<Record<string, unknown>> | null | undefined;
} & (
  | {
      /** The payment hash. */
      hash: string;
      merchant_payment_code?: never;
    }
  | {
      /** Merchant's own reference for the payment. */
      merchant_payment_code: string;
      hash?: never;
    }
);

/** The payment to refund, and the amount. Interface, "Endpoints". */
export type RefundPayment = {
  /** Kind of request, known to be `request`, or `cancel` to cancel an earlier refund. */
  operation?: Open<'request' | 'cancel'> | null | undefined;
  /** Amount to refund, a decimal above zero: 10.50, not 1050 cents; everything if left out. */
  amount?: Amount;
  /** Reason for the refund. */
  description?: string | null | undefined;
  /** Merchant's own reference for the refund. */
  merchant_refund_code?: string | null | undefined;
  /** The service's id of the refund to cancel. */
  refund_id?: string | null | undefined;
  /** Merchant key of this request, if none is configured. */
  integration_key?: string | null | undefined;
  /** Members that are in no table; they follow the others as they are. */
  extra?: Readonly<Record<string, unknown>> | null | undefined;
} & (
  | {
      /** The payment hash of the payment to refund. */
      hash: string;
      merchant_payment_code?: never;
    }
  | {
      /** Merchant's own reference for the payment to refund, without a journal. */
      merchant_payment_code: string;
      hash?: never;
    }
  | {
      operation: 'cancel';
      /** The payment hash of the payment to refund. */
      hash?: string | null | undefined;
      /** Merchant's own reference for the payment to refund, without a journal. */
      merchant_payment_code?: string | null | undefined;
    }
);

/** The recipient of a payout. Interface, "Payee object". */
export type Payee = {
  /** Payee name. */
  name?: string | null | undefined;
  /** Payee e-mail. */
  email?: string | null | undefined;
  /** Payee tax id. */
  document?: string | null | undefined;
  /** Kind of the tax id, for example `CPF`. */
  document_type?: string | null | undefined;
  /** Payee phone. */
  phone?: string | null | undefined;
  /** Payee date of birth. */
  birthdate?: string | null | undefined;
  /** Date of issue of the document. */
  payee_document_date_issue?: string | null | undefined;
  /** Bank account of the payee: its members depend on the country. */
  bank_info?: Readonly<Record<string, unknown>> | null | undefined;
  /** Members that are in no table; they follow the others as they are. */
  extra?: Readonly<Record<string, unknown>> | null | undefined;
} & (
  | { name: string }
  | { document: string }
);

/** A request for a payout. Interface, "Payout request". */
export type CreatePayout = {
  /** Merchant's reference for the payout. */
  external_reference: string;
  /** Lower-case two-letter country code. */
  country: CountryCode;
  /** Amount to send in `currency_code`, a decimal above zero: 10.50, not 1050 cents. */
  amount: Amount;
  /** Three-letter currency code. */
  currency_code: CurrencyCode;
  /** Kind of destination, for example `pix_key`. */
  target?: Open<'pix_key'> | null | undefined;
  /** Destination, for `pix_key` the key itself. Required if `target` is `pix_key`. */
  target_account?: string | null | undefined;
  /** Kind of transaction, for example `B2C`. */
  transaction_type?: Open<'B2B' | 'B2C'> | null | undefined;
  /** Merchant key of this request, if none is configured. */
  integration_key?: string | null | undefined;
  /** Members that are in no table; they follow the others as they are. */
  extra?: Readonly<Record<string, unknown>> | null | undefined;
} & (
  | {
      /** Recipient of the money. */
      payee: Payee;
      payee_uuid?: never;
    }
  | {
      /** The service's id of a registered recipient. */
      payee_uuid: string;
      payee?: never;
    }
);

/** The payout to query: exactly one of `uid` and `external_reference`. Not stated in the interface. */
export type QueryPayout = {
  /** Merchant key of this request, if none is configured. */
  integration_key?: string | null | undefined;
  /** Members that are in no table; they follow the others as they are. */
  extra?: Readonly<Record<string, unknown>> | null | undefined;
} & (
  | {
      /** The service's id of the payout. */
      uid: string;
      external_reference?: never;
    }
  | {
      /** Merchant's reference for the payout. */
      external_reference: string;
      uid?: never;
    }
);

/** An item of a parcel. Interface, "Item". */
export interface Item {
  /** Stock keeping unit. */
  sku?: string | null | undefined;
  /** Name of the item. */
  name?: string | null | undefined;
  /** Description of the item. */
  description?: string | null | undefined;
  /** Price per item, sent as given: ask the provider for its unit. */
  unit_price?: number | bigint | null | undefined;
  /** Number of items. */
  quantity?: number | bigint | null | undefined;
  /** Category of item. */
  type?: string | null | undefined;
  /** Members that are in no table; they follow the others as they are. */
  extra?: Readonly<Record<string, unknown>> | null | undefined;
}

/** The address of a parcel. Interface, "Address". */
export interface Address {
  /** Postal code. */
  zipcode?: string | null | undefined;
  /** Street name. */
  address?: string | null | undefined;
  /** Street number. */
  street_number?: string | null | undefined;
  /** Floor, apartment and similar. */
  street_complement?: string | null | undefined;
  /** City. */
  city?: string | null | undefined;
  /** State. */
  state?: string | null | undefined;
  /** Upper-case two-letter country code. */
  country?: string | null | undefined;
  /** Members that are in no table; they follow the others as they are. */
  extra?: Readonly<Record<string, unknown>> | null | undefined;
}

/** A tracking code with the items and the address of its parcel. Interface, "Tracking-code object". */
export interface TrackingDetails {
  /** The code. */
  tracking_code: string;
  /** Items in the parcel. */
  items?: readonly Item[] | null | undefined;
  /** Address the parcel was sent to. */
  address?: Address | null | undefined;
  /** Hash of the payment of the parcel. */
  payment_hash?: string | null | undefined;
  /** Members that are in no table; they follow the others as they are. */
  extra?: Readonly<Record<string, unknown>> | null | undefined;
}

/** The tracking codes of an order: plain, with details, or mixed. Interface, "Tracking request". */
export interface RegisterTracking {
  /** Merchant's order reference. */
  order_number: string;
  /** Customer e-mail. */
  email: string;
  /** One or more tracking codes, plain or with items and address. */
  tracking_code: readonly (string | TrackingDetails)[];
  /** Hash of the related payment. */
  payment_hash?: string | null | undefined;
  /** Merchant key of this request, if none is configured. */
  integration_key?: string | null | undefined;
  /** Members that are in no table; they follow the others as they are. */
  extra?: Readonly<Record<string, unknown>> | null | undefined;
}
