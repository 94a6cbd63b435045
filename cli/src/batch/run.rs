//! Sends the lines of a batch concurrently.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use indicatif::{ProgressBar, ProgressStyle};
use payments_core::journal::{self, Entry};
use payments_core::json::Json;
use payments_core::{CallContext, CancelHandle, Client, Error, ErrorKind, Operation, Outcome};

use super::file::Line;
use super::pace::Pace;
use super::signals;
use crate::failure::Failure;
use crate::journal_args::BatchArgs;

/// The pause after a 429 without `Retry-After`.
const PAUSE: Duration = Duration::from_secs(1);
/// How often a waiting line checks whether the batch continues.
const SLICE: Duration = Duration::from_millis(50);

/// The state of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum State {
    Done,
    Failed,
    Unknown,
    /// A different request was sent earlier with this reference.
    Changed,
    /// Not sent; the next run sends it.
    Unsent,
}

impl State {
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Unknown => "unknown",
            Self::Changed => "changed",
            Self::Unsent => "unsent",
        }
    }
}

/// The result of a line.
#[derive(Clone, Debug)]
pub(super) struct Sent {
    pub(super) state: State,
    pub(super) uid: Option<String>,
    pub(super) code: Option<&'static str>,
}

impl Sent {
    const UNSENT: Self = Self { state: State::Unsent, uid: None, code: None };
}

/// State shared by the lines of a batch.
struct Sending<'a> {
    client: &'a Client,
    lines: &'a [Line],
    cancel: CancelHandle,
    /// Whether to start no new line.
    is_draining: AtomicBool,
    next: AtomicUsize,
    pace: Mutex<Pace>,
    goes_on_after_unknown: bool,
    progress: ProgressBar,
    counts: [AtomicUsize; 3],
}

/// Sends the lines that no earlier run has sent.
///
/// # Errors
/// `usage` if the file differs from what an earlier run sent; then nothing is
/// sent.
pub(super) fn send_all(
    client: &Client,
    lines: &[Line],
    args: &BatchArgs,
) -> Result<Vec<Sent>, Failure> {
    let interval = args.per_second.map_or(Duration::ZERO, |count| Duration::from_secs(1) / count);
    let sending = Sending {
        client,
        lines,
        cancel: CancelHandle::new(),
        is_draining: AtomicBool::new(false),
        next: AtomicUsize::new(0),
        pace: Mutex::new(Pace::new(interval, Instant::now())),
        goes_on_after_unknown: args.continue_after_unknown,
        progress: progress(lines.len()),
        counts: Default::default(),
    };
    let known = sending.known_entries()?;
    let mut results = Vec::new();
    let mut changed = Vec::new();
    for line in lines {
        let entry = known.get(&line.reference);
        let sent = entry.map(|entry| sending.sent_before(line, entry)).transpose()?;
        if let Some(sent) = &sent {
            sending.count(sent.state);
            if sent.state == State::Changed {
                changed.push(Json::from(line.number));
            }
        }
        results.push(sent.map_or_else(OnceLock::new, OnceLock::from));
    }
    if !changed.is_empty() {
        let message = "lines differ from what was sent under their references earlier; restore \
                       them, or use new references for new payouts";
        return Err(Failure::usage("batch_changed", message).with_member("lines", changed));
    }
    signals::watch(
        &sending.cancel,
        || sending.drain(),
        || {
            std::thread::scope(|scope| {
                for _ in 0..args.parallel {
                    scope.spawn(|| {
                        while let Some(index) = sending.take() {
                            results[index].get_or_init(|| sending.send(&lines[index]));
                        }
                    });
                }
            });
        },
    )?;
    sending.progress.finish_and_clear();
    Ok(results.into_iter().map(|sent| sent.into_inner().unwrap_or(Sent::UNSENT)).collect())
}

/// The clock of the journal, which is in a file of this host.
fn now() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(now.as_millis()).unwrap_or(u64::MAX)
}

