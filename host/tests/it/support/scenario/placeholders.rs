//! Names in braces for values that are known only at run time.

use std::collections::BTreeMap;

use serde_json::Value;

/// The values by name, including those that steps remembered.
#[derive(Clone, Default)]
pub struct Placeholders(BTreeMap<String, String>);

impl Placeholders {
    pub fn set(&mut self, name: &str, value: impl Into<String>) {
        self.0.insert(name.to_owned(), value.into());
    }

    pub fn get(&self, name: &str) -> &str {
        self.0.get(name).unwrap_or_else(|| panic!("nothing is known of {{{name}}}"))
    }

    /// Replaces every `{name}` in the text. Names consist of lowercase letters
    /// and `_`, which keeps them apart from the braces of JSON.
    pub fn fill(&self, text: &str) -> String {
        let mut filled = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(start) = rest.find('{') {
            let name_and_more = &rest[start + 1..];
            let length = name_and_more
                .find(|letter: char| !letter.is_ascii_lowercase() && letter != '_')
                .unwrap_or(0);
            if length > 0 && name_and_more[length..].starts_with('}') {
                filled.push_str(&rest[..start]);
                filled.push_str(self.get(&name_and_more[..length]));
                rest = &name_and_more[length + 1..];
            } else {
                filled.push_str(&rest[..=start]);
                rest = name_and_more;
            }
        }
        filled.push_str(rest);
        filled
    }

    /// Replaces the names in every string of a tree.
    pub fn fill_tree(&self, tree: &Value) -> Value {
        match tree {
            Value::String(text) => Value::String(self.fill(text)),
            Value::Array(elements) => elements.iter().map(|it| self.fill_tree(it)).collect(),
            Value::Object(members) => {
                members.iter().map(|(name, it)| (name.clone(), self.fill_tree(it))).collect()
            }
            other => other.clone(),
        }
    }
}
