//! White space at the ends of values that are compared character by character.
//! Cells of CSV lose it, and everything else sends it.

use payments_base::invisible::is_invisible;
use payments_core::json::Members;

use super::text_at;

/// The keys, documents, codes and references of payments, payouts and refunds.
const TEXTS: [&str; 14] = [
    "payment.payment_type_code",
    "payment.currency_code",
    "payment.merchant_payment_code",
    "payment.document",
    "currency_code",
    "external_reference",
    "target_account",
    "payee.document",
    "payee.document_type",
    "payee_uuid",
    "hash",
    "merchant_payment_code",
    "merchant_refund_code",
    "refund_id",
];

/// The texts of `request` that begin or end with white space.
pub(super) fn found(request: &Members) -> impl Iterator<Item = &'static str> {
    let has_it = |path: &&str| text_at(request, path).is_some_and(has_it_at_an_end);
    TEXTS.into_iter().filter(has_it)
}

fn has_it_at_an_end(text: &str) -> bool {
    text.starts_with(is_unseen) || text.ends_with(is_unseen)
}

pub(super) fn is_unseen(character: char) -> bool {
    character.is_whitespace() || character.is_control() || is_invisible(character)
}

#[cfg(test)]
mod tests {
    use payments_core::json::Json;

    use super::*;

    fn of(request: &str) -> Vec<&'static str> {
        let request = Json::parse(request.as_bytes()).unwrap();
        found(request.as_object().unwrap()).collect()
    }

    #[test]
    fn each_key_document_and_reference_is_examined() {
        let payment = r#"{"payment":{"merchant_payment_code":" o-1","document":"1\t"}}"#;
        assert_eq!(of(payment), ["payment.merchant_payment_code", "payment.document"]);
        let codes = r#"{"payment":{"payment_type_code":"pix ","currency_code":" BRL"}}"#;
        assert_eq!(of(codes), ["payment.payment_type_code", "payment.currency_code"]);
        let payout = r#"{"external_reference":"p-1\u00a0","target_account":"a@b.example ",
            "payee":{"name":"Ana ","document":" 1","document_type":"CPF\n"}}"#;
        let all = ["external_reference", "target_account", "payee.document", "payee.document_type"];
        assert_eq!(of(payout), all);
        assert_eq!(of(r#"{"payee_uuid":"5a\u2060"}"#), ["payee_uuid"]);
        assert_eq!(of(r#"{"operation":"cancel","refund_id":" 7"}"#), ["refund_id"]);
        let refund = r#"{"hash":"5a ","merchant_payment_code":"\ufefforder-1","merchant_refund_code":"r\u200b"}"#;
        assert_eq!(of(refund), ["hash", "merchant_payment_code", "merchant_refund_code"]);
        for clean in [
            "{}",
            r#"{"external_reference":"p 1","target_account":7,"payee":"Ana "}"#,
            r#"{"hash":"","payment":null}"#,
        ] {
            assert!(of(clean).is_empty(), "{clean}");
        }
    }
}
