//! Sends the lines of a batch concurrently.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressFinish, ProgressStyle};
use payments_core::journal::Entry;
use payments_core::json::Json;
use payments_core::request::{PayoutResponse, cancelled_with};
use payments_core::{
    CallContext, CancelHandle, Client, Error, ErrorCode, ErrorKind, Operation, Outcome,
};
use payments_host::Turns;

use super::change::Change;
use super::file::Line;
use super::plan::{self, Plan};
use super::signals;
use crate::args::journal::BatchArgs;
use crate::process::failure::Failure;

/// The pause after a 429 without `Retry-After`.
const PAUSE: Duration = Duration::from_secs(1);
/// How often a waiting line checks whether the batch continues.
const SLICE: Duration = Duration::from_millis(50);

/// The state of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum LineState {
    Done,
    /// Created, and cancelled by the service.
    Cancelled,
    Failed,
    Unknown,
    /// A different request was sent earlier with this reference.
    Changed,
    /// Not sent; the next run sends it.
    Unsent,
}

impl LineState {
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Cancelled => "cancelled",
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
    pub(super) state: LineState,
    pub(super) uid: Option<String>,
    /// The service's status of the payout.
    pub(super) status: Option<String>,
    pub(super) code: Option<ErrorCode>,
    /// Of a cancelled payout, the service's code.
    pub(super) service_code: Option<String>,
    /// The id of its entry in the journal.
    pub(super) id: Option<String>,
    /// Of a changed line, how far the journal knows what differs.
    pub(super) change: Option<Change>,
}

impl Sent {
    pub(super) const UNSENT: Self = Self {
        state: LineState::Unsent,
        uid: None,
        status: None,
        code: None,
        service_code: None,
        id: None,
        change: None,
    };

    /// The result of a payout that was executed, by its response.
    fn executed(body: &Json, view: &Json) -> Self {
        let text = |name: &str| view.get(name).and_then(Json::as_str).map(str::to_owned);
        let service_code = cancelled_with(body).map(str::to_owned);
        let state = match service_code {
            Some(_) => LineState::Cancelled,
            None => LineState::Done,
        };
        Self { state, uid: text("uid"), status: text("status"), service_code, ..Self::UNSENT }
    }

    /// The code of a line, the service's own if it cancelled the payout.
    pub(super) fn code_shown(&self) -> Option<&str> {
        self.service_code.as_deref().or(self.code.map(ErrorCode::as_str))
    }
}

/// Why a batch takes no new line.
#[derive(Clone, Debug)]
pub(super) enum Stop {
    Signal,
    /// After a payout that may have been executed.
    Unknown,
    /// Every other payout would fail with this error.
    Failure(Error),
}

/// State shared by the lines of a batch.
struct Sending<'a> {
    client: &'a Client,
    lines: &'a [Line],
    cancel: CancelHandle,
    stop: OnceLock<Stop>,
    next: AtomicUsize,
    pace: Mutex<Turns>,
    goes_on_after_unknown: bool,
    progress: ProgressBar,
    counts: [AtomicUsize; 4],
}

/// Sends the new lines. Returns the result of each line, and why the batch
/// stopped before the last one.
///
/// # Errors
/// `io` if signals cannot be watched; then nothing is sent.
pub(super) fn send_all(
    client: &Client,
    plan: Plan<'_>,
    args: &BatchArgs,
) -> Result<(Vec<Sent>, Option<Stop>), Failure> {
    let interval = args.per_second.map_or(Duration::ZERO, |count| Duration::from_secs(1) / count);
    let sending = Sending {
        client,
        lines: plan.lines,
        cancel: CancelHandle::new(),
        stop: OnceLock::new(),
        next: AtomicUsize::new(0),
        pace: Mutex::new(Turns::new(interval, Instant::now())),
        goes_on_after_unknown: args.continue_after_unknown,
        progress: progress(plan.lines.len()),
        counts: Default::default(),
    };
    plan.known.iter().flatten().for_each(|sent| sending.count(sent.state));
    let known = plan.known.into_iter();
    let results: Vec<_> =
        known.map(|sent| sent.map_or_else(OnceLock::new, OnceLock::from)).collect();
    signals::watch(
        &sending.cancel,
        || sending.drain(Stop::Signal),
        || {
            std::thread::scope(|scope| {
                for _ in 0..args.parallel {
                    scope.spawn(|| {
                        while let Some(index) = sending.take() {
                            results[index].get_or_init(|| sending.send(&sending.lines[index]));
                        }
                    });
                }
            });
        },
    )?;
    sending.progress.finish_and_clear();
    let results = results.into_iter().map(|sent| sent.into_inner().unwrap_or(Sent::UNSENT));
    Ok((results.collect(), sending.stop.into_inner()))
}

