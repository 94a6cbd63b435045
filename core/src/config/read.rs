//! Reads a configuration from JSON, a file or the environment.

use std::path::Path;

use payments_base::invisible::without_mark;
use payments_base::spelling::nearest;
use payments_base::standard_streams;
use payments_base::unreadable::is_contents;
use zeroize::{Zeroize as _, Zeroizing};

use super::Config;
use super::generated::FIELDS;
use super::value::{Field, FieldValue, Shape};
use super::variables::{refuse_mistyped, variable_of};
use crate::model::error::{Error, ErrorCode, Reason, messages};
use crate::model::json::{Json, JsonErrorKind};

/// An empty variable is more often a mistake than intended.
const EMPTY_LIST: &str =
    "is empty; unset it for the default, or turn the rule off with [] in a file";

/// Added to the message if the text is a path and not JSON.
const NOT_A_PATH: &str = "; to read a file, pass its path to `from_file()`";

impl Config {
    /// Reads a configuration from JSON text. Relative paths in it refer to the
    /// working folder.
    ///
    /// # Errors
    /// `config`, which names the member.
    pub fn from_json(text: &[u8]) -> Result<Self, Error> {
        let first = text.trim_ascii_start().first();
        let may_be_path = first.is_some_and(|it| it.is_ascii_graphic() && !b"{[".contains(it));
        Self::default().read_json(text, "the configuration", Path::new("")).map_err(|error| {
            if may_be_path {
                let message = format!("{}{NOT_A_PATH}", error.message());
                return Error::config("config", error.code(), message);
            }
            error
        })
    }

    /// Reads a configuration from a JSON file. Relative paths in it refer to
    /// the folder of that file.
    ///
    /// # Errors
    /// `config`, which names the member, or says why the file cannot be read.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        if is_contents(path) || path.to_string_lossy().trim_start().starts_with('{') {
            let message = "this is the text of a configuration, not its path; name a file";
            return Err(Error::config("config", ErrorCode::FILE_UNREADABLE, message));
        }
        standard_streams::occupy();
        let text = std::fs::read(path).map_err(|error| {
            let why = payments_base::unreadable::unreadable(path, &error);
            let message =
                format!("could not read the configuration file {why}; name a readable file");
            Error::config("config", ErrorCode::FILE_UNREADABLE, message)
                .because(Reason::NoConfigFile)
        })?;
        let text = Zeroizing::new(text);
        let folder = path.parent().unwrap_or(Path::new(""));
        Self::default().read_json(&text, &payments_base::unreadable::full(path), folder)
    }

    /// Reads a configuration from environment variables: `PAYMENTS_BASE_URL`
    /// and so on, one for each member of [`FIELDS`].
    ///
    /// # Errors
    /// `config`, which names the member.
    pub fn from_env() -> Result<Self, Error> {
        Self::default().with_env()
    }

    /// Overrides members with environment variables. A variable whose name
    /// resembles a member's is refused; other variables are ignored.
    ///
    /// # Errors
    /// `config`, which names the member.
    pub fn with_env(self) -> Result<Self, Error> {
        refuse_mistyped(std::env::vars_os().map(|(name, _)| name))?;
        self.read_env(|name| std::env::var_os(name))
    }

    fn read_env(
        mut self,
        variable: impl Fn(&str) -> Option<std::ffi::OsString>,
    ) -> Result<Self, Error> {
        let variable = |field: &Field| {
            let name = variable_of(field);
            variable(&name).map(|value| (name, value))
        };
        let given: Vec<_> = FIELDS.iter().filter_map(|it| variable(it).map(|v| (it, v))).collect();
        refuse_given_twice(|name| given.iter().any(|(field, _)| field.name == name))?;
        for (field, (name, value)) in given {
            let of_variable = |error: Error| {
                let path = error.path().unwrap_or(field.name);
                Error::config(path, error.code(), format!("{}; see {name}", error.message()))
            };
            let Ok(text) = value.into_string().map(Zeroizing::new) else {
                return Err(of_variable(messages::value_not_text(field.name)));
            };
            let mut value = value_of_text(field, &text).map_err(of_variable)?;
            let set = self.set(field.name, &value, Path::new(""));
            if let Json::String(text) = &mut value {
                text.zeroize();
            }
            set.map_err(of_variable)?;
        }
        Ok(self)
    }

    /// `source` names the text in messages.
    fn read_json(mut self, text: &[u8], source: &str, folder: &Path) -> Result<Self, Error> {
        let tree = Json::parse(without_mark(text)).map_err(|error| {
            let path = Some(error.path()).filter(|it| !it.is_empty()).unwrap_or("config");
            let advice = match error.kind() {
                JsonErrorKind::ByteOrderMark => "; save it as UTF-8 without one",
                JsonErrorKind::DuplicateMember => "; remove one of them",
                JsonErrorKind::Unicode if error.path().is_empty() => "; save it as UTF-8",
                JsonErrorKind::Syntax | JsonErrorKind::Unicode => "; correct it there",
                _ => "",
            };
            Error::config(path, error.code(), format!("{source} {error}{advice}"))
        })?;
        let Some(members) = tree.as_object() else {
            let kind = tree.kind_name();
            let message = format!("{source} must be a JSON object, not {kind}");
            return Err(Error::config("config", ErrorCode::WRONG_TYPE, &message));
        };
        refuse_given_twice(|name| members.get(name).is_some_and(|value| !value.is_null()))?;
        for (name, value) in members.iter() {
            if !value.is_null() {
                self.set(name, value, folder)?;
            }
        }
        Ok(self)
    }

    fn set(&mut self, name: &str, value: &Json, folder: &Path) -> Result<(), Error> {
        let field = FIELDS.iter().find(|field| field.name == name).ok_or_else(|| unknown(name))?;
        (field.destination)(self).set(FieldValue { field, path: name, value, folder })
    }
}

