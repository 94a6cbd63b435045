//! The state that outlives the phases of a call, even if one of them panics:
//! the identity of the call, its entry in the journal, and whether a byte of it
//! may have been sent. It ends the call.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use payments_base::process::ForkGuard;
use payments_transport::context::{ByteRecord, CallContext, Ended};
use payments_transport::inside::{PooledConnection, authority_of};
use payments_transport::{Received, TransportFailure};

use super::intent::Intent;
use super::journaling::{self, BegunEntry};
use super::{Begun, Client, ClientJournal, outcome};
use crate::call_options::Options;
use crate::config::Resolved;
use crate::model::error::{Error, ErrorCode, ErrorKind, Outcome, Reason};
use crate::model::observer::{EventKind, Failure, Subject};
use crate::model::operation::Operation;
use crate::model::request::{Draft, TypedResponse};
use crate::model::rules::contains_code;

/// A call in progress.
pub(super) struct Driver<'a> {
    client: &'a Client,
    options: Options,
    /// The subject of its events, if anybody hears them.
    subject: Option<Subject>,
    operation: Operation,
    reference: Option<String>,
    /// Whether the request names a payment by a hash that does not look like one.
    has_odd_hash: bool,
    is_cancellation: bool,
    /// The caller's context, with the byte record of the current attempt.
    context: CallContext,
    /// The byte record of all attempts.
    record: ByteRecord,
    attempts: u32,
    /// The entry in the journal, until the call has ended.
    entry: Option<BegunEntry>,
    /// The connection of the last response, held until the response has been
    /// judged.
    connection: Option<ForkGuard<PooledConnection>>,
    started: Instant,
    signing: Duration,
    http_status: Option<u16>,
}

impl<'a> Driver<'a> {
    /// A call that has begun.
    pub(super) fn new(client: &'a Client, draft: &Draft, begun: Begun) -> Self {
        // One context may serve several calls at once.
        let context = begun.context.with_nested_record();
        Self {
            client,
            options: Options::of(&context),
            subject: begun.subject,
            operation: draft.operation,
            reference: draft.reference.clone(),
            has_odd_hash: draft.payment_hash().is_some_and(|hash| !looks_like_hash(hash)),
            is_cancellation: draft.is_cancellation(),
            record: context.record(),
            context,
            attempts: 0,
            entry: None,
            connection: None,
            started: Instant::now(),
            signing: Duration::ZERO,
            http_status: None,
        }
    }