/// A bar on a terminal, which vanishes at the end.
pub(super) fn progress(lines: usize) -> ProgressBar {
    // Shows nothing if standard error is no terminal.
    let bar = ProgressBar::new(lines as u64).with_finish(ProgressFinish::AndClear);
    let style = ProgressStyle::with_template("{bar:24} {pos}/{len}  {msg}  {eta} left");
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

impl Sending<'_> {
    /// Takes no new line. The first reason is kept.
    fn drain(&self, why: Stop) {
        let _ = self.stop.set(why);
    }

    fn is_draining(&self) -> bool {
        self.stop.get().is_some()
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
            if let Some(error) = error.filter(|error| fails_for_all(error)) {
                self.drain(Stop::Failure(error.clone()));
            }
            let sent = self.sent(line, result);
            if sent.state == LineState::Unknown && !self.goes_on_after_unknown {
                self.drain(Stop::Unknown);
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

    fn pace(&self) -> MutexGuard<'_, Turns> {
        self.pace.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn sent(&self, line: &Line, result: Result<PayoutResponse, Error>) -> Sent {
        let error = match result {
            Ok(response) => {
                let id = self.entry_of(line);
                return Sent { id, ..Sent::executed(response.json(), &response.view()) };
            }
            Err(error) => error,
        };
        let code = Some(error.code());
        if error.outcome() == Outcome::Executed
            && let Some(response) = error.response()
        {
            let body = response.raw.json().unwrap_or_default();
            let id = self.entry_of(line);
            return Sent { code, id, ..Sent::executed(&body, &response.view) };
        }
        let entry = error.journal_entry();
        let has_same_body = entry.and_then(|entry| entry.get("has_same_body")?.as_bool());
        let state = match error.outcome() {
            // Another process sent it after this one read the journal.
            Outcome::Executed => match plan::known(self.client, line) {
                Ok(Some(sent)) => return sent,
                _ => LineState::Done,
            },
            Outcome::Unknown if has_same_body == Some(false) => LineState::Changed,
            Outcome::Unknown => LineState::Unknown,
            Outcome::NotExecuted if fails_for_all(&error) => LineState::Unsent,
            Outcome::NotExecuted if error.kind() == ErrorKind::Cancelled => LineState::Unsent,
            Outcome::NotExecuted => LineState::Failed,
        };
        let text_in = |name| entry.and_then(|it| it.get(name)?.as_str()).map(str::to_owned);
        let id = text_in("id").or_else(|| self.entry_of(line));
        Sent { state, uid: text_in("uid"), code, id, ..Sent::UNSENT }
    }

    /// The id of the entry that this process made for a line, if the journal can
    /// be read.
    fn entry_of(&self, line: &Line) -> Option<String> {
        let found =
            payments_host::journal::show(self.client, &line.reference, &self.client.context())
                .ok()?;
        let process = std::process::id().to_string();
        let is_own = |entry: &&Entry| {
            entry.operation == Operation::CreatePayout
                && entry.reference == line.reference
                && entry.process == process
        };
        found.entries.iter().rev().find(is_own).map(|entry| entry.id.clone())
    }

    fn count(&self, state: LineState) {
        let [done, failed, unknown, cancelled] = &self.counts;
        match state {
            LineState::Done => done.fetch_add(1, Ordering::Relaxed),
            LineState::Cancelled => cancelled.fetch_add(1, Ordering::Relaxed),
            LineState::Unknown | LineState::Changed => unknown.fetch_add(1, Ordering::Relaxed),
            LineState::Failed | LineState::Unsent => failed.fetch_add(1, Ordering::Relaxed),
        };
        let [done, failed, unknown, cancelled] =
            [done, failed, unknown, cancelled].map(|count| count.load(Ordering::Relaxed));
        let mut text = format!("{done} done, {failed} failed, {unknown} unknown");
        if cancelled > 0 {
            text.push_str(&format!(", {cancelled} cancelled"));
        }
        self.progress.set_message(text);
        self.progress.inc(1);
    }
}

/// How long to pause all lines after this error.
fn pause_after(error: &Error) -> Option<Duration> {
    match error.kind() {
        ErrorKind::RateLimited => Some(error.retry_after().unwrap_or(PAUSE)),
        // Waiting does not correct credentials.
        ErrorKind::Token if ErrorCode::is_token_refusal(error.code().as_str()) => None,
        ErrorKind::Token => error.retry_after(),
        _ => None,
    }
}

/// Whether every other line would fail the same way.
fn fails_for_all(error: &Error) -> bool {
    let kinds = [ErrorKind::Config, ErrorKind::Signing, ErrorKind::Token, ErrorKind::Journal];
    error.outcome() == Outcome::NotExecuted && kinds.contains(&error.kind())
}
