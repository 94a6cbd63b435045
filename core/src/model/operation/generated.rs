// Generated from spec/operations by generate/templates/operations.rs.jinja; do not edit. To update: cargo xtask generate

//! The operations, and the tables of their requests.

use super::fields::{Condition, Others, Presence, RequestMember, RequestObject, RequestShape};
use super::{Cancellation, Definition, Echo, Recorded, Success};

/// What can be asked of the service.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[non_exhaustive]
pub enum Operation {
    /// `create_payment`.
    CreatePayment,
    /// `query_payment`.
    QueryPayment,
    /// `refund_payment`.
    RefundPayment,
    /// `create_payout`.
    CreatePayout,
    /// `register_tracking`.
    RegisterTracking,
    /// `access_token`.
    AccessToken,
    /// `send`.
    Send,
}

impl Operation {
    /// Every operation, in the order of the documentation.
    pub const ALL: [Self; 7] = [
        Self::CreatePayment,
        Self::QueryPayment,
        Self::RefundPayment,
        Self::CreatePayout,
        Self::RegisterTracking,
        Self::AccessToken,
        Self::Send,
    ];

    /// Its row of the table.
    pub const fn definition(self) -> &'static Definition {
        &DEFINITIONS[self as usize]
    }
}

static DEFINITIONS: [Definition; 7] = [
    Definition {
        name: "create_payment",
        method: "POST",
        path: "/ws/direct",
        summary: "Creates a payment in one of a country's methods.",
        advice_when_unknown: Some(
            "do not send it again: call query_payment by merchant_payment_code until the payment is found; if the query still ends as payment_not_found 15 minutes after the deadline of the call, let a person decide",
        ),
        advice_when_executed: "do not send it again: it was executed, which does not mean paid; call query_payment for its state",
        request: Some(&CREATE_PAYMENT),
        success: Some(Success {
            signs: &[
                "/payment/hash",
                "/payment/id",
                "/payment/uid",
                "/payment/status",
                "/payment/redirect_url",
                "/payment/pix/qr_code_value",
                "/payment/qr_code_value",
                "/payment/oxxo_url",
                "/payment/oxxo_barcode",
                "/payment/clabe_account",
                "/payment/voucher_url",
                "/hash",
                "/id",
                "/uid",
                "/redirect_url",
                "/pix/qr_code_value",
                "/qr_code_value",
                "/voucher_url",
            ],
            states: &["OP", "PE", "CO", "CA"],
            lone_success: true,
        }),
        moves_money: true,
        is_read_only: false,
        reference: &["/payment/merchant_payment_code"],
        echo: Some(Echo {
            object: "payment",
            members: &[("merchant_payment_code", "/payment/merchant_payment_code")],
        }),
        recorded: Recorded {
            amount: Some("/payment/amount_total"),
            currency: Some("/payment/currency_code"),
            refund_code: None,
            refuses: None,
        },
        cancellation: None,
    },
    Definition {
        name: "query_payment",
        method: "GET",
        path: "/ws/query",
        summary: "Queries a payment, by its hash or by your own reference.",
        advice_when_unknown: None,
        advice_when_executed: "nothing was moved; read the response in this error, or send it again",
        request: Some(&QUERY_PAYMENT),
        success: Some(Success {
            signs: &["/payment/status"],
            states: &["OP", "PE", "CO", "CA"],
            lone_success: false,
        }),
        moves_money: false,
        is_read_only: true,
        reference: &["/merchant_payment_code", "/hash"],
        echo: Some(Echo {
            object: "payment",
            members: &[("hash", "/hash"), ("merchant_payment_code", "/merchant_payment_code")],
        }),
        recorded: Recorded { amount: None, currency: None, refund_code: None, refuses: None },
        cancellation: None,
    },
    Definition {
        name: "refund_payment",
        method: "POST",
        path: "/ws/refund",
        summary: "Refunds a payment, in whole or in part.",
        advice_when_unknown: Some(
            "do not send it again: call query_payment by hash, whose response lists the refunds, until this one is there; if it is still missing 15 minutes after the deadline of the call, let a person decide",
        ),
        advice_when_executed: "do not send it again: it was executed, which does not mean that the payer has the money; call query_payment by hash for its state",
        request: Some(&REFUND_PAYMENT),
        success: Some(Success {
            signs: &[
                "/refund/id",
                "/refund/uid",
                "/refund/status",
                "/payment/refunds",
                "/payment/hash",
                "/payment/status",
                "/hash",
                "/id",
                "/uid",
            ],
            states: &["RE", "PE", "CO", "CA", "OP"],
            lone_success: true,
        }),
        moves_money: true,
        is_read_only: false,
        reference: &["/hash", "/merchant_payment_code", "/merchant_refund_code", "/refund_id"],
        echo: Some(Echo { object: "payment", members: &[("hash", "/hash")] }),
        recorded: Recorded {
            amount: Some("/amount"),
            currency: None,
            refund_code: Some("/merchant_refund_code"),
            refuses: Some("/merchant_payment_code"),
        },
        cancellation: Some(Cancellation {
            condition: Condition { member: "operation", value: "cancel", holds: true },
            advice_when_unknown: "do not send it again: call query_payment, whose response lists the refunds, and look for the status of this one: it is cancelled with CA; if it is still RE or PE 15 minutes after the deadline of the call, let a person decide",
            advice_when_executed: "do not send it again: the refund was cancelled; call query_payment for its state",
        }),
    },
    Definition {
        name: "create_payout",
        method: "POST",
        path: "/ws/payout/create",
        summary: "Sends money to a payee.",
        advice_when_unknown: Some(
            "do not send it again: the interface has no query for payouts, so look for the external_reference on the provider's platform, and let a person decide",
        ),
        advice_when_executed: "do not send it again: it was executed, which does not mean that the payee has the money; look for its state on the provider's platform",
        request: Some(&CREATE_PAYOUT),
        success: Some(Success {
            signs: &[
                "/payout/uid",
                "/payout/id",
                "/payout/hash",
                "/payout/status",
                "/type",
                "/uid",
                "/id",
                "/hash",
            ],
            states: &["OP", "PE", "PA", "CA"],
            lone_success: true,
        }),
        moves_money: true,
        is_read_only: false,
        reference: &["/external_reference"],
        echo: Some(Echo {
            object: "payout",
            members: &[("external_reference", "/external_reference")],
        }),
        recorded: Recorded {
            amount: Some("/amount"),
            currency: Some("/currency_code"),
            refund_code: None,
            refuses: None,
        },
        cancellation: None,
    },
    Definition {
        name: "register_tracking",
        method: "POST",
        path: "/ws/tracking",
        summary: "Registers the tracking codes of an order.",
        advice_when_unknown: Some(
            "the interface has no query for tracking codes; registering them moves no money",
        ),
        advice_when_executed: "the codes are registered, which moves no money; read the response in this error",
        request: Some(&REGISTER_TRACKING),
        success: Some(Success { signs: &["/result"], states: &["CREATED"], lone_success: true }),
        moves_money: false,
        is_read_only: false,
        reference: &["/order_number"],
        echo: None,
        recorded: Recorded { amount: None, currency: None, refund_code: None, refuses: None },
        cancellation: None,
    },
    Definition {
        name: "access_token",
        method: "POST",
        path: "/authorization-server/oauth/token",
        summary: "Returns a valid bearer token: the cached one, or a new one.",
        advice_when_unknown: None,
        advice_when_executed: "nothing was moved; send it again",
        request: None,
        success: None,
        moves_money: false,
        is_read_only: true,
        reference: &[],
        echo: None,
        recorded: Recorded { amount: None, currency: None, refund_code: None, refuses: None },
        cancellation: None,
    },
    Definition {
        name: "send",
        method: "",
        path: "",
        summary: "Signs your own bytes and sends them unchanged, to any path.",
        advice_when_unknown: Some(
            "do not send it again: find out what was done as for the operation behind that path, and let a person decide if you cannot find out",
        ),
        advice_when_executed: "do not send it again: it was executed as far as the service says; read the response in this error",
        request: Some(&SEND),
        success: None,
        moves_money: true,
        is_read_only: false,
        reference: &["/reference"],
        echo: None,
        recorded: Recorded { amount: None, currency: None, refund_code: None, refuses: None },
        cancellation: None,
    },
];

