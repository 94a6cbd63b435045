//! Threads, descriptors and memory of idle processes.

use std::fmt;
use std::fs;
use std::time::{Duration, Instant};

use crate::process::Process;

/// How long a process may take to end unneeded threads.
const COOLING: Duration = Duration::from_secs(40);
/// Whether the last call fetched a token, and over its own connection, is up to
/// chance.
const ONE_CONNECTION: usize = 1;
/// Allocator noise: smaller growth from the second quarter of a run to the last
/// is not a leak.
const NOISE_KIB: u64 = 4 * 1024;
/// The rounds needed to tell whether memory keeps growing.
const ENOUGH_ROUNDS: usize = 12;

#[derive(Default)]
pub(super) struct Resources(Vec<History>);

/// The history of one process.
struct History {
    language: &'static str,
    /// Threads and descriptors after the first round, when it was warm.
    threads: usize,
    descriptors: usize,
    /// After each round, in KiB.
    memory: Vec<u64>,
}

impl Resources {
    /// Records the resources of each idle process. After the first time, it must not
    /// hold more threads and descriptors than then, except for one idle
    /// connection.
    pub(super) fn note<'a>(&mut self, processes: impl Iterator<Item = &'a Process>) {
        for (index, process) in processes.enumerate() {
            let id = process.id();
            if let Some(history) = self.0.get(index) {
                history.await_cold(id);
            } else {
                let (threads, descriptors) = (threads(id), descriptors(id));
                let language = process.name;
                self.0.push(History { language, threads, descriptors, memory: vec![] });
            }
            self.0[index].memory.push(memory(id));
        }
    }

    /// The number of rounds recorded.
    pub(super) fn rounds(&self) -> usize {
        self.0.first().map_or(0, |history| history.memory.len())
    }

    /// Asserts that memory does not keep growing.
    pub(super) fn assert_steady(&self) {
        for history in &self.0 {
            let rounds = history.memory.len();
            if rounds < ENOUGH_ROUNDS {
                continue;
            }
            let most = |from, to| history.memory[from..to].iter().max().copied().unwrap_or(0);
            let before = most(rounds / 4, rounds / 2);
            let after = most(rounds * 3 / 4, rounds);
            let limit = before + before / 20 + NOISE_KIB;
            let language = history.language;
            assert!(after <= limit, "{language} grew from {before} to {after} KiB");
        }
    }
}

impl History {
    fn await_cold(&self, process: u32) {
        let began = Instant::now();
        loop {
            let (threads, descriptors) = (threads(process), descriptors(process));
            if threads <= self.threads && descriptors <= self.descriptors + ONE_CONNECTION {
                return;
            }
            assert!(
                began.elapsed() < COOLING,
                "{} keeps {threads} threads and {descriptors} descriptors; when warm: {} and {}",
                self.language,
                self.threads,
                self.descriptors
            );
            std::thread::sleep(Duration::from_millis(100));
        }
    }
}

impl fmt::Display for Resources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = |history: &History| {
            let memory = history.memory.last().copied().unwrap_or(0) / 1024;
            format!(
                "{} {memory} MiB, {} threads, {} descriptors",
                history.language, history.threads, history.descriptors
            )
        };
        f.write_str(&self.0.iter().map(of).collect::<Vec<_>>().join("; "))
    }
}

fn threads(process: u32) -> usize {
    fs::read_dir(format!("/proc/{process}/task")).unwrap().count()
}

fn descriptors(process: u32) -> usize {
    fs::read_dir(format!("/proc/{process}/fd")).unwrap().count()
}

/// Resident memory in KiB.
fn memory(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}
