// Generated from spec/service_codes.toml by generate/templates/known.rs.jinja; do not edit. To update: cargo xtask generate

use super::Known;

pub(super) const KNOWN: &[Known] = &[
    Known {
        codes: &["BP-DR-0"],
        meaning: "the reference was used before",
        remedy: "query the payment by that reference, and use a new one for a new payment",
    },
    Known {
        codes: &["HP-CM-03"],
        meaning: "the external_reference was used before, so an earlier payout may exist",
        remedy: "look for the external_reference on the provider's platform, or call `query_payout()` by it, before you send anything again",
    },
    Known {
        codes: &["BP-DR-84"],
        meaning: "it is probably the same payment again, so an earlier one may exist, perhaps under another reference",
        remedy: "find that one before you charge the payer again",
    },
    Known {
        codes: &["BP-DR-119"],
        meaning: "the service does not know what became of it, so this payment may exist",
        remedy: "find out before you charge the payer again",
    },
    Known {
        codes: &["BP-REF-CAN-2"],
        meaning: "there is no such payment",
        remedy: "check the hash, and that base_url belongs to the environment in which the payment was created",
    },
    Known {
        codes: &["BP-REF-7"],
        meaning: "only a confirmed payment can be refunded",
        remedy: "query the payment, and refund it when its status is CO",
    },
    Known {
        codes: &["BP-CAP-4"],
        meaning: "the payment was captured before",
        remedy: "query the payment",
    },
    Known {
        codes: &["BP-CAP-1", "BP-CAP-11"],
        meaning: "the payment cannot be captured",
        remedy: "query the payment, and capture it only while capture_available is true",
    },
    Known {
        codes: &["BP-CAN-1"],
        meaning: "the payment cannot be canceled",
        remedy: "query the payment, and cancel it only while its status is OP or PE",
    },
    Known {
        codes: &["BP-SA-1"],
        meaning: "the integration key is missing",
        remedy: "configure integration_key",
    },
    Known {
        codes: &["BP-SA-2", "DA-1"],
        meaning: "the integration key is invalid",
        remedy: "check integration_key, and that it belongs to the environment of base_url",
    },
    Known {
        codes: &["BP-CH-1", "BP-DR-35", "BP-DR-36"],
        meaning: "the payment method is unknown or not enabled for the account",
        remedy: "check payment_type_code and country, and ask the provider to enable the method",
    },
    Known {
        codes: &["HP-CM-05", "HP-CM-06", "HP-CM-07", "HP-BR-01"],
        meaning: "the country or the method is not enabled for payouts of the account",
        remedy: "check country, currency_code and target, and ask the provider to enable them",
    },
    Known {
        codes: &["HP-CM-28", "HP-CF-01"],
        meaning: "the provider's compliance rules do not allow it",
        remedy: "ask the provider",
    },
    Known {
        codes: &["BP-DR-2", "BP-DR-3", "BP-DR-5", "BP-DR-9"],
        meaning: "a member is missing",
        remedy: "the service's message in this error names it: add it",
    },
    Known {
        codes: &["BP-DR-6"],
        meaning: "the amount is too small",
        remedy: "ask the provider for the limits of the method",
    },
    Known {
        codes: &["BP-DR-7"],
        meaning: "the amount is too large",
        remedy: "ask the provider for the limits of the method",
    },
    Known {
        codes: &["BP-DR-8"],
        meaning: "the items do not add up to the total",
        remedy: "make the amounts of the items add up to amount_total",
    },
    Known {
        codes: &["BP-DR-10", "BP-DR-11", "BP-DR-12"],
        meaning: "a text is too long",
        remedy: "shorten the one that the service's message in this error names",
    },
    Known {
        codes: &["BP-DR-22", "BP-DR-23", "BP-DR-98", "BP-DR-111", "BP-DOC-01"],
        meaning: "the tax document is missing, invalid or not accepted",
        remedy: "correct document, and check that it belongs to the payer",
    },
    Known {
        codes: &["BP-DR-34", "BP-DR-79", "BP-DR-97", "BP-DR-100"],
        meaning: "the number of installments is not accepted",
        remedy: "correct it",
    },
    Known { codes: &["BP-DR-93"], meaning: "the method pse failed", remedy: "try again later" },
    Known {
        codes: &["BP-DR-102"],
        meaning: "there were too many attempts",
        remedy: "try again later",
    },
    Known {
        codes: &["HP-CM-02"],
        meaning: "the external_reference must have 6 to 40 characters",
        remedy: "correct it",
    },
    Known {
        codes: &[
            "HP-CM-01", "HP-CM-04", "HP-CM-08", "HP-CM-09", "HP-CM-13", "HP-CM-14", "HP-CM-15",
            "HP-CM-16", "HP-CM-17", "HP-CM-18", "HP-CM-19", "HP-CM-20", "HP-CM-21",
        ],
        meaning: "a member is missing or invalid",
        remedy: "the service's message in this error names it: correct it",
    },
    Known {
        codes: &["HP-CM-10", "HP-CM-11"],
        meaning: "the amount is not accepted",
        remedy: "ask the provider for the limits of payouts",
    },
    Known {
        codes: &["HP-CM-29"],
        meaning: "the payee is unknown",
        remedy: "give the payee's document and account, or register the payee with the provider",
    },
    Known {
        codes: &["HP-CM-30"],
        meaning: "the amount is more than is available for payouts",
        remedy: "fund the account, or send less",
    },
    Known {
        codes: &["HP-BR-02", "HP-BR-03"],
        meaning: "the Pix key is missing or invalid",
        remedy: "correct target_account",
    },
];
