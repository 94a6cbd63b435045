//! Each byte of a call is the last one, in five ways.
//!
//! The other side stops after each number of bytes, of a request or a response.
//! All calls are made in this process, each by its own client. The expected
//! result of a call is computed by [`model::expected`] from the bytes that left
//! and those that arrived, which the sockets have counted.

mod model;
mod part;
mod peer;
mod redis;

use std::fmt;
use std::net::Ipv4Addr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use part::{PARTS, Part};
use peer::{Cut, Direction, Peer};

/// The time that a call has.
const DEADLINE: Duration = Duration::from_millis(50);
/// How long a slow peer takes for a byte.
pub(crate) const TURN: Duration = Duration::from_millis(5);
const TOKEN: &str = "a-bearer-token";
/// Calls at a time. They mostly wait.
const AT_ONCE: usize = 40;
/// How often a call that did not reach its cut is made again, with twice the
/// time.
const MOST_TRIES: u32 = 12;
/// A call that takes longer hangs.
const PATIENCE: Duration = Duration::from_secs(300);

/// How the other side stops.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Way {
    /// It keeps the connection, and does nothing until the deadline.
    Silence,
    Close,
    Reset,
    /// It sends bytes that its protocol does not allow.
    Garbage,
    /// It takes or sends a byte each [`TURN`].
    Slow,
}

const WAYS: [Way; 5] = [Way::Silence, Way::Close, Way::Reset, Way::Garbage, Way::Slow];

/// The bytes that are cut.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Selection<'a> {
    All,
    /// Each byte of a payment, and the first, the last and some others of the rest.
    Some,
    /// Those of the part with this name.
    Named(&'a str),
}

/// The other sides of one call after the other.
struct Peers {
    service: Peer,
    token_server: Peer,
    proxy: Peer,
    redis: Peer,
}

impl Peers {
    fn start() -> Self {
        let [service, token_server, proxy, redis] = std::array::from_fn(|_| Peer::start());
        Self { service, token_server, proxy, redis }
    }
}

/// A call that is cut.
#[derive(Clone, Copy)]
struct Job {
    part: &'static Part,
    cut: Cut,
}

impl fmt::Display for Job {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {:?} after {} bytes", self.part.name, self.cut.way, self.cut.at)
    }
}

/// Cuts at each byte, and returns the mistakes.
pub(crate) fn cut(which: Selection<'_>) -> Vec<String> {
    let began = Instant::now();
    let peers = Peers::start();
    let parts: Vec<_> = PARTS
        .iter()
        .filter(|part| !matches!(which, Selection::Named(name) if name != part.name))
        .collect();
    assert!(!parts.is_empty(), "unknown part of the bytes");
    let lengths: Vec<_> = parts.iter().map(|part| part.length(&peers)).collect();
    let jobs = jobs(&parts, &lengths, which);
    let (done, findings) = make(&jobs);
    for (part, length) in parts.iter().zip(lengths) {
        let of_part = || done.iter().filter(|(job, _)| std::ptr::eq(job.part, *part));
        let runs = of_part().count();
        let reported = |outcome| of_part().filter(|(_, reported)| *reported == outcome).count();
        println!(
            "{}: {length} bytes, {runs} runs; {} succeeded, {} not executed, {} unknown",
            part.name,
            reported("success"),
            reported("not_executed"),
            reported("unknown")
        );
    }
    println!("bytes: {} runs in {:.0} s", jobs.len(), began.elapsed().as_secs_f64());
    findings
}

/// The cuts of these parts. A response is also cut after its last byte.
fn jobs(parts: &[&'static Part], lengths: &[usize], which: Selection<'_>) -> Vec<Job> {
    let mut jobs = Vec::new();
    for (part, length) in parts.iter().zip(lengths) {
        let end = length + usize::from(part.direction == Direction::Response);
        let is_chosen = |at: &usize| which != Selection::Some || part.is_in_subset(*at, *length);
        for at in (0..end).filter(is_chosen) {
            let cut = |way| Job { part, cut: Cut { direction: part.direction, at, way } };
            jobs.extend(WAYS.map(cut));
        }
    }
    jobs
}

/// Makes the calls, and returns their results, and the mistakes.
fn make(jobs: &[Job]) -> (Vec<(Job, &'static str)>, Vec<String>) {
    let next = AtomicUsize::new(0);
    let (done, findings) = (Mutex::new(Vec::new()), Mutex::new(Vec::new()));
    let running = Mutex::new([None::<(Instant, Job)>; AT_ONCE]);
    std::thread::scope(|scope| {
        for at in 0..AT_ONCE {
            let (next, running, done, findings) = (&next, &running, &done, &findings);
            scope.spawn(move || {
                let peers = Peers::start();
                while let Some(job) = jobs.get(next.fetch_add(1, Ordering::SeqCst)) {
                    running.lock().unwrap()[at] = Some((Instant::now(), *job));
                    let (reported, found) = make_one(*job, &peers);
                    done.lock().unwrap().push((*job, reported));
                    findings.lock().unwrap().extend(found);
                }
                running.lock().unwrap()[at] = None;
            });
        }
        while done.lock().unwrap().len() < jobs.len() {
            std::thread::sleep(Duration::from_millis(50));
            for (since, job) in running.lock().unwrap().iter().flatten() {
                if since.elapsed() >= PATIENCE {
                    println!("hangs: {job}");
                    std::process::exit(1);
                }
            }
        }
    });
    (done.into_inner().unwrap(), findings.into_inner().unwrap())
}

/// Makes a call until it reaches its cut.
fn make_one(job: Job, peers: &Peers) -> (&'static str, Vec<String>) {
    let mut findings = Vec::new();
    for number in 0..MOST_TRIES {
        let ended = job.part.call(peers, Some(job.cut), DEADLINE * 2_u32.pow(number));
        findings.extend(ended.findings().map(|what| format!("{job}: {what}")));
        if ended.has_stopped {
            return (ended.reported, findings);
        }
    }
    findings.push(format!("{job}: no call came so far"));
    ("", findings)
}

/// An address of this host, for one run.
fn next_address() -> Ipv4Addr {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::SeqCst);
    // With always as many digits.
    let part = |size: u32| 100 + u8::try_from(number / size % 100).unwrap();
    Ipv4Addr::new(127, part(10_000), part(100), part(1))
}
