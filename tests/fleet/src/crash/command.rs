//! Single calls of the command, each in its own process.

use std::io::Write as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::Round;
use crate::call::Kind;

/// One call in this many is not killed, and shows how long a call takes.
const SPARED: usize = 3;
const LONGEST: Duration = Duration::from_secs(2);

/// Calls of the command that are killed.
pub(super) struct SingleCall {
    kills: usize,
    calls: usize,
    takes: Duration,
    running: Option<Running>,
}

struct Running {
    child: Child,
    id: usize,
    started: Instant,
    /// How long it lives, if it is not spared.
    life: Option<Duration>,
}

impl SingleCall {
    pub(super) fn new(kills: usize) -> Self {
        Self { kills, calls: 0, takes: LONGEST, running: None }
    }

    pub(super) fn has_kills_left(&self) -> bool {
        self.kills > 0
    }

    /// Does the next due step: starts a call, reads its end, kills it.
    pub(super) fn step(&mut self, round: &mut Round<'_>) {
        let Some(Running { child, id, started, life }) = &mut self.running else {
            let is_spared = self.calls.is_multiple_of(SPARED);
            self.calls += 1;
            let part = round.numbers.below(1000) as f64 / 1000.0;
            let life = (!is_spared).then(|| self.takes.mul_f64(part));
            self.running = Some(start(round, life));
            return;
        };
        if let Some(status) = child.try_wait().unwrap() {
            let report = match status.code() {
                Some(0) => "success",
                Some(1) => "not_executed",
                Some(3) => "unknown",
                Some(4) => "executed",
                _ => panic!("the command ended with {status}"),
            };
            round.ledger.end(*id, report);
            self.takes = started.elapsed().min(LONGEST);
            self.running = None;
        } else if life.is_some_and(|life| started.elapsed() >= life) {
            child.kill().unwrap();
            child.wait().unwrap();
            self.kills -= 1;
            self.running = None;
        }
    }
}

fn start(round: &mut Round<'_>, life: Option<Duration>) -> Running {
    let file = round.service.journal().join("payments.json");
    std::fs::write(&file, round.configuration).unwrap();
    let call = round.next(|call| !matches!(call.kind, Kind::Refund(_)));
    let name = call.operation().replace('_', "-");
    let mut command = payments(&file);
    command.args([name.as_str(), "-"]).stdin(Stdio::piped());
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(call.request().to_string().as_bytes()).unwrap();
    Running { child, id: call.id, started: Instant::now(), life }
}

/// The command, with this configuration alone.
pub(super) fn payments(configuration: &Path) -> Command {
    let program = std::env::current_exe().unwrap().with_file_name("payments");
    let mut command = Command::new(program);
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("PAYMENTS_") {
            command.env_remove(name);
        }
    }
    command.arg("--config").arg(configuration);
    command
}