static CREATE_PAYMENT: RequestObject = RequestObject {
    fields: &[
        RequestMember {
            name: "operation",
            shape: RequestShape::Text,
            presence: Presence::Optional,
            condition: None,
            meaning: "kind of request, known to be `request`",
            examples: &[],
        },
        RequestMember {
            name: "payment",
            shape: RequestShape::Object(&PAYMENT),
            presence: Presence::Required,
            condition: None,
            meaning: "the payment",
            examples: &[],
        },
    ],
    others: Others::Pass,
    holds_key: true,
};

static PAYMENT: RequestObject = RequestObject {
    fields: &[
        RequestMember {
            name: "name",
            shape: RequestShape::Text,
            presence: Presence::Required,
            condition: None,
            meaning: "payer name",
            examples: &[],
        },
        RequestMember {
            name: "email",
            shape: RequestShape::Text,
            presence: Presence::Required,
            condition: None,
            meaning: "payer e-mail",
            examples: &[],
        },
        RequestMember {
            name: "country",
            shape: RequestShape::LowerCountry,
            presence: Presence::Required,
            condition: None,
            meaning: "lower-case two-letter country code",
            examples: &[],
        },
        RequestMember {
            name: "payment_type_code",
            shape: RequestShape::Text,
            presence: Presence::Required,
            condition: None,
            meaning: "country-specific method code, for example `pix`",
            examples: &["pix", "oxxo", "pse"],
        },
        RequestMember {
            name: "merchant_payment_code",
            shape: RequestShape::Text,
            presence: Presence::Required,
            condition: None,
            meaning: "merchant's own reference for the payment",
            examples: &[],
        },
        RequestMember {
            name: "currency_code",
            shape: RequestShape::Currency,
            presence: Presence::Required,
            condition: None,
            meaning: "three-letter currency code",
            examples: &[],
        },
        RequestMember {
            name: "amount_total",
            shape: RequestShape::Amount,
            presence: Presence::Required,
            condition: None,
            meaning: "amount of the payment in `currency_code`, a decimal above zero",
            examples: &[],
        },
        RequestMember {
            name: "document",
            shape: RequestShape::Text,
            presence: Presence::Required,
            condition: Some(Condition { member: "country", value: "br", holds: true }),
            meaning: "payer tax id",
            examples: &[],
        },
    ],
    others: Others::Pass,
    holds_key: true,
};

