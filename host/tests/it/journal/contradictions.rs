//! An entry whose call and a person contradict each other.

use std::sync::Arc;

use payments_core::journal::{DecidedBy, Entry, EntryState, Needs};

use crate::support::calls::payment;
use crate::support::journaled::watched;
use crate::support::raw_server::{RawServer, created};

#[test]
fn an_entry_that_lost_its_reference_names_its_rival() {
    let server = RawServer::responding(created());
    let (client, journal, reasons) = watched(&server.base_url());
    let taking = Arc::clone(&journal);
    *journal.before_update.lock().unwrap() = Some(Box::new(move || {
        let mut entries = taking.entries.lock().unwrap();
        if entries.len() == 1 {
            // A person says no, and the reference is used again.
            let next = Entry { id: "f".repeat(32), state: EntryState::Done, ..entries[0].clone() };
            entries[0].state = EntryState::Failed;
            entries[0].decided_by = Some(DecidedBy::Person);
            entries[0].version += 1;
            entries.push(next);
        }
        Ok(())
    }));
    client.create_payment(&payment("order-1")).unwrap();
    let [entry, rival] = &journal.all()[..] else { panic!("two entries") };
    assert_eq!((entry.state, entry.rival.as_ref()), (EntryState::Failed, Some(&rival.id)));
    let reason = reasons.lock().unwrap()[0].clone();
    assert!(reason.contains(&entry.id) && reason.contains(&rival.id), "{reason}");
    let context = client.context();
    let open = payments_host::recover(&client, &context).unwrap().open;
    assert_eq!((open.len(), open[0].needs), (1, Needs::Person));
    assert_eq!(
        payments_host::journal::list(&client, true, None, &context).unwrap().entries.len(),
        1
    );
    let settled =
        payments_host::journal::resolve(&client, "order-1", true, "paid out twice", &context)
            .unwrap();
    assert_eq!((settled.state, settled.rival.as_ref()), (EntryState::Failed, None));
    assert!(settled.note.as_ref().unwrap().contains(&rival.id));
    assert!(
        payments_host::journal::list(&client, true, None, &context).unwrap().entries.is_empty()
    );
}
