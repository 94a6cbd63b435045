//! One call, from its draft to the response that counts. Each phase is a value
//! that becomes the next one, and can do nothing else: [`Drafted`],
//! [`Authorized`], [`Recorded`], [`Sent`], [`Judged`]. They borrow the
//! [`Driver`], which begins and ends the call.

use std::time::{Duration, Instant};

use payments_transport::inside::send_once;
use payments_transport::{FailureKind, PreparedRequest, Received, TransportFailure};

use super::auth::{self, Signed};
use super::driver::Driver;
use super::intent::Intent;
use super::unauthorized::{self, OtherToken};
use super::{Inner, credentials, outcome};
use crate::config::{Options, Resolved};
use crate::model::error::{Error, ErrorKind, Outcome};
use crate::model::observer::EventKind;
use crate::model::operation::Operation;
use crate::model::request::{Draft, RawResponse};
use crate::model::response::is_html;

/// The most connection attempts while no byte of the request has been sent.
const CONNECT_ATTEMPTS: u32 = 3;
const FIRST_WAIT: Duration = Duration::from_millis(100);

/// Sends the request of `draft`, once more where that is safe, until a response
/// or a failure counts.
pub(super) fn send<'c, 'a>(
    driver: &'c mut Driver<'a>,
    draft: Draft,
) -> Result<Judged<'c, 'a>, Error> {
    let mut recorded = Drafted::to_be_sent(driver, draft)?.authorize()?.record()?;
    loop {
        match recorded.send()?.judge()? {
            Verdict::SendAgain(again) => recorded = again,
            Verdict::Final(judged) => return Ok(judged),
        }
    }
}

/// Does everything but send the request of `draft`.
pub(super) fn prepare(driver: &mut Driver<'_>, draft: Draft) -> Result<PreparedRequest, Error> {
    let Authorized { driver, signed, .. } = Drafted { driver, draft, intent: None }.authorize()?;
    driver.context().check_cancelled()?;
    Ok(signed.into_request())
}

/// A checked request, with the facts for its entry.
struct Drafted<'c, 'a> {
    driver: &'c mut Driver<'a>,
    draft: Draft,
    intent: Option<Intent>,
}

impl<'c, 'a> Drafted<'c, 'a> {
    fn to_be_sent(driver: &'c mut Driver<'a>, draft: Draft) -> Result<Self, Error> {
        let client = driver.client();
        let intent = match client.0.journal {
            Some(_) => Intent::of(&draft, client.rules())?,
            None => None,
        };
        Ok(Self { driver, draft, intent })
    }

    /// Adds the credentials.
    fn authorize(self) -> Result<Authorized<'c, 'a>, Error> {
        let Self { driver, draft, intent } = self;
        let is_new = !driver.client().0.history.has_accepted_any();
        let address = is_new.then(|| shown_address(driver.settings(), &draft));
        let signed = signed(driver, draft);
        let signed = driver.context().unless_forked(signed)?;
        Ok(Authorized { driver, signed, address, intent })
    }
}

/// Signs before it obtains a token, so that nothing is connected before the
/// signature exists.
fn signed(driver: &mut Driver<'_>, draft: Draft) -> Result<Signed, Error> {
    let (client, operation) = (driver.client(), driver.operation());
    let Inner { settings, signing, tokens, .. } = &*client.0;
    credentials::check_switch(client.rules(), operation)?;
    credentials::check_call(settings, signing.is_some(), operation)?;
    driver.context().check()?;
    let chosen = auth::choose(settings, signing.is_some(), operation, !draft.body.is_empty());
    let (mut request, took) =
        auth::signed_request(settings, signing.as_deref(), chosen, draft, driver.context())?;
    driver.note_signing(took);
    if let Some(traceparent) = driver.options().traceparent() {
        request.push_header("traceparent", traceparent.as_str().into());
    }
    let mut signed = Signed::new(request, chosen);
    if let Some(tokens) = tokens.as_ref().filter(|_| chosen.bearer) {
        let observe = |event: &EventKind<'_>| driver.observe(event);
        let token = tokens.token(driver.context(), client.dependencies(&observe))?;
        signed.carry(token, settings);
    }
    Ok(signed)
}

/// The address of a request, as messages show it: without a query, which may
/// hold the integration key.
fn shown_address(settings: &Resolved, draft: &Draft) -> String {
    let path = settings.without_secrets(&draft.path);
    let shown = draft.shown_part(&path);
    let rest = if shown.len() < path.len() { "/..." } else { "" };
    format!("{}{shown}{rest}", settings.base_url)
}

/// A call whose request could be sent, if it were in the journal.
struct Authorized<'c, 'a> {
    driver: &'c mut Driver<'a>,
    signed: Signed,
    /// The address of the request, if no call of the client was accepted yet:
    /// it may be wrong.
    address: Option<String>,
    intent: Option<Intent>,
}

