//! The objects of responses: `[responses.NAME]` in the file of the operation that
//! defines them.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::codes::Codes;
use super::operations::Operation;
use super::requests::unit_of_amount;
use super::{Mistakes, Text};

/// Where the functions and types that `by_hand` names are.
const BY_HAND: &str = "core/src/model/request/response.rs";

/// The objects of responses.
#[derive(Default, Serialize)]
pub(crate) struct Responses {
    /// Every object by the name of its type, for example `PaymentResponse`.
    objects: IndexMap<String, Object>,
    /// The responses to operations with a JSON request, in their order.
    of_requests: Vec<String>,
    /// Those of them that the test kits make from their members alone.
    made: Vec<String>,
    /// The responses of other operations, which the library makes.
    others: Vec<String>,
    /// The objects inside responses.
    inner: Vec<String>,
    /// The objects that the service sends. Those that the library makes have all
    /// members.
    sent: Vec<String>,
}

/// A response, or an object inside one.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Object {
    /// The name of its type.
    #[serde(skip_deserializing)]
    name: String,
    /// Its description, in sentences.
    doc: String,
    /// Where the interface states it.
    section: Option<String>,
    /// The type of the data that it keeps besides its body, if it cannot be
    /// read without its request.
    by_hand: Option<String>,
    /// The values of a test kit's response besides its members, by JSON
    /// Pointers.
    #[serde(default)]
    sample: IndexMap<String, String>,
    /// The object of the body that its first member is in.
    #[serde(skip_deserializing)]
    holder: String,
    /// Whether values of a type other than the stated one count as missing.
    #[serde(default)]
    lenient: bool,
    /// The ways to pay, by the first member that the body has.
    #[serde(default)]
    actions: Vec<Action>,
    /// Its members, by their names in every language.
    members: IndexMap<String, Member>,
    /// The operations that return it.
    #[serde(skip_deserializing)]
    operations: Vec<String>,
    /// The required type at the places of its members.
    #[serde(skip_deserializing)]
    body: Body,
}

/// A way to pay that a payer is shown if the body has a member.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Action {
    /// Its kind, for example `pay_slip`.
    kind: String,
    /// The member, by its name.
    value: String,
    /// The member that belongs to it.
    reference: Option<String>,
    /// The places of the two in the body.
    #[serde(skip_deserializing)]
    places: [Vec<String>; 2],
}

/// JSON Pointers into a body, by the type of a value there.
#[derive(Default, Serialize)]
struct Body {
    objects: Vec<String>,
    texts: Vec<String>,
    texts_or_numbers: Vec<String>,
}

impl Body {
    fn of(members: &IndexMap<String, Member>) -> Self {
        let mut body = Self::default();
        let stated = members.values().filter(|it| it.stated);
        let add = |list: &mut Vec<String>, pointer: &str| {
            if !list.iter().any(|it| it == pointer) {
                list.push(pointer.to_owned());
            }
        };
        for (member, at) in stated.flat_map(|it| it.at.iter().map(move |at| (it, at))) {
            let holders = at.match_indices('/').filter(|(end, _)| *end > 0);
            holders.for_each(|(end, _)| add(&mut body.objects, &at[..end]));
            if member.or_number {
                add(&mut body.texts_or_numbers, at)
            } else {
                add(&mut body.texts, at)
            }
        }
        body
    }
}

