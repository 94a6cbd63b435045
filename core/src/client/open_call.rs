//! A call whose request the host sends with an HTTP client of its own.

use std::convert::Infallible;
use std::fmt;
use std::time::{Duration, Instant};

use super::Client;
use super::call::{Prepared, RunningCall};
use crate::call::context::{CallContext, Ended};
use crate::model::error::{Error, ErrorCode, ErrorKind, Outcome};
use crate::model::request::Request;
use crate::transport::{PreparedRequest, Received, TransportFailure};

/// A call that waits for the response: the result of [`Client::begin`].
///
/// Send [`request`](Self::request) once, with headers and body unchanged and
/// without following redirects, and pass on what came of it:
/// [`finish`](Self::finish) or [`fail`](Self::fail) ends the call, as
/// [`Client::execute`] would. Do not begin to send when
/// [`remaining`](Self::remaining) is zero. What leaves after the deadline may
/// still be executed: the library cannot stop another HTTP client.
///
/// A call that is dropped has not ended: its entry in the journal stays open,
/// and its outcome is unknown. `Debug` shows no secret.
#[must_use = "a call that is dropped has an unknown outcome"]
pub struct OpenCall<R: Request> {
    request: R,
    call: Box<RunningCall>,
    prepared: Prepared,
}

/// What follows when the host has told what came of a request.
#[must_use = "the request may have to be sent again"]
pub enum CallStep<R: Request> {
    /// The call has ended with a success.
    Response(R::Response),
    /// The request is to be sent again now: with another bearer token after a
    /// 401, or because it moves no money, or because nothing of it was sent. It
    /// is the same call, with the same entry in the journal and the same
    /// deadline.
    SendAgain(OpenCall<R>),
}

impl Client {
    /// Does everything that [`execute`](Self::execute) does before it sends:
    /// checks and signs the request, obtains the bearer token, and writes the
    /// entry in the journal. You send the request with an HTTP client of your
    /// own.
    ///
    /// # Errors
    /// As the operation's own method, with the outcome `not_executed`; of the
    /// kind `journal`, that of an earlier call with the same reference.
    pub fn begin<R: Request>(
        &self,
        request: R,
        context: &CallContext,
    ) -> Result<OpenCall<R>, Error> {
        let draft = request.draft(self.rules())?;
        let _entered = self.enter(draft.operation)?;
        let mut call = Box::new(RunningCall::started(self, &draft, &context.begun()));
        let begun = call.guarded(|call| {
            let prepared = call.begin(draft)?;
            call.begin_attempt()?;
            Ok(prepared)
        });
        // What the observer did may have ended the call.
        match call.context.unless_forked(begun) {
            Ok(prepared) => OpenCall { request, call, prepared }.unless_cancelled(),
            Err(error) => {
                let Err(error) = call.end::<Infallible>(Err(error));
                Err(error)
            }
        }
    }
}

impl<R: Request> OpenCall<R> {
    /// Method, URL, headers and the exact body.
    pub fn request(&self) -> &PreparedRequest {
        &self.prepared.request
    }

    /// When the call ends at the latest. The response counts also if it comes
    /// later.
    pub fn deadline(&self) -> Instant {
        self.call.context.deadline()
    }

    /// The time left for the request; zero if it must not be sent any more. With
    /// a journal, this counts the time for which the machine was suspended.
    pub fn remaining(&self) -> Duration {
        self.context().remaining_to_depart()
    }

    pub(crate) fn context(&self) -> &CallContext {
        &self.call.context
    }

    /// The error with what identifies the call.
    pub(crate) fn named(&self, error: Error) -> Error {
        self.call.named(error)
    }

    /// Lets `context` say from now on whether the call is cancelled.
    #[doc(hidden)]
    pub fn continue_within(mut self, context: &CallContext) -> Self {
        self.call.context = self.call.context.ended_by(context);
        self
    }

    /// Ends the call with the response of the service, also after the deadline.
    /// Report a body that broke off with [`Received::with_body_failure`].
    ///
    /// # Errors
    /// As [`Client::execute`].
    pub fn finish(self, response: Received) -> Result<CallStep<R>, Error> {
        self.judge(Ok(response))
    }

