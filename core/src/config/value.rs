//! Reads the value of one member into the configuration.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use payments_base::secret::Secret;
use payments_transport::ProxySetting;

use super::headers::path_of;
use super::source::Source;
use super::{AuthOverride, Config, JournalKind, TokenStoreKind};
use crate::model::error::{Error, ErrorCode, messages};
use crate::model::json::{Json, Members};
use crate::model::operation::Operation;

/// The type of a member.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Shape {
    /// A text.
    Text,
    /// A secret text: never shown.
    Secret,
    /// The path of a file, relative to the folder of the configuration file.
    Path,
    /// A whole number.
    Integer,
    /// `true` or `false`; in the environment also `1` and `0`.
    Switch,
    /// Texts; in the environment separated by commas.
    List,
    /// A JSON object, also in the environment.
    Object,
}

/// A member of a configuration.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Its name in JSON. The environment variable is `PAYMENTS_` and this
    /// name in upper case.
    pub name: &'static str,
    /// Its type.
    pub shape: Shape,
    /// Where its value is stored.
    pub(super) destination: fn(&mut Config) -> &mut dyn ConfigField,
}

/// The value given for a member.
#[derive(Clone, Copy)]
pub(super) struct FieldValue<'a> {
    pub(super) field: &'a Field,
    /// The path of the member, or of a member in it.
    pub(super) path: &'a str,
    pub(super) value: &'a Json,
    /// The folder that relative paths refer to.
    pub(super) folder: &'a Path,
}

/// A field of the configuration that knows how to read its value.
pub(super) trait ConfigField {
    fn set(&mut self, given: FieldValue<'_>) -> Result<(), Error>;
}

impl<T: FromJson> ConfigField for T {
    fn set(&mut self, given: FieldValue<'_>) -> Result<(), Error> {
        *self = T::from_json(given)?;
        Ok(())
    }
}

pub(super) trait FromJson: Sized {
    fn from_json(given: FieldValue<'_>) -> Result<Self, Error>;
}

impl<T: FromJson> FromJson for Option<T> {
    fn from_json(given: FieldValue<'_>) -> Result<Self, Error> {
        T::from_json(given).map(Some)
    }
}

impl FromJson for String {
    fn from_json(given: FieldValue<'_>) -> Result<Self, Error> {
        given.text().map(str::to_owned)
    }
}

impl FromJson for bool {
    fn from_json(given: FieldValue<'_>) -> Result<Self, Error> {
        given.value.as_bool().ok_or_else(|| given.wrong_kind("true or false"))
    }
}

impl FromJson for u64 {
    fn from_json(given: FieldValue<'_>) -> Result<Self, Error> {
        given.value.as_u64().ok_or_else(|| match given.value {
            Json::Number(_) => given.wrong("a whole number"),
            _ => given.wrong_kind("a whole number"),
        })
    }
}

/// A number that does not fit means no limit.
impl FromJson for u32 {
    fn from_json(given: FieldValue<'_>) -> Result<Self, Error> {
        u64::from_json(given).map(|count| Self::try_from(count).unwrap_or(Self::MAX))
    }
}

impl FromJson for usize {
    fn from_json(given: FieldValue<'_>) -> Result<Self, Error> {
        u64::from_json(given).map(|count| Self::try_from(count).unwrap_or(Self::MAX))
    }
}

impl FromJson for Duration {
    fn from_json(given: FieldValue<'_>) -> Result<Self, Error> {
        u64::from_json(given).map(Self::from_millis)
    }
}

impl FromJson for Vec<String> {
    fn from_json(given: FieldValue<'_>) -> Result<Self, Error> {
        given.texts("a list of strings")
    }
}

impl FromJson for PathBuf {
    fn from_json(given: FieldValue<'_>) -> Result<Self, Error> {
        Ok(given.folder.join(given.text()?))
    }
}

impl FromJson for Source {
    fn from_json(given: FieldValue<'_>) -> Result<Self, Error> {
        match given.field.shape {
            Shape::Path => Ok(Self::file_in(given.folder, given.text()?.into())),
            _ => Ok(Self::text(Secret::new(given.text()?))),
        }
    }
}

impl FromJson for ProxySetting {
    fn from_json(given: FieldValue<'_>) -> Result<Self, Error> {
        Ok(match given.text()? {
            "env" => Self::Environment,
            url => Self::Url(url.into()),
        })
    }
}

impl FromJson for TokenStoreKind {
    fn from_json(given: FieldValue<'_>) -> Result<Self, Error> {
        let takes_server = given.field.name == "token_store";
        let place = Self::of_text(given.text()?, given.folder);
        place.filter(|place| takes_server || !matches!(place, Self::Redis(_))).ok_or_else(|| {
            given.wrong(if takes_server {
                "memory, file:FOLDER, redis://HOST or rediss://HOST"
            } else {
                "memory or file:FOLDER"
            })
        })
    }
}

impl FromJson for JournalKind {
    fn from_json(given: FieldValue<'_>) -> Result<Self, Error> {
        let text = given.text()?;
        Self::of_text(text, given.folder).ok_or_else(|| {
            given.wrong(if text.contains("://") {
                "none or file:PATH; a journal in a database is passed in code"
            } else {
                "none or file:PATH; put file: before the path"
            })
        })
    }
}

impl FromJson for AuthOverride {
    fn from_json(given: FieldValue<'_>) -> Result<Self, Error> {
        let mut chosen = Self::default();
        for (credential, value) in given.object()?.iter() {
            let path = format!("{}.{credential}", given.path);
            let inner = FieldValue { path: &path, value, ..given };
            let place = match credential {
                "integration_key" => &mut chosen.integration_key,
                "signature" => &mut chosen.signature,
                "bearer" => &mut chosen.bearer,
                _ => return Err(messages::credential_unknown(inner.path)),
            };
            place.set(inner)?;
        }
        Ok(chosen)
    }
}

impl FromJson for BTreeMap<Operation, AuthOverride> {
    fn from_json(given: FieldValue<'_>) -> Result<Self, Error> {
        given.by_operation(|operation| operation != Operation::AccessToken, AuthOverride::from_json)
    }
}

/// JSON Pointers.
impl FromJson for BTreeMap<Operation, Vec<String>> {
    fn from_json(given: FieldValue<'_>) -> Result<Self, Error> {
        given.by_operation(|_| true, |inner| inner.texts("a list of JSON Pointers"))
    }
}

/// Fixed headers, in their order.
impl FromJson for Vec<(String, Secret)> {
    fn from_json(given: FieldValue<'_>) -> Result<Self, Error> {
        let header = |(name, value)| {
            let path = path_of(name);
            let inner = FieldValue { path: &path, value, ..given };
            Ok((name.to_owned(), Secret::new(inner.text()?)))
        };
        given.object()?.iter().map(header).collect()
    }
}

impl<'a> FieldValue<'a> {
    fn text(self) -> Result<&'a str, Error> {
        self.value.as_str().ok_or_else(|| self.wrong_kind("a string"))
    }

