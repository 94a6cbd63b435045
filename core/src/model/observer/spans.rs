//! Events as spans of the crate `tracing`.

use std::cell::RefCell;
use std::time::Duration;

use tracing::field::Empty;
use tracing::span::EnteredSpan;
use tracing::{debug, error, info, info_span, warn};

use super::{Event, EventKind, Failure, Observer, microseconds};
use crate::model::error::Outcome;

/// An observer that turns calls into spans of the crate `tracing`, for any
/// number of clients: feature `tracing`.
///
/// ```
/// # use std::sync::Arc;
/// # use payments_core::{Config, observer::TracingObserver};
/// let config = Config::new("https://payments.example").observer(Arc::new(TracingObserver));
/// ```
///
/// Each call is a span, a child of the span that is current where the call is
/// made, and current while it runs. Each attempt and each token request is a
/// child of it. Names and fields are those of OpenTelemetry, so that
/// `tracing-opentelemetry` exports them as `docs/telemetry.md` says. The span of
/// a token request begins when its response is there; its field
/// `payments.duration_us` says how long it took.
///
/// A call that failed ends with an event: an error if its outcome is unknown,
/// otherwise an info. No field has a secret, payer data, a query string, or text
/// of the service, a store or a journal.
#[derive(Clone, Copy, Default, Debug)]
pub struct TracingObserver;

/// A call in progress on this thread.
struct CallSpan {
    call: u64,
    // Exited before the span of the call, in this order.
    attempt: Option<EnteredSpan>,
    span: EnteredSpan,
    operation: &'static str,
    method: String,
    path: String,
    host: String,
}

#[derive(Default)]
struct CallSpans {
    /// Several if a callback uses another client.
    calls: Vec<CallSpan>,
    /// The hosts of token requests, with the calls that made them.
    token_hosts: Vec<(u64, String)>,
}

thread_local! {
    /// A span can be entered on one thread only, and all events of a call are on one.
    static OPEN: RefCell<CallSpans> = RefCell::default();
}

impl Observer for TracingObserver {
    fn on_event(&self, event: &Event<'_>) {
        OPEN.with_borrow_mut(|open| open.receive(event));
    }
}

impl CallSpans {
    fn receive(&mut self, event: &Event<'_>) {
        match event.kind {
            EventKind::RequestStarted { .. } => self.begin(event),
            EventKind::Attempt { number, .. } => self.begin_attempt(event, *number),
            EventKind::AttemptEnded { http_status, kind, .. } => {
                let refused = http_status.filter(|status| *status >= 400);
                let failed = kind.map(|kind| kind.as_str().to_owned());
                let error_type = failed.or(refused.map(|it| it.to_string()));
                self.end_attempt(event, *http_status, error_type);
            }
            EventKind::TokenRequested { host } => {
                self.token_hosts.push((event.call(), host.clone().into_owned()));
            }
            EventKind::TokenFetched { duration, .. } => self.record_token(event, *duration, None),
            EventKind::TokenFailed { kind, duration, .. } => {
                self.record_token(event, *duration, Some(kind.as_str()));
            }
            EventKind::RequestEnded { .. } => self.end(event),
            _ => self.within(event, || note(event)),
        }
    }

    fn call_of(&mut self, event: &Event<'_>) -> Option<&mut CallSpan> {
        self.calls.iter_mut().find(|it| it.call == event.call())
    }

    /// Acts within the span of the event's call. `access_token` and `prepare`
    /// have none: they run in the caller's.
    fn within<T>(&mut self, event: &Event<'_>, act: impl FnOnce() -> T) -> T {
        match self.call_of(event) {
            Some(call) => call.span.in_scope(act),
            None => act(),
        }
    }

    fn begin(&mut self, event: &Event<'_>) {
        let EventKind::RequestStarted { operation, method, path, host } = event.kind else {
            return;
        };
        let operation = operation.name();
        let (address, port) = server_of(host);
        let span = info_span!(
            "payments",
            otel.name = format!("payments {operation}"),
            otel.status_code = Empty,
            otel.status_description = Empty,
            payments.operation = operation,
            payments.reference = event.reference(),
            payments.hash = event.hash(),
            http.request.method = method,
            url.path = path,
            server.address = address,
            server.port = port,
            http.response.status_code = Empty,
            payments.outcome = Empty,
            error.type = Empty,
            payments.attempts = Empty,
            payments.signing_us = Empty,
        );
        self.calls.push(CallSpan {
            call: event.call(),
            attempt: None,
            span: span.entered(),
            operation,
            method: (*method).to_owned(),
            path: (*path).to_owned(),
            host: (*host).to_owned(),
        });
    }

