//! Builds a client from the configuration file, the environment and the
//! command line.

use std::time::Duration;

use payments_base::spelling::nearest;
use payments_core::config::FIELDS;
use payments_core::{Client, Config};
pub(crate) use payments_host::commands::{Sources, variable_of};

use crate::args::Global;
use crate::output;
use crate::process::failure::Failure;

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
    let sources = sources(global);
    let client = client_of(&sources, global, change)?;
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
pub(crate) fn sources(global: &Global) -> Sources {
    Sources::of(global.config.clone(), global.with_env)
}

/// Builds the client of these sources after applying `change`.
///
/// # Errors
/// `config`, with the sources of the configuration.
pub(crate) fn client_of(
    sources: &Sources,
    global: &Global,
    change: impl FnOnce(Config) -> Config,
) -> Result<Client, Failure> {
    let client = sources.client(|config| {
        // Each run is a new process; the token store is shared by all runs.
        let config = config.token_folder_of_user();
        let config = match global.timeout_ms {
            Some(limit) => config.timeout(Duration::from_millis(limit)),
            None => config,
        };
        let config = change(config);
        if global.verbose { config.log_to_stderr() } else { config }
    });
    client.map_err(Failure::from)
}

const PREFIX: &str = "PAYMENTS_";
pub(crate) const LOG: &str = "PAYMENTS_LOG";

/// The variables with our prefix that are not members, in order, each with the likely
/// member.
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
