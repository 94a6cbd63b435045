//! Clients with a journal, and the entries that they wrote.

use std::sync::{Arc, Mutex};

use payments_core::Client;
use payments_core::journal::{DecidedBy, Entry, EntryState};
use payments_core::observer::{Event, EventKind};
use payments_core::request::{RawRequest, Request};

use super::calls;
use super::journal::MemoryJournal;

/// The end of a call that was not executed, in its entry.
pub const FAILED: (EntryState, Option<DecidedBy>) = (EntryState::Failed, Some(DecidedBy::Call));

/// A client with a journal in memory.
pub fn journaled(base_url: &str) -> (Client, Arc<MemoryJournal>) {
    let journal = Arc::new(MemoryJournal::default());
    let config = calls::config(base_url).journal(Arc::clone(&journal) as _);
    (Client::new(config).unwrap(), journal)
}

/// A client whose `journal_failed` events are kept.
pub fn watched(base_url: &str) -> (Client, Arc<MemoryJournal>, Arc<Mutex<Vec<String>>>) {
    let journal = Arc::new(MemoryJournal::default());
    let reasons = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&reasons);
    let observer = move |event: &Event<'_>| {
        if let EventKind::JournalFailed { reason, .. } = event.kind {
            kept.lock().unwrap().push((*reason).to_owned());
        }
    };
    let config = calls::config(base_url).journal(Arc::clone(&journal) as _);
    (Client::new(config.observer(Arc::new(observer))).unwrap(), journal, reasons)
}

/// The state of the only entry with this reference.
pub fn state_of(entries: &[Entry], reference: &str) -> (EntryState, Option<DecidedBy>) {
    let mut found = entries.iter().filter(|it| it.reference == reference);
    let entry = found.next().unwrap();
    assert!(found.next().is_none(), "{entries:?}");
    (entry.state, entry.decided_by)
}

/// A `send` of an operation's request.
pub fn sent_as(path: &str, request: &impl Request) -> RawRequest {
    let client = Client::new(calls::config("http://127.0.0.1:1")).unwrap();
    let body = client.prepare(request, &client.context()).unwrap().body().to_vec();
    RawRequest::new("POST", path).body(body)
}
