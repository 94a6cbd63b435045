//! The members of a JSON object.

use std::fmt;

use zeroize::Zeroize as _;

use super::Json;

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
