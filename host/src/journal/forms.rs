//! Entries of a journal as JSON, and times as people write them.

use payments_base::utc;
use payments_core::error::{Error, ErrorCode};
use payments_core::journal::{Entry, Found};
use payments_core::json::{Json, Members};
use payments_core::rules::Rules;

/// A date or an ISO 8601 time in milliseconds since 1970 UTC.
pub(crate) fn milliseconds_of(text: &str) -> Result<u64, Error> {
    let message = "must be a date such as 2026-01-31, or a time such as 2026-01-31T12:00:00Z";
    utc::parse(text).ok_or_else(|| Error::validation("before", ErrorCode::VALUE_INVALID, message))
}

/// Entries, with the needs of each for a client with these rules.
pub(crate) fn entries_of(found: &Found, rules: &Rules) -> Json {
    let entries: Vec<_> = found.entries.iter().map(|it| it.to_json_at(found.now, rules)).collect();
    let mut json = Members::from([("entries", entries)]);
    json.push("now", found.now);
    json.into()
}

/// The entry that a person decided about.
pub(crate) fn resolved(entry: &Entry) -> Json {
    Members::from([("entries", vec![decided(entry)])]).into()
}

/// An entry that is decided. Its needs depend neither on the time nor on queries.
pub(crate) fn decided(entry: &Entry) -> Json {
    entry.to_json_at(0, &Rules::default())
}
