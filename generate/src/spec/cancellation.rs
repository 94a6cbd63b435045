//! Requests that cancel an earlier one of their operation.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::{Mistakes, Text};

/// The beginning of the advice of operations that move money.
pub(super) const NOT_AGAIN: &str = "do not send it again";

/// The requests that cancel an earlier one.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Cancellation {
    /// The name of its operation in the journal.
    pub(super) name: String,
    summary: String,
    /// The member and its value that mark such a request.
    #[serde(rename = "if")]
    when: IndexMap<String, String>,
    /// The advice of an error whose outcome is unknown.
    unknown: String,
    /// The advice of an error whose cancellation was executed.
    executed: String,
}

impl Cancellation {
    pub(super) fn check(
        &self,
        has_member: impl Fn(&str) -> bool,
        file: &Text,
        mistakes: &mut Mistakes,
    ) {
        let place = file.place("[cancellation]");
        if self.when.len() != 1 || !self.when.keys().all(|name| has_member(name)) {
            mistakes.add(&place, "names no single member of the request");
        }
        for advice in [&self.unknown, &self.executed] {
            if !advice.starts_with(NOT_AGAIN) {
                mistakes.add(&place, "does not forbid to send it again");
            }
        }
    }
}
