//! Configuration members as given, before the library interprets them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use payments_base::invisible::without_mark;
use payments_core::config::{FIELDS, Shape};
use payments_core::json::Json;

use crate::settings::{Sources, variable_of};

/// Members by name, each with the folder that relative paths start from.
#[derive(Default)]
pub(super) struct ConfiguredMembers {
    members: BTreeMap<String, (String, PathBuf)>,
    /// Whether the file itself contains a secret.
    pub(super) has_secret_in_file: bool,
}

impl ConfiguredMembers {
    /// Reads the file, then the environment, which overrides it. `None` if the
    /// file cannot be read: the library reports that.
    pub(super) fn read(sources: &Sources) -> Option<Self> {
        let mut given = Self::default();
        if let Some(path) = &sources.file {
            let tree = Json::parse(without_mark(&std::fs::read(path).ok()?)).ok()?;
            let members = tree.as_object()?;
            let folder = path.parent().unwrap_or(Path::new(""));
            for (name, value) in members.iter().filter(|(_, value)| !value.is_null()) {
                given.has_secret_in_file |= is_secret(name, value);
                let text = value.as_text_or_number().map_or_else(|| value.to_text(), str::to_owned);
                given.set(name, text, folder);
            }
        }
        for field in FIELDS.iter().filter(|_| sources.reads_environment) {
            if let Ok(text) = std::env::var(variable_of(field.name)) {
                given.set(field.name, text, Path::new(""));
            }
        }
        Some(given)
    }

    /// Sets a member. `name` and `name_file` replace each other.
    fn set(&mut self, name: &str, text: String, folder: &Path) {
        let other = match name.strip_suffix("_file") {
            Some(text) => text.to_owned(),
            None => format!("{name}_file"),
        };
        self.members.remove(&other);
        self.members.insert(name.to_owned(), (text, folder.to_owned()));
    }

    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.members.get(name).map(|(text, _)| text.as_str())
    }

    /// Whether the member is given, as text or as a file.
    pub(super) fn has(&self, name: &str) -> bool {
        self.text(name).or_else(|| self.text(&format!("{name}_file"))).is_some()
    }

    /// The path after `prefix` in a member, relative to its source's folder.
    #[cfg(unix)]
    pub(super) fn path_after(&self, name: &str, prefix: &str) -> Option<PathBuf> {
        let (text, folder) = self.members.get(name)?;
        text.strip_prefix(prefix).map(|path| folder.join(path))
    }

    /// The path a member holds, relative to its source's folder.
    pub(super) fn path(&self, name: &str) -> Option<PathBuf> {
        self.members.get(name).map(|(text, folder)| folder.join(text))
    }

    pub(super) fn milliseconds(&self, name: &str) -> Option<u64> {
        self.text(name)?.parse().ok()
    }
}

/// Whether a member holds a secret. The values of headers may be credentials, and
/// an address may have a password.
fn is_secret(name: &str, value: &Json) -> bool {
    match value {
        Json::Object(members) => name == "headers" && members.iter().next().is_some(),
        Json::String(text) if ["proxy", "token_store"].contains(&name) => text.contains('@'),
        _ => FIELDS.iter().any(|it| it.name == name && it.shape == Shape::Secret),
    }
}
