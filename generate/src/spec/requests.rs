//! The objects of requests, which are in the file of their operation.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::{Mistakes, Text};
use crate::filters::in_capital;

/// An object of a request: the request itself, or one inside it.
#[derive(Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Object {
    /// The name of its type: `Payment`.
    #[serde(skip_deserializing)]
    pub(crate) name: String,
    /// Its description, in one sentence.
    pub(crate) doc: String,
    /// Further sentences.
    #[serde(default)]
    pub(crate) details: String,
    /// Where the interface states it; none if it does not.
    pub(crate) section: Option<String>,
    /// How members that are not described are handled.
    pub(crate) others: Others,
    /// Whether it may hold its own integration key.
    #[serde(default)]
    pub(crate) key: bool,
    /// The name of the type in Rust of the members of a request, if several are
    /// required: `Payout`, which makes a `CreatePayout`.
    pub(crate) body: Option<String>,
    /// Whether the type in Rust has an example, in `core/src/model/request/typed`.
    #[serde(default)]
    pub(crate) example: bool,
    /// The type in Rust of an element of a list of texts and of these objects.
    pub(crate) or_text: Option<OrText>,
    /// Its members, in the order in which typed requests write them.
    pub(crate) members: IndexMap<String, Member>,
}

/// A text or an object.
#[derive(Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OrText {
    /// The name of the type.
    name: String,
    /// The names of its two forms.
    text: String,
    object: String,
    /// Its description, in sentences.
    doc: String,
}

/// How members of an object that are not described are handled.
#[derive(Clone, Copy, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Others {
    /// They are refused.
    Refused,
    /// They are refused, except in `extra`.
    InExtra,
    /// They are sent, unless they resemble a known one; in `extra` all are sent.
    Pass,
}

/// One member of a request. By default an optional text that the interface
/// states, and that logs do not show.
#[derive(Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Member {
    /// The name on the wire and in every language.
    #[serde(skip_deserializing)]
    pub(crate) name: String,
    /// `text`, `amount`, `integer`, `lower_country`, `upper_country`, `currency`,
    /// `parameters` or `open`, an object of any members; an object by its name,
    /// or a list of them: `[Item]`, `[text or TrackingDetails]`.
    #[serde(default = "text", rename = "type")]
    pub(crate) of: String,
    /// The type without the name of the object: one of the words above, or
    /// `object`, `objects` or `texts_or_objects`.
    #[serde(skip_deserializing)]
    pub(crate) shape: String,
    /// The name of the object, alone or in a list.
    #[serde(skip_deserializing)]
    pub(crate) object: Option<String>,
    /// Whether it must be given.
    #[serde(default)]
    pub(crate) required: bool,
    /// Whether exactly one of the members that say so must be given.
    #[serde(default)]
    pub(crate) one_of: bool,
    /// Whether at least one of the members that say so must be given.
    #[serde(default)]
    pub(crate) at_least_one: bool,
    /// It must be given only if this member of the object has this value:
    /// `{ country = "br" }`.
    #[serde(default, rename = "if", skip_serializing)]
    only_if: IndexMap<String, String>,
    /// It must be given unless this member of the object has this value.
    #[serde(default, skip_serializing)]
    unless: IndexMap<String, String>,
    /// `only_if` and `unless` in one.
    #[serde(skip_deserializing)]
    pub(crate) condition: Option<Condition>,
    /// In one word, whether it must be given: `required`, `one_of`,
    /// `at_least_one` or `optional`.
    #[serde(skip_deserializing)]
    pub(crate) presence: String,
    /// The same in words, with the condition.
    #[serde(skip_deserializing)]
    pub(crate) needed: String,
    /// Whether it is required without a condition.
    #[serde(skip_deserializing)]
    pub(crate) is_required: bool,
    /// Whether the interface states it.
    #[serde(default = "yes")]
    pub(crate) stated: bool,
    /// Whether logs may show it: it is neither secret nor payer data.
    #[serde(default)]
    pub(crate) shown: bool,
    /// Whether it is written before the members that are already there.
    #[serde(default)]
    pub(crate) first: bool,
    /// Known values; other texts are accepted too.
    #[serde(default)]
    pub(crate) examples: Vec<String>,
    /// The list of codes in `spec/methods.toml` that are its examples.
    pub(crate) known: Option<Known>,
    /// The least and the most characters that services are seen to take.
    pub(crate) characters: Option<[u32; 2]>,
    /// Its meaning, with its unit or form: a phrase without a full stop.
    pub(crate) doc: String,
    /// Further sentences.
    #[serde(default)]
    pub(crate) details: String,
    /// Its meaning, and whether it is required, as sentences.
    #[serde(skip_deserializing)]
    pub(crate) meaning: String,
    /// Whether `null` omits it. A null amount is an error, since it was probably
    /// lost by accident.
    #[serde(skip_deserializing)]
    pub(crate) may_be_null: bool,
}

