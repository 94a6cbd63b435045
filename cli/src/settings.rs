//! From the configuration file, the environment and the command line to a
//! client.

use std::path::{Path, PathBuf};
use std::time::Duration;

use payments_core::config::FIELDS;
use payments_core::json::Json;
use payments_core::{Client, Config, Error, ErrorKind};

use crate::args::Global;
use crate::failure::Failure;

/// Read when it is there and no other file is named.
const DEFAULT_FILE: &str = "payments.json";

/// A client of what is configured.
///
/// # Errors
/// `config`, with where the configuration was read from.
pub(crate) fn client(global: &Global) -> Result<Client, Failure> {
    client_with(global, |config| config)
}

/// A client of what is configured, with a change.
///
/// # Errors
/// `config`, with where the configuration was read from.
pub(crate) fn client_with(
    global: &Global,
    change: impl FnOnce(Config) -> Config,
) -> Result<Client, Failure> {
    let file = configuration_file(global);
    let config = match &file {
        Some(path) => Config::from_file(path),
        None => Ok(Config::default()),
    };
    let config = config.and_then(Config::with_env).map(|config| match global.timeout_ms {
        Some(limit) => config.timeout(Duration::from_millis(limit)),
        None => config,
    });
    config.map(change).and_then(Client::new).map_err(|error| explained(error, file.as_deref()))
}

fn configuration_file(global: &Global) -> Option<PathBuf> {
    let default = || Some(PathBuf::from(DEFAULT_FILE)).filter(|path| path.exists());
    global.config.clone().or_else(default)
}

/// Says where the configuration was read from: an environment variable that
/// wins unnoticed is hard to find otherwise.
fn explained(error: Error, file: Option<&Path>) -> Failure {
    let is_config = error.kind() == ErrorKind::Config;
    let mut sources: Vec<Json> = Vec::new();
    sources.extend(file.map(|path| Json::from(path.display().to_string())));
    sources.extend(variables_set().map(Json::from));
    let has_no_source = sources.is_empty();
    let is_unreadable = error.code() == "config_unreadable";
    let names_no_address = error.path() == Some("base_url") && error.code() == "required";
    let mut failure = Failure::from(error);
    if is_config {
        failure = failure.with_member("read_from", Json::Array(sources));
    }
    if has_no_source {
        failure.with_advice(
            "nothing is configured: give --config FILE, put payments.json into this folder, or \
             set PAYMENTS_BASE_URL and its like; `payments sandbox` prints a configuration to try",
        )
    } else if is_unreadable {
        failure.with_advice("name a readable file by --config")
    } else if names_no_address {
        failure.with_advice("add it to the configuration file, or set PAYMENTS_BASE_URL")
    } else {
        failure
    }
}

fn variables_set() -> impl Iterator<Item = String> {
    let names = FIELDS.iter().map(|field| format!("PAYMENTS_{}", field.name.to_ascii_uppercase()));
    names.filter(|name| std::env::var_os(name).is_some())
}
