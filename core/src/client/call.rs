//! One call: credentials, attempts, response.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use payments_base::process::ForkGuard;

use super::attempts::Budget;
use super::intent::Intent;
use super::journaling::BegunEntry;
use super::{Client, Inner, credentials};
use crate::call::context::{ByteRecord, CallContext};
use crate::client::auth::{self, Chosen};
use crate::client::outcome;
use crate::model::error::{Error, ErrorKind};
use crate::model::observer::{Event, Failure};
use crate::model::operation::Operation;
use crate::model::request::{Draft, RawResponse, TypedResponse};
use crate::token::{NoReplacement, Token};
use crate::transport::{
    PooledConnection, PreparedRequest, Received, TransportFailure, authority_of,
};

/// A call in progress.
pub(super) struct RunningCall<'a> {
    pub(super) client: &'a Client,
    pub(super) operation: Operation,
    reference: Option<String>,
    /// The address that is asked, as messages show it: without a query, which
    /// may hold the integration key.
    address: String,
    is_cancellation: bool,
    /// The caller's context with a byte record of the current attempt's own.
    pub(super) context: CallContext,
    /// That of all attempts. One context may serve several calls at once.
    record: ByteRecord,
    started: Instant,
    pub(super) attempt_started: Instant,
    pub(super) chosen: Chosen,
    pub(super) attempts: u32,
    pub(super) budget: Budget,
    pub(super) http_status: Option<u16>,
    pub(super) signing: Duration,
    /// The connection of the last response, held until the response has been
    /// judged.
    pub(super) connection: Option<ForkGuard<PooledConnection>>,
    /// What became of the attempt to send another bearer token after a 401:
    /// it was sent, or there was none.
    pub(super) other_token: Option<Result<(), NoReplacement>>,
    /// Whether that token was new.
    pub(super) other_is_new: bool,
    /// The entry in the journal, until the call has ended.
    pub(super) entry: Option<BegunEntry>,
}

/// Whether `word` is the last word of a header value, as a token is after its
/// scheme.
fn is_last_word(value: &str, word: &str) -> bool {
    value.split(' ').next_back() == Some(word)
}

/// A request with all credentials, and the bearer token it carries.
pub(super) struct Prepared {
    pub(super) request: PreparedRequest,
    pub(super) bearer: Option<Arc<Token>>,
}

impl<'a> RunningCall<'a> {
    /// A call that is made within `context`, which belongs to this process.
    pub(super) fn new(client: &'a Client, draft: &Draft, context: &CallContext) -> Self {
        let (has_signer, now) = (client.0.signing.is_some(), Instant::now());
        let settings = &client.0.settings;
        let path = settings.without_secrets(&draft.path);
        let shown = draft.shown_part(&path);
        let rest = if shown.len() < path.len() { "/..." } else { "" };
        let own = context.with_nested_record();
        Self {
            client,
            operation: draft.operation,
            reference: draft.reference.clone(),
            address: format!("{}{shown}{rest}", settings.base_url),
            is_cancellation: draft.is_cancellation(),
            record: own.record(),
            context: own,
            started: now,
            attempt_started: now,
            chosen: auth::choose(&client.0.settings, has_signer, draft.operation),
            attempts: 0,
            budget: Budget::of(draft.operation, &client.0.settings.options, context),
            http_status: None,
            signing: Duration::ZERO,
            connection: None,
            other_token: None,
            other_is_new: false,
            entry: None,
        }
    }

    /// As [`new`](Self::new), and tells the observer.
    pub(super) fn started(client: &'a Client, draft: &Draft, context: &CallContext) -> Self {
        let call = Self::new(client, draft, context);
        if client.observers().next().is_none() {
            return call;
        }
        let path = client.0.settings.without_secrets(&draft.path);
        let (operation, method, path) = (draft.operation, &*draft.method, draft.shown_part(&path));
        let host = authority_of(&client.0.settings.base_url);
        client.observe(&call.context, &Event::RequestStarted { operation, method, path, host });
        call
    }

    /// Runs a part of the call. A panic is caught here, where the operation and
    /// its reference are still known.
    pub(super) fn guarded<T>(
        &mut self,
        run: impl FnOnce(&mut Self) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let running = catch_unwind(AssertUnwindSafe(|| run(self)));
        // A bug fails this call only.
        running.unwrap_or_else(|_| Err(outcome::of_panic(self.context.outcome())))
    }

    /// Signs before it obtains a token, so that nothing is connected before the
    /// signature exists.
    pub(super) fn sign_and_authorize(&mut self, draft: Draft) -> Result<Prepared, Error> {
        let Inner { settings, signing, tokens, .. } = &*self.client.0;
        credentials::check_call(settings, signing.is_some(), self.operation)?;
        self.context.check()?;
        let (mut request, took) =
            auth::signed_request(settings, signing.as_deref(), self.chosen, draft, &self.context)?;
        self.signing = took;
        if let Some(traceparent) = self.context.traceparent() {
            request.push_header("traceparent", traceparent.as_str().into());
        }
        let Some(tokens) = tokens.as_ref().filter(|_| self.chosen.bearer) else {
            return Ok(Prepared { request, bearer: None });
        };
        let observe = |event: &Event<'_>| self.client.observe(&self.context, event);
        let token = tokens.token(&self.context, self.client.dependencies(&observe))?;
        request.push_header(&settings.options.bearer_header, auth::bearer(settings, &token.value));
        Ok(Prepared { request, bearer: Some(token) })
    }