    /// Ends the call without a response. The outcome is unknown, unless the
    /// failure states that [nothing was
    /// sent](TransportFailure::nothing_sent).
    ///
    /// # Errors
    /// As [`Client::execute`]. The request is only sent again if it moves no
    /// money, or if the connection could not be established.
    pub fn fail(self, failure: TransportFailure) -> Result<CallStep<R>, Error> {
        self.judge(Err(failure))
    }

    /// Ends the call without a response, for a client that knows only whether
    /// anything was sent.
    pub(crate) fn fail_plainly(self, nothing_left: bool) -> Result<CallStep<R>, Error> {
        let failure = self.failure(nothing_left);
        self.fail(failure)
    }

    /// Ends the call with a response whose body broke off.
    pub(crate) fn finish_incomplete(self, response: Received) -> Result<CallStep<R>, Error> {
        let failure = self.failure(false);
        self.finish(response.with_body_failure(failure))
    }

    /// The failure of a client that names no reason.
    fn failure(&self, nothing_left: bool) -> TransportFailure {
        TransportFailure::of_another_client(nothing_left, self.call.context.ended())
    }

    /// The call, unless it was cancelled while it began: its caller may not get it.
    fn unless_cancelled(self) -> Result<Self, Error> {
        match self.context().check_cancelled() {
            Ok(()) => Ok(self),
            Err(_) => Err(self.abandon()),
        }
    }

    /// Ends a call that its caller does not get, and so does not send. Returns its
    /// error.
    pub(crate) fn abandon(self) -> Error {
        let cancelled = TransportFailure::ended(Ended::Cancelled).final_for_now().nothing_sent();
        let named = self.call.named(self.context().ended_error(Ended::Cancelled));
        self.fail(cancelled).err().unwrap_or(named)
    }

    fn judge(mut self, sent: Result<Received, TransportFailure>) -> Result<CallStep<R>, Error> {
        let Self { request, call, prepared } = &mut self;
        // Not refused within a callback: the request may have been executed.
        let _entered = call.client.0.reentrancy.resume();
        if call.context.is_forked() {
            return Err(call.named(of_another_process()));
        }
        let (client, now) = (call.client.clone(), Instant::now());
        call.read_by = call.read_by.max(now.checked_add(client.timeout()).unwrap_or(now));
        let result = call.guarded(|call| {
            let read = |response| request.read_response(response, client.rules());
            let response = call.judge(prepared, Some(sent), read)?;
            if response.is_none() {
                call.begin_attempt()?;
            }
            Ok(response)
        });
        match call.context.unless_forked(result).transpose() {
            None => self.unless_cancelled().map(CallStep::SendAgain),
            Some(result) => call.end(result).map(CallStep::Response),
        }
    }
}

/// The error in a child that ends a call of its parent.
fn of_another_process() -> Error {
    let message = "the call was begun in the parent of this process, where it ends; do not send \
                   it again from this process";
    Error::new(ErrorKind::Cancelled, Outcome::Unknown, ErrorCode::CALL_FORKED, message)
}

impl<R: Request> fmt::Debug for OpenCall<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenCall")
            .field("operation", &self.call.operation)
            .field("request", self.request())
            .field("remaining", &self.remaining())
            .finish_non_exhaustive()
    }
}

#[cfg(all(unix, feature = "journal-sqlite"))]
#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::test_folder::Folder;
    use crate::config::{Config, Environment};
    use crate::journal::SqliteJournal;
    use crate::model::request::RawRequest;

    #[test]
    fn a_call_with_a_journal_is_not_sent_after_the_machine_was_suspended() {
        let folder = Folder::new();
        let path = folder.path().join("journal.db");
        SqliteJournal::create(&path).unwrap();
        let config = Config::new("https://service.test").environment(Environment::Sandbox);
        let client = Client::new(config.integration_key("key-1").journal_file(&path)).unwrap();
        let request = RawRequest::new("POST", "/ws/transfer").body("{}").reference("own-1");
        let mut call = client.begin(request, &client.context()).unwrap();
        assert!(!call.remaining().is_zero());
        call.call.context = call.call.context.clone().after_suspend();
        assert!(call.remaining().is_zero());
    }
}
