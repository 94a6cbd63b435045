//! Runs a worker under strace, which cuts the call at one of its system calls.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::worker;

/// System calls that touch files, sockets and the database, and wait for them.
const TRACED: &str = "trace=%file,%desc,%network";
/// System calls that write, sync, connect or send.
const CHANGING: [&str; 16] = [
    "write",
    "writev",
    "pwrite64",
    "pwritev",
    "ftruncate",
    "fallocate",
    "fsync",
    "fdatasync",
    "connect",
    "sendto",
    "sendmsg",
    "rename",
    "renameat",
    "renameat2",
    "unlink",
    "shutdown",
];

/// A send of half the bytes, by [`stand_ins`](crate::stand_ins): strace lets a
/// system call send all of them or none.
pub(crate) const HALVES: [&str; 2] = ["half", "half and ECONNRESET"];

/// A system call of the call, as strace shows it.
#[derive(Debug)]
pub(crate) struct Step {
    pub(crate) name: String,
    pub(crate) text: String,
}

/// The `number`th system call `name` of the call.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Point {
    pub(crate) name: String,
    pub(crate) number: usize,
}

/// The event at a point.
#[derive(Debug)]
pub(crate) struct Cut<'a> {
    pub(crate) point: &'a Point,
    /// As strace writes it, or one of [`HALVES`].
    pub(crate) how: &'a str,
    /// How many system calls of that name are before the call.
    pub(crate) before: usize,
}

impl fmt::Display for Cut<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {} {}", self.how, self.point.name, self.point.number)
    }
}

/// The result of a run.
#[derive(Debug)]
pub(crate) struct Run {
    /// The result that the caller got, unless it was killed.
    pub(crate) reported: Option<Value>,
    pub(crate) steps: Vec<Step>,
    /// How many system calls of each name were before the call.
    before: BTreeMap<String, usize>,
    /// Whether the cut happened at its point.
    pub(crate) was_cut: bool,
}

/// Makes the call of `task`.
pub(crate) fn run(task: &Value, folder: &Path, cut: Option<&Cut<'_>>) -> Run {
    let mut task = task.clone();
    let half = cut.filter(|cut| HALVES.contains(&cut.how));
    if let Some(Cut { point, how, .. }) = half {
        task["half"] = point.number.into();
        task["fails"] = (*how == HALVES[1]).into();
    }
    let mut worker = worker(&task);
    let mut output = BufReader::new(worker.stdout.take().unwrap());
    let mut line = String::new();
    output.read_line(&mut line).unwrap();
    assert_eq!(line, "ready\n", "the worker begins");
    let trace = folder.join("trace");
    let mut strace = strace(&worker, &trace, cut.filter(|_| half.is_none()));
    worker.stdin.take().unwrap().write_all(b"go\n").unwrap();
    let mut reported = String::new();
    output.read_to_string(&mut reported).unwrap();
    let status = worker.wait().unwrap();
    strace.wait().unwrap();
    assert!(status.success() != reported.is_empty(), "{status}: {reported}: {task}");
    let trace = std::fs::read(&trace).unwrap();
    let mut run = Run::read(&String::from_utf8_lossy(&trace));
    run.reported = (!reported.is_empty()).then(|| serde_json::from_str(&reported).unwrap());
    run.was_cut = match (half, cut) {
        (Some(half), _) => {
            run.reported.as_ref().unwrap()["sends"].as_u64() >= Some(half.point.number as u64)
        }
        (None, Some(cut)) => run.is_cut_at(cut.point, run.reported.is_none()),
        (None, None) => false,
    };
    run
}

/// Makes the call of `task`, unobserved.
pub(crate) fn run_alone(task: &Value) -> Value {
    let mut worker = worker(task);
    worker.stdin.take().unwrap().write_all(b"go\n").unwrap();
    let output = worker.wait_with_output().unwrap();
    assert!(output.status.success(), "{task}");
    let output = String::from_utf8(output.stdout).unwrap();
    serde_json::from_str(output.strip_prefix("ready\n").unwrap()).unwrap()
}