fn progress(lines: usize) -> ProgressBar {
    // Shows nothing if standard error is no terminal.
    let bar = ProgressBar::new(lines as u64);
    let style = ProgressStyle::with_template("{bar:24} {pos}/{len}  {msg}  {eta} left");
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

impl Sending<'_> {
    /// The entries of payouts in the journal that are not `failed`, by their
    /// references.
    fn known_entries(&self) -> Result<HashMap<String, Entry>, Failure> {
        let mut known = HashMap::new();
        let mut after: Option<String> = None;
        loop {
            let page = self.client.list_journal(false, after.as_deref(), &self.client.context())?;
            let page = page.entries;
            let Some(last) = page.last() else { return Ok(known) };
            after = Some(last.id.clone());
            let counts = |entry: &Entry| {
                entry.operation == Operation::CreatePayout && entry.state != journal::State::Failed
            };
            let counted = page.into_iter().filter(counts);
            known.extend(counted.map(|entry| (entry.reference.clone(), entry)));
        }
    }

    /// The result of a line that an earlier run sent, as its entry says. Sends
    /// nothing.
    fn sent_before(&self, line: &Line, entry: &Entry) -> Result<Sent, Failure> {
        let is_same = entry.body_sha256 == self.client.body_sha256(&line.request)?;
        let (state, code) = match entry.state_at(now()) {
            _ if !is_same => (State::Changed, None),
            journal::State::Done => (State::Done, Some("already_done")),
            journal::State::InProgress => (State::Unknown, Some("in_progress")),
            journal::State::Unknown | journal::State::Failed => {
                (State::Unknown, Some("unresolved"))
            }
        };
        Ok(Sent { state, uid: entry.uid.clone(), code })
    }

    fn drain(&self) {
        self.is_draining.store(true, Ordering::SeqCst);
    }

    fn is_draining(&self) -> bool {
        self.is_draining.load(Ordering::SeqCst)
    }

    fn take(&self) -> Option<usize> {
        if self.is_draining() {
            return None;
        }
        let index = self.next.fetch_add(1, Ordering::SeqCst);
        (index < self.lines.len()).then_some(index)
    }

    /// Waits for the turn of a line, then sends it.
    fn send(&self, line: &Line) -> Sent {
        loop {
            if !self.wait() {
                return Sent::UNSENT;
            }
            let context: CallContext = self.client.context_with(self.cancel.clone(), None);
            let result = self.client.execute(&line.request, &context);
            let error = result.as_ref().err();
            if let Some(error) = error
                && let Some(pause) = pause_after(error)
            {
                self.pace().pause(Instant::now() + pause);
                if error.kind() == ErrorKind::Token {
                    // Nothing was sent, and the journal has no entry.
                    continue;
                }
            }
            if error.is_some_and(fails_for_all) {
                self.drain();
            }
            let sent = self.sent(result);
            if sent.state == State::Unknown && !self.goes_on_after_unknown {
                self.drain();
            }
            self.count(sent.state);
            return sent;
        }
    }

    /// Waits for the turn of a line. Returns `false` if the batch has stopped.
    fn wait(&self) -> bool {
        let mut turn = self.pace().turn(Instant::now());
        loop {
            if self.is_draining() {
                return false;
            }
            let now = Instant::now();
            if now < turn {
                std::thread::sleep((turn - now).min(SLICE));
            } else if self.pace().is_paused(now) {
                turn = self.pace().turn(now);
            } else {
                return true;
            }
        }
    }

    fn pace(&self) -> MutexGuard<'_, Pace> {
        self.pace.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn sent(&self, result: Result<payments_core::operations::PayoutResponse, Error>) -> Sent {
        let error = match result {
            Ok(response) => {
                let uid = response.uid().map(str::to_owned);
                return Sent { state: State::Done, uid, code: None };
            }
            Err(error) => error,
        };
        let uid_in = |json: &Json| json.get("uid").and_then(Json::as_str).map(str::to_owned);
        let code = Some(error.code());
        if let Some(response) = error.response() {
            return Sent { state: State::Done, uid: uid_in(&response.view), code };
        }
        if let Some(entry) = error.journal_entry() {
            let is_same = entry.get("has_same_body").and_then(Json::as_bool) == Some(true);
            let state = match error.code() {
                _ if !is_same => State::Changed,
                "already_done" => State::Done,
                _ => State::Unknown,
            };
            return Sent { state, uid: uid_in(entry), code };
        }
        let state = match error.outcome() {
            Outcome::Unknown => State::Unknown,
            Outcome::NotExecuted if fails_for_all(&error) => State::Unsent,
            Outcome::NotExecuted if error.kind() == ErrorKind::Cancelled => State::Unsent,
            Outcome::NotExecuted => State::Failed,
        };
        Sent { state, uid: None, code }
    }

    fn count(&self, state: State) {
        let [done, failed, unknown] = &self.counts;
        match state {
            State::Done => done.fetch_add(1, Ordering::Relaxed),
            State::Unknown | State::Changed => unknown.fetch_add(1, Ordering::Relaxed),
            State::Failed | State::Unsent => failed.fetch_add(1, Ordering::Relaxed),
        };
        let [done, failed, unknown] =
            [done, failed, unknown].map(|count| count.load(Ordering::Relaxed));
        self.progress.set_message(format!("{done} done, {failed} failed, {unknown} unknown"));
        self.progress.inc(1);
    }
}

/// How long to pause all lines after this error.
fn pause_after(error: &Error) -> Option<Duration> {
    match error.kind() {
        ErrorKind::RateLimited => Some(error.retry_after().unwrap_or(PAUSE)),
        // Waiting does not correct credentials.
        ErrorKind::Token => error.retry_after().filter(|_| error.code() != "credentials_refused"),
        _ => None,
    }
}

/// Whether every other line would fail the same way.
fn fails_for_all(error: &Error) -> bool {
    let kinds = [ErrorKind::Config, ErrorKind::Signing, ErrorKind::Token, ErrorKind::Journal];
    error.outcome() == Outcome::NotExecuted && kinds.contains(&error.kind())
}
