//! The settings that requests and responses depend on.

use std::collections::BTreeMap;

use crate::model::error::Error;
use crate::model::json::is_pointer;
use crate::model::operation::Operation;

/// The settings that affect building requests and reading responses.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Rules {
    /// The member of a refund request that holds the payment hash. The default
    /// is `hash`.
    pub refund_hash_member: String,
    /// Service codes that mean the reference was used before. The default is
    /// `BP-DR-0`.
    pub duplicate_codes: Vec<String>,
    /// Service codes of a refused query that mean the payment does not exist.
    /// The default is `BP-REF-CAN-2`.
    pub not_found_codes: Vec<String>,
    /// Words that, as the top-level `status` of a response, mean that the
    /// operation failed.
    pub failure_statuses: Vec<String>,
    /// JSON Pointers by operation. A value at one of them is a further sign of
    /// success.
    pub success_signs: BTreeMap<Operation, Vec<String>>,
    /// Whether to refuse a response that names another payment or payout than
    /// the request.
    pub check_references: bool,
    /// The most JSON values in a response.
    pub max_response_values: usize,
    /// Whether to search `extra` members and JSON bodies of `send` for raw card
    /// numbers. No typed member holds a card.
    pub card_guard: bool,
    /// Whether to refuse an amount with digits that its currency does not have.
    pub check_amount_digits: bool,
    /// Whether a 401 says that an operation which moves money was not executed.
    pub treat_401_as_not_executed: bool,
}

impl Default for Rules {
    fn default() -> Self {
        let words = ["ERROR", "FAILURE", "FAILED", "DENIED", "REJECTED", "REFUSED"];
        Self {
            refund_hash_member: "hash".to_owned(),
            duplicate_codes: vec!["BP-DR-0".to_owned()],
            not_found_codes: vec!["BP-REF-CAN-2".to_owned()],
            failure_statuses: words.map(str::to_owned).to_vec(),
            success_signs: BTreeMap::new(),
            check_references: true,
            max_response_values: 100_000,
            card_guard: true,
            check_amount_digits: true,
            treat_401_as_not_executed: true,
        }
    }
}

impl Rules {
    /// Checks the values, which text or code may have set.
    pub(crate) fn check(&self) -> Result<(), Error> {
        if self.refund_hash_member.is_empty() {
            return Err(Error::config("refund_hash_member", "value_empty", "must not be empty"));
        }
        let lists = [
            ("duplicate_codes", &self.duplicate_codes),
            ("not_found_codes", &self.not_found_codes),
            ("failure_statuses", &self.failure_statuses),
        ];
        for (member, texts) in lists {
            if texts.iter().any(|text| text.trim().is_empty()) {
                let message = "must not contain a blank string; [] in a file turns the rule off";
                return Err(Error::config(member, "value_empty", message));
            }
        }
        for (operation, pointers) in &self.success_signs {
            let path = format!("success_signs.{operation}");
            if matches!(operation, Operation::Send | Operation::AccessToken) {
                let message = "responses of this operation need no sign of success; remove this \
                               entry";
                return Err(Error::config(&path, "operation_unknown", message));
            }
            if !pointers.iter().all(|pointer| !pointer.is_empty() && is_pointer(pointer)) {
                let message = "must be JSON Pointers into the response, for example \
                               \"/payment/id\"";
                return Err(Error::config(&path, "pointer_malformed", message));
            }
        }
        Ok(())
    }
}

/// Whether `list` contains `text`, ignoring surrounding white space and case.
pub(crate) fn lists(list: &[String], text: &str) -> bool {
    list.iter().any(|known| same_text(known, text))
}

/// Whether two texts are equal, ignoring surrounding white space and case.
pub(crate) fn same_text(one: &str, other: &str) -> bool {
    let folded = |text: &str| text.trim().to_lowercase();
    folded(one) == folded(other)
}
