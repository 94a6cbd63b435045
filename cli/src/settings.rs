//! Builds a client from the configuration file, the environment and the
//! command line.

use std::path::PathBuf;
use std::time::Duration;

use payments_base::spelling::nearest;
use payments_core::ErrorCode;
use payments_core::config::FIELDS;
use payments_core::json::Json;
use payments_core::{Client, Config, Error, ErrorKind};

use crate::args::Global;
use crate::failure::Failure;
use crate::output;

/// Read if it exists and `--config` is not given.
const DEFAULT_FILE: &str = "payments.json";

/// Builds the configured client.
///
/// # Errors
/// `config`, with the sources of the configuration.
pub(crate) fn client(global: &Global) -> Result<Client, Failure> {
    client_with(global, |config| config)
}

/// Builds the configured client after applying `change`. Names ignored
/// variables on standard error.
///
/// # Errors
/// `config`, with the sources of the configuration.
pub(crate) fn client_with(
    global: &Global,
    change: impl FnOnce(Config) -> Config,
) -> Result<Client, Failure> {
    let sources = Sources::of(global);
    let client = sources.client(global, change)?;
    if let Some(note) = sources.note() {
        output::note(&note);
    }
    let unknown = unknown_variables().into_iter().filter(|_| sources.reads_environment);
    for (name, meant) in unknown {
        if let Some(meant) = meant {
            output::note(&format!("{name} is unknown; did you mean {meant}? if not, unset it"));
        }
    }
    Ok(client)
}

/// The sources of the configuration.
pub(crate) struct Sources {
    pub(crate) file: Option<PathBuf>,
    /// False with `--config` alone: leftover variables could send the file's
    /// credentials elsewhere.
    pub(crate) reads_environment: bool,
    /// The member variables that are set.
    pub(crate) variables: Vec<String>,
}

impl Sources {
    pub(crate) fn of(global: &Global) -> Self {
        let default = || Some(PathBuf::from(DEFAULT_FILE)).filter(|path| path.exists());
        let variables = FIELDS.iter().map(|field| variable_of(field.name));
        Self {
            file: global.config.clone().or_else(default),
            reads_environment: global.config.is_none() || global.with_env,
            variables: variables.filter(|name| std::env::var_os(name).is_some()).collect(),
        }
    }

    /// Builds the configured client after applying `change`.
    ///
    /// # Errors
    /// `config`, with the sources of the configuration.
    pub(crate) fn client(
        &self,
        global: &Global,
        change: impl FnOnce(Config) -> Config,
    ) -> Result<Client, Failure> {
        let config = match &self.file {
            Some(path) => Config::from_file(path),
            None => Ok(Config::default()),
        };
        let config = match self.reads_environment {
            true => config.and_then(Config::with_env),
            false => config,
        };
        // Each run is a new process; the token store is shared by all runs.
        let config = config.map(Config::token_folder_of_user);
        let config = config.map(|config| match global.timeout_ms {
            Some(limit) => config.timeout(Duration::from_millis(limit)),
            None => config,
        });
        let config = config.map(change).map(|config| match global.verbose {
            true => config.log_to_stderr(),
            false => config,
        });
        config.and_then(Client::new).map_err(|error| self.explained(error))
    }

    /// A note about variables that are ignored.
    pub(crate) fn note(&self) -> Option<String> {
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
    fn explained(&self, error: Error) -> Failure {
        let (code, path) = (error.code(), error.path().unwrap_or_default().to_owned());
        let file = self.file.iter().map(|path| path.display().to_string());
        let mut sources: Vec<_> = file.map(Json::from).collect();
        let variables = || self.variables.iter().map(|name| Json::from(name.as_str()));
        if self.reads_environment {
            sources.extend(variables());
        }
        let advice = match (code, path.as_str()) {
            _ if sources.is_empty() => Some(
                "nothing is configured: give --config FILE, put payments.json into this folder, \
                 or set variables such as PAYMENTS_BASE_URL; `payments sandbox` prints a \
                 configuration to try"
                    .to_owned(),
            ),
            (ErrorCode::CONFIG_UNREADABLE, _) => {
                Some("name a readable file with --config".to_owned())
            }
            (ErrorCode::REQUIRED, member) => self.advice_for(member),
            _ => None,
        };
        let mut failure = Failure::from(error.clone());
        if error.kind() == ErrorKind::Config {
            failure = failure.with_member("read_from", Json::Array(sources));
            if !self.reads_environment {
                failure = failure.with_member("ignored", variables().collect::<Vec<_>>());
            }
        }
        match advice {
            Some(advice) => failure.with_advice(&advice),
            None => failure,
        }
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

const PREFIX: &str = "PAYMENTS_";
pub(crate) const LOG: &str = "PAYMENTS_LOG";

pub(crate) fn variable_of(member: &str) -> String {
    format!("{PREFIX}{}", member.to_ascii_uppercase())
}

/// The variables with our prefix that are no members, in order, each with the one that
/// may be meant.
pub(crate) fn unknown_variables() -> Vec<(String, Option<String>)> {
    let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    let is_member = |name: &str| FIELDS.iter().any(|field| variable_of(field.name) == name);
    let is_unknown = |name: &String| name.starts_with(PREFIX) && name != LOG && !is_member(name);
    let mut names: Vec<_> = names.filter(is_unknown).collect();
    names.sort();
    // Kubernetes sets these for each service, such as one named `payments-proxy`.
    let is_of_service = |name: &str| ["_HOST", "_PORT"].iter().any(|it| name.contains(it));
    let meant = |name: &str| {
        if is_of_service(name) {
            return None;
        }
        let member = name[PREFIX.len()..].to_ascii_lowercase();
        nearest(&member, FIELDS.iter().map(|field| field.name)).map(variable_of)
    };
    names.into_iter().map(|name| (meant(&name), name)).map(|(meant, name)| (name, meant)).collect()
}
