// Generated from spec by generate/templates/findings.rs.jinja; do not edit. To update: cargo xtask generate

//! The findings of `lint`.

use std::borrow::Cow;
use std::ops::RangeInclusive;

use super::{Certainty, Finding};

/// The texts, each with the number of characters that it may have.
pub(super) const LENGTHS: [(&str, RangeInclusive<usize>); 8] = [
    ("payment.name", 0..=100),
    ("payment.email", 0..=100),
    ("payment.payment_type_code", 0..=32),
    ("payment.merchant_payment_code", 0..=40),
    ("merchant_payment_code", 0..=40),
    ("description", 0..=1500),
    ("merchant_refund_code", 0..=20),
    ("external_reference", 6..=40),
];

impl Finding {
    /// The last two digits of the tax document do not belong to the others.
    pub(super) const CPF_CHECK_DIGITS: Self = Self {
        code: "cpf_check_digits",
        certainty: Certainty::Certain,
        message: Cow::Borrowed("the check digits of the CPF are wrong; compare it with its source"),
    };
    /// The last two digits of the tax document do not belong to the others.
    pub(super) const CNPJ_CHECK_DIGITS: Self = Self {
        code: "cnpj_check_digits",
        certainty: Certainty::Certain,
        message: Cow::Borrowed(
            "the check digits of the CNPJ are wrong; compare it with its source",
        ),
    };
    /// The tax document is not what `document_type` says: a CPF or CNPJ, in Mexico a CURP or RFC,
    /// in Argentina a CUIT or CUIL, in Chile a RUT or RUN, in Peru a RUC. The finding says what is
    /// seen, such as small letters, spaces, or too few digits. In Brazil, one without a type is
    /// taken for a CPF or, with more than 11 characters, for a CNPJ.
    pub(super) fn document_form(message: impl Into<Cow<'static, str>>) -> Self {
        Self { code: "document_form", certainty: Certainty::Certain, message: message.into() }
    }
    /// `target` is `pix_key`, and `target_account` has no form of the directory of Pix keys: a CPF
    /// or CNPJ with correct check digits and no punctuation; an e-mail address in small letters, of
    /// at most 77 characters; a mobile phone such as `+5511999990000`, with an area code that
    /// exists; a random key in small letters, with its hyphens or as 32 characters.
    pub(super) fn pix_key_form(message: impl Into<Cow<'static, str>>) -> Self {
        Self { code: "pix_key_form", certainty: Certainty::Certain, message: message.into() }
    }
    /// The refund has no `amount`, so it returns the whole payment.
    pub(super) const REFUND_AMOUNT_MISSING: Self = Self {
        code: "refund_amount_missing",
        certainty: Certainty::Perhaps,
        message: Cow::Borrowed(
            "a refund without an amount returns the whole payment; give the amount, also then",
        ),
    };
    /// A text has a length that live services were seen to refuse: `external_reference` takes 6 to
    /// 40 characters, `merchant_payment_code` and `order_number` at most 40, `merchant_refund_code`
    /// 20, `payment_type_code` 32, the payer's `name` and `email` 100, and the `description` of a
    /// refund 1500. The interface does not say so.
    pub(super) fn length(message: impl Into<Cow<'static, str>>) -> Self {
        Self { code: "length", certainty: Certainty::Certain, message: message.into() }
    }
    /// A key, a tax document or its type, or a reference begins or ends with white space or with an
    /// invisible character. Cells of CSV lose white space at their ends; JSON and the languages
    /// send it.
    pub(super) const WHITE_SPACE: Self = Self {
        code: "white_space",
        certainty: Certainty::Perhaps,
        message: Cow::Borrowed(
            "begins or ends with white space or with a character that nobody sees, which is sent too; remove it",
        ),
    };
    /// The `payment_type_code` is one letter away from that of a known method, or has its letters
    /// in another case or with other punctuation.
    pub(super) fn method_misspelled(message: impl Into<Cow<'static, str>>) -> Self {
        Self { code: "method_misspelled", certainty: Certainty::Certain, message: message.into() }
    }
    /// The method was seen in other countries only.
    pub(super) fn method_of_other_country(message: impl Into<Cow<'static, str>>) -> Self {
        Self {
            code: "method_of_other_country",
            certainty: Certainty::Certain,
            message: message.into(),
        }
    }
    /// The `payment_type_code` is none of the methods that were seen. Providers have others.
    pub(super) const METHOD_UNKNOWN: Self = Self {
        code: "method_unknown",
        certainty: Certainty::Perhaps,
        message: Cow::Borrowed(
            "is none of the payment methods that were seen; compare it with your provider's list",
        ),
    };
    /// The code of the currency has small letters.
    pub(super) const CURRENCY_CASE: Self = Self {
        code: "currency_case",
        certainty: Certainty::Certain,
        message: Cow::Borrowed(
            "the code of a currency has capital letters, such as BRL; write it so",
        ),
    };
    /// The currency is not the one of the country of the payment or payout. USD and EUR are never
    /// reported, because many countries take them.
    pub(super) fn currency_of_other_country(message: impl Into<Cow<'static, str>>) -> Self {
        Self {
            code: "currency_of_other_country",
            certainty: Certainty::Perhaps,
            message: message.into(),
        }
    }
}
