//! The configuration of a client: its sources, and its callbacks.

use std::path::PathBuf;
use std::sync::Arc;

use payments_core::journal::Journal;
use payments_core::observer::Observer;
use payments_core::signer::Signer;
use payments_core::token::TokenStore;
use payments_core::{Client, Config, Error};
use payments_host::by_name::HostClient;
use pyo3::prelude::*;

use crate::callback_ref::{CallbackRef, CallbackRefs};
use crate::callbacks::journal::journal_of;
use crate::callbacks::log::LOG;
use crate::callbacks::{PythonObserver, PythonSigner, PythonStore};
use crate::values::errors::exception_of;
use crate::values::to_json::{Floats, ValuePath, to_json};

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
    callbacks: Callbacks,
    shared: bool,
) -> Result<HostClient, Error> {
    if let Some(signer) = callbacks.signer {
        config = config.signer(signer);
    }
    if let Some(store) = callbacks.token_store {
        config = config.token_store(store);
    }
    if let Some(journal) = callbacks.journal {
        config = config.journal(journal);
    }
    if let Some(observer) = callbacks.observer {
        config = config.observer(observer);
    }
    config = config.process_log(&LOG);
    let client = if shared { Client::shared(config) } else { Client::new(config) };
    client.map(HostClient::new)
}

/// The callbacks as Python has checked them: kid and function of a signer, a token
/// store, a journal, and an observer.
#[derive(FromPyObject)]
pub(crate) struct CallbackObjects(
    Option<(String, Py<PyAny>)>,
    Option<Py<PyAny>>,
    Option<Py<PyAny>>,
    Option<Py<PyAny>>,
);

/// The callbacks of a configuration.
pub(crate) struct Callbacks {
    signer: Option<Arc<dyn Signer>>,
    token_store: Option<Arc<dyn TokenStore>>,
    journal: Option<Arc<dyn Journal>>,
    observer: Option<Arc<dyn Observer>>,
    /// All of them, for the garbage collector.
    pub(crate) refs: CallbackRefs,
}

impl Callbacks {
    pub(crate) fn new(objects: CallbackObjects) -> Self {
        let CallbackObjects(signer, token_store, journal, observer) = objects;
        let signer = signer.map(|(kid, sign)| (kid, CallbackRef::new(sign)));
        let [token_store, journal, observer] =
            [token_store, journal, observer].map(|object| object.map(CallbackRef::new));
        let sign = signer.as_ref().map(|(_, sign)| sign);
        let refs = CallbackRefs::new(
            [sign, token_store.as_ref(), journal.as_ref(), observer.as_ref()]
                .into_iter()
                .flatten()
                .cloned(),
        );
        Self {
            refs,
            signer: signer
                .map(|(kid, sign)| Arc::new(PythonSigner { kid, sign }) as Arc<dyn Signer>),
            journal: journal.map(journal_of),
            token_store: token_store.map(|it| Arc::new(PythonStore(it)) as Arc<dyn TokenStore>),
            observer: observer.map(|it| Arc::new(PythonObserver(it)) as Arc<dyn Observer>),
        }
    }
}
