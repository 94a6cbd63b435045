//! The truth about a reference, by the entries of the journal.

use payments_core::error::{Error, Outcome};
use payments_core::inside::{blocked_by, with_entry};
use payments_core::journal::{Entry, EntryState, Found, RecordedAs};
use payments_core::request::QueryPayment;
use payments_core::{CallContext, Client};

/// A reference, by the entries of the journal.
pub(super) struct Standing {
    /// The journal's clock.
    pub(super) now: u64,
    /// The entry that decides, and how it compares with the request. None if no call
    /// created the payment, or without a journal.
    recorded: Option<(Entry, RecordedAs)>,
}

impl Standing {
    /// Reads the entries of `reference`.
    ///
    /// # Errors
    /// `journal`, as `unknown`: what it does not say may be anything.
    pub(super) fn read(
        client: &Client,
        context: &CallContext,
        reference: &str,
        recorded_as: impl FnOnce(&Entry) -> Result<RecordedAs, Error>,
    ) -> Result<Self, Error> {
        let Found { now, entries } = entries_of(client, context, reference)
            .map_err(|error| error.with_outcome_of_reference(Outcome::Unknown))?;
        let recorded = match deciding(entries, reference) {
            Some(entry) => {
                let recorded = recorded_as(&entry)?;
                Some((entry, recorded))
            }
            None => None,
        };
        Ok(Self { now, recorded })
    }

    pub(super) fn entry(&self) -> Option<&Entry> {
        self.recorded.as_ref().map(|(entry, _)| entry)
    }

    pub(super) fn recorded_as(&self) -> Option<RecordedAs> {
        self.recorded.as_ref().map(|(_, recorded)| *recorded)
    }

    /// Whether a call may have created the payment, or may still create it.
    pub(super) fn is_open(&self) -> bool {
        self.entry().is_some_and(|entry| entry.state != EntryState::Done)
    }

    /// The query that finds the payment.
    pub(super) fn query(&self, reference: &str) -> QueryPayment {
        let by_hash = self.entry().and_then(|entry| entry.hash.as_deref());
        by_hash.map_or_else(
            || QueryPayment::by_merchant_payment_code(reference),
            QueryPayment::by_hash,
        )
    }
}

impl Standing {
    /// The error of a request whose payment may exist, or exists, and is not found.
    pub(super) fn doubt(&self) -> Option<Error> {
        self.recorded.as_ref().map(|(entry, recorded)| blocked_by(entry, *recorded, self.now))
    }

    /// The error after a step that failed, and proves nothing about the reference.
    pub(super) fn after_failure(&self, failure: Error) -> Error {
        match self.doubt() {
            Some(doubt) => super::after_failure(&doubt, &failure),
            None => failure.with_outcome_of_reference(Outcome::Unknown),
        }
    }

    /// `error` with the entry.
    pub(super) fn with_entry(&self, error: Error) -> Error {
        match &self.recorded {
            Some((entry, recorded)) => with_entry(error, entry, *recorded, self.now),
            None => error,
        }
    }
}

/// The error of a request that breaks a rule: it is not sent, and a payment with its
/// reference may exist all the same.
pub(super) fn error_of_invalid_request(
    client: &Client,
    context: &CallContext,
    invalid: Error,
    recorded_as: impl FnOnce(&Entry) -> RecordedAs,
) -> Error {
    let Some(reference) = invalid.reference().map(str::to_owned) else { return invalid };
    let standing = Standing::read(client, context, &reference, |entry| Ok(recorded_as(entry)));
    match standing {
        Ok(standing) if standing.entry().is_none() => invalid,
        Ok(standing) => standing.with_entry(invalid).with_outcome_of_reference(Outcome::Unknown),
        Err(failure) => {
            let message = format!("{}; {}", invalid.message(), failure.message());
            invalid.with_message(message).with_outcome_of_reference(Outcome::Unknown)
        }
    }
}

/// All entries of the reference; none without a journal.
fn entries_of(client: &Client, context: &CallContext, reference: &str) -> Result<Found, Error> {
    if !client.has_journal() {
        return Ok(Found { now: 0, entries: Vec::new() });
    }
    let journal = client.client_journal()?;
    client.read(context, |it| journal.find_reference(it, reference))
}

/// The entry of a payment that decides: one that is done, or else an open one.
fn deciding(entries: Vec<Entry>, reference: &str) -> Option<Entry> {
    let is_ours = |it: &Entry| it.operation.is_found_as_payment() && it.reference == reference;
    let ours = entries.into_iter().rev().filter(is_ours);
    let counting = ours.filter(|it| it.state == EntryState::Done || it.is_open());
    let mut counting = counting.collect::<Vec<_>>();
    counting.sort_by_key(|it| it.state != EntryState::Done);
    counting.into_iter().next()
}

#[cfg(test)]
mod tests {
    use payments_core::operation::Operation;

    use super::*;

    #[test]
    fn a_done_entry_decides_and_otherwise_an_open_one() {
        use EntryState::{Done, Failed, InProgress, Unknown};
        let of = |states: &[EntryState]| {
            let entry = |state: &EntryState| Entry { state: *state, ..Entry::of_test("order-1") };
            states.iter().map(entry).collect::<Vec<_>>()
        };
        let found = |entries: Vec<Entry>| deciding(entries, "order-1").map(|it| it.state);
        for (states, expected) in [
            (&[][..], None),
            (&[Failed, Failed], None),
            (&[Failed, Unknown], Some(Unknown)),
            (&[InProgress, Failed], Some(InProgress)),
            (&[Failed, Done], Some(Done)),
            (&[Done, Unknown], Some(Done)),
        ] {
            assert_eq!(found(of(states)), expected, "{states:?}");
        }
        let mut entries = of(&[Failed]);
        entries[0].rival = Some("2".to_owned());
        assert_eq!(found(entries), Some(Failed), "its call was executed");
        let mut entries = of(&[Done]);
        entries[0].reference = "Order-1".to_owned();
        assert_eq!(found(entries), None);
        let payout = Entry { operation: Operation::CreatePayout, ..Entry::of_test("order-1") };
        assert_eq!(found(vec![payout]), None);
    }
}
