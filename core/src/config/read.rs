//! Reading a configuration from JSON, a file or the environment.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use zeroize::{Zeroize as _, Zeroizing};

use super::fields::{FIELDS, Field, Shape};
use super::rules::read_success_signs;
use super::variables::{refuse_mistyped, variable_of};
use super::{AuthOverride, Config, Environment, KeyPlacement, Source, TokenPlace};
use crate::error::Error;
use crate::json::{Json, Members};
use crate::near::nearest;
use crate::operation::Operation;
use crate::secret::Secret;
use crate::transport::ProxySetting;

/// An empty variable is more often a mistake than a wish.
const EMPTY_LIST: &str =
    "is empty; unset it for the default, or turn the rule off with [] in a file";

/// What is said of a text that is a path rather than JSON.
const NOT_A_PATH: &str = "; for the path of a file, make the client from the file";

impl Config {
    /// Reads a configuration from JSON text. Paths in it are taken from the
    /// working folder.
    ///
    /// # Errors
    /// `config`, which names the member.
    pub fn from_json(text: &[u8]) -> Result<Self, Error> {
        let first = text.trim_ascii_start().first();
        let may_be_path = first.is_some_and(|it| it.is_ascii_graphic() && !b"{[".contains(it));
        Self::default().read_json(text, Path::new("")).map_err(|error| {
            if may_be_path {
                let message = format!("{}{NOT_A_PATH}", error.message());
                return Error::config("config", error.code(), message);
            }
            error
        })
    }

