//! Compares what came with the part of it that a scenario names.

use serde_json::Value;

/// Where `found` differs from `expected`. Of an object, only the members that
/// are expected are compared; anything else must be equal.
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

/// The differences at the end of a scenario, or of one of its parts.
pub fn check(differences: &[String]) -> Result<(), String> {
    if differences.is_empty() { Ok(()) } else { Err(differences.join("\n    ")) }
}
