//! Files in the format before this version's.

use payments_core::Client;
use payments_core::Outcome::Unknown;
use payments_core::journal::{EntryState, Filter, Journal as _, SqliteJournal};

use crate::support::calls::{self, error_summary, payout};
use crate::support::folder::Folder;
use crate::support::format_1::downgrade;
use crate::support::raw_server::{RawServer, created};
use crate::support::sqlite::{context, execute};

#[test]
fn payments_from_before_an_upgrade_stay_refused() {
    let server = RawServer::responding(created());
    let folder = Folder::new();
    let journal = SqliteJournal::create(folder.journal()).unwrap();
    downgrade(&folder.journal());
    let client = || {
        let config = calls::config(&server.base_url()).journal_scope("old");
        Client::new(config.journal_file(folder.journal()))
    };
    let error = client().unwrap_err();
    assert_eq!(error.code().as_str(), "other_format");
    assert!(error.message().contains("run `payments journal upgrade"), "{error}");
    assert_eq!(SqliteJournal::upgrade(&folder.journal()).unwrap(), Some(1_000));
    assert_eq!(SqliteJournal::upgrade(&folder.journal()).unwrap(), None);
    let client = client().unwrap();
    for number in (1_001..=2_000).step_by(111) {
        let refused = error_summary(client.create_payout(&payout(&format!("p-{number}"))));
        assert_eq!((refused.1, refused.2), ("reference_used", Unknown));
    }
    assert!(server.requests().is_empty());
    let found = journal.find(&context(), &Filter::of_scope("old")).unwrap().entries;
    assert!(found.len() == 1_000 && found.iter().all(|it| it.state == EntryState::Done));
    client.create_payout(&payout("p-2001")).unwrap();
}

#[test]
fn an_upgrade_of_a_damaged_or_newer_file_changes_nothing() {
    for (statement, code, reason) in [
        ("ALTER TABLE payments_journal DROP COLUMN note", "damaged", "has no column note"),
        ("DROP INDEX payments_journal_full_refund", "damaged", "payments_journal_full_refund"),
        ("PRAGMA user_version = 3", "other_format", "has format 3"),
        ("PRAGMA application_id = 7", "damaged", "another application"),
        ("ALTER TABLE payments_journal ADD COLUMN guard TEXT", "unavailable", "duplicate column"),
    ] {
        let folder = Folder::new();
        SqliteJournal::create(folder.journal()).unwrap();
        downgrade(&folder.journal());
        execute(&folder.journal(), statement);
        let before = std::fs::read(folder.journal()).unwrap();
        let error = SqliteJournal::upgrade(&folder.journal()).unwrap_err();
        assert_eq!(error.code().as_str(), code, "{error}");
        assert!(error.message().contains(reason), "{error}");
        assert!(std::fs::read(folder.journal()).unwrap() == before, "{statement}");
    }
}