/// A list of codes in `spec/methods.toml`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Known {
    Countries,
    Currencies,
    Methods,
}

/// When an otherwise optional member must be given.
#[derive(Clone, PartialEq, Deserialize, Serialize)]
pub(crate) struct Condition {
    /// Another member of the object, a text.
    pub(crate) member: String,
    pub(crate) value: String,
    /// Whether that member must have the value; otherwise it must not.
    pub(crate) holds: bool,
}

impl Condition {
    fn of(only_if: &IndexMap<String, String>, unless: &IndexMap<String, String>) -> Option<Self> {
        let entries =
            only_if.iter().map(|it| (it, true)).chain(unless.iter().map(|it| (it, false)));
        let mut all = entries.map(|((member, value), holds)| Self {
            member: member.clone(),
            value: value.clone(),
            holds,
        });
        all.next()
    }

    fn words(&self) -> String {
        let word = if self.holds { "if" } else { "unless" };
        format!("{word} `{}` is `{}`", self.member, self.value)
    }
}

/// `spec/requests.toml`: members that objects of requests may have besides
/// their own.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Common {
    /// The integration key of a single request, in objects with `key`.
    pub(crate) integration_key: Member,
    /// The object for members that are not described, except where others are
    /// refused.
    pub(crate) extra: Member,
}

fn text() -> String {
    "text".to_owned()
}

fn yes() -> bool {
    true
}

const PLAIN: [&str; 8] = [
    "text",
    "amount",
    "integer",
    "lower_country",
    "upper_country",
    "currency",
    "parameters",
    "open",
];

impl Member {
    /// Fills in derived values.
    fn complete(&mut self, name: &str) -> Result<(), &'static str> {
        self.name = name.to_owned();
        let of = self.of.as_str();
        let list = of.strip_prefix('[').and_then(|of| of.strip_suffix(']'));
        let (shape, object) = match list.map(|of| of.strip_prefix("text or ").ok_or(of)) {
            _ if PLAIN.contains(&of) => (of, None),
            None => ("object", Some(of)),
            Some(Err(of)) => ("objects", Some(of)),
            Some(Ok(of)) => ("texts_or_objects", Some(of)),
        };
        (self.shape, self.object) = (shape.to_owned(), object.map(str::to_owned));
        self.complete_presence()?;
        self.may_be_null = !self.is_required && !self.one_of && self.shape != "amount";
        if self.doc.is_empty() || self.doc.ends_with('.') {
            return Err("needs a phrase without a full stop as doc");
        }
        if !is_sentences(&self.details) {
            return Err("needs sentences as details");
        }
        unit_of_amount(name, &self.doc)
    }
}

impl Member {
    fn complete_presence(&mut self) -> Result<(), &'static str> {
        if self.only_if.len() + self.unless.len() > 1 {
            return Err("has more than one condition");
        }
        self.condition = Condition::of(&self.only_if, &self.unless);
        let (presence, words) = match (self.required, self.one_of, self.at_least_one) {
            (true, false, false) => ("required", "yes"),
            (false, true, false) => ("one_of", "exactly one of these"),
            (false, false, true) => ("at_least_one", "at least one of these"),
            (false, false, false) if self.condition.is_some() => {
                return Err("has a condition, and may always be left out");
            }
            (false, false, false) => ("optional", "no"),
            _ => return Err("is required in more than one way"),
        };
        self.presence = presence.to_owned();
        self.is_required = self.required && self.condition.is_none();
        self.meaning = format!("{}.", in_capital(&self.doc));
        self.needed = match &self.condition {
            None => words.to_owned(),
            Some(condition) if self.required => {
                let words = condition.words();
                self.meaning += &format!(" Required {words}.");
                words
            }
            Some(condition) => format!("{words}, {}", condition.words()),
        };
        Ok(())
    }
}

