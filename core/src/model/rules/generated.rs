// Generated from spec by generate/templates/rules.rs.jinja; do not edit. To update: cargo xtask generate

#![allow(clippy::too_many_lines, reason = "a row for each member")]

use super::{are_pointers, is_free_member};
use crate::model::error::{Error, ErrorCode};
use crate::model::operation::Operation;

/// How `query_payment` is sent: `get`, or `post` (default: `get`). A `post` has the members as
/// JSON, which are signed like any body.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum QueryMethod {
    /// A GET, with query parameters.
    #[default]
    Get,
    /// A POST, with a JSON body.
    Post,
}

/// The settings that affect building requests and reading responses.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Rules {
    /// Most JSON values in an accepted response, at any depth (default: `100000`). Responses with
    /// more are `too_large`: values take many times their bytes in memory.
    pub max_response_values: usize,
    /// How `query_payment` is sent: `get`, or `post` (default: `get`). A `post` has the members as
    /// JSON, which are signed like any body.
    pub query_method: QueryMethod,
    /// Member of a refund that holds the payment hash (default: `hash`).
    pub refund_hash_member: String,
    /// Service codes of a reference used before, in any case (default: `BP-DR-0, HP-CM-03`). They
    /// count for operations that move money. `[]` in a file turns the rule off; an empty variable
    /// is refused.
    pub duplicate_codes: Vec<String>,
    /// Service codes of a refusal after which money may have moved all the same, in any case
    /// (default: `BP-DR-84, BP-DR-119`). They count for operations that move money, as
    /// `refusal_doubtful`.
    pub doubtful_codes: Vec<String>,
    /// Service codes of a refused query that say there is no such payment (default:
    /// `BP-REF-CAN-2`). They are reported as `payment_not_found`.
    pub not_found_codes: Vec<String>,
    /// Whether to turn on `query_payout`, which the interface does not state (default: `false`).
    pub payout_query: bool,
    /// Service codes of a refused `query_payout` that say there is no such payout (default: ``).
    /// They are reported as `payment_not_found`. Without one, no payout counts as not found.
    pub payout_not_found_codes: Vec<String>,
    /// Words that as the top-level `status` say that the operation failed, in any case (default:
    /// `ERROR, FAILURE, FAILED, DENIED, REJECTED, REFUSED`).
    pub failure_statuses: Vec<String>,
    /// Further signs of success of single operations, as JSON Pointers: `{"create_payment":
    /// ["/data/id"]}`.
    pub success_signs: std::collections::BTreeMap<Operation, Vec<String>>,
    /// Whether to refuse a response that names a different payment or payout than the request
    /// (default: `true`).
    pub check_references: bool,
    /// Whether to take an unknown address in an open payment for a pay slip (default: `true`).
    pub next_action_rule: bool,
    /// Whether to search requests, also those of `send`, for raw card numbers (default: `true`).
    pub card_guard: bool,
    /// Whether to refuse the amount of a payment or payout with digits that its currency does not
    /// have, and texts whose point may separate thousands (default: `true`). By ISO 4217: the
    /// numbers `BRL 100.123` and `CLP 100.55` are refused, zeros are fine. The texts `BRL 1.500`,
    /// `CLP 150.000` and, for a refund, `1.000` are ambiguous.
    pub check_amount_digits: bool,
    /// Whether to take a 401 as proof that an operation which moves money was not executed
    /// (default: `true`). With `false`, the outcome is `unknown`, and it is not sent again with
    /// another token.
    pub treat_401_as_not_executed: bool,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            max_response_values: 100000,
            query_method: QueryMethod::Get,
            refund_hash_member: "hash".to_owned(),
            duplicate_codes: vec!["BP-DR-0".to_owned(), "HP-CM-03".to_owned()],
            doubtful_codes: vec!["BP-DR-84".to_owned(), "BP-DR-119".to_owned()],
            not_found_codes: vec!["BP-REF-CAN-2".to_owned()],
            payout_query: false,
            payout_not_found_codes: vec![],
            failure_statuses: vec![
                "ERROR".to_owned(),
                "FAILURE".to_owned(),
                "FAILED".to_owned(),
                "DENIED".to_owned(),
                "REJECTED".to_owned(),
                "REFUSED".to_owned(),
            ],
            success_signs: Default::default(),
            check_references: true,
            next_action_rule: true,
            card_guard: true,
            check_amount_digits: true,
            treat_401_as_not_executed: true,
        }
    }
}

impl Rules {
    /// Refuses values that text or code may have set, and that cannot work.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let checks = [
            (
                self.max_response_values == 0,
                "max_response_values",
                ErrorCode::VALUE_INVALID,
                None,
                "must be greater than zero",
            ),
            (
                self.duplicate_codes.iter().any(|text| text.trim().is_empty()),
                "duplicate_codes",
                ErrorCode::VALUE_INVALID,
                None,
                "must not contain a blank string; [] in a file turns the rule off",
            ),
            (
                self.doubtful_codes.iter().any(|text| text.trim().is_empty()),
                "doubtful_codes",
                ErrorCode::VALUE_INVALID,
                None,
                "must not contain a blank string; [] in a file turns the rule off",
            ),
            (
                self.not_found_codes.iter().any(|text| text.trim().is_empty()),
                "not_found_codes",
                ErrorCode::VALUE_INVALID,
                None,
                "must not contain a blank string; [] in a file turns the rule off",
            ),
            (
                self.payout_not_found_codes.iter().any(|text| text.trim().is_empty()),
                "payout_not_found_codes",
                ErrorCode::VALUE_INVALID,
                None,
                "must not contain a blank string; [] in a file turns the rule off",
            ),
            (
                self.failure_statuses.iter().any(|text| text.trim().is_empty()),
                "failure_statuses",
                ErrorCode::VALUE_INVALID,
                None,
                "must not contain a blank string; [] in a file turns the rule off",
            ),
        ];
        let is_wrong = |(is_wrong, ..): &(bool, _, _, _, _)| *is_wrong;
        if let Some((_, member, code, reason, message)) = checks.into_iter().find(is_wrong) {
            return Err(Error::config(member, code, message).with_reason(reason));
        }
        is_free_member(&self.refund_hash_member)?;
        are_pointers(&self.success_signs)?;
        Ok(())
    }
}

impl Rules {
    /// The member that turns `operation` on, if it is off.
    pub const fn missing_switch(&self, operation: Operation) -> Option<&'static str> {
        match operation {
            Operation::QueryPayout if !self.payout_query => Some("payout_query"),
            _ => None,
        }
    }

    /// The codes of a refusal that says that `operation`, a query, finds nothing.
    pub(crate) fn not_found_codes_of(&self, operation: Operation) -> &[String] {
        match operation {
            Operation::QueryPayment => &self.not_found_codes,
            Operation::QueryPayout => &self.payout_not_found_codes,
            _ => &[],
        }
    }
}
