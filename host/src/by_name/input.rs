//! JSON inputs, checked.

use payments_base::spelling::nearest;
use payments_core::error::{Error, ErrorCode};
use payments_core::json::{Json, Members};

/// The members of an input.
pub(super) struct Input(Members);

impl Input {
    /// Reads an object that has no members but these.
    pub(super) fn of_members(known: &[&str], input: &[u8]) -> Result<Self, Error> {
        let json = if input.is_empty() { Members::new().into() } else { Json::parse(input)? };
        let Json::Object(members) = json else {
            return Err(Error::validation("input", ErrorCode::WRONG_TYPE, "must be an object"));
        };
        if let Some((name, _)) = members.iter().find(|(name, _)| !known.contains(name)) {
            let meant = nearest(name, known.iter().copied());
            let meant = meant.map(|it| format!("; did you mean {it}?")).unwrap_or_default();
            let message = format!("unknown member{meant}");
            return Err(Error::validation(name, ErrorCode::MEMBER_UNKNOWN, message));
        }
        Ok(Self(members))
    }

    fn given(&self, name: &str) -> Option<&Json> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    pub(super) fn text(&self, name: &str) -> Result<Option<&str>, Error> {
        let wrong = || Error::validation(name, ErrorCode::WRONG_TYPE, "must be a string");
        self.given(name).map(|value| value.as_str().ok_or_else(wrong)).transpose()
    }

    pub(super) fn texts(&self, name: &str) -> Result<Vec<&str>, Error> {
        let wrong =
            || Error::validation(name, ErrorCode::WRONG_TYPE, "must be an array of strings");
        let elements = self.given(name).and_then(Json::as_array).ok_or_else(wrong)?;
        elements.iter().map(|it| it.as_str().ok_or_else(wrong)).collect()
    }

    pub(super) fn object(&self, name: &str) -> Result<Option<&Members>, Error> {
        let wrong = || Error::validation(name, ErrorCode::WRONG_TYPE, "must be an object");
        self.given(name).map(|value| value.as_object().ok_or_else(wrong)).transpose()
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.given(name).is_some()
    }

    pub(super) fn number(&self, name: &str) -> Result<Option<u64>, Error> {
        let wrong = || Error::validation(name, ErrorCode::WRONG_TYPE, "must be a whole number");
        self.given(name).map(|value| value.as_u64().ok_or_else(wrong)).transpose()
    }

    pub(super) fn flag(&self, name: &str) -> Result<Option<bool>, Error> {
        let wrong = || Error::validation(name, ErrorCode::WRONG_TYPE, "must be true or false");
        self.given(name).map(|value| value.as_bool().ok_or_else(wrong)).transpose()
    }

    pub(super) fn required<T>(&self, name: &str, value: Option<T>) -> Result<T, Error> {
        value.ok_or_else(|| Error::validation(name, ErrorCode::REQUIRED, "required"))
    }
}
