//! Compares values with the members that a scenario expects.

use serde_json::Value;

/// Collects the places where `found` differs from `expected`. Ignores object
/// members that are not expected; everything else must be equal.
pub fn differences(place: &str, expected: &Value, found: &Value, into: &mut Vec<String>) {
    match (expected, found) {
        (Value::Object(expected), Value::Object(found)) => {
            for (name, expected) in expected {
                let place = format!("{place}/{name}");
                match found.get(name) {
                    Some(found) => differences(&place, expected, found, into),
                    None => into.push(format!("{place}: is not there, expected {expected}")),
                }
            }
        }
        _ if expected == found => {}
        _ => into.push(format!("{place}: {found}, expected {expected}")),
    }
}

/// Returns the differences, if any, as an error.
pub fn check(differences: &[String]) -> Result<(), String> {
    if differences.is_empty() { Ok(()) } else { Err(differences.join("\n    ")) }
}