/// Whether the doc of a member with an amount names its unit: other services count cents.
///
/// # Errors
/// It does not.
pub(super) fn unit_of_amount(name: &str, doc: &str) -> Result<(), &'static str> {
    if name.starts_with("amount") && !doc.contains("10.50, not 1050") {
        return Err("needs its unit in its doc: 10.50, not 1050 cents");
    }
    Ok(())
}

/// Whether the text ends as a sentence does, or is empty.
pub(super) fn is_sentences(text: &str) -> bool {
    text.is_empty() || text.ends_with('.')
}

impl Object {
    /// Fills in derived values, and checks the object. `table` is its place in
    /// `file`.
    pub(super) fn complete(
        &mut self,
        name: &str,
        table: &str,
        file: &Text,
        mistakes: &mut Mistakes,
    ) {
        self.name = name.to_owned();
        let place = file.place(&format!("[{table}]"));
        for (key, text) in [("doc", &self.doc), ("details", &self.details)] {
            if !is_sentences(text) {
                mistakes.add(&place, format!("the {key} of {name} is no sentence"));
            }
        }
        let members = format!("{table}.members");
        for (name, member) in &mut self.members {
            if let Err(what) = member.complete(name) {
                mistakes.add(&file.place_of(&members, name), format!("{name} {what}"));
            }
        }
        for presence in ["one_of", "at_least_one"] {
            let with = self.members.values().filter(|member| member.presence == presence);
            if with.count() == 1 {
                mistakes.add(&place, format!("only one member of {name} has {presence}"));
            }
        }
        let conditions = self.members.values().filter_map(|member| member.condition.as_ref());
        for Condition { member, .. } in conditions {
            if self.members.get(member).is_none_or(|it| it.object.is_some()) {
                mistakes.add(&place, format!("{name} has no text {member} for a condition"));
            }
        }
    }

    /// Whether one of the members that its type in Rust has by the keys `body`,
    /// `example` and `or_text` is missing, or useless. `above` are the objects
    /// whose members name it; a request has none.
    pub(super) fn check_rust(&self, above: Option<&[&Self]>) -> Vec<String> {
        let mut mistakes = Vec::new();
        let mut check = |is_right: bool, what: String| {
            if !is_right {
                mistakes.push(what);
            }
        };
        let required = self.members.values().filter(|it| it.is_required).count();
        let needs_body = above.is_none() && required > 1;
        check(
            needs_body == self.body.is_some(),
            if needs_body {
                format!(
                    "{} requires several members: give their type in Rust a name with body",
                    self.name
                )
            } else {
                format!("{} has a body, and is no request of several required members", self.name)
            },
        );
        let example = format!("core/src/model/request/typed/{}.md", self.name);
        check(
            !self.example || !crate::file::read(&example).is_empty(),
            format!("{example} does not exist, which example names"),
        );
        let is_either =
            |it: &Member| it.shape == "texts_or_objects" && it.object.as_ref() == Some(&self.name);
        let needs_either =
            above.unwrap_or_default().iter().any(|it| it.members.values().any(is_either));
        check(
            needs_either == self.or_text.is_some(),
            if needs_either {
                format!("a list has texts or {}: name their type in Rust with or_text", self.name)
            } else {
                format!("{} has or_text, and no list has texts or it", self.name)
            },
        );
        if let Some(or_text) = &self.or_text {
            check(
                or_text.doc.ends_with('.'),
                format!("the doc of {} is no sentence", or_text.name),
            );
        }
        mistakes
    }

    /// The objects that its members name.
    pub(super) fn inner(&self) -> impl Iterator<Item = (&str, &str)> {
        let members = self.members.values();
        members.filter_map(|member| Some((&*member.name, member.object.as_deref()?)))
    }
}

/// The contents of `spec/requests.toml`.
pub(super) fn read(file: &Text, mistakes: &mut Mistakes) -> Option<Common> {
    let mut common = file.parsed::<Common>(mistakes)?;
    let both = [("integration_key", &mut common.integration_key), ("extra", &mut common.extra)];
    for (name, member) in both {
        if let Err(what) = member.complete(name) {
            mistakes.add(&file.place(&format!("[{name}]")), format!("{name} {what}"));
        }
    }
    Some(common)
}
