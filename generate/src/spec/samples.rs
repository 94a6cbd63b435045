//! `[sample]` of an operation: the request of its programs in `examples/reference`.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::operations::{Operation, stem};
use super::requests::{Member, Object};
use super::{Mistakes, Text};

/// The request of the programs of an operation.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Sample {
    /// The query that the programs make first. A text of the request such as `{hash}`
    /// is that member of its response.
    query: Option<String>,
    /// The variable with that response: `payment`.
    #[serde(skip_deserializing)]
    found: String,
    /// In the order in which the programs write it.
    #[serde(skip_serializing)]
    request: IndexMap<String, Given>,
    /// The same with its types.
    #[serde(skip_deserializing)]
    value: Value,
    /// The types in Rust of the objects in it.
    #[serde(skip_deserializing)]
    types: Vec<String>,
}

#[derive(Clone, Deserialize)]
#[serde(untagged)]
enum Given {
    Text(String),
    Integer(i64),
    List(Vec<Self>),
    Object(IndexMap<String, Self>),
}

/// A value of a request.
#[derive(Default, Serialize, Deserialize)]
pub(crate) struct Value {
    /// The name of the member that holds it; empty for an element of a list.
    pub(crate) name: String,
    pub(crate) kind: Kind,
    /// A text, the digits of a number, or the name of the member that was found.
    pub(crate) text: String,
    /// The variable with the response to the query: `payment`.
    pub(crate) found: String,
    /// The members of an object, or the elements of a list.
    pub(crate) parts: Vec<Self>,
    /// The type in Rust of an object.
    pub(crate) of: String,
    /// Whether its type in Rust holds a text or an object.
    pub(crate) is_either: bool,
    /// Whether its field in Rust may be missing.
    pub(crate) is_optional: bool,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    #[default]
    Text,
    Amount,
    Integer,
    Object,
    List,
    /// A member of the response to the query.
    Found,
}

/// Gives samples their types, and checks them.
pub(super) fn complete(files: &[Text], operations: &mut [Operation], mistakes: &mut Mistakes) {
    let is_query = |it: &&Operation| it.not_found.is_some();
    let queries: Vec<_> = operations.iter().filter(is_query).map(|it| it.name.clone()).collect();
    for operation in operations.iter_mut().filter(|it| it.is_typed) {
        let Some(file) = files.iter().find(|file| stem(file) == operation.name) else { continue };
        let Some(mut sample) = operation.sample.take() else {
            mistakes.add(&file.path, "needs a [sample.request], which its programs send");
            continue;
        };
        if sample.query.as_ref().is_some_and(|it| !queries.contains(it)) {
            mistakes.add(&file.place_of("sample", "query"), "is no query with not_found");
        }
        let query = sample.query.clone().unwrap_or_default();
        let found = query.strip_prefix("query_").unwrap_or(&query);
        let objects = &operation.object;
        let mut reader = Reader { objects, found, types: Vec::new(), mistakes: Vec::new() };
        if let Some(request) = &operation.request {
            sample.value = reader.object(request, &sample.request);
        }
        sample.types = reader.types;
        sample.found = found.to_owned();
        for what in reader.mistakes {
            mistakes.add(&file.place("[sample.request]"), what);
        }
        operation.sample = Some(sample);
    }
}

/// Reads the request of one sample.
struct Reader<'o> {
    objects: &'o IndexMap<String, Object>,
    found: &'o str,
    types: Vec<String>,
    mistakes: Vec<String>,
}

