//! The work of `payments-host` with a client beyond its calls: above all, it
//! reads and changes the journal with the guards of a call.

use std::path::Path;
use std::time::Duration;

use super::{Client, ClientJournal};
use crate::call::context::CallContext;
use crate::config::Components;
use crate::journal::{Entry, Filter, Found, JournalError};
use crate::model::error::Error;
use crate::model::response::CallResponse;
use crate::token::Clock;

/// The internals of a client.
pub trait ClientInside {
    /// The journal.
    ///
    /// # Errors
    /// `config` if none is configured.
    fn client_journal(&self) -> Result<&ClientJournal, Error>;

    /// Whether a journal is configured.
    fn has_journal(&self) -> bool;

    /// The path of the journal, if it is a file.
    fn journal_file(&self) -> Option<&Path>;

    /// The entries of a journal that belong to this client.
    fn journal_scope(&self) -> &str;

    /// The clock of its calls.
    fn clock(&self) -> &dyn Clock;

    /// The deadline of its calls.
    fn timeout(&self) -> Duration;

    /// `context` with its own deadline.
    fn renewed(&self, context: &CallContext) -> CallContext;

    /// Works with a journal, with its own deadline.
    ///
    /// # Errors
    /// `journal` if it does not work, `cancelled`.
    fn read<T>(
        &self,
        context: &CallContext,
        work: impl FnOnce(&CallContext) -> Result<T, JournalError>,
    ) -> Result<T, Error>;

    /// Reads entries.
    ///
    /// # Errors
    /// Those of [`read`](Self::read).
    fn find(
        &self,
        journal: &ClientJournal,
        filter: &Filter,
        context: &CallContext,
    ) -> Result<Found, Error>;

    /// Reads the entries of a reference.
    ///
    /// # Errors
    /// Those of [`read`](Self::read).
    fn find_reference(
        &self,
        journal: &ClientJournal,
        reference: &str,
        context: &CallContext,
    ) -> Result<Vec<Entry>, Error>;

    /// Stores the result of `decide` for the stored entry. `None` if there is none.
    ///
    /// # Errors
    /// Those of [`read`](Self::read).
    fn change(
        &self,
        journal: &ClientJournal,
        entry: &Entry,
        decide: impl Fn(&Entry) -> Option<Entry>,
        context: &CallContext,
    ) -> Result<Option<Entry>, Error>;

    /// The error of a call that was cancelled after its response was complete.
    fn interrupted(&self, response: CallResponse) -> Error;

    /// Whether anybody but the log of the process receives the events.
    fn is_observed(&self) -> bool;

    /// Whether the configuration holds `text` as a secret.
    fn is_secret(&self, text: &str) -> bool;
}

impl ClientInside for Client {
    fn client_journal(&self) -> Result<&ClientJournal, Error> {
        self.0.journal.as_ref().ok_or_else(|| {
            let message = "no journal is configured; create one with payments journal create \
                           PATH, and set journal to file:PATH";
            Error::required("journal", message)
        })
    }

    fn has_journal(&self) -> bool {
        self.0.journal.is_some()
    }

    fn journal_file(&self) -> Option<&Path> {
        self.0.settings.journal_file()
    }

    fn journal_scope(&self) -> &str {
        &self.0.settings.journal_scope
    }

    fn clock(&self) -> &dyn Clock {
        &*self.0.clock
    }

    fn timeout(&self) -> Duration {
        self.timeout()
    }

    fn renewed(&self, context: &CallContext) -> CallContext {
        context.renewed(self.context().remaining())
    }

    fn read<T>(
        &self,
        context: &CallContext,
        work: impl FnOnce(&CallContext) -> Result<T, JournalError>,
    ) -> Result<T, Error> {
        let context = self.renewed(context);
        context.check_cancelled()?;
        self.client_journal()?.record_remembered(&context);
        context.unless_forked(work(&context).map_err(|error| error.outside_of_calls()))
    }

    fn find(
        &self,
        journal: &ClientJournal,
        filter: &Filter,
        context: &CallContext,
    ) -> Result<Found, Error> {
        self.read(context, |context| journal.with(|it| it.find(context, filter)))
    }

    fn find_reference(
        &self,
        journal: &ClientJournal,
        reference: &str,
        context: &CallContext,
    ) -> Result<Vec<Entry>, Error> {
        self.read(context, |context| journal.find_reference(context, reference))
            .map(|found| found.entries)
    }

    fn change(
        &self,
        journal: &ClientJournal,
        entry: &Entry,
        decide: impl Fn(&Entry) -> Option<Entry>,
        context: &CallContext,
    ) -> Result<Option<Entry>, Error> {
        self.read(context, |context| journal.change(context, entry, decide))
    }

    fn interrupted(&self, response: CallResponse) -> Error {
        self.interrupted(response)
    }

    fn is_observed(&self) -> bool {
        let Components { observer, logs_to_stderr, .. } = &self.0.settings.components;
        observer.is_some() || *logs_to_stderr
    }

    fn is_secret(&self, text: &str) -> bool {
        self.is_secret(text)
    }
}

impl ClientJournal {
    /// A filter of the entries of its scope.
    pub fn filter(&self) -> Filter {
        Filter::of_scope(&*self.scope)
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
        assert!(ClientInside::is_secret(&client, "canary"));
        assert!(!ClientInside::is_secret(&client, "https://api.example"));
    }
}