impl<'c, 'a> Authorized<'c, 'a> {
    /// Writes the entry in the journal, if the call gets one.
    fn record(self) -> Result<Recorded<'c, 'a>, Error> {
        let Self { driver, signed, address, intent } = self;
        if let Some(intent) = intent {
            driver.begin_entry(intent)?;
        }
        let options = &driver.settings().options;
        let budget = Budget::of(driver.operation(), options, driver.options().is_sent_once);
        Ok(Recorded { driver, signed, address, budget, other_token: OtherToken::Untried })
    }
}

/// A call whose request may be sent now.
struct Recorded<'c, 'a> {
    driver: &'c mut Driver<'a>,
    signed: Signed,
    address: Option<String>,
    budget: Budget,
    other_token: OtherToken,
}

impl<'c, 'a> Recorded<'c, 'a> {
    /// Makes one attempt.
    fn send(mut self) -> Result<Sent<'c, 'a>, Error> {
        let Self { driver, signed, .. } = &mut self;
        driver.begin_attempt()?;
        let (transport, started) = (&*driver.client().0.transport, Instant::now());
        let mut result = send_once(transport, driver.context(), signed.request());
        driver.end_attempt(&mut result, started.elapsed());
        Ok(Sent { call: self, result })
    }
}

/// A call after an attempt, with its result.
struct Sent<'c, 'a> {
    call: Recorded<'c, 'a>,
    result: Result<Received, TransportFailure>,
}

/// The next step of a call after an attempt.
enum Verdict<'c, 'a> {
    SendAgain(Recorded<'c, 'a>),
    Final(Judged<'c, 'a>),
}

impl<'c, 'a> Sent<'c, 'a> {
    /// Decides what the attempt means, and whether another one is safe.
    fn judge(mut self) -> Result<Verdict<'c, 'a>, Error> {
        if self.tries_again()? {
            return Ok(Verdict::SendAgain(self.call));
        }
        let Self { mut call, result } = self;
        let client = call.driver.client();
        let mut response = match result {
            Ok(response) => response,
            Err(failure) => {
                let nothing_sent = failure.proves_nothing_sent(call.driver.context());
                let error = outcome::error_of_failure(failure, Outcome::of_record(!nothing_sent));
                return Err(call.signed.with_evidence(error, call.driver.settings()));
            }
        };
        let (status, is_html) = (response.raw.status(), is_html(&response.raw));
        call.driver.note_status(status);
        // Another call may have been accepted meanwhile.
        call.address.take_if(|_| client.0.history.has_accepted_any());
        if matches!(status, 200..=299) && !is_html {
            call.note_credentials();
        }
        // A complete response is read although the caller cancelled: it has the
        // result of the operation.
        let deadline = call.driver.context().deadline();
        let should_continue = || Instant::now() < deadline;
        let judged = outcome::of_response(
            &mut response,
            call.driver.operation(),
            call.signed.request().body(),
            client.rules(),
            &should_continue,
            call.address.as_deref(),
        );
        match judged {
            Ok(()) => Ok(Verdict::Final(call.accepted(response.raw.into(), &should_continue))),
            Err(refusal) if status == 401 => call.unauthorized(&response, refusal),
            Err(error) => Err(call.signed.with_evidence(error, call.driver.settings())),
        }
    }

    /// Decides whether the request is sent again after this result, and waits
    /// until it may be. A request that moves money is never sent twice.
    fn tries_again(&mut self) -> Result<bool, Error> {
        let Recorded { driver, budget, .. } = &mut self.call;
        let context = driver.context();
        let failed_as = match &self.result {
            Ok(response) if !is_worth_a_retry(response) => return Ok(false),
            Ok(_) => ErrorKind::Status,
            Err(failure) => outcome::kind_of(failure),
        };
        let connects_again = self.result.as_ref().is_err_and(|failure| {
            failure.can_connect_again() && failure.proves_nothing_sent(context)
        });
        let wait = wait_after(driver.attempts());
        if !budget.allows(connects_again, failed_as) || wait >= context.remaining() {
            return Ok(false);
        }
        let (operation, number) = (driver.operation(), driver.attempts());
        driver.observe(&EventKind::Retry { operation, number, kind: failed_as, wait });
        context.sleep(wait)?;
        Ok(true)
    }
}

/// The retries that a call has left. A call has one, also across a 401.
struct Budget {
    /// Attempts to connect, while no byte of the request has been sent.
    connects: u32,
    /// Attempts of a query.
    retries: u32,
}