static QUERY_PAYMENT: RequestObject = RequestObject {
    fields: &[
        RequestMember {
            name: "hash",
            shape: RequestShape::Text,
            presence: Presence::OneOf,
            condition: None,
            meaning: "the payment hash",
            examples: &[],
        },
        RequestMember {
            name: "merchant_payment_code",
            shape: RequestShape::Text,
            presence: Presence::OneOf,
            condition: None,
            meaning: "merchant's own reference for the payment",
            examples: &[],
        },
    ],
    others: Others::InExtra,
    holds_key: true,
};

static REFUND_PAYMENT: RequestObject = RequestObject {
    fields: &[
        RequestMember {
            name: "hash",
            shape: RequestShape::Text,
            presence: Presence::OneOf,
            condition: Some(Condition { member: "operation", value: "cancel", holds: false }),
            meaning: "the payment hash of the payment to refund",
            examples: &[],
        },
        RequestMember {
            name: "merchant_payment_code",
            shape: RequestShape::Text,
            presence: Presence::OneOf,
            condition: Some(Condition { member: "operation", value: "cancel", holds: false }),
            meaning: "merchant's own reference for the payment to refund, without a journal",
            examples: &[],
        },
        RequestMember {
            name: "operation",
            shape: RequestShape::Text,
            presence: Presence::Optional,
            condition: None,
            meaning: "kind of request, known to be `request`, or `cancel` to cancel an earlier refund",
            examples: &["request", "cancel"],
        },
        RequestMember {
            name: "amount",
            shape: RequestShape::Amount,
            presence: Presence::Optional,
            condition: None,
            meaning: "amount to refund, above zero; everything if left out",
            examples: &[],
        },
        RequestMember {
            name: "description",
            shape: RequestShape::Text,
            presence: Presence::Optional,
            condition: None,
            meaning: "reason for the refund",
            examples: &[],
        },
        RequestMember {
            name: "merchant_refund_code",
            shape: RequestShape::Text,
            presence: Presence::AtLeastOne,
            condition: Some(Condition { member: "operation", value: "cancel", holds: true }),
            meaning: "merchant's own reference for the refund",
            examples: &[],
        },
        RequestMember {
            name: "refund_id",
            shape: RequestShape::Text,
            presence: Presence::AtLeastOne,
            condition: Some(Condition { member: "operation", value: "cancel", holds: true }),
            meaning: "the service's id of the refund to cancel",
            examples: &[],
        },
    ],
    others: Others::InExtra,
    holds_key: true,
};