    /// Reads a configuration from a JSON file. Paths in it are taken from the
    /// folder of that file.
    ///
    /// # Errors
    /// `config`, which names the member, or says why the file cannot be read.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let text = std::fs::read(path).map_err(|error| {
            Error::config(
                "config",
                "config_unreadable",
                format!(
                    "could not read the configuration file {}",
                    crate::unreadable(path, &error)
                ),
            )
        })?;
        let text = Zeroizing::new(text);
        Self::default().read_json(&text, path.parent().unwrap_or(Path::new("")))
    }

    /// Reads a configuration from environment variables: `PAYMENTS_BASE_URL`
    /// and so on, one for every member of [`FIELDS`].
    ///
    /// # Errors
    /// `config`, which names the member.
    pub fn from_env() -> Result<Self, Error> {
        Self::default().with_env()
    }

    /// The same configuration with what the environment says over it. A
    /// variable whose name resembles that of a member is refused; all others
    /// are left alone.
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
                refused(path, error.code(), &format!("{}; see {name}", error.message()))
            };
            let Ok(text) = value.into_string().map(Zeroizing::new) else {
                return Err(of_variable(refused(field.name, "value_not_text", "is not UTF-8")));
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

    fn read_json(mut self, text: &[u8], folder: &Path) -> Result<Self, Error> {
        let tree = Json::parse(text).map_err(|error| {
            let path = if error.path().is_empty() { "config" } else { error.path() };
            let code = error.code();
            Error::config(path, code, format!("the configuration {error}"))
        })?;
        let Some(members) = tree.as_object() else {
            return Err(refused(
                "config",
                "not_an_object",
                "the configuration must be a JSON object",
            ));
        };
        refuse_given_twice(|name| members.get(name).is_some_and(|value| !value.is_null()))?;
        for (name, value) in members.iter() {
            if !value.is_null() {
                self.set(name, value, folder)?;
            }
        }
        Ok(self)
    }

    /// Sets one member: the one place that knows them all.
    fn set(&mut self, name: &str, value: &Json, folder: &Path) -> Result<(), Error> {
        let member = Member { name, value, folder };
        match name {
            "environment" => {
                self.environment = member.choice(&[
                    ("sandbox", Environment::Sandbox),
                    ("production", Environment::Production),
                ])?;
            }
            "base_url" => self.base_url = Some(member.text()?),
            "auth_url" => self.auth_url = Some(member.text()?),
            "integration_key" => self.integration_key = Some(member.secret()?),
            "integration_key_file" => self.integration_key = Some(member.file()?),
            "client_id" => self.client_id = Some(member.text()?),
            "client_secret" => self.client_secret = Some(member.secret()?),
            "client_secret_file" => self.client_secret = Some(member.file()?),
            "key" => self.key = Some(member.secret()?),
            "key_file" => self.key = Some(member.file()?),
            "key_passphrase" => self.key_passphrase = Some(member.secret()?),
            "key_passphrase_file" => self.key_passphrase = Some(member.file()?),
            "kid" => self.kid = Some(member.text()?),
            "allow_small_keys" => self.allow_small_keys = member.switch()?,
            "signing_threads" => self.signing_threads = Some(member.count()?),
            "pkcs11_module" => self.pkcs11.module = Some(member.path()?),
            "pkcs11_token" => self.pkcs11.token = Some(member.text()?),
            "pkcs11_slot" => self.pkcs11.slot = Some(member.integer()?),
            "pkcs11_key_label" => self.pkcs11.key_label = Some(member.text()?),
            "pkcs11_key_id" => self.pkcs11.key_id = Some(member.text()?),
            "pkcs11_pin" => self.pkcs11.pin = Some(member.secret()?),
            "pkcs11_pin_file" => self.pkcs11.pin = Some(member.file()?),
            "pkcs11_sessions" => self.pkcs11.sessions = Some(member.integer()?),
            "public_key" => self.public_key = Some(member.secret()?),
            "public_key_file" => self.public_key = Some(member.file()?),
            "timeout_ms" => self.timeout = Duration::from_millis(member.integer()?),
            "connect_timeout_ms" => self.connect_timeout = Duration::from_millis(member.integer()?),
            "allow_insecure_http" => self.allow_insecure_http = member.switch()?,
            "proxy" => {
                self.proxy = match member.str()? {
                    "env" => ProxySetting::Environment,
                    url => ProxySetting::Url(url.into()),
                };
            }
            "ca_file" => self.ca_file = Some(member.path()?),
            "max_response_bytes" => self.max_response_bytes = member.count()?,
            "max_response_values" => self.rules.max_response_values = member.count()?,
            "integration_key_placement" => {
                self.integration_key_placement = member.choice(&[
                    ("beside", KeyPlacement::Beside),
                    ("inside", KeyPlacement::Inside),
                    ("both", KeyPlacement::Both),
                ])?;
            }
            "refund_hash_member" => self.rules.refund_hash_member = member.text()?,
            "bearer_header" => self.bearer_header = member.text()?,
            "bearer_scheme" => self.bearer_scheme = member.text()?,
            "auth" => self.auth = read_auth(member.object()?)?,
            "duplicate_codes" => self.rules.duplicate_codes = member.list()?,
            "not_found_codes" => self.rules.not_found_codes = member.list()?,
            "failure_statuses" => self.rules.failure_statuses = member.list()?,
            "success_signs" => self.rules.success_signs = read_success_signs(member.object()?)?,
            "check_references" => self.rules.check_references = member.switch()?,
            "card_guard" => self.rules.card_guard = member.switch()?,
            "token_store" => {
                let place = TokenPlace::read(member.str()?, member.folder);
                self.token_place = Some(place.ok_or_else(|| {
                    member.wrong(
                        "memory, file: and the path of a folder, or redis:// or rediss:// and a \
                         server",
                    )
                })?);
            }
            "token_store_fallback" => {
                let place = TokenPlace::read(member.str()?, member.folder);
                self.token_fallback = place
                    .filter(|place| !matches!(place, TokenPlace::Redis(_)))
                    .ok_or_else(|| member.wrong("memory, or file: and the path of a folder"))?;
            }
            "allow_insecure_redis" => self.allow_insecure_redis = member.switch()?,
            "token_store_key" => self.token_store_key = Some(member.secret()?),
            "token_store_key_file" => self.token_store_key = Some(member.file()?),
            "query_retries" => {
                self.query_retries = u32::try_from(member.integer()?).unwrap_or(u32::MAX);
            }
            _ => return Err(unknown(name)),
        }
        Ok(())
    }
}

/// One member on its way into the configuration.
struct Member<'a> {
    name: &'a str,
    value: &'a Json,
    folder: &'a Path,
}

impl Member<'_> {
    fn str(&self) -> Result<&str, Error> {
        self.value.as_str().ok_or_else(|| self.wrong("a text"))
    }

    fn text(&self) -> Result<String, Error> {
        self.str().map(str::to_owned)
    }

    fn secret(&self) -> Result<Source, Error> {
        Ok(Source::Text(Secret::new(self.str()?)))
    }

    fn path(&self) -> Result<PathBuf, Error> {
        Ok(self.folder.join(self.text()?))
    }

    fn file(&self) -> Result<Source, Error> {
        Ok(Source::File(self.path()?))
    }

    fn integer(&self) -> Result<u64, Error> {
        let number = self.value.as_number_text().and_then(|text| text.parse().ok());
        number.ok_or_else(|| self.wrong("a whole number"))
    }

    /// Of bytes or things in memory: more than fit there are no limit.
    fn count(&self) -> Result<usize, Error> {
        self.integer().map(|count| usize::try_from(count).unwrap_or(usize::MAX))
    }

    fn switch(&self) -> Result<bool, Error> {
        self.value.as_bool().ok_or_else(|| self.wrong("true or false"))
    }

    fn object(&self) -> Result<&Members, Error> {
        self.value.as_object().ok_or_else(|| self.wrong("an object"))
    }

    fn list(&self) -> Result<Vec<String>, Error> {
        self.value.as_texts().ok_or_else(|| self.wrong("a list of texts"))
    }

    fn choice<T: Copy>(&self, choices: &[(&str, T)]) -> Result<T, Error> {
        let text = self.text()?;
        let chosen = choices.iter().find(|(name, _)| *name == text);
        chosen.map(|(_, value)| *value).ok_or_else(|| {
            let names: Vec<_> = choices.iter().map(|(name, _)| *name).collect();
            refused(self.name, "value_unknown", &format!("must be one of {}", names.join(", ")))
        })
    }

    fn wrong(&self, wanted: &str) -> Error {
        refused(self.name, "value_of_wrong_type", &format!("must be {wanted}"))
    }
}

