//! `[sample]` of an operation: the request of its programs in `examples/reference`.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use toml::{Table, Value as Given};

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
    /// The state of a payment that the programs need. The suites make it by the program
    /// `OPERATION.before.sh`.
    before: Option<Before>,
    /// The reference of that payment, of these programs alone. The query is for it.
    reference: Option<String>,
    /// The variable with the response to the query: `payment`.
    #[serde(skip_deserializing)]
    found: String,
    /// In the order in which the programs write it.
    #[serde(skip_serializing)]
    request: Table,
    /// The same with its types.
    #[serde(skip_deserializing)]
    value: Value,
    /// The request of the query.
    #[serde(skip_deserializing)]
    asked: Option<Value>,
    /// The request that creates the payment.
    #[serde(skip_deserializing)]
    created: Option<Value>,
    /// The types in Rust of the objects in it.
    #[serde(skip_deserializing)]
    types: Vec<String>,
}

impl Sample {
    /// Whether the programs need a payment in a certain state.
    pub(super) fn needs_a_payment(&self) -> bool {
        self.before.is_some()
    }
}

/// A payment that was created, or then moved by the sandbox's control API.
#[derive(Clone, Copy, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
enum Before {
    Create,
    Confirm,
    Cancel,
}

/// The operation that creates payments.
const CREATES: &str = "create_payment";

/// A value of a request.
#[derive(Clone, Default, Serialize, Deserialize)]
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
    for operation in operations.iter_mut().filter(|it| it.is_typed) {
        let Some(file) = files.iter().find(|file| stem(file) == operation.name) else { continue };
        let Some(mut sample) = operation.sample.take() else {
            mistakes.add(&file.path, "needs a [sample.request], which its programs send");
            continue;
        };
        let query = sample.query.clone().unwrap_or_default();
        query.strip_prefix("query_").unwrap_or(&query).clone_into(&mut sample.found);
        let objects = &operation.object;
        let mut reader =
            Reader { objects, found: &sample.found, types: Vec::new(), file, mistakes };
        if let Some(request) = &operation.request {
            sample.value = reader.object(request, &sample.request);
        }
        sample.types = reader.types;
        operation.sample = Some(sample);
    }
    for index in 0..operations.len() {
        let operation = &operations[index];
        let Some(sample) = &operation.sample else { continue };
        let Some(file) = files.iter().find(|file| stem(file) == operation.name) else { continue };
        if sample.before.is_some() != sample.reference.is_some() {
            mistakes.add(&file.place("[sample]"), "has both `before` and `reference`, or none");
        }
        let request_of = |name: &str| {
            let other = operations.iter().find(|it| it.name == name)?;
            let value = other.sample.as_ref()?.value.clone();
            Some(match &sample.reference {
                Some(reference) => value.with_reference(reference, &other.reference),
                None => value,
            })
        };
        let is_query =
            |name: &String| operations.iter().any(|it| it.name == *name && it.not_found.is_some());
        if sample.query.as_ref().is_some_and(|name| !is_query(name)) {
            mistakes.add(&file.place_of("sample", "query"), "is no query with not_found");
        }
        let asked = sample.query.as_deref().and_then(request_of);
        let created = sample.before.and_then(|_| request_of(CREATES));
        if let Some(sample) = &mut operations[index].sample {
            (sample.asked, sample.created) = (asked, created);
        }
    }
}

impl Value {
    /// The same with another text at the first of these JSON Pointers that it has.
    fn with_reference(mut self, reference: &str, pointers: &[String]) -> Self {
        for pointer in pointers {
            let names = pointer.split('/').skip(1);
            let place = names.into_iter().try_fold(&mut self, |value, name| {
                value.parts.iter_mut().find(|part| part.name == name)
            });
            if let Some(place) = place {
                reference.clone_into(&mut place.text);
                break;
            }
        }
        self
    }
}

/// Reads the request of one sample.
struct Reader<'o> {
    objects: &'o IndexMap<String, Object>,
    found: &'o str,
    types: Vec<String>,
    file: &'o Text,
    mistakes: &'o mut Mistakes,
}

impl Reader<'_> {
    /// Adds a mistake in the member `name` of the sample.
    fn add(&mut self, name: &str, what: impl std::fmt::Display) {
        let mut is_sample = false;
        let line = self.file.text.lines().position(|line| {
            if line.starts_with('[') {
                is_sample = line.starts_with("[sample");
            }
            is_sample && line.split('=').next().is_some_and(|it| it.trim() == name)
        });
        let place = match line {
            Some(index) => format!("{}:{}", self.file.path, index + 1),
            None => self.file.place("[sample.request"),
        };
        self.mistakes.add(&place, what);
    }

    fn object(&mut self, object: &Object, given: &Table) -> Value {
        for name in given.keys().filter(|name| !object.members.contains_key(*name)) {
            self.add(name, format!("{} has no {name}", object.name));
        }
        let missing = object.members.values().filter(|it| it.is_required);
        for member in missing.filter(|it| !given.contains_key(&it.name)) {
            self.add("", format!("{} needs {}", object.name, member.name));
        }
        let parts = given.iter().filter_map(|(name, given)| {
            let member = object.members.get(name)?;
            let value = self.value(member, given);
            let is_list = value.kind == Kind::List;
            let is_optional = !member.is_required && !is_list;
            Some(Value { name: name.clone(), is_optional, ..value })
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
            (Given::String(text), _, None) if text.starts_with('{') => Value {
                kind: Kind::Found,
                text: text.trim_matches(['{', '}']).to_owned(),
                found: self.found.to_owned(),
                ..Value::default()
            },
            (Given::String(text), shape, None) if shape != "integer" => {
                let kind = if shape == "amount" { Kind::Amount } else { Kind::Text };
                Value { kind, text: text.clone(), ..Value::default() }
            }
            (Given::Integer(number), "integer", _) => {
                Value { kind: Kind::Integer, text: number.to_string(), ..Value::default() }
            }
            (Given::Table(given), "object", Some(inner)) => self.object(inner, given),
            (Given::Array(list), "objects" | "texts_or_objects", Some(inner)) => {
                let element = |given: &Given| match given {
                    Given::String(text) if is_either => Value {
                        kind: Kind::Text,
                        text: text.clone(),
                        is_either,
                        ..Value::default()
                    },
                    Given::Table(given) => Value { is_either, ..self.object(inner, given) },
                    _ => {
                        let what = format!("{} has no such element", member.name);
                        self.add(&member.name, what);
                        Value::default()
                    }
                };
                let parts = list.iter().map(element).collect();
                Value { kind: Kind::List, parts, ..Value::default() }
            }
            _ => {
                let what = format!(
                    "{} has the type {}, and takes {}",
                    member.name,
                    given.type_str(),
                    member.shape
                );
                self.add(&member.name, what);
                Value::default()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::{codes::Codes, operations};

    const GOOD: &str = "errors = []
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
            ("size = 2", "sise = 2", "spec/lamp.toml:9: Lamp has no sise"),
            ("size = 2", "size = '2'", "spec/lamp.toml:9: size has the type string"),
            ("'a', ", "1, ", "spec/lamp.toml:10: parts has no such element"),
            ("name = 'b'", "", "spec/lamp.toml:8: Part needs name"),
            ("[sample.", "[sample]\nquery = 'ask'\n[sample.", "spec/lamp.toml:9: is no query with"),
            (
                "[sample.",
                "[sample]\nbefore = 'confirm'\n[sample.",
                "spec/lamp.toml:8: has both `before` and `reference`",
            ),
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
