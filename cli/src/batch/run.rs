//! Sends the lines of a batch concurrently.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use indicatif::ProgressBar;
use payments_core::error::Reason;
use payments_core::journal::Entry;
use payments_core::request::PayoutResponse;
use payments_core::{CallContext, CancelHandle, Client, Error, ErrorKind, Operation, Outcome};
use payments_host::Turns;

use super::file::Line;
use super::line::{LineResult, LineState, Stop};
use super::plan::{self, Plan};
use super::signals;
use crate::args::journal::BatchArgs;
use crate::process::failure::Failure;
use crate::process::progress;

/// The pause after a 429 without `Retry-After`.
const PAUSE: Duration = Duration::from_secs(1);
/// How often a waiting line checks whether the batch continues.
const SLICE: Duration = Duration::from_millis(50);

/// State shared by the lines of a batch.
struct BatchState<'a> {
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
) -> Result<(Vec<LineResult>, Option<Stop>), Failure> {
    let interval = args.per_second.map_or(Duration::ZERO, |count| Duration::from_secs(1) / count);
    let sending = BatchState {
        client,
        lines: plan.lines,
        cancel: CancelHandle::new(),
        stop: OnceLock::new(),
        next: AtomicUsize::new(0),
        pace: Mutex::new(Turns::new(interval, Instant::now())),
        goes_on_after_unknown: args.continue_after_unknown,
        progress: progress::bar(plan.lines.len()),
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
    let results = results.into_iter().map(|sent| sent.into_inner().unwrap_or_default());
    Ok((results.collect(), sending.stop.into_inner()))
}

impl BatchState<'_> {
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
    fn send(&self, line: &Line) -> LineResult {
        loop {
            if !self.wait() {
                return LineResult::default();
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
            let sent = self.queried(line, self.sent(line, result));
            if sent.state == LineState::Unknown && !self.goes_on_after_unknown {
                self.drain(Stop::Unknown);
            }
            self.count(sent.state);
            return sent;
        }
    }

    /// The result of a line after a query of its payout, where that is on. A
    /// failure there leaves the line as it is.
    fn queried(&self, line: &Line, sent: LineResult) -> LineResult {
        let is_open = sent.state == LineState::Unknown && sent.reason != Some(Reason::InProgress);
        if !is_open || !self.client.rules().queries(Operation::CreatePayout) {
            return sent;
        }
        let context = self.client.context_with(self.cancel.clone(), None);
        match plan::queried(self.client, line, &context) {
            Ok(found) if found.state == LineState::Unknown => {
                LineResult { open: found.open, ..sent }
            }
            Ok(found) if matches!(found.state, LineState::Done | LineState::Cancelled) => found,
            _ => sent,
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

    fn sent(&self, line: &Line, result: Result<PayoutResponse, Error>) -> LineResult {
        let error = match result {
            Ok(response) => {
                let id = self.entry_of(line);
                return LineResult {
                    id,
                    ..LineResult::executed(response.json(), &response.view())
                };
            }
            Err(error) => error,
        };
        let code = Some(error.code());
        let reason = error.reason();
        if error.outcome() == Outcome::Executed
            && let Some(response) = error.response()
        {
            let body = response.raw.json().unwrap_or_default();
            let id = self.entry_of(line);
            return LineResult { code, reason, id, ..LineResult::executed(&body, &response.view) };
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
        LineResult { state, uid: text_in("uid"), code, reason, id, ..LineResult::default() }
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
        ErrorKind::Token if error.reason() == Some(Reason::TokenRefused) => None,
        ErrorKind::Token => error.retry_after(),
        _ => None,
    }
}

/// Whether every other line would fail the same way.
fn fails_for_all(error: &Error) -> bool {
    let kinds = [ErrorKind::Config, ErrorKind::Signing, ErrorKind::Token, ErrorKind::Journal];
    error.outcome() == Outcome::NotExecuted && kinds.contains(&error.kind())
}