    pub(super) fn client(&self) -> &'a Client {
        self.client
    }

    pub(super) fn settings(&self) -> &'a Resolved {
        &self.client.0.settings
    }

    pub(super) fn operation(&self) -> Operation {
        self.operation
    }

    pub(super) fn context(&self) -> &CallContext {
        &self.context
    }

    pub(super) fn options(&self) -> &Options {
        &self.options
    }

    pub(super) fn attempts(&self) -> u32 {
        self.attempts
    }

    pub(super) fn observe(&self, event: &EventKind<'_>) {
        self.client.observe(&self.context, self.subject.as_ref(), event);
    }

    /// Tells the observer that the call begins, runs its phases, and ends it. A
    /// panic is caught here, where the operation and its reference are still
    /// known.
    pub(super) fn run<A: TypedResponse>(
        mut self,
        draft: Draft,
        phases: impl FnOnce(&mut Self, Draft) -> Result<A, Error>,
    ) -> Result<A, Error> {
        self.observe_start(&draft);
        let result = catch_unwind(AssertUnwindSafe(|| phases(&mut self, draft)));
        // A bug fails this call only.
        let result = result.unwrap_or_else(|_| {
            Err(outcome::error_of_panic(Outcome::of_record(self.context.may_have_sent())))
        });
        self.end(result)
    }

    fn observe_start(&self, draft: &Draft) {
        if self.client.observers().next().is_none() {
            return;
        }
        let settings = self.settings();
        let path = settings.without_secrets(&draft.path);
        self.observe(&EventKind::RequestStarted {
            operation: self.operation,
            method: &draft.method,
            path: draft.shown_part(&path),
            host: authority_of(&settings.base_url),
        });
    }

    pub(super) fn note_signing(&mut self, took: Duration) {
        self.signing = took;
    }

    /// Writes the entry of the call. From here on, the first byte of the
    /// request leaves before the deadline of the entry or never.
    pub(super) fn begin_entry(&mut self, intent: Intent) -> Result<(), Error> {
        let Some(journal) = &self.client.0.journal else { return Ok(()) };
        self.context = self.context.clone().with_first_byte_deadline();
        journal.begin(&mut self.entry, intent, &self.context)
    }

    /// Begins an attempt, unless the call has ended or its request must not leave
    /// any more.
    pub(super) fn begin_attempt(&mut self) -> Result<(), Error> {
        self.http_status = None;
        // An earlier attempt is known not to have been executed.
        if self.context.may_have_sent() {
            self.context = self.context.with_nested_record();
        }
        self.context.check()?;
        // Transports of the caller do not ask.
        if self.context.is_first_byte_overdue() {
            return Err(self.context.stopped(Ended::Deadline).into());
        }
        self.attempts += 1;
        self.observe(&EventKind::Attempt { operation: self.operation, number: self.attempts });
        // Lets this attempt reuse the connection of the previous one.
        self.connection = None;
        Ok(())
    }

    /// Ends an attempt. Afterwards the byte record is set, unless the failure proves
    /// that nothing was sent.
    pub(super) fn end_attempt(
        &mut self,
        sent: &mut Result<Received, TransportFailure>,
        duration: Duration,
    ) {
        if !matches!(sent, Err(failure) if failure.proves_nothing_sent(&self.context)) {
            self.context.set_may_have_sent();
        }
        self.observe(&EventKind::AttemptEnded {
            operation: self.operation,
            number: self.attempts,
            http_status: sent.as_ref().ok().map(|it| it.raw.status()),
            kind: sent.as_ref().err().map(outcome::kind_of),
            duration,
        });
        self.connection = sent.as_mut().ok().and_then(|response| response.connection.take());
    }

    /// Notes the status of the response that is judged.
    pub(super) fn note_status(&mut self, status: u16) {
        self.http_status = Some(status);
    }

    /// The error with the identity of the call.
    pub(super) fn named(&self, error: Error) -> Error {
        let error = error.with_operation(self.operation, self.reference.as_deref());
        let error = error.with_query(self.client.rules().queries(self.operation));
        error.with_cancellation(self.is_cancellation).with_attempts(self.attempts)
    }

    /// Asks whether the hash is one, if it does not look like a hash and the
    /// service finds no such payment. For a refund, that is a refusal.
    fn explained(&self, error: Error) -> Error {
        let codes = self.client.rules().not_found_codes_of(Operation::QueryPayment);
        let is_unfound = error.reason() == Some(Reason::NotFound)
            || error.service_code().is_some_and(|code| contains_code(codes, code));
        if !self.has_odd_hash || !is_unfound {
            return error;
        }
        let message = format!(
            "{}; this does not look like a hash; is it a `merchant_payment_code`?",
            error.message()
        );
        error.with_message(message)
    }

    /// Ends the call: records the result in the journal and tells the observer.
    fn end<A: TypedResponse>(mut self, result: Result<A, Error>) -> Result<A, Error> {
        let result = result.map_err(|error| self.explained(error));
        let result = if self.context.is_forked() { result } else { self.end_entry(result) };
        // A connection that delivered a wrong response may do so again.
        if result.as_ref().is_err_and(|error| error.kind() == ErrorKind::Protocol)
            && let Some(connection) = &mut self.connection
        {
            connection.discard();
        }
        // Checks for cancellation a last time before the observer hears the
        // result.
        let result = self.client.unless_cancelled(result, &self.context);
        // A query's outcome is another once its operation is known.
        let result = result.map_err(|error| self.named(error));
        self.note_hash(&result);
        self.observe(&EventKind::RequestEnded {
            operation: self.operation,
            http_status: self.http_status,
            failure: result.as_ref().err().map(Failure::of),
            attempts: self.attempts,
            duration: self.started.elapsed(),
            signing: self.signing,
        });
        self.context.unless_forked(result).map_err(|error| self.named(error))
    }

    /// From here on, the events name the payment.
    fn note_hash<A: TypedResponse>(&self, result: &Result<A, Error>) {
        let hash = match result {
            Ok(response) => response.identifiers().0,
            Err(error) => error.payment_hash(),
        };
        if let (Some(subject), Some(hash)) = (&self.subject, hash) {
            subject.note_hash(hash);
        }
    }

    /// Records how the call ended. Never changes that end, but says so if the
    /// entry may block its reference from now on.
    fn end_entry<A: TypedResponse>(&mut self, result: Result<A, Error>) -> Result<A, Error> {
        let (Some(journal), Some(begun)) = (&self.client.0.journal, self.entry.take()) else {
            return result;
        };
        let result = result.and_then(|answer| self.unless_of_another(journal, &begun, answer));
        let may_have_sent = self.record.may_have_sent();
        let ending = journaling::ending_of(self.client, &result, begun.operation(), may_have_sent);
        let observe = |event: &EventKind<'_>| self.observe(event);
        if journal.end(&begun, ending, may_have_sent, &self.context, &observe) {
            return result;
        }
        result.map_err(|error| begun.may_block(error))
    }

    /// The response, unless it may show the payment of another entry: it spells the
    /// reference otherwise. One payment has one reference.
    fn unless_of_another<A: TypedResponse>(
        &self,
        journal: &ClientJournal,
        begun: &BegunEntry,
        answer: A,
    ) -> Result<A, Error> {
        let is_own = match answer.shown_reference().filter(|shown| !shown.trim().is_empty()) {
            Some(shown) if begun.operation().is_found_as_payment() => {
                journal.is_of(begun, shown, answer.identifiers().0, &self.context)
            }
            _ => true,
        };
        if is_own {
            return Ok(answer);
        }
        let mut response = answer.into_call_response();
        response.raw = response.raw.bounded(self.client.rules().max_response_values);
        let message = "the service shows the payment under another spelling of the reference, and \
                       another entry of the journal has that spelling or this payment; use \
                       references that differ in more than capitals";
        let (kind, code) = (ErrorKind::Protocol, ErrorCode::REFERENCE_USED);
        Err(Error::new(kind, Outcome::Unknown, code, message)
            .because(Reason::ReferenceTaken)
            .with_response(response)
            .without_texts(|text| self.client.is_secret(text)))
    }
}