    fn begin_attempt(&mut self, event: &Event<'_>, number: u32) {
        let Some(call) = self.call_of(event) else { return };
        let (address, port) = server_of(&call.host);
        let span = call.span.in_scope(|| {
            info_span!(
                "attempt",
                otel.name = call.method,
                otel.kind = "client",
                otel.status_code = Empty,
                payments.operation = call.operation,
                http.request.method = call.method,
                url.path = call.path,
                server.address = address,
                server.port = port,
                http.request.resend_count = (number > 1).then(|| number - 1),
                http.response.status_code = Empty,
                error.type = Empty,
            )
        });
        call.attempt = Some(span.entered());
    }

    fn end_attempt(&mut self, event: &Event<'_>, status: Option<u16>, error_type: Option<String>) {
        let attempt = self.call_of(event).and_then(|call| call.attempt.take());
        let Some(span) = attempt else { return };
        span.record("http.response.status_code", status);
        if let Some(error_type) = error_type {
            span.record("error.type", error_type).record("otel.status_code", "ERROR");
        }
    }

    /// Its events arrive when everything is over: no observer runs under a lock.
    fn record_token(&mut self, event: &Event<'_>, duration: Duration, kind: Option<&str>) {
        let requested = self.token_hosts.iter().position(|(call, _)| *call == event.call());
        let host = requested.map(|at| self.token_hosts.swap_remove(at).1).unwrap_or_default();
        let (address, port) = server_of(&host);
        self.within(event, || {
            info_span!(
                "token",
                otel.name = "payments token",
                otel.kind = "client",
                otel.status_code = kind.map(|_| "ERROR"),
                http.request.method = "POST",
                server.address = address,
                server.port = port,
                error.type = kind,
                payments.duration_us = microseconds(duration),
            )
        });
    }

    fn end(&mut self, event: &Event<'_>) {
        let EventKind::RequestEnded { http_status, failure, attempts, signing, .. } = event.kind
        else {
            return;
        };
        let ended = self.calls.iter().position(|it| it.call == event.call());
        let Some(CallSpan { span, operation, .. }) = ended.map(|at| self.calls.remove(at)) else {
            return;
        };
        span.record("http.response.status_code", *http_status)
            .record("payments.hash", event.hash())
            .record("payments.attempts", *attempts)
            .record("payments.signing_us", microseconds(*signing));
        let Some(Failure { kind, code, outcome }) = *failure else { return };
        let (kind, outcome_name) = (kind.as_str(), outcome.as_str());
        span.record("payments.outcome", outcome_name)
            .record("error.type", kind)
            .record("otel.status_code", "ERROR")
            .record("otel.status_description", format!("{code}, {outcome_name}"));
        let (call, reference, hash) = (event.call(), event.reference(), event.hash());
        // The level of an event is part of the program.
        macro_rules! failed {
            ($level:ident, $text:literal) => {
                $level!(call, reference, hash, operation, kind, code, outcome = outcome_name, $text)
            };
        }
        span.in_scope(|| match outcome {
            Outcome::Unknown => failed!(error, "the outcome is unknown"),
            Outcome::NotExecuted | Outcome::Executed => failed!(info, "the call failed"),
        });
    }
}

/// Adds an event to the current span.
fn note(event: &Event<'_>) {
    let (name, call, reference) = (event.name(), event.call(), event.reference());
    match event.kind {
        EventKind::Retry { operation, number, kind, wait } => {
            let (operation, kind, wait_us) = (operation.name(), kind.as_str(), microseconds(*wait));
            warn!(call, reference, operation, number, kind, wait_us, "{name}");
        }
        EventKind::TokenReused { remaining } => {
            debug!(call, reference, remaining_us = microseconds(*remaining), "{name}");
        }
        EventKind::TokenKept { backoff, .. } => {
            warn!(call, reference, backoff_us = microseconds(*backoff), "{name}");
        }
        EventKind::StoreBypassed { action, .. } => warn!(call, reference, action, "{name}"),
        EventKind::JournalFailed { id, .. } => warn!(call, reference, id, "{name}"),
        _ => debug!(call, reference, "{name}"),
    }
}

/// The host, and the port if there is one.
fn server_of(host: &str) -> (&str, Option<u16>) {
    let split = host.rsplit_once(':').and_then(|(name, port)| Some((name, port.parse().ok()?)));
    let (name, port) = split.map_or((host, None), |(name, port)| (name, Some(port)));
    (name.trim_matches(['[', ']']), port)
}

#[cfg(test)]
mod tests {
    use super::server_of;

    #[test]
    fn a_host_may_have_a_port() {
        for (host, expected) in [
            ("api.example", ("api.example", None)),
            ("api.example:8443", ("api.example", Some(8443))),
            ("[::1]", ("::1", None)),
            ("[::1]:80", ("::1", Some(80))),
        ] {
            assert_eq!(server_of(host), expected);
        }
    }
}