impl Reader<'_> {
    fn object(&mut self, object: &Object, given: &IndexMap<String, Given>) -> Value {
        let missing = object.members.values().filter(|it| it.is_required);
        for member in missing.filter(|it| !given.contains_key(&it.name)) {
            self.mistakes.push(format!("{} needs {}", object.name, member.name));
        }
        let parts = given.iter().map(|(name, given)| {
            let Some(member) = object.members.get(name) else {
                self.mistakes.push(format!("{} has no {name}", object.name));
                return Value::default();
            };
            let value = self.value(member, given);
            let is_list = value.kind == Kind::List;
            Value { name: name.clone(), is_optional: !member.is_required && !is_list, ..value }
        });
        let parts = parts.collect();
        if !self.types.contains(&object.name) {
            self.types.push(object.name.clone());
        }
        Value { kind: Kind::Object, parts, of: object.name.clone(), ..Value::default() }
    }

    fn value(&mut self, member: &Member, given: &Given) -> Value {
        let inner = member.object.as_ref().and_then(|name| self.objects.get(name));
        let is_either = member.shape == "texts_or_objects";
        match (given, member.shape.as_str(), inner) {
            (Given::Text(text), _, None) if text.starts_with('{') => Value {
                kind: Kind::Found,
                text: text.trim_matches(['{', '}']).to_owned(),
                found: self.found.to_owned(),
                ..Value::default()
            },
            (Given::Text(text), shape, None) if shape != "integer" => {
                let kind = if shape == "amount" { Kind::Amount } else { Kind::Text };
                Value { kind, text: text.clone(), ..Value::default() }
            }
            (Given::Integer(number), "integer", _) => {
                Value { kind: Kind::Integer, text: number.to_string(), ..Value::default() }
            }
            (Given::Object(given), "object", Some(inner)) => self.object(inner, given),
            (Given::List(list), "objects" | "texts_or_objects", Some(inner)) => {
                let element = |given: &Given| match given {
                    Given::Text(text) if is_either => Value {
                        kind: Kind::Text,
                        text: text.clone(),
                        is_either,
                        ..Value::default()
                    },
                    Given::Object(given) => Value { is_either, ..self.object(inner, given) },
                    _ => {
                        self.mistakes.push(format!("{} has no such element", member.name));
                        Value::default()
                    }
                };
                let parts = list.iter().map(element).collect();
                Value { kind: Kind::List, parts, ..Value::default() }
            }
            _ => {
                self.mistakes.push(format!("{} has another type", member.name));
                Value::default()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::{codes::Codes, operations};

    const GOOD: &str = "order = 1
http = 'POST /x'
changes = 'nothing'
summary = 'Reads it.'
response = 'Lamp'
[when_executed]
advice = 'read it again'
[sample.request]
size = 2
parts = ['a', { name = 'b' }]
[request]
doc = 'It.'
others = 'pass'
[request.members]
size = { type = 'integer', required = true, doc = 'its size' }
parts = { type = '[text or Part]', doc = 'its parts' }
[object.Part]
doc = 'A part.'
others = 'pass'
or_text = { name = 'TextOrPart', text = 'Text', object = 'Part', doc = 'Either.' }
[object.Part.members]
name = { required = true, doc = 'its name' }
";

    #[test]
    fn a_sample_that_is_no_request_is_named_with_its_line() {
        let mistakes = |text: &str| {
            let files = [Text { path: "spec/lamp.toml".to_owned(), text: text.to_owned() }];
            let mut mistakes = Mistakes::default();
            let mut operations = operations::read(&files, &Codes::new(), &mut mistakes);
            complete(&files, &mut operations, &mut mistakes);
            mistakes.0
        };
        assert_eq!(mistakes(GOOD), [""; 0]);
        for (right, wrong, expected) in [
            ("size = 2\n", "", "spec/lamp.toml:8: Lamp needs size"),
            ("size = 2", "sise = 2", "spec/lamp.toml:8: Lamp has no sise"),
            ("size = 2", "size = '2'", "spec/lamp.toml:8: size has another type"),
            ("'a', ", "1, ", "spec/lamp.toml:8: parts has no such element"),
            ("name = 'b'", "", "spec/lamp.toml:8: Part needs name"),
            ("[sample.", "[sample]\nquery = 'ask'\n[sample.", "spec/lamp.toml:9: is no query with"),
            (
                "[sample.request]\nsize = 2\nparts = ['a', { name = 'b' }]\n",
                "",
                "spec/lamp.toml: needs a [sample",
            ),
        ] {
            let found = mistakes(&GOOD.replace(right, wrong));
            assert!(found.iter().any(|it| it.starts_with(expected)), "{expected}: {found:?}");
        }
    }
}
