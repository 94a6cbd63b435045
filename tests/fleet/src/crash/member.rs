//! A program that is started, killed and started again.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::Round;
use crate::numbers::Numbers;
use crate::process::{PATIENCE, Process};

/// Calls at a time.
const AT_ONCE: usize = 2;
/// A process is killed after fewer answers than this, which it may get however
/// busy the machine is.
const MOST_ANSWERS: u64 = 6;
/// How long after that at most, in milliseconds.
const AFTERWARDS_MS: u64 = 50;
/// The longest wait for these answers.
const LONGEST_LIFE: Duration = Duration::from_secs(3);

pub(super) struct Member {
    language: &'static str,
    program: &'static str,
    kills: usize,
    running: Option<Running>,
}

struct Running {
    process: Process,
    started: Instant,
    is_ready: bool,
    /// The answers that it may still give.
    answers: u64,
    /// Known once it gave them.
    ends: Option<Instant>,
    /// The calls without an answer.
    open: BTreeSet<usize>,
}

impl Member {
    pub(super) fn new(language: &'static str, program: &'static str, kills: usize) -> Self {
        Self { language, program, kills, running: None }
    }

    pub(super) fn has_kills_left(&self) -> bool {
        self.kills > 0
    }

    /// Does the next due step: starts the process, reads its answers, gives it calls, kills it.
    pub(super) fn step(&mut self, round: &mut Round<'_>) {
        let Some(running) = &mut self.running else {
            let mut process = Process::start(self.language, self.program);
            process.write_line(round.configuration);
            self.running = Some(Running {
                process,
                started: Instant::now(),
                is_ready: false,
                answers: round.numbers.below(MOST_ANSWERS),
                ends: None,
                open: BTreeSet::new(),
            });
            return;
        };
        while let Some(line) = running.process.try_read_line() {
            running.take_line(&line, round);
        }
        if !running.is_ready {
            assert!(running.started.elapsed() < PATIENCE, "{} does not start", self.language);
            return;
        }
        while running.open.len() < AT_ONCE {
            let call = round.next(|call| !running.open.contains(&call.id));
            running.process.write_line(&call.to_string());
            running.open.insert(call.id);
        }
        if running.is_over(&mut round.numbers)
            && let Some(Running { process, mut open, .. }) = self.running.take()
        {
            for line in process.kill() {
                take_report(&line, &mut open, round);
            }
            self.kills -= 1;
        }
    }
}

impl Running {
    fn take_line(&mut self, line: &str, round: &mut Round<'_>) {
        if line == "ready" {
            (self.is_ready, self.started) = (true, Instant::now());
            if round.numbers.below(4) == 0 {
                self.process.write_line("recover");
            }
        } else {
            take_report(line, &mut self.open, round);
            self.answers = self.answers.saturating_sub(1);
        }
    }

    fn is_over(&mut self, numbers: &mut Numbers) -> bool {
        if self.answers > 0 && self.started.elapsed() < LONGEST_LIFE {
            return false;
        }
        let now = Instant::now();
        let rest = Duration::from_millis(numbers.below(AFTERWARDS_MS));
        now >= *self.ends.get_or_insert(now + rest)
    }
}

fn take_report(line: &str, open: &mut BTreeSet<usize>, round: &mut Round<'_>) {
    if line == "recovered" {
        return;
    }
    let report: Value =
        serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}"));
    let id = report["id"].as_u64().unwrap_or_else(|| panic!("{line}")) as usize;
    assert!(open.remove(&id), "nobody asked for this: {line}");
    round.ledger.end(id, report["report"].as_str().unwrap_or_else(|| panic!("{line}")));
}