/// Refuses a value and its `_file` member from the same source: which one
/// applies would be a guess. A later source may override either with either.
fn refuse_given_twice(is_given: impl Fn(&str) -> bool) -> Result<(), Error> {
    for field in FIELDS {
        let Some(text) = field.name.strip_suffix("_file").filter(|text| is_given(text)) else {
            continue;
        };
        if is_given(field.name) {
            let message = format!("{text} is set too; remove one of them");
            return Err(Error::config(field.name, ErrorCode::CONFLICTING_MEMBERS, &message));
        }
    }
    Ok(())
}

/// Converts the text of an environment variable to the shape of its field.
fn value_of_text(field: &Field, text: &str) -> Result<Json, Error> {
    let wrong = |wanted: &str| {
        Error::config(field.name, ErrorCode::WRONG_TYPE, format!("must be {wanted}"))
    };
    match field.shape {
        Shape::Text | Shape::Secret | Shape::Path => Ok(text.into()),
        Shape::Integer => Json::number(text).ok_or_else(|| wrong("a whole number")),
        Shape::Switch => match text {
            "true" | "1" => Ok(true.into()),
            "false" | "0" => Ok(false.into()),
            _ => Err(wrong("true or false")),
        },
        Shape::List => {
            let texts = text.split(',').map(str::trim).filter(|text| !text.is_empty());
            let texts: Vec<_> = texts.map(Json::from).collect();
            if texts.is_empty() {
                Err(Error::config(field.name, ErrorCode::VALUE_INVALID, EMPTY_LIST))
            } else {
                Ok(Json::Array(texts))
            }
        }
        Shape::Object => Json::parse(text.as_bytes()).map_err(|_| wrong("a JSON object")),
    }
}