impl Budget {
    fn of(operation: Operation, options: &Options, is_sent_once: bool) -> Self {
        let is_retried = operation.is_read_only() && !is_sent_once;
        let retries = if is_retried { options.query_retries } else { 0 };
        let connects = if is_sent_once { 0 } else { CONNECT_ATTEMPTS - 1 };
        Self { connects, retries }
    }

    /// Takes one more attempt, if there is one after a failure of this kind.
    fn allows(&mut self, connects_again: bool, failed_as: ErrorKind) -> bool {
        let is_final = matches!(
            failed_as,
            ErrorKind::Timeout | ErrorKind::Cancelled | ErrorKind::Tls | ErrorKind::Internal
        );
        if connects_again && self.connects > 0 {
            self.connects -= 1;
        } else if self.retries > 0 && !is_final {
            self.retries -= 1;
        } else {
            return false;
        }
        true
    }
}

/// How long to wait after this many attempts.
fn wait_after(attempts: u32) -> Duration {
    let doubled = FIRST_WAIT * 2_u32.pow(attempts.saturating_sub(1).min(5));
    doubled + payments_base::jitter::random_part(doubled / 2)
}

/// Whether a query may be retried after this response.
fn is_worth_a_retry(response: &Received) -> bool {
    match response.raw.status() {
        200..=299 => matches!(
            &response.body_failure,
            Some(failure) if failure.kind() == FailureKind::Broken
        ),
        500 | 502 | 503 | 504 => true,
        _ => false,
    }
}

impl<'c, 'a> Recorded<'c, 'a> {
    /// Sends the same signed bytes again with another bearer token after a 401,
    /// once, if the token may be the cause and nothing was executed for certain.
    fn unauthorized(
        mut self,
        response: &Received,
        refusal: Error,
    ) -> Result<Verdict<'c, 'a>, Error> {
        let Self { driver, signed, other_token, .. } = &mut self;
        let is_doubtful = refusal.outcome() != Outcome::NotExecuted;
        if unauthorized::has_another_token(driver, signed, other_token, response, is_doubtful) {
            return Ok(Verdict::SendAgain(self));
        }
        let diagnosis = unauthorized::diagnose(driver, signed, other_token, response);
        let retry_after = refusal.retry_after().max(other_token.retry_after());
        let refusal = refusal.with_diagnosis(diagnosis).with_retry_after(retry_after);
        Err(signed.with_evidence(refusal, driver.settings()))
    }

    /// Records what the credentials of an accepted call show.
    fn note_credentials(&self) {
        let Inner { history, tokens, .. } = &*self.driver.client().0;
        history.note_accepted(self.driver.operation(), self.signed.chosen());
        if let Some((tokens, token)) = tokens.as_ref().zip(self.signed.bearer()) {
            tokens.note_worked(token);
        }
    }

    /// The call after a 2xx with a complete body, which may still show no
    /// success.
    fn accepted(self, response: RawResponse, should_continue: &dyn Fn() -> bool) -> Judged<'c, 'a> {
        let Self { driver, signed, address, .. } = self;
        let (client, is_page) = (driver.client(), is_html(&response));
        if let Some(tokens) =
            client.0.tokens.as_ref().filter(|_| signed.chosen().bearer && !is_page)
        {
            let observe = |event: &EventKind<'_>| driver.observe(event);
            let dependencies = client.dependencies(&observe);
            tokens.note_accepted(signed.request(), driver.context(), dependencies);
        }
        let mut response = response.bounded(client.rules().max_response_values);
        // `send` returns the response unread.
        if driver.operation() != Operation::Send {
            response.read(should_continue);
        }
        Judged { driver, signed, response, page_of: address.filter(|_| is_page) }
    }
}

/// A call that got a 2xx, with a complete body.
pub(super) struct Judged<'c, 'a> {
    driver: &'c mut Driver<'a>,
    signed: Signed,
    response: RawResponse,
    /// The address, if it may be wrong, since the response is a web page.
    page_of: Option<String>,
}

impl Judged<'_, '_> {
    /// Reads the response of the operation.
    pub(super) fn read<T>(
        self,
        read: impl FnOnce(RawResponse) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let Self { driver, signed, response, page_of } = self;
        read(response).map_err(|error| {
            let error = outcome::with_page(error, driver.operation(), page_of.as_deref());
            signed.with_evidence(error, driver.settings())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_between_attempts_double_and_differ() {
        for (attempts, milliseconds) in [(1, 100), (2, 200), (3, 400), (6, 3200), (60, 3200)] {
            let least = Duration::from_millis(milliseconds);
            let drawn: Vec<_> = (0..50).map(|_| wait_after(attempts)).collect();
            assert!(drawn.iter().all(|wait| (least..=least * 3 / 2).contains(wait)), "{drawn:?}");
            assert!(drawn.iter().any(|wait| *wait != drawn[0]), "{drawn:?}");
        }
    }
}