fn worker(task: &Value) -> Child {
    // Not by its path, where another build may put another program.
    let mut command = Command::new("/proc/self/exe");
    command.args([worker::PROGRAM, &task.to_string()]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap()
}

/// Attaches strace to a worker that waits.
fn strace(worker: &Child, trace: &Path, cut: Option<&Cut<'_>>) -> Child {
    let mut command = Command::new("strace");
    command.args(["-f", "-y", "-s", "48", "-e", "signal=none", "-e", TRACED, "-o"]).arg(trace);
    if let Some(Cut { point, how, before }) = cut {
        let number = before + point.number;
        command.arg(format!("--inject={}:{how}:when={number}", point.name));
    }
    command.args(["-p", &worker.id().to_string()]).stderr(Stdio::piped());
    let mut strace = command.spawn().unwrap();
    let mut messages = BufReader::new(strace.stderr.take().unwrap());
    let mut line = String::new();
    messages.read_line(&mut line).unwrap();
    assert!(line.ends_with(" attached\n"), "{command:?}: {line}");
    // Nobody reads the others.
    std::thread::spawn(move || messages.read_to_end(&mut Vec::new()));
    strace
}

impl Run {
    /// Reads the steps between the markers.
    fn read(trace: &str) -> Self {
        let mut run =
            Self { reported: None, steps: Vec::new(), before: BTreeMap::new(), was_cut: false };
        let mut has_begun = false;
        let mut threads = Vec::new();
        for line in trace.lines() {
            let Some((thread, text)) = line.split_once(' ') else { continue };
            let text = text.trim_start();
            let Some((name, _)) = text.split_once('(').filter(|_| !text.starts_with(['<', '+']))
            else {
                continue;
            };
            if text.contains(worker::END) {
                break;
            }
            if has_begun {
                run.steps.push(Step { name: name.to_owned(), text: text.to_owned() });
                threads.push(thread);
            } else {
                *run.before.entry(name.to_owned()).or_default() += 1;
                has_begun = text.contains(worker::BEGIN);
            }
        }
        threads.dedup();
        assert!(threads.len() <= 1, "strace counts for each thread, and a call has one: {trace}");
        run
    }

    /// Whether the cut happened at `point`, and not before the call.
    fn is_cut_at(&self, point: &Point, was_killed: bool) -> bool {
        let mut named = self.steps.iter().filter(|step| step.name == point.name);
        if was_killed {
            let is_last = self.steps.last().is_some_and(|last| last.name == point.name);
            is_last && named.count() == point.number
        } else {
            named
                .nth(point.number - 1)
                .is_some_and(|it| it.text.contains("(INJECTED)") || it.text.contains("(DELAYED)"))
        }
    }

    /// How many system calls of this name were before the call.
    pub(crate) fn before(&self, name: &str) -> usize {
        self.before.get(name).copied().unwrap_or(0)
    }

    /// How often the call made each system call.
    pub(crate) fn counts(&self) -> BTreeMap<String, usize> {
        let mut counts = BTreeMap::new();
        for step in &self.steps {
            *counts.entry(step.name.clone()).or_default() += 1;
        }
        counts
    }

    /// The step at a point, if the call got so far.
    pub(crate) fn step(&self, point: &Point) -> Option<&Step> {
        self.steps.iter().filter(|step| step.name == point.name).nth(point.number - 1)
    }

    /// Whether the entry was durable before the first byte of the request left:
    /// the log of the journal, and its name if this call began the log. Under TLS
    /// nothing shows that byte, so it must be durable before the call connects to
    /// the port of TLS.
    pub(crate) fn is_synced_first(&self, tls_port: Option<u16>) -> bool {
        let is_sent = |step: &Step| match tls_port {
            Some(port) => step.name == "connect" && step.text.contains(&format!("htons({port})")),
            None => {
                let is_sending = ["write", "writev", "sendto", "sendmsg"].contains(&&*step.name);
                is_sending && step.text.contains("\"POST /ws/")
            }
        };
        let Some(sent) = self.steps.iter().position(is_sent) else { return true };
        let last = |is_it: &dyn Fn(&Step) -> bool| self.steps[..sent].iter().rposition(is_it);
        let is_of_log = |step: &Step| step.text.contains("journal.db-wal>");
        let is_written = |step: &Step| step.name == "pwrite64" && is_of_log(step);
        let begins_log = |step: &Step| is_written(step) && step.text.contains(", 32, 0) = ");
        let is_done = |step: &Step| step.text.ends_with(" = 0");
        let written = last(&is_written);
        let begun = last(&begins_log);
        let synced = last(&|step| step.name == "fdatasync" && is_of_log(step) && is_done(step));
        let named = last(&|step| step.name == "fsync" && is_folder(step) && is_done(step));
        // The copy of the log was synced before the log went.
        let is_of_file = |step: &Step| step.text.contains("journal.db>");
        let copied = last(&|step| step.name == "pwrite64" && is_of_file(step));
        let kept = last(&|it| {
            ["fsync", "fdatasync"].contains(&&*it.name) && is_of_file(it) && is_done(it)
        });
        let dropped = last(&|step| step.name == "ftruncate" && is_of_log(step));
        let is_kept = dropped.is_none() || (copied.is_some() && copied < kept && kept < dropped);
        written.is_some() && written < synced && (begun.is_none() || begun < named) && is_kept
    }
}

/// Whether a step writes, syncs, connects or sends.
pub(crate) fn is_change(name: &str) -> bool {
    CHANGING.contains(&name)
}

/// Whether a step syncs, connects or sends.
pub(crate) fn is_decisive(name: &str) -> bool {
    ["fsync", "fdatasync", "connect", "sendto"].contains(&name)
}

/// Events at a step other than the death of the process, as strace writes them.
pub(crate) fn faults(step: &Step) -> &'static [&'static str] {
    let is_socket = step.text.contains("<socket:[") || step.text.contains("<TCP");
    match &*step.name {
        "poll" | "ppoll" | "epoll_wait" | "epoll_pwait" | "select" | "pselect6" => &["error=EINTR"],
        "socket" | "eventfd2" | "dup" | "pipe2" | "epoll_create1" => &["error=EMFILE"],
        "connect" => &["error=ECONNREFUSED", "error=ETIMEDOUT"],
        // The end of the stream is the shortest count.
        "recvfrom" | "recvmsg" => &["error=ECONNRESET", "retval=0"],
        "read" | "readv" if is_socket => &["error=ECONNRESET", "retval=0"],
        "sendto" => &["error=ECONNRESET", HALVES[0], HALVES[1]],
        "sendmsg" => &["error=ECONNRESET"],
        "write" | "writev" if is_socket => &["error=ECONNRESET"],
        "setsockopt" | "getsockopt" | "getsockname" | "getpeername" | "bind" => &["error=ENOBUFS"],
        "shutdown" => &["error=ENOTCONN"],
        "openat" | "open" if step.text.contains("O_CREAT") => &["error=ENOSPC"],
        "openat" | "open" => &["error=EMFILE", "error=EIO"],
        "write" | "writev" | "pwrite64" | "pwritev" | "ftruncate" | "fallocate" | "mkdir"
        | "mkdirat" | "rename" | "renameat" | "renameat2" => &["error=ENOSPC"],
        // Memory, and a folder, which has nothing to write when it is closed.
        "mmap" if step.text.contains("MAP_ANONYMOUS") => &[],
        "close" if is_folder(step) => &[],
        "mmap" | "mremap" => &["error=ENOMEM"],
        "flock" => &["error=ENOLCK"],
        _ => &["error=EIO"],
    }
}

fn is_folder(step: &Step) -> bool {
    let path = step.text.split_once('<').and_then(|(_, rest)| rest.split_once('>'));
    path.is_some_and(|(path, _)| Path::new(path).is_dir())
}
