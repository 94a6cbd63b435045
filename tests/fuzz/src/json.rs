//! The JSON reader, writer and pointers, compared with serde_json's.

use payments_core::json::{Json, JsonErrorKind, ParseOptions};
use serde_json::Value;

/// A document, and after a NUL a JSON Pointer.
pub(crate) fn json(data: &[u8]) {
    let end = data.iter().position(|byte| *byte == 0).unwrap_or(data.len());
    let (text, pointer) = (&data[..end], data.get(end + 1..).unwrap_or_default());
    let ours = Json::parse_with(text, ParseOptions::new().keeping_duplicates());
    let theirs = serde_json::from_slice::<Value>(text);
    match (&ours, &theirs) {
        (Ok(ours), Ok(theirs)) => {
            let again =
                Json::parse_with(&ours.to_bytes(), ParseOptions::new().keeping_duplicates())
                    .expect("its own text");
            assert!(again == *ours, "{}", ours.to_text());
            assert!(is_same(ours, theirs), "{} {theirs}", ours.to_text());
            if let Ok(pointer) = str::from_utf8(pointer)
                && Json::parse(text).is_ok()
            {
                let found = (ours.pointer(pointer), theirs.pointer(pointer));
                let are_same = match found {
                    (Some(ours), Some(theirs)) => is_same(ours, theirs),
                    (ours, theirs) => ours.is_none() == theirs.is_none(),
                };
                assert!(are_same || has_odd_escape(pointer), "{pointer}");
            }
        }
        (Err(_), Err(_)) => {}
        (Ok(ours), Err(error)) => {
            // A number that no float holds is kept as text.
            assert!(error.to_string().contains("out of range"), "{error}: {}", ours.to_text());
        }
        (Err(error), Ok(_)) => {
            assert_eq!(error.kind(), JsonErrorKind::TooDeep, "{error:?}");
        }
    }
}

/// A `~` that is not followed by 0 or 1, which serde_json takes as it is.
fn has_odd_escape(pointer: &str) -> bool {
    pointer.split('~').skip(1).any(|after| !after.starts_with(['0', '1']))
}

/// Whether two documents are the same, but for duplicate members and the form of numbers.
fn is_same(ours: &Json, theirs: &Value) -> bool {
    match theirs {
        Value::Null => ours.is_null(),
        Value::Bool(value) => ours.as_bool() == Some(*value),
        Value::Number(number) => ours.as_number_text().is_some_and(|text| {
            number.as_f64().is_none_or(|value| text.parse::<f64>() == Ok(value))
        }),
        Value::String(text) => ours.as_str() == Some(text),
        Value::Array(values) => ours.as_array().is_some_and(|ours| {
            ours.len() == values.len()
                && ours.iter().zip(values).all(|(one, two)| is_same(one, two))
        }),
        Value::Object(members) => ours.as_object().is_some_and(|ours| {
            ours.iter().all(|(name, value)| {
                let is_last = ours.iter().filter(|(it, _)| *it == name).last();
                let is_last = is_last.is_some_and(|(_, last)| std::ptr::eq(last, value));
                !is_last || members.get(name).is_some_and(|theirs| is_same(value, theirs))
            })
        }),
    }
}
