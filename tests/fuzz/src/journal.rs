//! Rows of a journal: values are read as they were written.

use payments_core::journal::Entry;
use payments_core::json::Json;

pub(crate) fn journal(data: &[u8]) {
    let Ok(tree) = Json::parse(data) else { return };
    let Some(entry) = Entry::from_json(&tree) else { return };
    let again = Entry::from_json(&entry.to_json()).expect("what was written is read");
    assert!(again == entry, "{entry:?} {again:?}");
    let Json::Object(members) = entry.to_json() else { panic!("no object") };
    for (name, value) in members.iter() {
        assert_eq!(tree.get(name), Some(value), "{name}");
    }
}