static CREATE_PAYOUT: RequestObject = RequestObject {
    fields: &[
        RequestMember {
            name: "external_reference",
            shape: RequestShape::Text,
            presence: Presence::Required,
            condition: None,
            meaning: "merchant's reference for the payout",
            examples: &[],
        },
        RequestMember {
            name: "country",
            shape: RequestShape::LowerCountry,
            presence: Presence::Required,
            condition: None,
            meaning: "lower-case two-letter country code",
            examples: &[],
        },
        RequestMember {
            name: "amount",
            shape: RequestShape::Amount,
            presence: Presence::Required,
            condition: None,
            meaning: "amount to send in `currency_code`, a decimal above zero",
            examples: &[],
        },
        RequestMember {
            name: "currency_code",
            shape: RequestShape::Currency,
            presence: Presence::Required,
            condition: None,
            meaning: "three-letter currency code",
            examples: &[],
        },
        RequestMember {
            name: "target",
            shape: RequestShape::Text,
            presence: Presence::Optional,
            condition: None,
            meaning: "kind of destination, for example `pix_key`",
            examples: &["pix_key"],
        },
        RequestMember {
            name: "target_account",
            shape: RequestShape::Text,
            presence: Presence::Required,
            condition: Some(Condition { member: "target", value: "pix_key", holds: true }),
            meaning: "destination, for `pix_key` the key itself",
            examples: &[],
        },
        RequestMember {
            name: "payee",
            shape: RequestShape::Object(&PAYEE),
            presence: Presence::OneOf,
            condition: None,
            meaning: "recipient of the money",
            examples: &[],
        },
        RequestMember {
            name: "payee_uuid",
            shape: RequestShape::Text,
            presence: Presence::OneOf,
            condition: None,
            meaning: "the service's id of a registered recipient",
            examples: &[],
        },
        RequestMember {
            name: "transaction_type",
            shape: RequestShape::Text,
            presence: Presence::Optional,
            condition: None,
            meaning: "kind of transaction, for example `B2C`",
            examples: &["B2B", "B2C"],
        },
    ],
    others: Others::InExtra,
    holds_key: true,
};

