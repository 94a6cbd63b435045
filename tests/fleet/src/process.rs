//! A child process that reads and answers lines. It exits at the end of its
//! input, so none outlives the test.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::time::{Duration, Instant};

/// How long a process may take to answer.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct Process {
    pub(crate) name: &'static str,
    process: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Process {
    /// Starts a language's program. The Rust one is this program with the
    /// program's name as its argument.
    pub(crate) fn start(language: &'static str, program: &str) -> Self {
        let mut command = command_of(language, program);
        let started = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut process =
            started.unwrap_or_else(|error| panic!("{program} in {language}: {command:?}: {error}"));
        let output = BufReader::new(process.stdout.take().unwrap());
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
        });
        Self { name: language, input: process.stdin.take(), process, lines }
    }

    pub(crate) fn id(&self) -> u32 {
        self.process.id()
    }

    pub(crate) fn write_line(&mut self, line: &str) {
        let written = writeln!(self.input.as_mut().unwrap(), "{line}");
        written.unwrap_or_else(|error| panic!("a process in {}: {error}", self.name));
    }

    /// Waits for the next line.
    pub(crate) fn read_line(&self) -> String {
        self.read_line_within(PATIENCE)
    }

    pub(crate) fn read_line_within(&self, patience: Duration) -> String {
        let line = self.lines.recv_timeout(patience);
        line.unwrap_or_else(|error| panic!("a process in {} says nothing: {error}", self.name))
    }

    /// The next line, if one has arrived.
    pub(crate) fn try_read_line(&self) -> Option<String> {
        match self.lines.try_recv() {
            Ok(line) => Some(line),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => panic!("a process in {} has ended", self.name),
        }
    }

    /// Closes the input, which makes the process exit.
    pub(crate) fn end_input(&mut self) {
        self.input = None;
    }

    /// Kills the process. Returns the lines that it still wrote.
    pub(crate) fn kill(mut self) -> Vec<String> {
        let _ = self.process.kill();
        let _ = self.process.wait();
        self.lines.iter().collect()
    }

    /// Waits for the process to exit, which must succeed.
    pub(crate) fn wait(&mut self) {
        let began = Instant::now();
        let status = loop {
            if let Some(status) = self.process.try_wait().unwrap() {
                break status;
            }
            assert!(began.elapsed() < PATIENCE, "a process in {} goes on", self.name);
            std::thread::sleep(Duration::from_millis(20));
        };
        assert!(status.success(), "a process in {} ended with {status}", self.name);
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn command_of(language: &str, program: &str) -> Command {
    let source = |interpreter: PathBuf, extension: &str| {
        let mut command = Command::new(interpreter);
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("workers");
        command.arg(folder.join(program).with_extension(extension));
        command
    };
    match language {
        "c" => Command::new(setting("PAYMENTS_FLEET_C").join(program)),
        "php" => source("php".into(), "php"),
        "python" => source(setting("PAYMENTS_FLEET_PYTHON"), "py"),
        "node" => {
            let mut command = Command::new("node");
            // The soak test collects garbage before it measures memory.
            command.arg("--expose-gc");
            command.arg(setting("PAYMENTS_FLEET_NODE").join(program).with_extension("mjs"));
            command
        }
        _ => {
            let mut command = Command::new(std::env::current_exe().unwrap());
            command.arg(program);
            command
        }
    }
}

/// A path set by the script.
fn setting(name: &str) -> PathBuf {
    let value = std::env::var_os(name);
    value.unwrap_or_else(|| panic!("{name} is not set: run scripts/test-fleet.sh")).into()
}
