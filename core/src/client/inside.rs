//! The work of `payments-host` with a client beyond its calls: above all, it
//! reads and changes the journal with the guards of a call.

use std::path::Path;
use std::time::Duration;

use payments_transport::context::CallContext;

use super::auth::Signing;
use super::{Client, ClientJournal, Inner};
use crate::config::{Components, digest_of};
use crate::journal::JournalError;
use crate::model::error::Error;
use crate::token::Clock;

impl Client {
    /// The journal.
    ///
    /// # Errors
    /// `config` if none is configured.
    #[doc(hidden)]
    pub fn client_journal(&self) -> Result<&ClientJournal, Error> {
        self.0.journal.as_ref().ok_or_else(|| {
            let message = "no journal is configured; create one with payments journal create \
                           PATH, and set journal to file:PATH";
            Error::required("journal", message)
        })
    }

    /// Whether a journal is configured.
    #[doc(hidden)]
    pub fn has_journal(&self) -> bool {
        self.0.journal.is_some()
    }

    /// The path of the journal, if it is a file.
    #[doc(hidden)]
    pub fn journal_file(&self) -> Option<&Path> {
        self.0.settings.journal_file()
    }

    /// The entries of a journal that belong to this client.
    #[doc(hidden)]
    pub fn journal_scope(&self) -> &str {
        &self.0.settings.journal_scope
    }

    /// The clock of its calls.
    #[doc(hidden)]
    pub fn clock(&self) -> &dyn Clock {
        &*self.0.clock
    }

    /// `context` with its own deadline.
    #[doc(hidden)]
    pub fn renewed(&self, context: &CallContext) -> CallContext {
        context.renewed(self.context().remaining())
    }

    /// Works with a journal, with its own deadline.
    ///
    /// # Errors
    /// `journal` if it does not work, `cancelled`.
    #[doc(hidden)]
    pub fn read<T>(
        &self,
        context: &CallContext,
        work: impl FnOnce(&CallContext) -> Result<T, JournalError>,
    ) -> Result<T, Error> {
        let context = self.renewed(context);
        context.check_cancelled()?;
        self.client_journal()?.record_remembered(&context);
        context.unless_forked(work(&context).map_err(|error| error.outside_of_calls()))
    }

    /// The time for which `ensure_payment` waits for a payment.
    #[doc(hidden)]
    pub fn ensure_wait(&self) -> Duration {
        self.0.settings.options.ensure_wait
    }

    /// Tells the calls of one merchant with one journal apart from others.
    #[doc(hidden)]
    pub fn merchant(&self) -> [u8; 32] {
        let Inner { settings, signing, journal, .. } = &*self.0;
        let credentials = settings.credentials.as_ref();
        let credentials = credentials.map(|it| (&it.auth_url, &it.client_id, &it.client_secret));
        let kid = signing.as_deref().map(Signing::kid);
        // A journal that is no file is the code of the host.
        let file = settings.journal_file();
        let code = journal.as_ref().filter(|_| file.is_none()).map(ClientJournal::address);
        let journal = journal.as_ref().map(|it| (&it.scope, file, code));
        digest_of(&(&settings.base_url, &settings.integration_key, credentials, kid, journal))
    }

    /// Whether anybody but the log of the process receives the events.
    #[doc(hidden)]
    pub fn is_observed(&self) -> bool {
        let Components { observer, stderr_log, .. } = &self.0.settings.components;
        observer.is_some() || stderr_log.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    #[test]
    fn the_secrets_of_the_configuration_are_known() {
        let config = Config::new("https://api.example").integration_key("canary");
        let client = Client::new(config).unwrap();
        assert!(client.is_secret("canary"));
        assert!(!client.is_secret("https://api.example"));
    }
}