/// One member. By default a text that may be missing, and that logs do not show.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Member {
    /// `text`, `integer`, `flag`, or `amount` in an inner object; a set of codes or an object by its name, or a
    /// list of objects: `[TrackingResult]`.
    #[serde(default = "text", rename = "type")]
    of: String,
    /// The same in one word: one of these, or `code`, `object` or `objects`.
    #[serde(skip_deserializing)]
    shape: String,
    /// Texts that are known; others are kept.
    #[serde(default)]
    known: Vec<String>,
    /// Where the body has it: the first of these JSON Pointers with a value. An
    /// inner object has it under its name.
    #[serde(default)]
    at: Vec<String>,
    /// Whether the service may send a number for the text.
    #[serde(default)]
    or_number: bool,
    /// Whether it is the state of the operation's object: a top-level `status`
    /// that describes the call, as `SUCCESS` and `ERROR` do, does not count.
    #[serde(default)]
    state: bool,
    /// Whether the interface states it. Values that it does not state may have
    /// any type.
    #[serde(default = "yes")]
    stated: bool,
    /// The code of another member with which this flag is true.
    when: Option<IndexMap<String, String>>,
    /// Whether it is read with the request, and kept: its type has the function `read`.
    #[serde(default)]
    kept: bool,
    /// Whether it is the text of a QR code, which a method draws.
    #[serde(default)]
    qr: bool,
    /// The function that reads it, if that needs more than its places.
    by_hand: Option<String>,
    /// Whether it is never missing.
    #[serde(default)]
    always: bool,
    /// Whether logs may show it: it is neither secret nor data of a person.
    #[serde(default)]
    shown: bool,
    /// Its value in a response of a test kit.
    sample: Option<String>,
    /// The column of the journal that keeps it: `hash` or `uid`, or `code`, which is
    /// kept for operations that the service executed and cancelled at once. With
    /// `reference`, the journal compares it with that column.
    journal: Option<String>,
    /// Its meaning: a phrase without a full stop.
    doc: String,
}

fn text() -> String {
    "text".to_owned()
}

fn yes() -> bool {
    true
}

impl Member {
    /// Fills in derived values.
    fn complete(&mut self, codes: &Codes) -> Result<(), &'static str> {
        let list = self.of.strip_prefix('[').and_then(|of| of.strip_suffix(']'));
        let (shape, of) = match (self.of.as_str(), list) {
            (plain @ ("text" | "integer" | "flag" | "amount"), _) => (plain, plain),
            (_, Some(of)) => ("objects", of),
            (set, None) if codes.contains_key(set) => ("code", set),
            (object, None) => ("object", object),
        };
        (self.shape, self.of) = (shape.to_owned(), of.to_owned());
        if self.doc.is_empty() || self.doc.ends_with('.') {
            return Err("needs a phrase without a full stop as doc");
        }
        let is_read = matches!(self.shape.as_str(), "text" | "code" | "flag" | "objects");
        if !self.at.is_empty() && !is_read {
            return Err("needs by_hand: by its place, no number or object is read");
        }
        if self.at.iter().any(|at| !at.starts_with('/')) {
            return Err("stands at what is no JSON Pointer");
        }
        let columns = ["hash", "uid", "code", "reference"];
        if self.journal.as_deref().is_some_and(|it| !columns.contains(&it)) {
            return Err("is for the column `hash`, `uid`, `code` or `reference` of the journal");
        }
        Ok(())
    }
}

/// The places of a member of an action: as described, or in `payment` and
/// beside it.
fn places_of(name: &str, members: &IndexMap<String, Member>) -> Vec<String> {
    match members.get(name) {
        Some(member) => member.at.clone(),
        None => vec![format!("/payment/{name}"), format!("/{name}")],
    }
}

impl Object {
    /// Fills in derived values, and checks the object.
    fn complete(&mut self, name: &str, codes: &Codes, file: &Text, mistakes: &mut Mistakes) {
        self.name = name.to_owned();
        if !self.doc.ends_with('.') {
            let place = file.place(&format!("[responses.{name}]"));
            mistakes.add(&place, format!("the doc of {name} is no sentence"));
        }
        self.body = Body::of(&self.members);
        for action in &mut self.actions {
            action.places = [Some(&action.value), action.reference.as_ref()]
                .map(|name| name.map(|it| places_of(it, &self.members)).unwrap_or_default());
        }
        self.holder = self.body.objects.first().map(|it| it[1..].to_owned()).unwrap_or_default();
        let members = format!("responses.{name}.members");
        for (name, member) in &mut self.members {
            let completed = member.complete(codes);
            if let Err(what) = completed.and_then(|()| unit_of_amount(name, &member.doc)) {
                mistakes.add(&file.place_of(&members, name), format!("{name} {what}"));
            }
        }
        for (name, member) in &self.members {
            for (other, code) in member.when.iter().flatten() {
                let set = self.members.get(other).and_then(|it| codes.get(&it.of));
                if !set.is_some_and(|set| set.codes.contains_key(code)) {
                    let what = format!("no member {other} can be {code}");
                    mistakes.add(&file.place_of(&members, name), what);
                }
            }
        }
    }
}

