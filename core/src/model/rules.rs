//! The settings that requests and responses depend on.

use std::collections::BTreeMap;

use crate::model::error::{Error, ErrorCode};
use crate::model::json::is_pointer;
use crate::model::operation::Operation;

mod generated;

pub use generated::Rules;

/// Checks further signs of success.
fn are_pointers(signs: &BTreeMap<Operation, Vec<String>>) -> Result<(), Error> {
    for (operation, pointers) in signs {
        let path = format!("success_signs.{operation}");
        if matches!(operation, Operation::Send | Operation::AccessToken) {
            let message = "responses of this operation need no sign of success; remove this entry";
            return Err(Error::config(&path, ErrorCode::OPERATION_UNKNOWN, message));
        }
        if !pointers.iter().all(|pointer| !pointer.is_empty() && is_pointer(pointer)) {
            let message = "must be JSON Pointers into the response, for example \"/payment/id\"";
            return Err(Error::config(&path, ErrorCode::POINTER_MALFORMED, message));
        }
    }
    Ok(())
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
