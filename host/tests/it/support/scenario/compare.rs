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

/// Like `differences`, for values that must have exactly the expected members and
/// elements. `{number}` stands for a whole number that is not negative, and `{text}`
/// for a text that is not empty.
pub fn exact_differences(place: &str, expected: &Value, found: &Value, into: &mut Vec<String>) {
    match (expected, found) {
        (Value::Object(expected), Value::Object(members)) => {
            let unexpected = members.keys().filter(|name| !expected.contains_key(*name));
            into.extend(unexpected.map(|name| format!("{place}/{name}: is not expected")));
            for (name, expected) in expected {
                let place = format!("{place}/{name}");
                match members.get(name) {
                    Some(found) => exact_differences(&place, expected, found, into),
                    None => into.push(format!("{place}: is not there, expected {expected}")),
                }
            }
        }
        (Value::Array(expected), Value::Array(elements)) if expected.len() == elements.len() => {
            for (index, (expected, found)) in expected.iter().zip(elements).enumerate() {
                exact_differences(&format!("{place}/{index}"), expected, found, into);
            }
        }
        _ if expected == found => {}
        (Value::String(any), _) if any == "{number}" && found.is_u64() => {}
        (Value::String(any), Value::String(text)) if any == "{text}" && !text.is_empty() => {}
        _ => into.push(format!("{place}: {found}, expected {expected}")),
    }
}

/// Compares lines of a log. `{duration}` stands for a time such as `1.204ms` or `30s`.
pub fn line_differences(expected: &[String], found: &[String], into: &mut Vec<String>) {
    let is_line = |(expected, found): (&String, &String)| {
        let (expected, found) = (expected.split(' '), found.split(' '));
        expected.clone().count() == found.clone().count()
            && expected.zip(found).all(|(expected, found)| is_word(expected, found))
    };
    if expected.len() != found.len() || !expected.iter().zip(found).all(is_line) {
        into.push(format!("log:\n{}\n    expected:\n{}", found.join("\n"), expected.join("\n")));
    }
}

fn is_word(expected: &str, found: &str) -> bool {
    let Some(name) = expected.strip_suffix("{duration}") else {
        return expected == found;
    };
    let duration = found.strip_prefix(name).unwrap_or_default();
    let digits = duration.strip_suffix("ms").or(duration.strip_suffix('s')).unwrap_or_default();
    !digits.is_empty() && digits.bytes().all(|it| it.is_ascii_digit() || it == b'.')
}

/// Returns the differences, if any, as an error.
pub fn check(differences: &[String]) -> Result<(), String> {
    if differences.is_empty() { Ok(()) } else { Err(differences.join("\n    ")) }
}
