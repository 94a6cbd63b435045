//! Deleting old entries, which nothing else does.

use payments_base::utc::iso_8601;
use payments_core::error::{Error, ErrorCode};
use payments_core::journal::Counted;
use payments_core::json::{Json, Members};
use payments_core::{CallContext, Client};

/// How many entries a transaction deletes.
const SLICE: u32 = 500;
/// Entries younger than this are needed: their references may still be sent
/// again.
const RECENT_MS: u64 = 30 * 86_400_000;

/// How many entries were created before a moment, and their outcomes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Pruned {
    /// Whether they were only counted.
    pub is_dry_run: bool,
    /// Entries that were `done` and are deleted.
    pub done: u64,
    /// Entries that were `failed` and are deleted.
    pub failed: u64,
    /// Entries that are open, and stay.
    pub open: u64,
}

impl Pruned {
    /// The numbers as an object: `dry_run`, `done`, `failed` and `open`.
    pub fn to_json(&self) -> Json {
        Json::Object(Members::from([
            ("dry_run", Json::from(self.is_dry_run)),
            ("done", Json::from(self.done)),
            ("failed", Json::from(self.failed)),
            ("open", Json::from(self.open)),
        ]))
    }
}

/// When the newest entry of this client's scope was created.
///
/// # Errors
/// `config` without a journal, `journal` if it does not work.
pub(crate) fn newest_entry(client: &Client, context: &CallContext) -> Result<Option<u64>, Error> {
    let journal = client.client_journal()?;
    let count = |context: &CallContext| journal.with(|it| it.count(context, &journal.scope, 0));
    client.read(context, count).map(|counted| counted.newest)
}

/// Counts the entries of this client's scope that were created before
/// `before`, in milliseconds since 1970 UTC, and deletes those that are not
/// open, unless it `is_dry_run`. Their references can be used again.
///
/// Without `recent`, the last 30 days are refused, counted back from the
/// journal's clock or from its newest entry, whichever is earlier: a clock
/// may be wrong.
///
/// # Errors
/// `validation` for a moment in the last 30 days, `config` without a
/// journal, `journal` if it does not work, `cancelled`.
pub fn prune(
    client: &Client,
    before: u64,
    recent: bool,
    is_dry_run: bool,
    context: &CallContext,
) -> Result<Pruned, Error> {
    let journal = client.client_journal()?;
    let scope = &*journal.scope;
    let counted =
        client.read(context, |context| journal.with(|it| it.count(context, scope, before)))?;
    let Counted { now, newest, done, failed, open } = counted;
    let last = now.min(newest.unwrap_or(now)).saturating_sub(RECENT_MS);
    if before > last && !recent && !is_dry_run {
        let message = format!(
            "is in the last 30 days; give {} at the latest, or confirm it with --yes (`recent` in \
             the packages)",
            iso_8601(last)
        );
        return Err(Error::validation("before", ErrorCode::NOT_CONFIRMED, message));
    }
    let pruned = Pruned { is_dry_run, done, failed, open };
    if is_dry_run {
        return Ok(pruned);
    }
    let slice = |context: &CallContext| journal.with(|it| it.prune(context, scope, before, SLICE));
    while client.read(context, slice)? == u64::from(SLICE) {}
    Ok(pruned)
}
