// Generated from spec/errors by generate/templates/fixed_messages.rs.jinja; do not edit. To update: cargo xtask generate

//! Messages that are always the same, except those of kind `config`, which are
//! functions.

use super::{ErrorCode, Message};

impl Message {
    pub(crate) const EMPTY_LIST: Self =
        Self { code: ErrorCode::VALUE_INVALID, text: "must contain at least one element" };
    pub(crate) const CURRENCY_CODE: Self =
        Self { code: ErrorCode::VALUE_INVALID, text: "must be three letters, for example \"BRL\"" };
    pub(crate) const TRACEPARENT: Self = Self {
        code: ErrorCode::VALUE_INVALID,
        text: "not a traceparent; write 00-TRACE-SPAN-FLAGS in lower-case hexadecimal, of 32, 16 and 2 digits, as W3C Trace Context has it",
    };
    pub(crate) const BODY: Self = Self {
        code: ErrorCode::VALUE_INVALID,
        text: "a HEAD request has no body; remove it or use another method",
    };
    pub(crate) const CONTENT_TYPE: Self = Self {
        code: ErrorCode::VALUE_INVALID,
        text: "must be printable ASCII, for example \"application/json\"",
    };
    pub(crate) const PATH_START: Self = Self {
        code: ErrorCode::VALUE_INVALID,
        text: "must begin with \"/\": a path under the base URL",
    };
    pub(crate) const PATH_CHARACTER: Self = Self {
        code: ErrorCode::VALUE_INVALID,
        text: "contains a character that must be percent-encoded",
    };
    pub(crate) const POINTER_MALFORMED: Self = Self {
        code: ErrorCode::VALUE_INVALID,
        text: "must be empty or begin with \"/\"; in a name, write \"~\" as \"~0\" and \"/\" as \"~1\"",
    };
    pub(crate) const POINTER_TOO_DEEP: Self =
        Self { code: ErrorCode::VALUE_INVALID, text: "is more than 128 levels deep" };
    pub(crate) const POINTER_NOT_A_CONTAINER: Self = Self {
        code: ErrorCode::VALUE_INVALID,
        text: "passes through a value that is neither an object nor an array",
    };
    pub(crate) const POINTER_NO_SUCH_ELEMENT: Self = Self {
        code: ErrorCode::VALUE_INVALID,
        text: "names an element that the array does not have; \"-\" appends one",
    };
    pub(crate) const TOKEN_FETCH_SUSPENDED: Self = Self {
        code: ErrorCode::REENTRANT_CALL,
        text: "a suspended call of this thread is fetching the token; resume that call first, or call `access_token()` before calls take turns on one thread",
    };
    pub(crate) const CARD_NUMBER: Self = Self {
        code: ErrorCode::CARD_NUMBER,
        text: "contains what looks like a raw card number; tokenize the card with the client-side library and send the token; if this is a token, set card_guard to false (moving it into extra does not help)",
    };
    pub(crate) const DUPLICATE_MEMBER: Self =
        Self { code: ErrorCode::CONFLICTING_MEMBERS, text: "duplicate member; remove one of them" };
    pub(crate) const AMOUNT_EMPTY: Self = Self {
        code: ErrorCode::AMOUNT_INVALID,
        text: "the amount is empty; write a decimal such as 100.10",
    };
    pub(crate) const AMOUNT_ZERO: Self =
        Self { code: ErrorCode::AMOUNT_INVALID, text: "the amount must be greater than zero" };
    pub(crate) const AMOUNT_NEGATIVE: Self = Self {
        code: ErrorCode::AMOUNT_INVALID,
        text: "the amount is negative; it must be greater than zero",
    };
    pub(crate) const AMOUNT_PLUS_SIGN: Self = Self {
        code: ErrorCode::AMOUNT_INVALID,
        text: "the amount begins with a plus sign; remove it",
    };
    pub(crate) const AMOUNT_EXPONENT: Self = Self {
        code: ErrorCode::AMOUNT_INVALID,
        text: "the amount has an exponent; write out the digits, such as 1000",
    };
    pub(crate) const AMOUNT_COMMA: Self = Self {
        code: ErrorCode::AMOUNT_INVALID,
        text: "the amount contains a comma; use a point as the decimal separator and no thousands separators",
    };
    pub(crate) const AMOUNT_WHITE_SPACE: Self = Self {
        code: ErrorCode::AMOUNT_INVALID,
        text: "the amount contains white space; write only digits and a decimal point",
    };
    pub(crate) const AMOUNT_LEADING_ZERO: Self =
        Self { code: ErrorCode::AMOUNT_INVALID, text: "the amount has a leading zero; remove it" };
    pub(crate) const AMOUNT_MISSING_DIGIT: Self = Self {
        code: ErrorCode::AMOUNT_INVALID,
        text: "the amount lacks a digit before or after the decimal point; write 0.5 or 1.0",
    };
    pub(crate) const AMOUNT_NOT_DECIMAL: Self = Self {
        code: ErrorCode::AMOUNT_INVALID,
        text: "the amount is not a decimal number; write one such as 100.10",
    };
    pub(crate) const AMOUNT_TOO_LONG: Self = Self {
        code: ErrorCode::AMOUNT_INVALID,
        text: "the amount has more than 64 characters; round it to the digits of the currency",
    };
    pub(crate) const TOKEN_SERVER_SILENT: Self = Self {
        code: ErrorCode::TOKEN_SERVER_FAILED,
        text: "the token server did not respond in time; check auth_url and the network",
    };
    pub(crate) const TOKEN_RESPONSE_UNUSABLE: Self = Self {
        code: ErrorCode::TOKEN_UNUSABLE,
        text: "the response of the token server is not a token response; check auth_url",
    };
    pub(crate) const UNKNOWN_TYPE: Self =
        Self { code: ErrorCode::NO_SIGN_OF_SUCCESS, text: "the response has an unknown `type`" };
    pub(crate) const REFUSED_WITHOUT_CODE: Self = Self {
        code: ErrorCode::FAILED,
        text: "the operation failed, and the service gives no code",
    };
    pub(crate) const SERVICE_FAILED: Self = Self {
        code: ErrorCode::FAILED,
        text: "the service failed while it executed the operation",
    };
    pub(crate) const PAYOUT_NOT_FOUND: Self = Self {
        code: ErrorCode::PAYMENT_NOT_FOUND,
        text: "the service finds no such payout; a payout that was just created may appear later",
    };
    pub(crate) const PAYMENT_NOT_FOUND: Self = Self {
        code: ErrorCode::PAYMENT_NOT_FOUND,
        text: "the service finds no such payment; a payment that was just created may appear later",
    };
    pub(crate) const KEY_GENERATION_FAILED: Self = Self {
        code: ErrorCode::INTERNAL_ERROR,
        text: "could not generate a key: the system provided no random numbers",
    };
}
