//! Entries of calls that an earlier version left to another HTTP client.

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use payments_core::ErrorKind::Journal as JournalKind;
use payments_core::Outcome::{Executed, Unknown};
use payments_core::journal::{DecidedBy, Entry, EntryState, Needs, SqliteJournal};
use payments_core::json::Json;
use payments_core::request::{RawRequest, RefundPayment};
use payments_core::{Client, Config};
use payments_host::commands::{JournalRequest, answer_journal};

use crate::support::calls::{self, error_summary, payment};
use crate::support::folder::Folder;
use crate::support::merchant::{INTEGRATION_KEY, Merchant, NONE};
use crate::support::raw_server::{RawServer, created};

/// The rows as they were written, with their times after `?1`: a payment, one
/// whose response did not come, a refund, and bytes of the caller. They look like
/// those of a process that was killed.
const ROWS: &str = "INSERT INTO payments_journal (
        id, version, scope, operation, reference, refund_code, amount, currency, body_sha256,
        host, process, created_at, deadline_at, settles_at, ended_at, state, decided_by, hash,
        uid, kind, code, note, rival) VALUES
    ('01a217952d98012ed3f317568d7ea00b', 1, '127.0.0.1', 'create_payment', 'order-1', NULL,
     '100.10', 'BRL', 'ea9325e9299429095afccf1f8b1c430b584c59a0372522c68d4a87847498c637', 'vm',
     '12140', ?1, ?1 + 29999, ?1 + 929999, NULL, 'in_progress', NULL, NULL, NULL, NULL, NULL,
     NULL, NULL),
    ('01a217952dd3470864f8047e45f627ab', 2, '127.0.0.1', 'create_payment', 'order-2', NULL,
     '100.10', 'BRL', '17acf786448df531be33684d8df85a66a911e627b3b8a567d177190d124eecaf', 'vm',
     '12140', ?1, ?1 + 29999, ?1 + 929999, ?1 + 11, 'unknown', 'call', NULL, NULL, 'transport',
     'connection_broken', NULL, NULL),
    ('01a217952ddfbf74f5eed08718f0d2ae', 1, '127.0.0.1', 'refund_payment', '5f2c', 'r-1', NULL,
     NULL, '27da7598df1f0c69cac6255e6590051689d483c9f6140afe336c20070cdd5339', 'vm', '12140',
     ?1, ?1 + 29999, ?1 + 929999, NULL, 'in_progress', NULL, NULL, NULL, NULL, NULL, NULL, NULL),
    ('01a217952de68e4babd2381e9c97d49c', 1, '127.0.0.1', 'send', 't-1', NULL, NULL, NULL,
     '44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a', 'vm', '12140', ?1,
     ?1 + 29999, ?1 + 929999, NULL, 'in_progress', NULL, NULL, NULL, NULL, NULL, NULL, NULL)";

const DAY: u64 = 86_400_000;

/// A client whose journal has the rows, written `age` milliseconds ago.
fn with_rows(config: Config, folder: &Folder, age: u64) -> Client {
    SqliteJournal::create(folder.journal()).unwrap();
    insert(&folder.journal(), age);
    Client::new(config.journal_file(folder.journal())).unwrap()
}

fn insert(path: &Path, age: u64) {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis();
    let created_at = i64::try_from(now).unwrap() - i64::try_from(age).unwrap();
    rusqlite::Connection::open(path).unwrap().execute(ROWS, [created_at]).unwrap();
}

fn open_entries(client: &Client) -> Vec<Entry> {
    payments_host::journal::list(client, true, None, &client.context()).unwrap().entries
}

#[test]
fn entries_whose_calls_may_still_run_block_their_references() {
    let (server, folder) = (RawServer::responding(created()), Folder::new());
    let client = with_rows(calls::config(&server.base_url()), &folder, 0);
    let all = JournalRequest::List { open: true };
    let listed = answer_journal(&client, &all, "payments", &client.context()).unwrap().text;
    for reference in ["order-1", "order-2", "5f2c", "t-1"] {
        assert!(listed.contains(reference), "{listed}");
    }
    let error = client.create_payment(&payment("order-1")).unwrap_err();
    let entry = error.journal_entry().unwrap();
    assert_eq!(entry.get("has_same_body").and_then(Json::as_bool), Some(true));
    assert_eq!(error_summary::<()>(Err(error)), (JournalKind, "in_progress", Unknown));
    let second = client.create_payment(&payment("order-2"));
    assert_eq!(error_summary(second), (JournalKind, "unresolved", Unknown));
    let refund = RefundPayment::by_hash("5f2c").merchant_refund_code("r-1");
    assert_eq!(error_summary(client.refund_payment(&refund)).1, "in_progress");
    let transfer = RawRequest::new("POST", "/ws/transfer").body("{}").reference("t-1");
    assert_eq!(error_summary(client.send(&transfer)).1, "in_progress");
    let resolved =
        payments_host::journal::resolve(&client, "order-1", true, "seen", &client.context());
    assert_eq!(error_summary(resolved).1, "entry_too_early");
    assert!(server.requests().is_empty());
}

#[test]
fn executed_calls_are_recovered_and_a_person_decides_the_rest() {
    let (merchant, folder) = (Merchant::with(NONE), Folder::new());
    let other = Client::new(merchant.config(INTEGRATION_KEY)).unwrap();
    let hash = other.create_payment(&payment("order-1")).unwrap().hash().map(str::to_owned);
    let client = with_rows(merchant.config(INTEGRATION_KEY), &folder, DAY);
    let context = client.context();
    assert_eq!(error_summary(client.create_payment(&payment("order-1"))).1, "unresolved");

    let recovery = payments_host::recover(&client, &context).unwrap();
    let [recovered] = &recovery.recovered[..] else { panic!("{recovery:?}") };
    assert_eq!((recovered.state, &recovered.hash), (EntryState::Done, &hash));
    assert_eq!(recovered.decided_by, Some(DecidedBy::Recovery));
    assert!(recovery.open.iter().all(|it| it.needs == Needs::Person), "{recovery:?}");
    let first = client.create_payment(&payment("order-1"));
    assert_eq!(error_summary(first), (JournalKind, "already_done", Executed));

    let open = open_entries(&client);
    let references: Vec<_> = open.iter().map(|entry| &*entry.reference).collect();
    assert_eq!(references, ["order-2", "5f2c", "t-1"]);
    for entry in &open {
        payments_host::journal::resolve(
            &client,
            &entry.id,
            false,
            "it is not in the ledger",
            &context,
        )
        .unwrap();
    }
    client.create_payment(&payment("order-2")).unwrap();
    client.send(&RawRequest::new("POST", "/ws/transfer").body("{}").reference("t-1")).unwrap();
    assert!(open_entries(&client).is_empty());
    assert_eq!(merchant.sandbox.payments().len(), 2, "each is paid once");
}