/// Whether a text looks like the hash of a payment. Not stated in the interface:
/// those that were seen have 48 hexadecimal digits.
pub fn looks_like_hash(text: &str) -> bool {
    const DIGITS: usize = 48;
    text.len() == DIGITS && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::config::Config;
    use crate::journal::{Counted, Entry, Filter, Found, Journal, JournalError, Updated};
    use crate::model::request::{RawRequest, Request as _};

    /// A journal that takes every entry, and does nothing else.
    struct Taking;

    impl Journal for Taking {
        fn insert(&self, _: &CallContext, _: &Entry) -> Result<bool, JournalError> {
            Ok(true)
        }

        fn update(&self, _: &CallContext, _: &Entry) -> Result<Updated, JournalError> {
            Ok(Updated::Changed)
        }

        fn find(&self, _: &CallContext, _: &Filter) -> Result<Found, JournalError> {
            Err(JournalError::new("takes entries only"))
        }

        fn count(&self, _: &CallContext, _: &str, _: u64) -> Result<Counted, JournalError> {
            Err(JournalError::new("takes entries only"))
        }

        fn prune(&self, _: &CallContext, _: &str, _: u64, _: u32) -> Result<u64, JournalError> {
            Err(JournalError::new("takes entries only"))
        }
    }

    #[test]
    fn a_hash_has_48_hexadecimal_digits() {
        assert!(looks_like_hash(&"0aF".repeat(16)));
        for text in [&"0".repeat(47), &"0".repeat(49), &"0g".repeat(24), "order-1001", ""] {
            assert!(!looks_like_hash(text), "{text}");
        }
    }

    #[test]
    fn an_entry_sets_the_deadline_of_the_first_byte() {
        let config = Config::new("https://api.example").integration_key("key-1");
        let client = Client::new(config.journal(Arc::new(Taking))).unwrap();
        let request = RawRequest::new("POST", "/ws/transfer").reference("transfer-1");
        let draft = request.draft(client.rules()).unwrap();
        let intent = Intent::of(&draft, client.rules()).unwrap().unwrap();
        let begun = client.begun(&CallContext::with_timeout(Duration::ZERO), None);
        let mut driver = Driver::new(&client, &draft, begun);
        assert!(!driver.context().is_first_byte_overdue());
        // Also if the journal does not take the entry in time.
        let _ = driver.begin_entry(intent);
        assert!(driver.context().is_first_byte_overdue());
    }
}
