//! The processes, and what is said to them.
//!
//! A worker reads two lines: the configuration of its client, and the hash of
//! a payment. It makes the client and prints `ready`. After the next line it
//! asks for the payment again and again, sixteen times at once where the
//! language has a way to. Each further line is answered by one of JSON, with
//! what was counted since the last one. It ends when its input does, so none
//! outlives the test.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::worker;

/// How many processes of each language there are.
pub(crate) const LANGUAGES: [(&str, usize); 5] =
    [("rust", 4), ("c", 3), ("php", 3), ("python", 3), ("node", 3)];
/// How long a worker may take to do what it is told.
const PATIENCE: Duration = Duration::from_secs(60);

/// What one process did since its last report.
#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) language: &'static str,
    /// Calls that gave the payment.
    pub(crate) answered: u64,
    /// Calls that failed as `token` and said how long to wait.
    pub(crate) lacked: u64,
    /// Calls that failed as `unauthorized`.
    pub(crate) refused: u64,
}

impl Report {
    pub(crate) fn has_only_answers(&self) -> bool {
        self.answered > 0 && self.lacked == 0 && self.refused == 0
    }

    pub(crate) fn has_only_lacks(&self) -> bool {
        self.lacked > 0 && self.answered == 0 && self.refused == 0
    }
}

pub(crate) struct Crew(Vec<Worker>);

impl Crew {
    /// Starts every process, and waits until each has made its client.
    pub(crate) fn start(configuration: &str, payment: &str) -> Self {
        let languages =
            LANGUAGES.iter().flat_map(|(language, count)| std::iter::repeat_n(*language, *count));
        let mut crew = Self(languages.map(Worker::start).collect());
        for worker in &mut crew.0 {
            worker.tell(configuration);
            worker.tell(payment);
        }
        for worker in &crew.0 {
            assert_eq!(worker.hear(), "ready", "{}", worker.language);
        }
        crew
    }

    /// Lets everybody call.
    pub(crate) fn begin(&mut self) {
        self.0.iter_mut().for_each(|worker| worker.tell("begin"));
    }

    /// What each process did since the last time.
    pub(crate) fn reports(&mut self) -> Vec<Report> {
        self.0.iter_mut().for_each(|worker| worker.tell("report"));
        self.0.iter().map(Worker::report).collect()
    }

    /// Ends every process, each of which must end well.
    pub(crate) fn stop(mut self) {
        self.0.iter_mut().for_each(|worker| worker.input = None);
        for worker in &mut self.0 {
            let began = Instant::now();
            let status = loop {
                if let Some(status) = worker.process.try_wait().unwrap() {
                    break status;
                }
                assert!(began.elapsed() < PATIENCE, "a worker in {} goes on", worker.language);
                std::thread::sleep(Duration::from_millis(20));
            };
            assert!(status.success(), "a worker in {} ended with {status}", worker.language);
        }
    }
}

struct Worker {
    language: &'static str,
    process: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Worker {
    fn start(language: &'static str) -> Self {
        let mut command = command_of(language);
        let started = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut process =
            started.unwrap_or_else(|error| panic!("a worker in {language}: {command:?}: {error}"));
        let output = BufReader::new(process.stdout.take().unwrap());
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
        });
        Self { language, input: process.stdin.take(), process, lines }
    }

    fn tell(&mut self, line: &str) {
        let told = writeln!(self.input.as_mut().unwrap(), "{line}");
        told.unwrap_or_else(|error| panic!("a worker in {}: {error}", self.language));
    }

    fn hear(&self) -> String {
        let heard = self.lines.recv_timeout(PATIENCE);
        heard.unwrap_or_else(|error| panic!("a worker in {} says nothing: {error}", self.language))
    }

    fn report(&self) -> Report {
        let line = self.hear();
        let report: Value = serde_json::from_str(&line)
            .unwrap_or_else(|error| panic!("a worker in {}: {line}: {error}", self.language));
        let other = &report["other"];
        assert!(other.is_null(), "a call in {} ended otherwise: {other}", self.language);
        let count = |name: &str| report[name].as_u64().unwrap_or_else(|| panic!("{line}"));
        Report {
            language: self.language,
            answered: count("answered"),
            lacked: count("lacked"),
            refused: count("refused"),
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn command_of(language: &str) -> Command {
    let of_language = |program: PathBuf, file: &str| {
        let mut command = Command::new(program);
        command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("workers").join(file));
        command
    };
    match language {
        "c" => Command::new(setting("PAYMENTS_FLEET_C")),
        "php" => of_language("php".into(), "worker.php"),
        "python" => of_language(setting("PAYMENTS_FLEET_PYTHON"), "worker.py"),
        "node" => {
            let mut command = Command::new("node");
            command.arg(setting("PAYMENTS_FLEET_NODE"));
            command
        }
        _ => {
            let mut command = Command::new(std::env::current_exe().unwrap());
            command.arg(worker::ARGUMENT);
            command
        }
    }
}

/// A path that the script sets.
fn setting(name: &str) -> PathBuf {
    let value = std::env::var_os(name);
    value.unwrap_or_else(|| panic!("{name} is not set: run scripts/test-fleet.sh")).into()
}
