//! A call and a person that contradict each other about one entry.

use std::sync::Arc;

use payments_core::journal::{DecidedBy, EntryState};

use crate::support::calls::{error_summary, payment};
use crate::support::journal::MemoryJournal;
use crate::support::journaled::watched;
use crate::support::raw_server::{RawServer, created, response};

/// A person's decision about the newest entry while its call runs.
fn decides(journal: &Arc<MemoryJournal>, state: EntryState) {
    let deciding = Arc::clone(journal);
    *journal.before_update.lock().unwrap() = Some(Box::new(move || {
        let mut entries = deciding.entries.lock().unwrap();
        let entry = entries.last_mut().unwrap();
        if entry.decided_by.is_none() {
            entry.state = state;
            entry.decided_by = Some(DecidedBy::Person);
            entry.version += 1;
        }
        Ok(())
    }));
}

#[test]
fn a_calls_own_done_wins_over_the_no_of_a_person() {
    let server = RawServer::responding(created());
    let (client, journal, reasons) = watched(&server.base_url());
    decides(&journal, EntryState::Failed);
    client.create_payment(&payment("order-1")).unwrap();
    let entry = journal.one();
    assert_eq!((entry.state, entry.decided_by), (EntryState::Done, Some(DecidedBy::Call)));
    assert!(entry.hash.is_some() && reasons.lock().unwrap().is_empty());
}

#[test]
fn a_calls_own_failed_does_not_change_a_persons_yes() {
    let server = RawServer::responding(response("400 No", "", "{}"));
    let (client, journal, reasons) = watched(&server.base_url());
    decides(&journal, EntryState::Done);
    client.create_payment(&payment("order-1")).unwrap_err();
    let entry = journal.one();
    assert_eq!((entry.state, entry.decided_by), (EntryState::Done, Some(DecidedBy::Person)));
    assert_eq!(entry.code.as_deref(), Some("refused"), "it is noted");
    assert!(reasons.lock().unwrap()[0].contains("its call ended as failed"));
    assert_eq!(error_summary(client.create_payment(&payment("order-1"))).1, "already_done");
}
