//! The types of the request tables.

use crate::model::json::{Json, Members};

/// An object of a request: the request itself, or one inside it.
#[derive(Debug)]
pub struct RequestObject {
    /// Its members, in the order in which typed requests write them.
    pub fields: &'static [RequestMember],
    /// How members that are in no table are handled.
    pub others: Others,
    /// Whether it may hold its own integration key.
    pub holds_key: bool,
}

impl RequestObject {
    /// The member whose object may hold an integration key too.
    pub fn inner_key_holder(&self) -> Option<&'static str> {
        let holds_key =
            |field: &&RequestMember| field.shape.object().is_some_and(|it| it.holds_key);
        self.fields.iter().find(holds_key).map(|field| field.name)
    }
}

/// How members of an object that are in no table are handled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Others {
    /// They are refused.
    Refused,
    /// They are refused, except in `extra`.
    InExtra,
    /// They are sent, unless they resemble a known one; in `extra` all are sent.
    Pass,
}

/// The object for members that are in no table and are sent on purpose. Every
/// object of a body or query may hold one.
pub const EXTRA: &str = "extra";

/// One member of a request.
#[derive(Debug)]
pub struct RequestMember {
    /// The name on the wire and in every language.
    pub name: &'static str,
    /// The type of its value.
    pub shape: RequestShape,
    /// Whether it must be given, if its condition is met.
    pub presence: Presence,
    /// When that holds; otherwise it may be left out. `None` if always.
    pub condition: Option<Condition>,
    /// Its meaning, with its unit or form, in one line.
    pub meaning: &'static str,
    /// Known values; other texts are accepted too.
    pub examples: &'static [&'static str],
}

impl RequestMember {
    /// Whether it must be given in an object with these members.
    pub fn presence_in(&self, members: &Members) -> Presence {
        let is_met = self.condition.as_ref().is_none_or(|it| it.is_met_by(members));
        if is_met { self.presence } else { Presence::Optional }
    }

    /// Whether every object must have it.
    pub fn is_required(&self) -> bool {
        self.presence == Presence::Required && self.condition.is_none()
    }
}

/// The type of a member.
#[derive(Debug)]
pub enum RequestShape {
    /// A text; a required one must not be blank.
    Text,
    /// A decimal amount above zero: a JSON number, or a text that holds one,
    /// which is written as a number.
    Amount,
    /// A number without a fraction or exponent.
    Integer,
    /// Two lower-case letters, for example `br`.
    LowerCountry,
    /// Two upper-case letters, for example `BR`.
    UpperCountry,
    /// Three letters, for example `BRL`.
    Currency,
    /// An object of any members.
    Open,
    /// Query parameters: an object of texts, or an array of pairs of them.
    Parameters,
    /// An object.
    Object(&'static RequestObject),
    /// An array of objects.
    Objects(&'static RequestObject),
    /// A non-empty array. Each element is a text that is not blank, or an
    /// object.
    TextsOrObjects(&'static RequestObject),
}

impl RequestShape {
    /// The members of the objects that stand there.
    pub fn fields(&self) -> &'static [RequestMember] {
        self.object().map_or(&[], |object| object.fields)
    }

    /// The object type, alone or in an array.
    pub const fn object(&self) -> Option<&'static RequestObject> {
        match self {
            Self::Object(object) | Self::Objects(object) | Self::TextsOrObjects(object) => {
                Some(object)
            }
            _ => None,
        }
    }
}

/// Whether a member must be given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Presence {
    /// It must be given.
    Required,
    /// It may be left out. `null` counts as left out and is not written.
    Optional,
    /// Exactly one of the object's members with this presence must be given.
    OneOf,
    /// At least one of the object's members with this presence must be given.
    AtLeastOne,
}

/// A text that another member of the object has, or has not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Condition {
    /// The name of that member.
    pub member: &'static str,
    /// The text.
    pub value: &'static str,
    /// Whether it must have the text; otherwise it must not.
    pub holds: bool,
}

impl Condition {
    /// Whether an object with these members meets it.
    pub fn is_met_by(&self, members: &Members) -> bool {
        let has_value = members.get(self.member).and_then(Json::as_str) == Some(self.value);
        has_value == self.holds
    }

    /// The condition in words, for example `for country "br"`.
    pub fn words(&self) -> String {
        let Self { member, value, holds } = self;
        let word = if *holds { "for" } else { "except for" };
        format!("{word} {member} {value:?}")
    }
}