    /// Adds the credentials and writes the entry in the journal: all that
    /// precedes the first attempt.
    pub(super) fn begin(&mut self, draft: Draft) -> Result<Prepared, Error> {
        let intent = match self.client.0.journal {
            Some(_) => Intent::of(&draft, self.client.rules())?,
            None => None,
        };
        let prepared = self.sign_and_authorize(draft);
        let prepared = self.context.unless_forked(prepared)?;
        self.begin_entry(intent)?;
        Ok(prepared)
    }

    /// What an attempt has shown: `None` if the request is to be sent once more.
    pub(super) fn judge<T>(
        &mut self,
        prepared: &mut Prepared,
        sent: Result<Received, TransportFailure>,
        read: impl FnOnce(RawResponse) -> Result<T, Error>,
    ) -> Result<Option<T>, Error> {
        let sent = self.end_attempt(sent, prepared.request.max_response_bytes());
        if self.tries_again(&sent)? {
            return Ok(None);
        }
        let mut response = self.settle(sent, &prepared.request)?;
        let (rules, deadline) = (self.client.rules(), self.context.deadline());
        // What is here is read although the caller cancelled: it says what was done.
        let should_continue = || Instant::now() < deadline;
        if response.raw.status == 401 {
            let sent = prepared.request.body();
            let doubt = outcome::doubt(&response, self.operation, sent, rules, &should_continue);
            if self.has_another_token(prepared, &response, doubt.is_some()) {
                return Ok(None);
            }
        }
        self.http_status = Some(response.raw.status);
        let is_new = !self.client.0.history.has_accepted_any();
        let asked = is_new.then_some(&*self.address);
        let is_html = response.raw.is_html();
        if matches!(response.raw.status, 200..=299) && !is_html {
            self.note_credentials(prepared);
        }
        let sent = prepared.request.body();
        match outcome::of_response(
            &mut response,
            self.operation,
            sent,
            rules,
            &should_continue,
            asked,
        ) {
            Ok(()) => {
                if !is_html {
                    self.note_accepted(&prepared.request);
                }
                let mut response = response.raw.bounded(rules.max_response_values);
                // `send` returns the response unread.
                if self.operation != Operation::Send {
                    response.read(&should_continue);
                }
                let read = read(response).map(Some);
                let asked = asked.filter(|_| is_html);
                let read = read.map_err(|error| outcome::of_page(error, self.operation, asked));
                read.map_err(|error| self.with_evidence(error, &prepared.request))
            }
            Err(error) if response.raw.status == 401 => {
                let diagnosis = self.diagnose(prepared, &response);
                Err(self.with_evidence(error.with_diagnosis(diagnosis), &prepared.request))
            }
            Err(error) => Err(self.with_evidence(error, &prepared.request)),
        }
    }

    /// Ends the call: records the result in the journal and tells the observer.
    pub(super) fn end<A: TypedResponse>(&mut self, result: Result<A, Error>) -> Result<A, Error> {
        let result = if self.context.is_forked() { result } else { self.end_entry(result) };
        // A connection that delivered a wrong response may do so again.
        if result.as_ref().is_err_and(|error| error.kind() == ErrorKind::Protocol) {
            self.connection.iter_mut().for_each(|connection| connection.discard());
        }
        // Checks for cancellation a last time before the observer hears the
        // result.
        let result = self.client.unless_cancelled(result, &self.context);
        // A query's outcome is another once its operation is known.
        let result = result.map_err(|error| self.named(error));
        let ended = Event::RequestEnded {
            operation: self.operation,
            http_status: self.http_status,
            failure: result.as_ref().err().map(Failure::of),
            attempts: self.attempts,
            duration: self.started.elapsed(),
            signing: self.signing,
        };
        self.client.observe(&self.context, &ended);
        self.context.unless_forked(result).map_err(|error| self.named(error))
    }

    /// The error with what identifies the call.
    pub(super) fn named(&self, error: Error) -> Error {
        let error = error.with_operation(self.operation, self.reference.as_deref());
        error.with_cancellation(self.is_cancellation).with_attempts(self.attempts)
    }

    /// Whether a byte of any attempt may have been sent.
    pub(super) fn may_have_sent(&self) -> bool {
        self.record.may_have_sent()
    }

    /// Adds the request's bytes to an error, and removes secrets that the
    /// response echoed.
    pub(super) fn with_evidence(&self, error: Error, request: &PreparedRequest) -> Error {
        let settings = &self.client.0.settings;
        let bearer = request.header(&settings.options.bearer_header);
        let is_bearer = |text: &str| bearer.is_some_and(|value| is_last_word(value, text));
        error
            .with_request_bytes(request.body())
            .without_texts(|text| settings.is_secret(text) || is_bearer(text))
    }
}
