//! Reads a JSON object member by member, so that errors say where they
//! occurred.

use std::collections::BTreeMap;

use payments_base::spelling::nearest;
use serde_json::{Value, json};

/// The members of one object. A member that is never read is an error, so that
/// a misspelled name cannot make a test pass.
pub(crate) struct JsonForm<'a> {
    place: String,
    left: BTreeMap<&'a str, &'a Value>,
}

impl<'a> JsonForm<'a> {
    pub(crate) fn of(value: &'a Value, place: &str) -> Result<Self, String> {
        let object = value.as_object().ok_or_else(|| format!("{place}: not an object"))?;
        let left = object.iter().map(|(name, value)| (name.as_str(), value)).collect();
        Ok(Self { place: place.to_owned(), left })
    }

    pub(crate) fn take(&mut self, name: &str) -> Option<&'a Value> {
        self.left.remove(name)
    }

    pub(crate) fn text(&mut self, name: &str) -> Result<Option<&'a str>, String> {
        self.take(name)
            .map(|value| value.as_str().ok_or_else(|| self.wrong(name, "a text")))
            .transpose()
    }

    pub(crate) fn number(&mut self, name: &str) -> Result<Option<u64>, String> {
        self.take(name)
            .map(|value| value.as_u64().ok_or_else(|| self.wrong(name, "a whole number")))
            .transpose()
    }

    pub(crate) fn size(&mut self, name: &str) -> Result<Option<usize>, String> {
        let number = self.number(name)?;
        number
            .map(|number| usize::try_from(number).map_err(|_| self.wrong(name, "a size")))
            .transpose()
    }

    pub(crate) fn needed(&self, name: &str) -> String {
        format!("{}.{name}: required", self.place)
    }

    pub(crate) fn wrong(&self, name: &str, wanted: &str) -> String {
        format!("{}.{name}: not {wanted}", self.place)
    }

    /// The refusal of a name that is not `wanted`, with the nearest one that is
    /// known, or all of them.
    pub(crate) fn unknown<'k>(
        &self,
        member: &str,
        wanted: &str,
        name: &str,
        known: impl IntoIterator<Item = &'k str>,
    ) -> String {
        let known: Vec<&str> = known.into_iter().collect();
        let advice = match nearest(name, known.iter().copied()) {
            Some(nearest) => format!("did you mean {nearest:?}?"),
            None => format!("it is one of {}", known.join(", ")),
        };
        format!("{}; {advice}", self.wrong(member, &format!("{wanted} ({name:?})")))
    }

    pub(crate) fn boolean(&mut self, name: &str) -> Result<Option<bool>, String> {
        self.take(name)
            .map(|value| value.as_bool().ok_or_else(|| self.wrong(name, "a boolean")))
            .transpose()
    }

    pub(crate) fn finish(self) -> Result<(), String> {
        match self.left.keys().next() {
            Some(name) => Err(format!("{}.{name}: unknown member", self.place)),
            None => Ok(()),
        }
    }
}

/// Parses a body as JSON; an empty one is an empty object.
pub(crate) fn read_json(body: &[u8]) -> Result<Value, String> {
    if body.is_empty() {
        return Ok(json!({}));
    }
    serde_json::from_slice(body).map_err(|error| format!("the body is not JSON: {error}"))
}
