//! One call: credentials, attempts, response.

use std::sync::Arc;
use std::time::Duration;

use super::attempts::Budget;
use super::intent::Intent;
use super::{Client, Inner, credentials};
use crate::base::process::Owned;
use crate::call::context::CallContext;
use crate::client::auth::{self, Chosen};
use crate::client::outcome;
use crate::journal::Entry;
use crate::model::error::Error;
use crate::model::observer::Event;
use crate::model::operation::Operation;
use crate::model::request::{Draft, RawResponse};
use crate::token::{NoReplacement, Token};
use crate::transport::{PooledConnection, PreparedRequest};

/// A call in progress.
pub(super) struct RunningCall<'a> {
    pub(super) client: &'a Client,
    pub(super) operation: Operation,
    /// The caller's context with a byte record of this call's own, since one
    /// context may serve several calls at once.
    pub(super) context: CallContext,
    callers: &'a CallContext,
    pub(super) chosen: Chosen,
    pub(super) attempts: u32,
    pub(super) budget: Budget,
    /// Whether a byte of an earlier attempt may have been sent.
    pub(super) has_sent: bool,
    pub(super) http_status: Option<u16>,
    pub(super) signing: Duration,
    /// The connection of the last response, held until the response has been
    /// judged.
    pub(super) connection: Option<Owned<PooledConnection>>,
    /// What became of the attempt to send another bearer token after a 401:
    /// it was sent, or there was none.
    pub(super) other_token: Option<Result<(), NoReplacement>>,
    /// The entry in the journal, until the call has ended.
    pub(super) entry: Option<Entry>,
}

impl Drop for RunningCall<'_> {
    /// Runs during a panic too: the code that catches it reads the caller's
    /// byte record.
    fn drop(&mut self) {
        if self.context.bytes_left() {
            self.callers.mark_bytes_left();
        }
    }
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
    pub(super) fn new(client: &'a Client, operation: Operation, context: &'a CallContext) -> Self {
        let has_signer = client.0.signing.is_some();
        Self {
            client,
            operation,
            context: context.with_own_record(),
            callers: context,
            chosen: auth::choose(&client.0.settings, has_signer, operation),
            attempts: 0,
            budget: Budget::of(operation, &client.0.settings.options, context),
            has_sent: false,
            http_status: None,
            signing: Duration::ZERO,
            connection: None,
            other_token: None,
            entry: None,
        }
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

    /// Sends the request and reads the response if the service accepted the
    /// call.
    pub(super) fn run<T>(
        &mut self,
        draft: Draft,
        read: impl FnOnce(RawResponse) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let intent = self.client.0.journal.as_ref().and_then(|_| Intent::of(&draft));
        let prepared = self.sign_and_authorize(draft);
        let mut prepared = self.context.unless_forked(prepared)?;
        self.begin_entry(intent)?;
        let mut response = self.send_with_retries(&prepared.request)?;
        let rules = self.client.rules();
        let context = self.context.clone();
        // What is here is read although the caller cancelled: it says what was done.
        let goes_on = || !context.remaining().is_zero();
        let sent = prepared.request.body();
        if response.raw.status == 401
            && outcome::doubt(&response, self.operation, sent, rules, &goes_on).is_none()
        {
            response = self.send_with_another_token(&mut prepared, response)?;
        }
        self.http_status = Some(response.raw.status);
        if matches!(response.raw.status, 200..=299) {
            self.note_credentials(&prepared);
        }
        let sent = prepared.request.body();
        match outcome::of_response(&mut response, self.operation, sent, rules, &goes_on) {
            Ok(()) => {
                self.note_accepted(&prepared.request);
                let mut response = response.raw.bounded(rules.max_response_values);
                // `send` returns the response unread.
                if self.operation != Operation::Send {
                    response.read(&goes_on);
                }
                read(response).map_err(|error| self.with_evidence(error, &prepared.request))
            }
            Err(error) if response.raw.status == 401 => {
                let diagnosis = self.diagnose(&prepared, &response);
                Err(self.with_evidence(error.with_diagnosis(diagnosis), &prepared.request))
            }
            Err(error) => Err(self.with_evidence(error, &prepared.request)),
        }
    }

    /// Whether a byte of any attempt may have been sent.
    pub(super) fn may_have_sent(&self) -> bool {
        self.has_sent || self.context.bytes_left()
    }

    /// A bug fails this call only.
    pub(super) fn panicked(&self) -> Error {
        outcome::of_panic(self.context.outcome())
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