fn read_auth(operations: &Members) -> Result<BTreeMap<Operation, AuthOverride>, Error> {
    let mut auth = BTreeMap::new();
    for (name, value) in operations.iter() {
        let path = format!("auth.{name}");
        let Some(operation) = Operation::from_name(name).filter(|o| *o != Operation::AccessToken)
        else {
            let message = Operation::unknown_name(&Operation::ALL);
            return Err(refused(&path, "operation_unknown", &message));
        };
        let mut chosen = AuthOverride::default();
        let folder = Path::new("");
        for (credential, value) in (Member { name: &path, value, folder }).object()?.iter() {
            let path = format!("{path}.{credential}");
            let sent = Some((Member { name: &path, value, folder }).switch()?);
            match credential {
                "integration_key" => chosen.integration_key = sent,
                "signature" => chosen.signature = sent,
                "bearer" => chosen.bearer = sent,
                _ => {
                    let message = "must be integration_key, signature or bearer";
                    return Err(refused(&path, "credential_unknown", message));
                }
            }
        }
        auth.insert(operation, chosen);
    }
    Ok(auth)
}

/// A text and the file that holds it, both from one source: which of them
/// counts is not guessed. A later source may overrule either with either.
fn refuse_given_twice(is_given: impl Fn(&str) -> bool) -> Result<(), Error> {
    for field in FIELDS {
        let Some(text) = field.name.strip_suffix("_file").filter(|text| is_given(text)) else {
            continue;
        };
        if is_given(field.name) {
            let message = format!("{text} is given too; leave one of them out");
            return Err(refused(field.name, "given_twice", &message));
        }
    }
    Ok(())
}

/// What the text of an environment variable says, in the shape of its field.
fn value_of_text(field: &Field, text: &str) -> Result<Json, Error> {
    let wrong =
        |wanted: &str| refused(field.name, "value_of_wrong_type", &format!("must be {wanted}"));
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
            match texts.is_empty() {
                true => Err(refused(field.name, "value_empty", EMPTY_LIST)),
                false => Ok(Json::Array(texts)),
            }
        }
        Shape::Object => Json::parse(text.as_bytes()).map_err(|_| wrong("a JSON object")),
    }
}

fn refused(name: &str, code: &'static str, message: &str) -> Error {
    Error::config(name, code, message)
}

fn unknown(name: &str) -> Error {
    let known = nearest(name, FIELDS.iter().map(|field| field.name));
    let advice = known.map_or_else(String::new, |known| format!("; did you mean {known}?"));
    refused(name, "member_unknown", &format!("there is no member of that name{advice}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(field: &Field) -> &'static str {
        match (field.name, field.shape) {
            ("environment", _) => "sandbox",
            ("integration_key_placement", _) => "both",
            ("token_store" | "token_store_fallback", _) => "file:folder",
            ("success_signs", _) => r#"{"create_payment":["/payment/id"]}"#,
            (_, Shape::Integer) => "7",
            (_, Shape::Switch) => "true",
            (_, Shape::Object) => r#"{"send":{"bearer":false}}"#,
            _ => "text",
        }
    }

    #[test]
    fn every_field_is_known_and_has_an_environment_variable() {
        for field in FIELDS {
            let variable = format!("PAYMENTS_{}", field.name.to_uppercase());
            let read = |text: &str| {
                let text = text.to_owned();
                Config::default().read_env(|name| (name == variable).then(|| text.clone().into()))
            };
            assert!(read(sample(field)).is_ok(), "{}", field.name);
            if matches!(field.shape, Shape::Integer | Shape::Switch | Shape::Object) {
                let error = read("nonsense").unwrap_err();
                assert_eq!((error.path(), error.code()), (Some(field.name), "value_of_wrong_type"));
            }
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
    fn the_path_of_a_file_is_told_from_json() {
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
