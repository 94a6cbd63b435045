//! Reading a journal.

use payments_core::ErrorKind::Journal as JournalKind;
use payments_core::journal::EntryState;
use payments_core::{Client, Config};

use crate::support::calls::{self, assert_says, error_summary, payout};
use crate::support::journaled::{FAILED, journaled, state_of};
use crate::support::raw_server::{RawServer, created};

#[test]
fn a_call_that_needs_a_journal_says_how_to_make_one() {
    let client = calls::client("http://127.0.0.1:9");
    let error =
        payments_host::journal::list(&client, true, None, &client.context()).map(drop).unwrap_err();
    assert_eq!((error.path(), error.code().as_str()), (Some("journal"), "required"));
    assert_says(&error, &["payments journal create PATH", "set journal to file:PATH"]);
}

#[test]
fn reading_the_journal_records_remembered_ends() {
    let server = RawServer::responding(created());
    let (client, journal) = journaled(&server.base_url());
    let context = client.context();
    let uses: [fn(&Client); 4] = [
        |client| drop(payments_host::journal::list(client, true, None, &client.context()).unwrap()),
        |client| drop(payments_host::journal::show(client, "payout-1", &client.context()).unwrap()),
        |client| {
            assert!(payments_host::recover(client, &client.context()).unwrap().open.is_empty())
        },
        |client| {
            let counted =
                payments_host::journal::prune(client, u64::MAX, true, true, &client.context())
                    .unwrap();
            assert_eq!((counted.open, counted.failed), (0, 4));
        },
    ];
    for (number, use_it) in uses.iter().enumerate() {
        let reference = format!("payout-{number}");
        *journal.commits_late.lock().unwrap() = true;
        assert_eq!(error_summary(client.create_payout(&payout(&reference))).0, JournalKind);
        journal.land();
        use_it(&client);
        assert_eq!(state_of(&journal.all(), &reference), FAILED);
    }
    assert!(
        payments_host::journal::list(&client, true, None, &context).unwrap().entries.is_empty()
    );
    assert!(server.requests().is_empty());
}

#[test]
fn a_later_client_of_the_process_records_it_too() {
    let server = RawServer::responding(created());
    let (client, journal) = journaled(&server.base_url());
    *journal.commits_late.lock().unwrap() = true;
    assert_eq!(error_summary(client.create_payout(&payout("payout-1"))).0, JournalKind);
    drop(client);
    journal.land();
    let config = |url: &str| calls::config(url).journal(std::sync::Arc::clone(&journal) as _);
    let listed = |config: Config| {
        let client = Client::new(config).unwrap();
        payments_host::journal::list(&client, true, None, &client.context()).unwrap().entries.len()
    };
    // Entries of another service or scope do not concern it.
    let other = RawServer::responding(created());
    assert_eq!(listed(config(&other.base_url())), 1);
    assert_eq!(listed(config(&server.base_url()).journal_scope("other")), 0);
    assert_eq!(state_of(&journal.all(), "payout-1").0, EntryState::InProgress);
    assert_eq!(listed(config(&server.base_url())), 0);
    assert_eq!(state_of(&journal.all(), "payout-1"), FAILED);
}
