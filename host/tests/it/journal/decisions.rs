//! The decisions of a file, when the journal fails in the middle.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use payments_core::Client;
use payments_core::journal::{EntryState, JournalError};
use payments_host::commands::{JournalRequest, answer_journal};

use crate::support::calls::{self, payment};
use crate::support::folder::Folder;
use crate::support::journal::MemoryJournal;
use crate::support::raw_server::{RawServer, created};

fn failing_at(update: u32) -> impl Fn() -> Result<(), JournalError> {
    let updates = AtomicU32::new(0);
    move || match updates.fetch_add(1, Ordering::SeqCst) + 1 {
        number if number == update => Err(JournalError::new("the database is away")),
        _ => Ok(()),
    }
}

#[test]
fn recorded_decisions_stay_and_the_command_continues() {
    let journal = Arc::new(MemoryJournal::default());
    let server = RawServer::responding(created());
    let config = calls::config(&server.base_url()).journal(Arc::clone(&journal) as _);
    let client = Client::new(config).unwrap();
    for reference in ["order-1", "order-2", "order-3"] {
        client.create_payment(&payment(reference)).unwrap();
        journal.change(|entry| (entry.state, entry.decided_by) = (EntryState::InProgress, None));
    }
    *journal.ahead.lock().unwrap() = 24 * 3_600_000;
    *journal.before_update.lock().unwrap() = Some(Box::new(failing_at(2)));
    let folder = Folder::made();
    let path = folder.write(
        "decisions.csv",
        "reference,executed,note\norder-1,yes,listed\norder-2,no,lost\norder-3,yes,listed\n",
    );
    let resolve = || {
        let request = JournalRequest::ResolveFrom(path.clone());
        answer_journal(&client, &request, "payments", &client.context())
    };
    let failure = resolve().unwrap_err();
    let message = failure.report.get("message").unwrap().as_str().unwrap();
    assert!(message.contains("the database is away; 1 of 3 lines were recorded"), "{message}");
    assert!(message.ends_with("run the same command again"), "{message}");
    let answer = resolve().unwrap();
    assert!(answer.text.ends_with("2 resolved, 1 recorded already\n"), "{}", answer.text);
    let states: Vec<_> = journal.all().into_iter().map(|entry| entry.state).collect();
    assert_eq!(states, [EntryState::Done, EntryState::Failed, EntryState::Done]);
}
