//! The part of the configuration that requests and answers depend on.

use std::collections::BTreeMap;

use super::Config;
use crate::error::Error;
use crate::json::is_pointer;
use crate::operation::Operation;

/// What requests and answers must know of the configuration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rules {
    /// The member of a refund request that holds the payment hash: `hash`
    /// unless configured otherwise.
    pub refund_hash_member: String,
    /// Service codes that say a reference was used before: `BP-DR-0` unless
    /// configured otherwise.
    pub duplicate_codes: Vec<String>,
    /// Service codes of a refused query that say there is no such payment:
    /// `BP-REF-CAN-2` unless configured otherwise.
    pub not_found_codes: Vec<String>,
    /// Words that as the top-level `status` of an answer say that the
    /// operation failed.
    pub failure_statuses: Vec<String>,
    /// JSON Pointers by operation: something that stands there is a sign of
    /// success, too.
    pub success_signs: BTreeMap<Operation, Vec<String>>,
    /// Whether an answer that names another payment or payout than the
    /// request is refused.
    pub check_references: bool,
    /// The most JSON values that an answer may have.
    pub max_response_values: usize,
    /// Whether `extra` members and the JSON bodies of `send` are searched for
    /// raw card numbers. No typed member is named after a card.
    pub card_guard: bool,
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
        }
    }
}

impl Config {
    /// The member of a refund request that holds the payment hash. `hash`
    /// unless set.
    pub fn refund_hash_member(mut self, name: impl Into<String>) -> Self {
        self.rules.refund_hash_member = name.into();
        self
    }

    /// The service codes that say a reference was used before. `BP-DR-0`
    /// unless set.
    pub fn duplicate_codes<I: IntoIterator<Item: Into<String>>>(mut self, codes: I) -> Self {
        self.rules.duplicate_codes = texts(codes);
        self
    }

    /// The service codes of a refused query that say there is no such payment.
    /// `BP-REF-CAN-2` unless set.
    pub fn not_found_codes<I: IntoIterator<Item: Into<String>>>(mut self, codes: I) -> Self {
        self.rules.not_found_codes = texts(codes);
        self
    }

    /// The words that as the top-level `status` of an answer say that the
    /// operation failed, in any case. `ERROR`, `FAILURE`, `FAILED`, `DENIED`,
    /// `REJECTED` and `REFUSED` unless set.
    pub fn failure_statuses<I: IntoIterator<Item: Into<String>>>(mut self, words: I) -> Self {
        self.rules.failure_statuses = texts(words);
        self
    }

    /// Further signs of success of an operation, as JSON Pointers into its
    /// answer. An answer is a success if something stands at one of them.
    pub fn success_signs<I: IntoIterator<Item: Into<String>>>(
        mut self,
        operation: Operation,
        pointers: I,
    ) -> Self {
        self.rules.success_signs.insert(operation, texts(pointers));
        self
    }

    /// How many JSON values an answer may have: objects, arrays, texts,
    /// numbers, `true`, `false` and `null`, at any depth. 100,000 unless set.
    pub fn max_response_values(mut self, values: usize) -> Self {
        self.rules.max_response_values = values;
        self
    }

    /// Whether an answer that names another payment or payout than the request
    /// is refused. It is unless switched off.
    pub fn check_references(mut self, check: bool) -> Self {
        self.rules.check_references = check;
        self
    }

    /// Whether `extra` members and JSON bodies of `send` are searched for raw
    /// card numbers. They are unless switched off.
    pub fn card_guard(mut self, search: bool) -> Self {
        self.rules.card_guard = search;
        self
    }
}

impl Rules {
    /// Checks what text and code may have set wrongly.
    pub(super) fn check(&self) -> Result<(), Error> {
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
                let message = "must hold no blank text; [] in a file turns the rule off";
                return Err(Error::config(member, "value_empty", message));
            }
        }
        for (operation, pointers) in &self.success_signs {
            let path = format!("success_signs.{operation}");
            if matches!(operation, Operation::Send | Operation::AccessToken) {
                let message = "the answer of this operation needs no sign of success";
                return Err(Error::config(&path, "operation_unknown", message));
            }
            if !pointers.iter().all(|pointer| !pointer.is_empty() && is_pointer(pointer)) {
                let message = "must be JSON Pointers into the answer, for example \"/payment/id\"";
                return Err(Error::config(&path, "pointer_malformed", message));
            }
        }
        Ok(())
    }
}

/// Whether `list` has `text`, white space around it and case aside.
pub(crate) fn lists(list: &[String], text: &str) -> bool {
    list.iter().any(|known| same_text(known, text))
}

/// Whether two texts are the same, white space around them and case aside.
pub(crate) fn same_text(one: &str, other: &str) -> bool {
    let folded = |text: &str| text.trim().to_lowercase();
    folded(one) == folded(other)
}

fn texts<I: IntoIterator<Item: Into<String>>>(texts: I) -> Vec<String> {
    texts.into_iter().map(Into::into).collect()
}
