//! A call whose request the host sends itself, behind a handle.

use std::sync::Mutex;
use std::time::Duration;

use super::{caught, request_of};
use crate::base::process::try_lock;
use crate::call::context::CallContext;
use crate::client::{self, Client};
use crate::model::error::{Error, ErrorCode, ErrorKind, Outcome};
use crate::model::request::AnyRequest;
use crate::model::response::CallResponse;
use crate::transport::{PreparedRequest, Received, TransportFailure};

/// A [`client::OpenCall`] that a host may hold after it has ended.
pub struct OpenCall {
    /// `None` once it has ended.
    call: Mutex<Option<client::OpenCall<AnyRequest>>>,
    request: PreparedRequest,
    context: CallContext,
    /// The error of another end.
    already_ended: Error,
}

/// What followed: the response, or the call whose request is to be sent again.
pub enum CallStep {
    /// The call has ended with a success.
    Response(CallResponse),
    /// The request of this call is to be sent now.
    SendAgain(Box<OpenCall>),
}

/// Does everything before the operation `name` is sent; the arguments are those
/// of [`prepare`](super::prepare).
///
/// # Errors
/// As [`Client::begin`], and `internal` for a caught panic.
pub fn begin(
    client: &Client,
    name: &str,
    input: &[u8],
    body: &[u8],
    context: &CallContext,
) -> Result<OpenCall, Error> {
    caught(context, || {
        let call = client.begin(request_of(name, input, body)?, context)?;
        Ok(OpenCall::new(call))
    })
}

impl OpenCall {
    fn new(call: client::OpenCall<AnyRequest>) -> Self {
        let message = "the call has already ended, and this response or failure was not looked \
                       at; its first end says what became of it";
        let error =
            Error::new(ErrorKind::Internal, Outcome::Unknown, ErrorCode::ALREADY_ENDED, message);
        Self {
            request: call.request().clone(),
            context: call.context().clone(),
            already_ended: call.named(error),
            call: Mutex::new(Some(call)),
        }
    }

    /// Method, URL, headers and the exact body, also after the end.
    pub fn request(&self) -> &PreparedRequest {
        &self.request
    }

    /// The time left for the request; zero if it must not be sent any more.
    pub fn remaining(&self) -> Duration {
        self.context.remaining_to_depart()
    }

    /// Ends the call with a response. With `is_complete` false, its body broke off.
    ///
    /// # Errors
    /// As [`client::OpenCall::finish`], and `already_ended`.
    pub fn finish(
        &self,
        response: Received,
        is_complete: bool,
        context: &CallContext,
    ) -> Result<CallStep, Error> {
        self.take(context, |call| match is_complete {
            true => call.finish(response),
            false => call.finish_incomplete(response),
        })
    }

    /// Ends the call without a response.
    ///
    /// # Errors
    /// As [`client::OpenCall::fail`], and `already_ended`.
    pub fn fail(&self, nothing_left: bool, context: &CallContext) -> Result<CallStep, Error> {
        self.take(context, |call| call.fail_plainly(nothing_left))
    }

    /// Ends the call with what a transport says. The host decides whether to
    /// connect again.
    ///
    /// # Errors
    /// As [`finish`](Self::finish) and [`fail`](Self::fail).
    pub fn end(
        &self,
        sent: Result<Received, TransportFailure>,
        context: &CallContext,
    ) -> Result<CallStep, Error> {
        self.take(context, |call| match sent {
            Ok(response) => call.finish(response),
            Err(failure) => call.fail(failure.final_for_now()),
        })
    }

    /// Ends a call that does not reach its host, and so is not sent: the entry in the
    /// journal would stay open. Returns the error of the call, which is `cancelled`.
    pub fn abandon(&self) -> Error {
        match self.taken() {
            Ok(call) => caught(&self.context, || Ok(call.abandon())).unwrap_or_else(|error| error),
            Err(error) => error,
        }
    }

    fn taken(&self) -> Result<client::OpenCall<AnyRequest>, Error> {
        // The holder of the lock ends the call.
        let call = try_lock(&self.call).and_then(|mut call| call.take());
        call.ok_or_else(|| self.already_ended.clone())
    }

    fn take(
        &self,
        context: &CallContext,
        end: impl FnOnce(client::OpenCall<AnyRequest>) -> Result<client::CallStep<AnyRequest>, Error>,
    ) -> Result<CallStep, Error> {
        let call = self.taken()?;
        // Whether a byte left is not in the record of this context.
        context.mark_bytes_left();
        caught(context, || {
            Ok(match end(call.continue_within(context))? {
                client::CallStep::Response(response) => CallStep::Response(response),
                client::CallStep::SendAgain(call) => CallStep::SendAgain(Box::new(Self::new(call))),
            })
        })
    }
}
