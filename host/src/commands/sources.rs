//! The sources of a command's configuration.

use std::path::PathBuf;

use payments_core::config::FIELDS;
use payments_core::error::{Error, ErrorKind, Reason};
use payments_core::json::Json;
use payments_core::{Client, Config};

use super::command_failure::CommandFailure;

/// Read if it exists and `--config` is not given.
const DEFAULT_FILE: &str = "payments.json";
const PREFIX: &str = "PAYMENTS_";

/// The sources of the configuration.
pub struct Sources {
    /// The file, if there is one.
    pub file: Option<PathBuf>,
    /// False with `--config` alone: leftover variables could send the file's
    /// credentials elsewhere.
    pub reads_environment: bool,
    /// The member variables that are set.
    pub variables: Vec<String>,
}

impl Sources {
    /// The sources of a command: its `--config`, and whether `--with-env` is
    /// given.
    pub fn of(config: Option<PathBuf>, with_env: bool) -> Self {
        let default = || Some(PathBuf::from(DEFAULT_FILE)).filter(|path| path.exists());
        let variables = FIELDS.iter().map(|field| variable_of(field.name));
        Self {
            reads_environment: config.is_none() || with_env,
            file: config.or_else(default),
            variables: variables.filter(|name| std::env::var_os(name).is_some()).collect(),
        }
    }

    /// Builds the configured client after applying `change`.
    ///
    /// # Errors
    /// `config`, with the sources of the configuration.
    pub fn client(&self, change: impl FnOnce(Config) -> Config) -> Result<Client, CommandFailure> {
        let config = match &self.file {
            Some(path) => Config::from_file(path),
            None => Ok(Config::default()),
        };
        let config =
            if self.reads_environment { config.and_then(Config::with_env) } else { config };
        config.map(change).and_then(Client::new).map_err(|error| self.explained(error))
    }

    /// A note about variables that are ignored.
    pub fn note(&self) -> Option<String> {
        let (last, others) = self.variables.split_last().filter(|_| !self.reads_environment)?;
        Some(match others {
            [] => format!("--config ignores {last}; add --with-env to read it"),
            _ => {
                let others = others.join(", ");
                format!("--config ignores {others} and {last}; add --with-env to read them")
            }
        })
    }

    /// Adds the sources of the configuration: an overriding environment
    /// variable is otherwise hard to spot.
    fn explained(&self, error: Error) -> CommandFailure {
        let reason = error.reason();
        let path = error.path().unwrap_or_default().to_owned();
        let file = self.file.iter().map(|path| path.display().to_string());
        let mut sources: Vec<_> = file.map(Json::from).collect();
        let variables = || self.variables.iter().map(|name| Json::from(name.as_str()));
        if self.reads_environment {
            sources.extend(variables());
        }
        let advice = match (reason, path.as_str()) {
            _ if sources.is_empty() => Some(
                "; nothing is configured: give --config FILE, put payments.json into this folder, \
                 or set variables such as PAYMENTS_BASE_URL; `payments sandbox` prints a \
                 configuration to try"
                    .to_owned(),
            ),
            (Some(Reason::NoConfigFile), _) => Some(" with --config".to_owned()),
            (Some(Reason::Required), member) => {
                self.advice_for(member).map(|advice| format!("; {advice}"))
            }
            _ => None,
        };
        let message = advice.map(|advice| format!("{}{advice}", error.message()));
        let is_config = error.kind() == ErrorKind::Config;
        let mut failure = CommandFailure::from(error);
        if is_config {
            failure.report.set("read_from", Json::Array(sources));
            if !self.reads_environment {
                failure.report.set("ignored", variables().collect::<Vec<_>>());
            }
        }
        if let Some(message) = message {
            failure.report.set("message", message);
        }
        failure
    }

    /// How to supply a missing member.
    fn advice_for(&self, member: &str) -> Option<String> {
        let names = [variable_of(member), variable_of(&format!("{member}_file"))];
        let ignored = names.iter().find(|name| self.variables.contains(name));
        match ignored.filter(|_| !self.reads_environment) {
            Some(name) => Some(format!("{name} is set, and --config ignores it; add --with-env")),
            None if member == "base_url" => {
                Some("add it to the configuration file, or set PAYMENTS_BASE_URL".to_owned())
            }
            None => None,
        }
    }
}

/// The environment variable of a member of the configuration.
pub fn variable_of(member: &str) -> String {
    format!("{PREFIX}{}", member.to_ascii_uppercase())
}
