//! JSON trees: ordered, with numbers kept as text.
//!
//! Parsing keeps every number as written and every member in its place; writing
//! is compact. `Debug` shows the shape only, since values are payer data.

mod error;
mod float;
mod members;
pub(crate) mod path;
mod pointer;
mod read;
mod write;

use std::fmt;

pub use error::{JsonError, JsonErrorKind};
#[doc(hidden)]
pub use float::FloatError;
pub use members::Members;
pub use pointer::PointerError;
pub(crate) use pointer::is_pointer;
pub use read::ParseOptions;

/// The deepest nesting of arrays and objects.
pub const MAX_DEPTH: usize = 128;

/// A JSON value.
#[derive(Clone, PartialEq, Eq, Default)]
pub enum Json {
    /// `null`.
    #[default]
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, as its text in the document. It is written verbatim, so it
    /// must follow JSON's grammar: use [`Json::number`] for unchecked text.
    Number(String),
    /// A text, without escapes.
    String(String),
    /// An array.
    Array(Vec<Json>),
    /// An object.
    Object(Members),
}

impl Json {
    /// A number with this text, or `None` if it is not valid in JSON. The text
    /// is kept: `100.10` stays `100.10`.
    pub fn number(text: &str) -> Option<Self> {
        read::is_number(text).then(|| Self::Number(text.to_owned()))
    }

    /// Whether this is `null`.
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// The value of a boolean.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// The exact text of a number.
    pub fn as_number_text(&self) -> Option<&str> {
        match self {
            Self::Number(text) => Some(text),
            _ => None,
        }
    }

    /// The value of a number without fraction or exponent, if it fits.
    pub fn as_i64(&self) -> Option<i64> {
        self.as_number_text().and_then(|text| text.parse().ok())
    }

    /// The value of a number without sign, fraction or exponent, if it fits.
    pub fn as_u64(&self) -> Option<u64> {
        self.as_number_text().and_then(|text| text.parse().ok())
    }

    /// The text of a string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// The text of a string or the exact text of a number. The service sends
    /// amounts as either.
    pub fn as_text_or_number(&self) -> Option<&str> {
        self.as_str().or_else(|| self.as_number_text())
    }

    /// The elements of an array.
    pub fn as_array(&self) -> Option<&[Self]> {
        match self {
            Self::Array(elements) => Some(elements),
            _ => None,
        }
    }

    /// The elements of an array of texts.
    pub(crate) fn as_texts(&self) -> Option<Vec<String>> {
        self.as_array()?.iter().map(|element| element.as_str().map(str::to_owned)).collect()
    }

    /// The members of an object.
    pub fn as_object(&self) -> Option<&Members> {
        match self {
            Self::Object(members) => Some(members),
            _ => None,
        }
    }

    /// The members of an object, mutable.
    pub fn as_object_mut(&mut self) -> Option<&mut Members> {
        match self {
            Self::Object(members) => Some(members),
            _ => None,
        }
    }

    /// The member with that name, if this is an object that has it.
    pub fn get(&self, name: &str) -> Option<&Self> {
        self.as_object().and_then(|members| members.get(name))
    }

    /// The kind of value in words, for example `an object` or `a number`.
    pub fn kind_name(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Number(_) => "a number",
            Self::String(_) => "a string",
            Self::Array(_) => "an array",
            Self::Object(_) => "an object",
        }
    }
}

/// Shows the shape only.
impl fmt::Debug for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("Null"),
            Self::Bool(_) => f.write_str("Bool"),
            Self::Number(_) => f.write_str("Number"),
            Self::String(_) => f.write_str("String"),
            Self::Array(elements) => write!(f, "Array({} elements)", elements.len()),
            Self::Object(members) => write!(f, "Object({} members)", members.len()),
        }
    }
}

impl From<bool> for Json {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<&str> for Json {
    fn from(text: &str) -> Self {
        Self::String(text.to_owned())
    }
}

impl From<String> for Json {
    fn from(text: String) -> Self {
        Self::String(text)
    }
}

impl From<Vec<Json>> for Json {
    fn from(elements: Vec<Json>) -> Self {
        Self::Array(elements)
    }
}

impl From<Members> for Json {
    fn from(members: Members) -> Self {
        Self::Object(members)
    }
}

/// `None` becomes `null`.
impl<T: Into<Json>> From<Option<T>> for Json {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

macro_rules! number_from_integer {
    ($($integer:ty),*) => {$(
        impl From<$integer> for Json {
            fn from(value: $integer) -> Self {
                Self::Number(value.to_string())
            }
        }
    )*};
}
number_from_integer!(u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize);
