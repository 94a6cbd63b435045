//! Calls by name with JSON in and out: what the packages for other languages
//! stand on. They hold no logic of their own.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::client::Client;
use crate::context::CallContext;
use crate::error::{Error, ErrorKind};
use crate::json::{Json, Members};
use crate::operation::Operation;
use crate::operations::{
    Answer, CreatePayment, CreatePayout, PaymentAnswer, PayoutAnswer, QueryPayment, RefundAnswer,
    RefundPayment, RegisterTracking, Request, TrackingAnswer,
};
use crate::token::Token;
use crate::transport::PreparedRequest;

/// What a call by name gives.
#[derive(Clone)]
pub struct CallAnswer {
    /// The status of the answer; 200 for `access_token`, whose answer may be
    /// an old one.
    pub http_status: u16,
    /// Names and values of the answer's headers.
    pub headers: Vec<(String, String)>,
    /// The body as it came; empty for `access_token`.
    pub body: Vec<u8>,
    /// The typed members, and under `answer` the whole body, with every
    /// amount as text so that no language parses it into a float.
    pub view: Json,
}

impl Client {
    /// Performs the operation `name` with the request in `input`, which is
    /// the JSON text of the body, or of the query's members. Empty for
    /// `access_token`.
    ///
    /// # Errors
    /// As the operation's own method; `validation` for a name that is not in
    /// the table, and `internal` for a bug in this crate, which is caught here.
    pub fn call_json(
        &self,
        name: &str,
        input: &[u8],
        context: &CallContext,
    ) -> Result<CallAnswer, Error> {
        caught(context, || match Operation::from_name(name) {
            Some(Operation::CreatePayment) => self.call(&CreatePayment::from_json(input)?, context),
            Some(Operation::QueryPayment) => self.call(&QueryPayment::from_json(input)?, context),
            Some(Operation::RefundPayment) => self.call(&RefundPayment::from_json(input)?, context),
            Some(Operation::CreatePayout) => self.call(&CreatePayout::from_json(input)?, context),
            Some(Operation::RegisterTracking) => {
                self.call(&RegisterTracking::from_json(input)?, context)
            }
            Some(Operation::AccessToken) => self.access_token(context).map(answer_of_token),
            Some(Operation::Send) | None => Err(unknown_operation()),
        })
    }

    /// Everything but the sending of what [`call_json`](Self::call_json)
    /// would send. `access_token` cannot be prepared.
    ///
    /// # Errors
    /// As [`prepare`](Self::prepare), and as `call_json` for the name.
    pub fn prepare_json(
        &self,
        name: &str,
        input: &[u8],
        context: &CallContext,
    ) -> Result<PreparedRequest, Error> {
        caught(context, || match Operation::from_name(name) {
            Some(Operation::CreatePayment) => {
                self.prepare(&CreatePayment::from_json(input)?, context)
            }
            Some(Operation::QueryPayment) => {
                self.prepare(&QueryPayment::from_json(input)?, context)
            }
            Some(Operation::RefundPayment) => {
                self.prepare(&RefundPayment::from_json(input)?, context)
            }
            Some(Operation::CreatePayout) => {
                self.prepare(&CreatePayout::from_json(input)?, context)
            }
            Some(Operation::RegisterTracking) => {
                self.prepare(&RegisterTracking::from_json(input)?, context)
            }
            Some(Operation::AccessToken | Operation::Send) | None => Err(unknown_operation()),
        })
    }

    fn call<R: Request<Answer: Viewed>>(
        &self,
        request: &R,
        context: &CallContext,
    ) -> Result<CallAnswer, Error> {
        let answer = self.execute(request, context)?;
        let raw = answer.raw();
        Ok(CallAnswer {
            http_status: raw.status(),
            headers: raw.headers().to_vec(),
            body: raw.body().to_vec(),
            view: answer.view(),
        })
    }
}

/// Runs a call of another language, which no panic may reach.
fn caught<T>(context: &CallContext, call: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|_| {
        let error = Error::new(
            ErrorKind::Internal,
            "panic",
            "a bug in libpayments was caught; please report it",
        );
        Err(error.with_outcome(context.outcome()))
    })
}

fn unknown_operation() -> Error {
    Error::new(
        ErrorKind::Validation,
        "operation_unknown",
        "there is no operation of that name that takes JSON",
    )
}

/// A typed answer as host languages see it.
trait Viewed {
    fn raw(&self) -> &Answer;
    fn view(&self) -> Json;
}

macro_rules! viewed {
    ($($answer:ty),*) => {$(
        impl Viewed for $answer {
            fn raw(&self) -> &Answer {
                self.raw()
            }

            fn view(&self) -> Json {
                self.view()
            }
        }
    )*};
}

viewed!(PaymentAnswer, RefundAnswer, PayoutAnswer, TrackingAnswer);

fn answer_of_token(token: Token) -> CallAnswer {
    let mut view = Members::new();
    view.push("access_token", token.value.expose());
    view.push("token_type", "bearer");
    view.push("expires_at", token.expires_at);
    for (name, value) in &token.members {
        view.push(name.as_str(), value.as_str());
    }
    CallAnswer { http_status: 200, headers: Vec::new(), body: Vec::new(), view: view.into() }
}
