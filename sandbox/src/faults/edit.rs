//! Edits the JSON body of a response by JSON Pointer.

use serde_json::Value;

use crate::faults::Edit;

/// Applies the edits to `body`. Leaves a body that is not JSON as it is, and
/// ignores places that do not exist.
pub(crate) fn apply(edits: &[Edit], body: &mut Vec<u8>) {
    let Ok(mut json) = serde_json::from_slice::<Value>(body) else { return };
    for edit in edits {
        match edit {
            Edit::Set(place, value) => set(&mut json, place, value.clone()),
            Edit::Remove(place) => remove(&mut json, place),
        }
    }
    *body = json.to_string().into_bytes();
}

fn set(json: &mut Value, place: &str, value: Value) {
    if let Some(known) = json.pointer_mut(place) {
        *known = value;
        return;
    }
    match holder_of(json, place) {
        Some((Value::Object(members), name)) => {
            members.insert(name, value);
        }
        Some((Value::Array(elements), name)) if name == "-" => elements.push(value),
        _ => {}
    }
}

fn remove(json: &mut Value, place: &str) {
    match holder_of(json, place) {
        Some((Value::Object(members), name)) => {
            members.remove(&name);
        }
        Some((Value::Array(elements), name)) => {
            if let Some(index) = name.parse().ok().filter(|index| *index < elements.len()) {
                elements.remove(index);
            }
        }
        _ => {}
    }
}

/// Splits `place` into the value that contains its last member, and the name of
/// that member.
fn holder_of<'a>(json: &'a mut Value, place: &str) -> Option<(&'a mut Value, String)> {
    let (holder, name) = place.rsplit_once('/')?;
    let name = name.replace("~1", "/").replace("~0", "~");
    Some((json.pointer_mut(holder)?, name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn edits_reach_members_and_elements() {
        let edits = [
            Edit::Set("/a".to_owned(), json!(2)),
            Edit::Set("/b/new".to_owned(), json!("x")),
            Edit::Set("/list/-".to_owned(), json!(3)),
            Edit::Remove("/list/0".to_owned()),
            Edit::Remove("/gone".to_owned()),
            Edit::Remove("/no/such/place".to_owned()),
        ];
        let mut body = br#"{"a":1,"b":{},"list":[1,2],"gone":true}"#.to_vec();
        apply(&edits, &mut body);
        assert_eq!(body, br#"{"a":2,"b":{"new":"x"},"list":[2,3]}"#);
        let mut text = b"not json".to_vec();
        apply(&edits, &mut text);
        assert_eq!(text, b"not json");
    }
}
