// Generated from spec/service_codes.toml by generate/templates/service_codes.rs.jinja; do not edit. To update: cargo xtask generate

use super::Known;

pub(super) const KNOWN: &[Known] = &[
    Known {
        code: "BP-DR-0",
        meaning: "the reference was used before",
        remedy: "query the payment by that reference, and use a new one for a new payment",
    },
    Known {
        code: "BP-REF-CAN-2",
        meaning: "there is no such payment",
        remedy: "check the hash, and that base_url belongs to the environment in which the payment was created",
    },
    Known {
        code: "BP-REF-7",
        meaning: "only a confirmed payment can be refunded",
        remedy: "query the payment, and refund it when its status is CO",
    },
    Known {
        code: "BP-SA-2",
        meaning: "the integration key is invalid",
        remedy: "check integration_key, and that it belongs to the environment of base_url",
    },
    Known {
        code: "DA-1",
        meaning: "the integration key is invalid",
        remedy: "check integration_key, and that it belongs to the environment of base_url",
    },
];
