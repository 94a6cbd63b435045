//! A process that reads lines and responds with lines. It ends when its input
//! does, so none outlives the test.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::time::{Duration, Instant};

/// How long a process may take for a command.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct Process {
    pub(crate) name: &'static str,
    process: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Process {
    /// Starts the program of that name in a language. The one in Rust is this
    /// program itself, with that name as its argument.
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

    pub(crate) fn tell(&mut self, line: &str) {
        let told = writeln!(self.input.as_mut().unwrap(), "{line}");
        told.unwrap_or_else(|error| panic!("a process in {}: {error}", self.name));
    }

    /// The next line.
    pub(crate) fn hear(&self) -> String {
        let heard = self.lines.recv_timeout(PATIENCE);
        heard.unwrap_or_else(|error| panic!("a process in {} says nothing: {error}", self.name))
    }

    /// The next line, if it is there.
    pub(crate) fn hear_now(&self) -> Option<String> {
        match self.lines.try_recv() {
            Ok(line) => Some(line),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => panic!("a process in {} has ended", self.name),
        }
    }

    /// Ends the input, so that the process does as well.
    pub(crate) fn end_input(&mut self) {
        self.input = None;
    }

    /// Waits for the end of the process, which must be a good one.
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
            // The long run collects garbage, and looks at what is left.
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

/// A path that the script sets.
fn setting(name: &str) -> PathBuf {
    let value = std::env::var_os(name);
    value.unwrap_or_else(|| panic!("{name} is not set: run scripts/test-fleet.sh")).into()
}
