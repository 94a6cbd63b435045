//! JSON trees: ordered, with numbers kept as text.
//!
//! Parsing keeps every number as written and every member in its place; writing
//! is compact. `Debug` shows the shape only, since values are payer data.

// - `read.rs`, `write.rs`, `error.rs`: parsing, writing, and why a document cannot be parsed
// - `path.rs`, `pointer.rs`: paths in messages, and JSON Pointer
// - `float.rs`: floats as numbers of JSON

mod error;
mod float;
pub(crate) mod path;
mod pointer;
mod read;
mod write;

use std::fmt;

use zeroize::Zeroize as _;

pub use error::{JsonError, JsonErrorKind};
#[doc(hidden)]
pub use float::FloatError;
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

/// The members of a JSON object, in order.
///
/// Lookups are linear, since the objects of this interface are small. Only
/// [`push`](Self::push) and the like can add a duplicate member; a request with
/// duplicates is refused. Texts are wiped when dropped: they may be payer data
/// or secrets of a configuration.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Members(Vec<(String, Json)>);

impl Members {
    /// No members.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// No members, with room for `capacity`.
    pub fn with_capacity(capacity: usize) -> Self {
        Self(Vec::with_capacity(capacity))
    }

    /// The number of members.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The value of the first member with that name.
    pub fn get(&self, name: &str) -> Option<&Json> {
        self.0.iter().find(|(own, _)| own == name).map(|(_, value)| value)
    }

    /// A mutable reference to the value of the first member with that name.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Json> {
        self.0.iter_mut().find(|(own, _)| own == name).map(|(_, value)| value)
    }

    /// Whether there is a member with that name.
    pub fn contains(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Appends a member without checking for duplicates.
    pub fn push(&mut self, name: impl Into<String>, value: impl Into<Json>) {
        self.0.push((name.into(), value.into()));
    }

    /// Inserts a member at the front without checking for duplicates.
    pub fn insert_first(&mut self, name: impl Into<String>, value: impl Into<Json>) {
        self.0.insert(0, (name.into(), value.into()));
    }

    /// Replaces the value of the member with that name, or appends it.
    pub fn set(&mut self, name: &str, value: impl Into<Json>) {
        match self.get_mut(name) {
            Some(place) => *place = value.into(),
            None => self.push(name, value),
        }
    }

    /// Removes the first member with that name. The others keep their order.
    pub fn remove(&mut self, name: &str) -> Option<Json> {
        let index = self.0.iter().position(|(own, _)| own == name)?;
        Some(self.0.remove(index).1)
    }

    /// Names and values, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Json)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// The first duplicate name.
    pub fn first_duplicate(&self) -> Option<&str> {
        /// Up to this number, comparing all pairs is cheaper than hashing.
        const FEW: usize = 24;
        if self.0.len() <= FEW {
            let mut names = self.0.iter().enumerate();
            return names.find_map(|(index, (name, _))| {
                self.0[..index].iter().any(|(other, _)| other == name).then_some(name.as_str())
            });
        }
        let mut seen = std::collections::HashSet::with_capacity(self.0.len());
        self.0.iter().map(|(name, _)| name.as_str()).find(|name| !seen.insert(*name))
    }
}

/// Shows the number of members only.
impl fmt::Debug for Members {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Members({})", self.0.len())
    }
}

impl IntoIterator for Members {
    type Item = (String, Json);
    type IntoIter = std::vec::IntoIter<(String, Json)>;

    fn into_iter(mut self) -> Self::IntoIter {
        std::mem::take(&mut self.0).into_iter()
    }
}

/// Nested members wipe themselves.
impl Drop for Members {
    fn drop(&mut self) {
        fn wipe(value: &mut Json) {
            match value {
                Json::String(text) | Json::Number(text) => text.zeroize(),
                Json::Array(elements) => elements.iter_mut().for_each(wipe),
                Json::Object(_) | Json::Bool(_) | Json::Null => {}
            }
        }
        self.0.iter_mut().for_each(|(_, value)| wipe(value));
    }
}

impl<N: Into<String>, V: Into<Json>> FromIterator<(N, V)> for Members {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(members: I) -> Self {
        Self(members.into_iter().map(|(name, value)| (name.into(), value.into())).collect())
    }
}

impl<N: Into<String>, V: Into<Json>, const LEN: usize> From<[(N, V); LEN]> for Members {
    fn from(members: [(N, V); LEN]) -> Self {
        members.into_iter().collect()
    }
}