static PAYEE: RequestObject = RequestObject {
    fields: &[
        RequestMember {
            name: "name",
            shape: RequestShape::Text,
            presence: Presence::AtLeastOne,
            condition: None,
            meaning: "payee name",
            examples: &[],
        },
        RequestMember {
            name: "email",
            shape: RequestShape::Text,
            presence: Presence::Optional,
            condition: None,
            meaning: "payee e-mail",
            examples: &[],
        },
        RequestMember {
            name: "document",
            shape: RequestShape::Text,
            presence: Presence::AtLeastOne,
            condition: None,
            meaning: "payee tax id",
            examples: &[],
        },
        RequestMember {
            name: "document_type",
            shape: RequestShape::Text,
            presence: Presence::Optional,
            condition: None,
            meaning: "kind of the tax id, for example `CPF`",
            examples: &[],
        },
        RequestMember {
            name: "phone",
            shape: RequestShape::Text,
            presence: Presence::Optional,
            condition: None,
            meaning: "payee phone",
            examples: &[],
        },
        RequestMember {
            name: "birthdate",
            shape: RequestShape::Text,
            presence: Presence::Optional,
            condition: None,
            meaning: "payee date of birth",
            examples: &[],
        },
        RequestMember {
            name: "payee_document_date_issue",
            shape: RequestShape::Text,
            presence: Presence::Optional,
            condition: None,
            meaning: "date of issue of the document",
            examples: &[],
        },
        RequestMember {
            name: "bank_info",
            shape: RequestShape::Open,
            presence: Presence::Optional,
            condition: None,
            meaning: "bank account of the payee: its members depend on the country",
            examples: &[],
        },
    ],
    others: Others::InExtra,
    holds_key: false,
};

static REGISTER_TRACKING: RequestObject = RequestObject {
    fields: &[
        RequestMember {
            name: "order_number",
            shape: RequestShape::Text,
            presence: Presence::Required,
            condition: None,
            meaning: "merchant's order reference",
            examples: &[],
        },
        RequestMember {
            name: "email",
            shape: RequestShape::Text,
            presence: Presence::Required,
            condition: None,
            meaning: "customer e-mail",
            examples: &[],
        },
        RequestMember {
            name: "tracking_code",
            shape: RequestShape::TextsOrObjects(&TRACKING_DETAILS),
            presence: Presence::Required,
            condition: None,
            meaning: "one or more tracking codes, plain or with items and address",
            examples: &[],
        },
        RequestMember {
            name: "payment_hash",
            shape: RequestShape::Text,
            presence: Presence::Optional,
            condition: None,
            meaning: "hash of the related payment",
            examples: &[],
        },
    ],
    others: Others::InExtra,
    holds_key: true,
};

static TRACKING_DETAILS: RequestObject = RequestObject {
    fields: &[
        RequestMember {
            name: "tracking_code",
            shape: RequestShape::Text,
            presence: Presence::Required,
            condition: None,
            meaning: "the code",
            examples: &[],
        },
        RequestMember {
            name: "items",
            shape: RequestShape::Objects(&ITEM),
            presence: Presence::Optional,
            condition: None,
            meaning: "items in the parcel",
            examples: &[],
        },
        RequestMember {
            name: "address",
            shape: RequestShape::Object(&ADDRESS),
            presence: Presence::Optional,
            condition: None,
            meaning: "address the parcel was sent to",
            examples: &[],
        },
        RequestMember {
            name: "payment_hash",
            shape: RequestShape::Text,
            presence: Presence::Optional,
            condition: None,
            meaning: "hash of the payment of the parcel",
            examples: &[],
        },
    ],
    others: Others::InExtra,
    holds_key: false,
};

