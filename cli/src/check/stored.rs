//! The journal and the token store: whether they work, and the journal's open entries.

use std::sync::{Mutex, PoisonError};

use payments_core::Client;
#[cfg(unix)]
use payments_core::journal::SqliteJournal;
use payments_core::observer::{Event, EventKind, Observer};

use super::{ConfiguredMembers, Report};

/// Reports the journal with its open entries. A copy that was not adopted refuses
/// calls.
#[cfg(unix)]
pub(super) fn check_journal(report: &mut Report, given: &ConfiguredMembers, client: &Client) {
    let Some(path) = given.path_after("journal", "file:") else {
        report.skip("journal", "not set: a call that a crash ends leaves no record");
        return;
    };
    let path = path.display();
    let context = client.context();
    let open = payments_host::journal::check(client, &context)
        .and_then(|()| payments_host::journal::list_whole(client, true, &context));
    let show = "payments journal list --open";
    match open.map(|open| open.entries.len()) {
        Ok(0) => report.ok("journal", format!("{path} has no open entry")),
        Ok(1) => report.ok("journal", format!("{path} has 1 open entry; {show} shows it")),
        Ok(open) => {
            report.ok("journal", format!("{path} has {open} open entries; {show} shows them"));
        }
        Err(error) => report.failed("journal", error.message()),
    }
}

/// Warns of a journal that a power failure clears.
#[cfg(unix)]
pub(super) fn check_disk(report: &mut Report, given: &ConfiguredMembers) {
    let Some(path) = given.path_after("journal", "file:") else { return };
    // The library reports a missing folder.
    if path.parent().is_some_and(SqliteJournal::is_in_memory) {
        report.warn(
            "journal",
            format!(
                "{} is on a file system in memory, which a power failure clears",
                path.display()
            ),
            "put the journal on a disk",
        );
    }
}

/// Why the token store was bypassed, if it was: a call continues without one that
/// fails.
#[derive(Default)]
pub(super) struct Bypass(Mutex<Option<String>>);

impl Observer for Bypass {
    fn on_event(&self, event: &Event<'_>) {
        if let EventKind::StoreBypassed { reason, .. } = event.kind {
            let mut first = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            first.get_or_insert_with(|| reason.to_string());
        }
    }
}

/// Reports the token store. A server is contacted only by the earlier checks of
/// `--online`, and the user's cache folder is not made here: it would belong to the
/// person who checks.
pub(super) fn check_token_store(
    report: &mut Report,
    given: &ConfiguredMembers,
    client: &Client,
    bypass: &Bypass,
    is_online: bool,
) {
    const ABOUT: &str = "token_store";
    if !given.has("client_id") {
        return;
    }
    let message = match given.text(ABOUT) {
        None => {
            "not set: this command keeps tokens in the user's cache folder, and programs keep \
             theirs in memory"
        }
        Some(store) if store.starts_with("file:") => {
            // Reads the store. An error shows in the bypass.
            let _ = client.token_status(&client.context());
            "the folder works: all processes of this host share a token"
        }
        Some("memory") => "memory: each process requests a token of its own",
        Some(_) if is_online => "the Redis server works: all processes that use it share a token",
        Some(_) => return report.skip(ABOUT, "--online tries the Redis server"),
    };
    let bypassed = bypass.0.lock().unwrap_or_else(PoisonError::into_inner);
    match &*bypassed {
        None => report.ok(ABOUT, message),
        Some(reason) => report.warn(ABOUT, reason, "until it works, calls go on without it"),
    }
}
