//! The sources of a client's configuration.

use std::path::PathBuf;

use payments_core::{Client, Config, Error};
use pyo3::prelude::*;

use crate::callbacks::CallbackParts;
use crate::errors::exception_of;
use crate::to_json::{Floats, ValuePath, to_json};

/// The configuration from the members of a mapping.
pub(crate) fn from_members(members: &Bound<'_, PyAny>) -> PyResult<Config> {
    let py = members.py();
    let json = to_json(members, &ValuePath::Root, Floats::Handed)
        .map_err(|refusal| refusal.into_exception(py, "config", None))?;
    Config::from_json(&json.to_bytes()).map_err(|error| exception_of(py, &error))
}

/// The configuration from a file, which the environment may override.
pub(crate) fn from_file(path: PathBuf, with_env: bool) -> Result<Config, Error> {
    let config = Config::from_file(path)?;
    if with_env { config.with_env() } else { Ok(config) }
}

/// Reads the files and parses the key.
pub(crate) fn client_of(
    mut config: Config,
    parts: CallbackParts,
    shared: bool,
) -> Result<Client, Error> {
    if let Some(signer) = parts.signer {
        config = config.signer(signer);
    }
    if let Some(store) = parts.token_store {
        config = config.token_store(store);
    }
    if let Some(journal) = parts.journal {
        config = config.journal(journal);
    }
    if let Some(observer) = parts.observer {
        config = config.observer(observer);
    }
    if shared { Client::shared(config) } else { Client::new(config) }
}
