//! Tries the configuration with requests that do not move money.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use payments_core::error::Reason;
use payments_core::transport::inside::ProxyTrial;
use payments_core::transport::{
    HttpTransport, PreparedRequest, Received, Transport, TransportFailure,
};
use payments_core::{CallContext, Client, Config, Error, ErrorKind, QueryPayment};

use super::stored::Bypass;
use super::{ConfiguredMembers, Report, clock, stored};
use crate::process::failure::Failure;
use crate::process::interruption;

/// Smaller clock differences are normal.
const TOLERATED_SECONDS: u64 = 30;

/// The library's transport, which also records the clocks of servers.
pub(super) struct Recorder {
    inner: HttpTransport,
    clocks: Mutex<Vec<ServerClock>>,
}

/// How many seconds this host's clock is ahead of a server's.
struct ServerClock {
    host: String,
    seconds: i64,
}

impl Recorder {
    /// Returns `None` if the configuration is invalid; building the client
    /// reports why.
    pub(super) fn of(config: &Config) -> Option<Arc<Self>> {
        let inner = config.http_transport().ok()?;
        Some(Arc::new(Self { inner, clocks: Mutex::default() }))
    }
}

impl Transport for Recorder {
    fn send(
        &self,
        context: &CallContext,
        request: &PreparedRequest,
    ) -> Result<Received, TransportFailure> {
        let response = self.inner.send(context, request)?;
        if let Some(date) = response.raw.header("date").and_then(clock::parse) {
            let host = request.url().split('/').nth(2).unwrap_or_default().to_owned();
            let clock = ServerClock { host, seconds: clock::now() - date };
            self.clocks.lock().unwrap_or_else(PoisonError::into_inner).push(clock);
        }
        Ok(response)
    }
}

/// Checks the proxy, the token and its store, a query and the clock.
///
/// # Errors
/// `io` if signal handlers cannot be installed.
pub(super) fn check(
    report: &mut Report,
    given: &ConfiguredMembers,
    client: &Client,
    recorder: &Recorder,
    bypass: &Bypass,
) -> Result<(), Failure> {
    let context = interruption::context(client)?;
    check_proxy(report, given, client, recorder, &context);
    let has_token = !given.has("client_id") || check_token(report, client, &context);
    stored::check_token_store(report, given, client, bypass, true);
    if has_token {
        check_query(report, client, &context);
    } else {
        report.skip("query", "it needs a token");
    }
    check_clock(report, recorder);
    Ok(())
}

fn check_proxy(
    report: &mut Report,
    given: &ConfiguredMembers,
    client: &Client,
    recorder: &Recorder,
    context: &CallContext,
) {
    if given.text("proxy").is_none() {
        return;
    }
    match recorder.inner.try_proxy(context, client.base_url()) {
        ProxyTrial::Accepts(proxy) => report.ok("proxy", format!("{proxy} accepts connections")),
        ProxyTrial::Fails(why) => report.failed("proxy", &why),
        ProxyTrial::Excluded(variable) => report.ok(
            "proxy",
            format!(
                "{variable} names a proxy, and NO_PROXY has the host of base_url: calls connect \
                 directly"
            ),
        ),
        ProxyTrial::Unnamed => report.warn(
            "proxy",
            "is env, but no variable names a proxy",
            "set HTTPS_PROXY, or remove proxy",
        ),
    }
}

/// Returns whether queries can be tried, that is, whether a token is available.
fn check_token(report: &mut Report, client: &Client, context: &CallContext) -> bool {
    match client.access_token(context) {
        Ok(_) => {
            report.ok("token", "a valid bearer token is available");
            true
        }
        Err(error) => {
            report.failed("token", error.message());
            false
        }
    }
}

/// Queries a payment that does not exist.
fn check_query(report: &mut Report, client: &Client, context: &CallContext) {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let code = format!("payments-check-{}-{}", std::process::id(), since.as_nanos());
    let query = QueryPayment::by_merchant_payment_code(&code);
    match client.execute(&query, context) {
        Err(error) if error.reason() == Some(Reason::NotFound) => report.ok(
            "query",
            format!(
                "{} accepts the credentials, and responds that there is no such payment",
                client.base_url()
            ),
        ),
        Err(error) if error.kind() == ErrorKind::Rejected => report.warn(
            "query",
            format!(
                "the service refused a query for a payment that does not exist, with the code {}",
                error.service_code().unwrap_or("(none)")
            ),
            "if that code means that there is no such payment, add it to not_found_codes",
        ),
        Err(error) => report.failed("query", &query_failure(&error)),
        Ok(_) => report.warn(
            "query",
            "the service found a payment that does not exist",
            "check that base_url is the address of the service",
        ),
    }
}

/// The error message, with the diagnosed cause of a 401.
fn query_failure(error: &Error) -> String {
    let finding = error.diagnosis().map(|diagnosis| diagnosis.message().to_owned());
    let message = error.message().to_owned();
    match finding.filter(|finding| !message.contains(finding.as_str())) {
        Some(finding) => format!("{message}; {finding}"),
        None => message,
    }
}

fn check_clock(report: &mut Report, recorder: &Recorder) {
    let clocks = recorder.clocks.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(ServerClock { host, seconds }) =
        clocks.iter().max_by_key(|it| it.seconds.unsigned_abs())
    else {
        report.skip("clock", "no response had a date to compare with");
        return;
    };
    let way = if *seconds < 0 { "behind" } else { "ahead of" };
    let difference = seconds.unsigned_abs();
    match difference {
        ..=TOLERATED_SECONDS => report.ok("clock", format!("agrees with {host}")),
        _ => report.warn(
            "clock",
            format!(
                "the clock of this host is {difference} s {way} {host}; the validity of \
                 certificates depends on it"
            ),
            "synchronize the clock, for example with chrony or systemd-timesyncd",
        ),
    }
}
