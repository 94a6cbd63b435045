//! Names in braces that stand for what is known only when a scenario runs.

use std::collections::BTreeMap;

use serde_json::Value;

/// The values of the names, those that steps remembered among them.
#[derive(Clone, Default)]
pub struct Placeholders(BTreeMap<String, String>);

impl Placeholders {
    pub fn set(&mut self, name: &str, value: impl Into<String>) {
        self.0.insert(name.to_owned(), value.into());
    }

    pub fn get(&self, name: &str) -> &str {
        self.0.get(name).unwrap_or_else(|| panic!("nothing is known of {{{name}}}"))
    }

    /// The text with every `{name}` replaced. A name is made of lower-case
    /// letters and `_`, so that the braces of JSON are none.
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

    /// The same for every text in a tree.
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