static ITEM: RequestObject = RequestObject {
    fields: &[
        RequestMember {
            name: "sku",
            shape: RequestShape::Text,
            presence: Presence::Optional,
            condition: None,
            meaning: "stock keeping unit",
            examples: &[],
        },
        RequestMember {
            name: "name",
            shape: RequestShape::Text,
            presence: Presence::Optional,
            condition: None,
            meaning: "name of the item",
            examples: &[],
        },
        RequestMember {
            name: "description",
            shape: RequestShape::Text,
            presence: Presence::Optional,
            condition: None,
            meaning: "description of the item",
            examples: &[],
        },
        RequestMember {
            name: "unit_price",
            shape: RequestShape::Integer,
            presence: Presence::Optional,
            condition: None,
            meaning: "price per item, sent as given: ask the provider for its unit",
            examples: &[],
        },
        RequestMember {
            name: "quantity",
            shape: RequestShape::Integer,
            presence: Presence::Optional,
            condition: None,
            meaning: "number of items",
            examples: &[],
        },
        RequestMember {
            name: "type",
            shape: RequestShape::Text,
            presence: Presence::Optional,
            condition: None,
            meaning: "category of item",
            examples: &[],
        },
    ],
    others: Others::InExtra,
    holds_key: false,
};

static ADDRESS: RequestObject = RequestObject {
    fields: &[
        RequestMember {
            name: "zipcode",
            shape: RequestShape::Text,
            presence: Presence::Optional,
            condition: None,
            meaning: "postal code",
            examples: &[],
        },
        RequestMember {
            name: "address",
            shape: RequestShape::Text,
            presence: Presence::Optional,
            condition: None,
            meaning: "street name",
            examples: &[],
        },
        RequestMember {
            name: "street_number",
            shape: RequestShape::Text,
            presence: Presence::Optional,
            condition: None,
            meaning: "street number",
            examples: &[],
        },
        RequestMember {
            name: "street_complement",
            shape: RequestShape::Text,
            presence: Presence::Optional,
            condition: None,
            meaning: "floor, apartment and similar",
            examples: &[],
        },
        RequestMember {
            name: "city",
            shape: RequestShape::Text,
            presence: Presence::Optional,
            condition: None,
            meaning: "city",
            examples: &[],
        },
        RequestMember {
            name: "state",
            shape: RequestShape::Text,
            presence: Presence::Optional,
            condition: None,
            meaning: "state",
            examples: &[],
        },
        RequestMember {
            name: "country",
            shape: RequestShape::UpperCountry,
            presence: Presence::Optional,
            condition: None,
            meaning: "upper-case two-letter country code",
            examples: &[],
        },
    ],
    others: Others::InExtra,
    holds_key: false,
};

static SEND: RequestObject = RequestObject {
    fields: &[
        RequestMember {
            name: "method",
            shape: RequestShape::Text,
            presence: Presence::Required,
            condition: None,
            meaning: "HTTP method, for example `POST`",
            examples: &[],
        },
        RequestMember {
            name: "path",
            shape: RequestShape::Text,
            presence: Presence::Required,
            condition: None,
            meaning: "path under the base URL, beginning with `/`",
            examples: &[],
        },
        RequestMember {
            name: "query",
            shape: RequestShape::Parameters,
            presence: Presence::Optional,
            condition: None,
            meaning: "query parameters, encoded for the wire",
            examples: &[],
        },
        RequestMember {
            name: "content_type",
            shape: RequestShape::Text,
            presence: Presence::Optional,
            condition: None,
            meaning: "media type of the body, `application/json` if left out",
            examples: &[],
        },
        RequestMember {
            name: "reference",
            shape: RequestShape::Text,
            presence: Presence::Optional,
            condition: None,
            meaning: "your own reference, which is part of errors; not sent",
            examples: &[],
        },
    ],
    others: Others::Refused,
    holds_key: false,
};

/// The integration key of a single request, for objects that may hold one.
pub static INTEGRATION_KEY: RequestMember = RequestMember {
    name: "integration_key",
    shape: RequestShape::Text,
    presence: Presence::Optional,
    condition: None,
    meaning: "merchant key of this request, if none is configured",
    examples: &[],
};
