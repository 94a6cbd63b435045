//! Mistakes in a request that has the interface's shape.
//!
//! The host finds them, and is sure of some. Live services are seen to refuse
//! these, or to execute something other than was intended.

use payments_core::json::Members;
use payments_core::operation::Operation;
use payments_host::{Certainty, LintWarning, lint};

use super::{INVALID_REQUEST, OperationResult, payouts};

const UNKNOWN_METHOD: &str = "BP-DR-35";
const WRONG_DOCUMENT: &str = "BP-DR-22";
const TEXT_TOO_LONG: &str = "BP-DR-10";
const PAYOUT_REFERENCE_LENGTH: &str = "HP-CM-02";
const PAYOUT_MEMBER_INVALID: &str = "HP-CM-13";
const PIX_KEY_INVALID: &str = "HP-BR-03";

/// The refusal of a request with a finding that is certain.
pub(crate) fn refusal(operation: Operation, body: &Members) -> Option<OperationResult> {
    let found = lint(body).into_iter().find(|it| it.certainty == Certainty::Certain)?;
    let LintWarning { path, ref message, .. } = found;
    let message = format!("{path}: {message}");
    let code = code_of(operation, &found);
    Some(match operation {
        Operation::CreatePayout => payouts::refused(code, &message),
        _ => OperationResult::refused(code, &message),
    })
}

/// The code that a service is seen to give, or the sandbox's own.
fn code_of(operation: Operation, found: &LintWarning) -> &'static str {
    match (operation, found.code, found.path) {
        (Operation::CreatePayout, "length", "external_reference") => PAYOUT_REFERENCE_LENGTH,
        (Operation::CreatePayout, "pix_key_form", _) => PIX_KEY_INVALID,
        (Operation::CreatePayout, ..) => PAYOUT_MEMBER_INVALID,
        (_, "method_misspelled" | "method_of_other_country", _) => UNKNOWN_METHOD,
        (_, _, "payment.document") => WRONG_DOCUMENT,
        (Operation::CreatePayment, "length", _) => TEXT_TOO_LONG,
        _ => INVALID_REQUEST,
    }
}
