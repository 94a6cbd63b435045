//! The settings that requests and responses depend on.

// - `generated.rs`: the settings, from the configuration

use std::collections::BTreeMap;

use crate::model::error::{Error, ErrorCode};
use crate::model::json::is_pointer;
use crate::model::operation::{EXTRA, INTEGRATION_KEY, Operation};

mod generated;

pub use generated::{QueryMethod, Rules};

impl Rules {
    /// Whether a query that is on finds the result of `operation`.
    pub fn finds(&self, operation: Operation) -> bool {
        operation.definition().recorded.found_by.is_some() || self.queries(operation)
    }

    /// Whether a query that has a switch is on, and finds the result of `operation`.
    pub fn queries(&self, operation: Operation) -> bool {
        let queried = operation.definition().queried;
        queried.is_some_and(|it| self.missing_switch(it.by).is_none())
    }

    /// The HTTP method of `operation`. A query that is described as a GET may be a
    /// POST, whose body has the parameters.
    pub fn method_of(&self, operation: Operation) -> &'static str {
        match (operation.method(), self.query_method) {
            ("GET", QueryMethod::Post) => "POST",
            (method, _) => method,
        }
    }
}

/// Checks further signs of success.
fn are_pointers(signs: &BTreeMap<Operation, Vec<String>>) -> Result<(), Error> {
    for (operation, pointers) in signs {
        let path = format!("success_signs.{operation}");
        if operation.definition().success.is_none() {
            let message = "responses of this operation need no sign of success; remove this entry";
            return Err(Error::config(&path, ErrorCode::VALUE_INVALID, message));
        }
        if !pointers.iter().all(|pointer| !pointer.is_empty() && is_pointer(pointer)) {
            let message = "must be JSON Pointers into the response, for example \"/payment/id\"";
            return Err(Error::config(&path, ErrorCode::VALUE_INVALID, message));
        }
    }
    Ok(())
}

/// Checks the name of the hash of a refund, which must not be that of another
/// member: a refund by a reference would be mistaken for one by a hash.
fn is_free_member(name: &str) -> Result<(), Error> {
    const PATH: &str = "refund_hash_member";
    if name.trim().is_empty() {
        return Err(Error::config(PATH, ErrorCode::VALUE_INVALID, "must not be empty"));
    }
    let mut others = Operation::RefundPayment.fields().iter().filter(|it| it.name != "hash");
    if name == INTEGRATION_KEY.name || name == EXTRA || others.any(|it| it.name == name) {
        let message = "is the name of another member of a refund; give the name that the service \
                       has for the payment hash";
        return Err(Error::config(PATH, ErrorCode::VALUE_INVALID, message));
    }
    Ok(())
}

/// Whether `list` contains `text`, ignoring surrounding white space and case.
pub(crate) fn contains_code(list: &[String], text: &str) -> bool {
    list.iter().any(|known| same_text(known, text))
}

/// Whether two texts are equal, ignoring surrounding white space and case.
pub(crate) fn same_text(one: &str, other: &str) -> bool {
    let folded = |text: &str| text.trim().to_lowercase();
    folded(one) == folded(other)
}