impl Responses {
    /// The names of the members of responses to requests.
    pub(crate) fn member_names(&self) -> Vec<&str> {
        let objects = self.of_requests.iter().filter_map(|name| self.objects.get(name));
        objects.flat_map(|it| it.members.keys().map(String::as_str)).collect()
    }

    /// The kinds of the actions of an object, each with its members, in their order.
    pub(super) fn actions(&self, name: &str) -> impl Iterator<Item = (&str, Vec<&str>)> {
        self.objects.get(name).into_iter().flat_map(|it| &it.actions).map(|it| {
            let names = std::iter::once(&it.value).chain(&it.reference);
            (it.kind.as_str(), names.map(String::as_str).collect())
        })
    }

    /// Checks that everything named is there, and notes which objects are inside
    /// others.
    fn connect(&mut self, name: &str, by_hand: &str, file: &Text, mistakes: &mut Mistakes) {
        let object = &self.objects[name];
        let is_there = |kind: &str, name: &Option<String>| {
            name.as_ref().is_none_or(|name| by_hand.contains(&format!("{kind} {name}")))
        };
        if !is_there("struct", &object.by_hand) {
            let place = file.place_of(&format!("responses.{name}"), "by_hand");
            mistakes.add(&place, format!("{BY_HAND} has no such type"));
        }
        for (key, member) in &object.members {
            let place = || file.place_of(&format!("responses.{name}.members"), key);
            if !is_there("fn", &member.by_hand) {
                mistakes.add(&place(), format!("{BY_HAND} has no such function for {key}"));
            }
            if !member.shape.starts_with("object") || self.inner.contains(&member.of) {
                continue;
            }
            let Some(inner) = self.objects.get(&member.of) else {
                mistakes.add(&place(), format!("there is no [responses.{}]", member.of));
                continue;
            };
            if !member.at.is_empty() && member.shape == "objects" && !inner.lenient {
                let what = "is a list at a place, so its objects need lenient = true";
                mistakes.add(&place(), format!("{key} {what}"));
            }
            self.inner.push(member.of.clone());
        }
    }

    /// Notes that an operation returns an object. Returns whether that is there.
    fn is_returned(&mut self, name: &str, operation: &Operation) -> bool {
        let Some(object) = self.objects.get_mut(name) else { return false };
        if object.operations.is_empty() {
            let list = if operation.is_typed { &mut self.of_requests } else { &mut self.others };
            list.push(name.to_owned());
            if operation.is_typed && object.by_hand.is_none() {
                self.made.push(name.to_owned());
            }
        }
        object.operations.push(operation.name.clone());
        true
    }
}

fn file_of<'f>(files: &'f [Text], operation: &Operation) -> Option<&'f Text> {
    files.iter().find(|file| file.path.ends_with(&format!("/{}.toml", operation.name)))
}

