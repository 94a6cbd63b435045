//! The entries that may be deleted.

use std::sync::Arc;

use payments_core::Client;
use payments_core::json::Json;

use crate::support::calls::{error_summary, payment};
use crate::support::journal::MemoryJournal;
use crate::support::merchant::{INTEGRATION_KEY, Merchant, NONE};

const DAY: u64 = 86_400_000;

#[test]
fn a_clock_that_is_ahead_does_not_age_the_newest_entry() {
    let merchant = Merchant::with(NONE);
    let journal = Arc::new(MemoryJournal::default());
    let config = merchant.config(INTEGRATION_KEY).journal(Arc::clone(&journal) as _);
    let client = Client::new(config).unwrap();
    for reference in ["order-1", "order-2"] {
        client.create_payment(&payment(reference)).unwrap();
    }
    let newest = journal.all()[1].created_at;
    journal.entries.lock().unwrap()[0].created_at = newest - 30 * DAY - 1;
    *journal.ahead.lock().unwrap() = 400 * DAY;
    let prune = |before, recent| {
        payments_host::journal::prune(&client, before, recent, false, &client.context())
    };
    assert_eq!(error_summary(prune(newest - 30 * DAY + 1, false)).1, "not_confirmed");
    assert_eq!(journal.all().len(), 2);
    assert_eq!(prune(newest - 30 * DAY, false).unwrap().done, 1);
    assert_eq!(journal.all().len(), 1);
    let said = prune(newest + 1, true).unwrap().to_json();
    let expected = br#"{"dry_run":false,"done":1,"failed":0,"open":0}"#;
    assert_eq!(said, Json::parse(expected).unwrap());
    assert!(journal.all().is_empty());
}