    fn object(self) -> Result<&'a Members, Error> {
        self.value.as_object().ok_or_else(|| self.wrong_kind("an object"))
    }

    fn texts(self, wanted: &str) -> Result<Vec<String>, Error> {
        self.value.as_texts().ok_or_else(|| match self.value {
            Json::Array(_) => self.wrong(wanted),
            _ => self.wrong_kind(wanted),
        })
    }

    pub(super) fn choice<T: Copy>(self, choices: &[(&str, T)]) -> Result<T, Error> {
        let text = self.text()?;
        let chosen = choices.iter().find(|(name, _)| *name == text);
        chosen.map(|(_, value)| *value).ok_or_else(|| {
            let known: Vec<_> = choices.iter().map(|(name, _)| *name).collect();
            self.refused(ErrorCode::VALUE_INVALID, &format!("must be one of {}", known.join(", ")))
        })
    }

    fn by_operation<T>(
        self,
        is_taken: fn(Operation) -> bool,
        read: impl Fn(FieldValue<'_>) -> Result<T, Error>,
    ) -> Result<BTreeMap<Operation, T>, Error> {
        let mut values = BTreeMap::new();
        for (name, value) in self.object()?.iter() {
            let path = format!("{}.{name}", self.path);
            let inner = FieldValue { path: &path, value, ..self };
            let Some(operation) = Operation::from_name(name).filter(|it| is_taken(*it)) else {
                let message = Operation::unknown_name(name, is_taken);
                return Err(inner.refused(ErrorCode::VALUE_INVALID, &message));
            };
            values.insert(operation, read(inner)?);
        }
        Ok(values)
    }

    pub(super) fn wrong(self, wanted: &str) -> Error {
        self.refused(ErrorCode::WRONG_TYPE, &format!("must be {wanted}"))
    }

    /// The error for a value of a kind other than `wanted`.
    fn wrong_kind(self, wanted: &str) -> Error {
        let unquoted = match (self.field.shape, self.value) {
            (Shape::Integer | Shape::Switch, Json::String(_)) => " without quotes",
            _ => "",
        };
        self.wrong(&format!("{wanted}{unquoted}, not {}", self.value.kind_name()))
    }

    fn refused(self, code: ErrorCode, message: &str) -> Error {
        Error::config(self.path, code, message)
    }
}
