// Generated from spec/findings.toml by generate/templates/findings.rs.jinja; do not edit. To update: cargo xtask generate

//! The findings of `lint`.

use super::Finding;

impl Finding {
    /// The last two digits of the tax document do not belong to the others.
    pub(super) const CPF_CHECK_DIGITS: Self = Self {
        code: "cpf_check_digits",
        message: "the check digits of the CPF are wrong; compare it with its source",
    };
    /// The last two digits of the tax document do not belong to the others.
    pub(super) const CNPJ_CHECK_DIGITS: Self = Self {
        code: "cnpj_check_digits",
        message: "the check digits of the CNPJ are wrong; compare it with its source",
    };
    /// The tax document is not what `document_type` says. Without one, it has neither 11 digits
    /// (CPF) nor 14 characters (CNPJ: 12 digits or capital letters, then 2 digits).
    pub(super) const DOCUMENT_FORM: Self = Self {
        code: "document_form",
        message: "does not have the form of a CPF (11 digits) or of a CNPJ (12 digits or capital letters, then 2 digits), whichever it should be; a spreadsheet may have removed leading zeros",
    };
    /// `target` is `pix_key`, and `target_account` is no CPF or CNPJ with correct check digits,
    /// e-mail address, phone such as `+5511999990000`, or random key (UUID).
    pub(super) const PIX_KEY_FORM: Self = Self {
        code: "pix_key_form",
        message: "is no Pix key: a CPF or CNPJ with correct check digits, an e-mail address, a phone such as +5511999990000, or a random key (UUID)",
    };
    /// The refund has no `amount`, so it returns the whole payment.
    pub(super) const REFUND_AMOUNT_MISSING: Self = Self {
        code: "refund_amount_missing",
        message: "a refund without an amount returns the whole payment; give the amount, also then",
    };
    /// A reference has a length that live services are seen to refuse: `external_reference` takes 6
    /// to 40 characters, `merchant_payment_code` at most 40, `merchant_refund_code` at most 20. The
    /// interface does not say so.
    pub(super) const REFERENCE_LENGTH: &'static str = "reference_length";
    /// A key, a tax document or its type, or a reference begins or ends with white space or with an
    /// invisible character. Cells of CSV lose white space at their ends; JSON and the languages
    /// send it.
    pub(super) const WHITE_SPACE: Self = Self {
        code: "white_space",
        message: "begins or ends with white space or with a character that nobody sees, which is sent too; remove it",
    };
}
