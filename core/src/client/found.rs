//! A payment that a query found, and that the journal lacks: it gets an entry, so
//! that its reference is refused and its end is reported.

use payments_transport::context::CallContext;

use super::intent::Intent;
use super::{Begun, Client, ClientJournal};
use crate::journal::FoundOutcome;
use crate::model::error::Error;
use crate::model::observer::EventKind;
use crate::model::request::{CreatePayment, Request as _};

impl Client {
    /// Records that `found` is the payment of `request`. The entry is in progress at
    /// first: if the process dies before it is decided, recovery does that. An entry
    /// that another call has made meanwhile stays. If recording fails, observers are
    /// told.
    ///
    /// # Errors
    /// The request is not valid.
    #[doc(hidden)]
    pub fn record_found(
        &self,
        journal: &ClientJournal,
        request: &CreatePayment,
        found: &FoundOutcome,
        context: &CallContext,
    ) -> Result<(), Error> {
        let Some(intent) = Intent::of(&request.draft(self.rules())?, self.rules())? else {
            return Ok(());
        };
        let begun = self.begun(&context.renewed(self.timeout()), Some(intent.reference()));
        let Begun { context, subject } = begun;
        let entry = journal.entry_of(intent.without_body(), &context);
        let recorded = journal.with(|it| it.insert(&context, &entry)).and_then(|is_stored| {
            if is_stored {
                journal.change(&context, &entry, |stored| stored.recovered(found))?;
            }
            Ok(())
        });
        if let Err(error) = &recorded {
            let (id, reason) = (&*entry.id, &*error.to_string());
            self.observe(&context, subject.as_ref(), &EventKind::JournalFailed { id, reason });
        }
        Ok(())
    }
}