/// Takes the objects of responses out of the operations in these files.
pub(super) fn read(
    files: &[Text],
    operations: &mut [Operation],
    codes: &Codes,
    mistakes: &mut Mistakes,
) -> Responses {
    let by_hand = crate::file::read(BY_HAND);
    let mut responses = Responses::default();
    let mut defined = Vec::new();
    for operation in &mut *operations {
        let Some(file) = file_of(files, operation) else { continue };
        for (name, mut object) in std::mem::take(&mut operation.responses) {
            object.complete(&name, codes, file, mistakes);
            if responses.objects.contains_key(&name) {
                let place = file.place(&format!("[responses.{name}]"));
                mistakes.add(&place, format!("{name} is defined twice"));
            }
            if object.members.values().any(|member| !member.always) {
                responses.sent.push(name.clone());
            }
            defined.push((file, name.clone()));
            responses.objects.insert(name, object);
        }
    }
    for operation in operations {
        if let Some(name) = &operation.response
            && !responses.is_returned(name, operation)
            && let Some(file) = file_of(files, operation)
        {
            let place = file.place_of("", "response");
            mistakes.add(&place, format!("there is no [responses.{name}]"));
        }
    }
    for (file, name) in &defined {
        responses.connect(name, &by_hand, file, mistakes);
    }
    for (file, name) in defined {
        if responses.objects[&name].operations.is_empty() && !responses.inner.contains(&name) {
            let place = file.place(&format!("[responses.{name}]"));
            mistakes.add(&place, format!("nothing returns {name}"));
        }
    }
    responses
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::{codes, operations};

    const GOOD: &str = "errors = []
http = 'GET /x'
changes = 'nothing'
summary = 'Reads it.'
response = 'Lamp'
[when_executed]
advice = 'read it again'
[responses.Lamp]
doc = 'A lamp.'
[responses.Lamp.members]
light = { type = 'Light', at = ['/light'], doc = 'its light' }
is_on = { type = 'flag', when = { light = 'ON' }, doc = 'whether it is on' }
hash = { journal = 'hash', doc = 'its hash' }
parts = { type = '[Part]', doc = 'its parts' }
[responses.Part]
doc = 'A part.'
[responses.Part.members]
size = { type = 'integer', always = true, doc = 'its size' }
";

    fn mistakes(text: &str) -> Vec<String> {
        let set = "[Light]\ndoc = 'A light.'\n[Light.codes]\nON = { name = 'On', doc = 'on' }\n";
        let sets = Text { path: String::new(), text: set.to_owned() };
        let files = [Text { path: "spec/lamp.toml".to_owned(), text: text.to_owned() }];
        let mut mistakes = Mistakes::default();
        let codes = codes::read(&sets, &mut mistakes);
        let mut operations = operations::read(&files, &codes, &mut mistakes);
        read(&files, &mut operations, &codes, &mut mistakes);
        mistakes.0
    }

    #[test]
    fn a_mistake_is_named_with_its_file_and_line() {
        assert_eq!(mistakes(GOOD), [""; 0]);
        for (right, wrong, expected) in [
            ("'Lamp'", "'Lam'", "5: there is no [responses.Lam]"),
            ("lamp.", "lamp", "8: the doc of Lamp is no sentence"),
            ("'/light'", "'light'", "11: light stands at what is no JSON Pointer"),
            ("its light", "Its light.", "11: light needs a phrase without a full stop as doc"),
            ("'Light'", "'Ligt'", "11: there is no [responses.Ligt]"),
            ("'ON'", "'OF'", "12: no member light can be OF"),
            ("= 'hash', doc", "= 'id', doc", "13: hash is for the column `hash`, `uid`, `code` or"),
            ("hash = { journal = 'hash',", "amount = {", "13: amount needs its unit in its doc"),
            ("journal = 'hash'", "by_hand = 'it'", "13: core/src/model/request/response.rs has no"),
            ("'[Part]'", "'[Par]'", "14: there is no [responses.Par]"),
            ("'its parts'", "'x', at = ['/x']", "14: parts is a list at a place, so"),
            ("'[Part]'", "'Lamp'", "15: nothing returns Part"),
        ] {
            let found = mistakes(&GOOD.replacen(right, wrong, 1));
            let expected = format!("spec/lamp.toml:{expected}");
            assert!(found.iter().any(|it| it.starts_with(&expected)), "{expected} {found:?}");
        }
        let found = mistakes(&GOOD.replace("always", "alway"));
        assert!(found[0].starts_with("spec/lamp.toml:18: unknown field `alway`"), "{found:?}");
    }
}