fn unknown(name: &str) -> Error {
    let known = nearest(name, FIELDS.iter().map(|field| field.name));
    let advice = known.map_or_else(String::new, |known| format!("; did you mean {known}?"));
    Error::config(name, ErrorCode::MEMBER_UNKNOWN, format!("unknown member{advice}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The values of a choice, which its refusal names.
    fn choices(field: &Field) -> Option<Vec<String>> {
        let error = read(field, "text").err()?;
        let (_, known) = error.message().split_once("must be one of ")?;
        let (known, _) = known.split_once(';')?;
        Some(known.split(", ").map(str::to_owned).collect())
    }

    /// Two values that differ as little as possible. One of a few choices may
    /// be the default.
    fn samples(field: &Field) -> [String; 2] {
        if let Some([one, other, ..]) = choices(field).as_deref() {
            return [one.clone(), other.clone()];
        }
        let texts = match (field.name, field.shape) {
            ("token_store" | "token_store_fallback", _) => ["file:folder", "file:folder2"],
            ("journal", _) => ["file:journal.db", "file:journal2.db"],
            ("success_signs", _) => {
                [r#"{"create_payment":["/payment/id"]}"#, r#"{"create_payment":["/payment/uid"]}"#]
            }
            ("headers", _) => [r#"{"X-A":"1"}"#, r#"{"X-A":"2"}"#],
            (_, Shape::Path) => [
                concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"),
                concat!(env!("CARGO_MANIFEST_DIR"), "/src/lib.rs"),
            ],
            (_, Shape::Integer) => ["7", "9"],
            (_, Shape::Switch) => ["true", "false"],
            (_, Shape::Object) => [r#"{"send":{"bearer":false}}"#, r#"{"send":{"bearer":true}}"#],
            _ => ["text", "Text"],
        };
        texts.map(str::to_owned)
    }

    fn read(field: &Field, text: &str) -> Result<Config, Error> {
        let variable = format!("PAYMENTS_{}", field.name.to_uppercase());
        Config::default().read_env(|name| (name == variable).then(|| text.into()))
    }

    #[test]
    fn a_variable_of_another_type_is_refused() {
        for field in FIELDS {
            assert!(read(field, &samples(field)[0]).is_ok(), "{}", field.name);
            if matches!(field.shape, Shape::Integer | Shape::Switch | Shape::Object) {
                let error = read(field, "nonsense").unwrap_err();
                assert_eq!((error.path(), error.code()), (Some(field.name), ErrorCode::WRONG_TYPE));
            }
        }
    }

    fn fingerprint(field: &Field, text: &str) -> [u8; 32] {
        read(field, text).unwrap().load().unwrap().fingerprint()
    }

    #[test]
    fn every_field_except_defaults_tells_shared_clients_apart() {
        let default = Config::default().load().unwrap().fingerprint();
        let is_here = |it: &&Field| read(it, &samples(it)[0]).unwrap().check_features().is_ok();
        for field in FIELDS.iter().filter(is_here) {
            let [one, other] = samples(field).map(|text| fingerprint(field, &text));
            let has_few = matches!(field.shape, Shape::Switch) || choices(field).is_some();
            assert!(one != other, "{}", field.name);
            assert!(has_few || (one != default && other != default), "{}", field.name);
            assert_eq!(fingerprint(field, &samples(field)[0]), one, "{}", field.name);
        }
        for (member, text) in [
            ("token_store", "memory"),
            ("journal", "none"),
            ("pkcs11_sessions", "8"),
            ("timeout_ms", "30000"),
            ("duplicate_codes", "BP-DR-0,HP-CM-03"),
        ] {
            let field = FIELDS.iter().find(|field| field.name == member).unwrap();
            assert_eq!(fingerprint(field, text), default, "{member}");
        }
    }

    #[test]
    fn an_unknown_member_is_named_with_the_nearest_known_one() {
        let error = Config::from_json(br#"{"baseUrl": "https://x"}"#).unwrap_err();
        assert_eq!(error.path(), Some("baseUrl"));
        assert!(error.message().contains("did you mean base_url?"), "{error}");
        assert_eq!(Config::from_json(br#"{"zzz": 1}"#).unwrap_err().code(), "member_unknown");
    }

    #[test]
    fn wrong_types_name_the_member() {
        for (text, path) in [
            (r#"{"timeout_ms": "5"}"#, "timeout_ms"),
            (r#"{"timeout_ms": 1.5}"#, "timeout_ms"),
            (r#"{"base_url": 5}"#, "base_url"),
            (r#"{"environment": "test"}"#, "environment"),
            (r#"{"auth": {"pay": {}}}"#, "auth.pay"),
            (r#"{"auth": {"access_token": {}}}"#, "auth.access_token"),
            (r#"{"auth": {"send": {"jws": true}}}"#, "auth.send.jws"),
            (r#"{"auth": {"send": {"bearer": 1}}}"#, "auth.send.bearer"),
            (r#"{"kid": "a", "kid": "b"}"#, "kid"),
            ("[]", "config"),
            ("", "config"),
        ] {
            assert_eq!(
                Config::from_json(text.as_bytes()).unwrap_err().path(),
                Some(path),
                "{text}"
            );
        }
    }

    #[test]
    fn a_path_of_a_file_is_distinguished_from_json() {
        for text in ["payments.json", "/etc/payments.json", r#""payments.json""#] {
            let error = Config::from_json(text.as_bytes()).unwrap_err();
            assert!(error.message().ends_with(NOT_A_PATH), "{error}");
            assert!(!error.message().contains("payments"), "{error}");
        }
        let error = Config::from_json(br#"{"base_url" 5}"#).unwrap_err();
        assert!(!error.message().contains(NOT_A_PATH), "{error}");
    }

    #[test]
    fn null_members_count_as_absent() {
        assert!(Config::from_json(br#"{"kid": null}"#).is_ok());
    }
}
