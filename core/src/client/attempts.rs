//! One attempt to send the request, and whether another one is safe.

use std::time::{Duration, Instant};

use super::call::RunningCall;
use crate::call::context::{CallContext, Ended};
use crate::client::outcome;
use crate::config::Options;
use crate::model::error::{Error, ErrorKind, Outcome};
use crate::model::observer::Event;
use crate::model::operation::Operation;
use crate::transport::{FailureKind, PreparedRequest, Received, TransportFailure};

/// The most connection attempts while no byte of the request has been sent.
const CONNECT_ATTEMPTS: u32 = 3;
const FIRST_WAIT: Duration = Duration::from_millis(100);

/// What a call may still try again. A call has one, also across a 401.
pub(super) struct Budget {
    /// Attempts to connect, while no byte of the request has been sent.
    connects: u32,
    /// Attempts of a query.
    retries: u32,
}

impl Budget {
    pub(super) fn of(operation: Operation, options: &Options, context: &CallContext) -> Self {
        let is_retried = operation.is_read_only() && context.retries();
        let retries = if is_retried { options.query_retries } else { 0 };
        let connects = if context.retries() { CONNECT_ATTEMPTS - 1 } else { 0 };
        Self { connects, retries }
    }
}

impl RunningCall<'_> {
    /// Whether the request is sent again after this result, and then waits until
    /// it may be. A request that moves money is never sent twice.
    pub(super) fn tries_again(
        &mut self,
        result: &Result<Received, TransportFailure>,
    ) -> Result<bool, Error> {
        let failed_as = match result {
            Ok(response) if !is_worth_a_retry(response) => return Ok(false),
            Ok(_) => ErrorKind::Status,
            Err(failure) => outcome::kind_of(failure.kind),
        };
        let connects_again = matches!(
            result,
            Err(failure)
                if failure.can_connect_again && failure.proves_nothing_sent(&self.context)
        ) && self.budget.connects > 0;
        let is_final = matches!(
            failed_as,
            ErrorKind::Timeout | ErrorKind::Cancelled | ErrorKind::Tls | ErrorKind::Internal
        );
        if connects_again {
            self.budget.connects -= 1;
        } else if self.budget.retries > 0 && !is_final {
            self.budget.retries -= 1;
        } else {
            return Ok(false);
        }
        let wait = wait_after(self.attempts);
        if wait >= self.context.remaining() {
            return Ok(false);
        }
        let (operation, number) = (self.operation, self.attempts);
        let retry = Event::Retry { operation, number, kind: failed_as, wait };
        self.client.observe(&self.context, &retry);
        self.context.sleep(wait)?;
        Ok(true)
    }

    pub(super) fn settle(
        &self,
        result: Result<Received, TransportFailure>,
        request: &PreparedRequest,
    ) -> Result<Received, Error> {
        result.map_err(|failure| {
            let nothing_sent = failure.proves_nothing_sent(&self.context);
            let outcome = if nothing_sent { Outcome::NotExecuted } else { Outcome::Unknown };
            self.with_evidence(outcome::of_failure(failure, outcome), request)
        })
    }

    /// Begins an attempt, unless the call has ended or its request must not leave
    /// any more.
    pub(super) fn begin_attempt(&mut self) -> Result<(), Error> {
        // What was sent before is known not to have been executed.
        if self.context.may_have_sent() {
            self.context = self.context.with_nested_record();
        }
        self.context.check()?;
        // Transports of the caller do not ask.
        if self.context.is_first_byte_overdue() {
            return Err(self.context.ended_error(Ended::Deadline));
        }
        self.attempts += 1;
        let (operation, number) = (self.operation, self.attempts);
        self.client.observe(&self.context, &Event::Attempt { operation, number });
        // Lets this attempt reuse the connection of the previous one.
        self.connection = None;
        self.attempt_started = Instant::now();
        Ok(())
    }

    /// Ends an attempt. Afterwards the byte record is set, unless the failure proves
    /// that nothing was sent.
    pub(super) fn end_attempt(
        &mut self,
        sent: Result<Received, TransportFailure>,
        max_response_bytes: usize,
    ) -> Result<Received, TransportFailure> {
        if !matches!(&sent, Err(failure) if failure.proves_nothing_sent(&self.context)) {
            self.context.set_may_have_sent();
        }
        let ended = Event::AttemptEnded {
            operation: self.operation,
            number: self.attempts,
            http_status: sent.as_ref().ok().map(|it| it.raw.status),
            kind: sent.as_ref().err().map(|failure| outcome::kind_of(failure.kind)),
            duration: self.attempt_started.elapsed(),
        };
        self.client.observe(&self.context, &ended);
        sent.map(|mut response| {
            self.connection = response.take_connection();
            bounded(response, max_response_bytes)
        })
    }
}

/// How long to wait after so many attempts.
fn wait_after(attempts: u32) -> Duration {
    let doubled = FIRST_WAIT * 2_u32.pow(attempts.saturating_sub(1).min(5));
    doubled + payments_base::jitter::random_part(doubled / 2)
}

/// Whether a query may be retried after this response.
fn is_worth_a_retry(response: &Received) -> bool {
    match response.raw.status {
        200..=299 => matches!(
            &response.body_failure,
            Some(failure) if failure.kind == FailureKind::Broken
        ),
        500 | 502 | 503 | 504 => true,
        _ => false,
    }
}

/// A custom transport may ignore the limit.
fn bounded(mut response: Received, max_bytes: usize) -> Received {
    if response.raw.body.len() > max_bytes {
        response.raw.body.truncate(max_bytes);
        let failure = TransportFailure::new(
            FailureKind::TooLarge,
            "the response is larger than max_response_bytes; raise max_response_bytes if such \
             responses are expected",
        );
        response = response.with_body_failure(failure);
    }
    response
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
