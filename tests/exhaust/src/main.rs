//! One call, cut everywhere: each kind of call that moves money is repeated once
//! for each of its system calls, with the process killed there, and once with
//! each error that this system call can return; once with a freeze until after
//! the deadline, before and after it; and once for each reading of the wall
//! clock and each jump there. Then the calls are finished as a worker would, and
//! the records of the caller, the journal and the service are compared. And each
//! byte of a call is the last one, in five ways ([`bytes`]).
//!
//! `make exhaust` runs all of that, and `make test` the part that `--each-kind`
//! chooses.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may fail so")]

mod bytes;
mod cuts;
mod following;
mod row_check;
mod rows;
mod stand_ins;
mod tls;
mod tracer;
mod worker;

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use cuts::{CutKind, Cuts, Figures, Selection};
use row_check::RowCheck;
use rows::{Place, ROWS, Row, Setting};

const USAGE: &str = "usage: payments-exhaust-tests [--each-kind | --follow | --bytes [PART] | \
                     --jumps [ROW] | --steps [ROW [SYSTEM-CALL]] | --freezes [ROW [SYSTEM-CALL]]]";
const PROGRESS_EVERY: Duration = Duration::from_secs(20);

/// The treatment of the calls of a row.
#[derive(Clone, Copy)]
enum Mode<'a> {
    Steps(Selection<'a>),
    Freezes(Selection<'a>),
    Jumps,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let findings = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [worker::PROGRAM, task] => return worker::run(task),
        [] => [
            bytes::cut(bytes::Selection::All),
            follow(),
            cut(&ROWS, Mode::Freezes(Selection::Changing)),
            cut(&ROWS, Mode::Jumps),
            cut(&ROWS, Mode::Steps(Selection::All)),
        ]
        .concat(),
        ["--follow"] => follow(),
        ["--each-kind"] => {
            let rows: Vec<_> = ROWS.into_iter().filter(|row| row.is_of_each_kind()).collect();
            [
                bytes::cut(bytes::Selection::Some),
                cut(&rows, Mode::Freezes(Selection::Decisive)),
                cut(&rows, Mode::Jumps),
                cut(&rows, Mode::Steps(Selection::Changing)),
            ]
            .concat()
        }
        ["--bytes"] => bytes::cut(bytes::Selection::All),
        ["--bytes", part] => bytes::cut(bytes::Selection::Named(part)),
        ["--jumps"] => cut(&ROWS, Mode::Jumps),
        ["--jumps", row] => cut(&named(row), Mode::Jumps),
        ["--freezes"] => cut(&ROWS, Mode::Freezes(Selection::Changing)),
        ["--freezes", row] => cut(&named(row), Mode::Freezes(Selection::Changing)),
        ["--freezes", row, call] => cut(&named(row), Mode::Freezes(Selection::Named(call))),
        ["--steps"] => cut(&ROWS, Mode::Steps(Selection::All)),
        ["--steps", row] => cut(&named(row), Mode::Steps(Selection::All)),
        ["--steps", row, call] => cut(&named(row), Mode::Steps(Selection::Named(call))),
        _ => panic!("{USAGE}"),
    };
    assert!(findings.is_empty(), "{} findings:\n{}", findings.len(), findings.join("\n"));
    println!("passed");
}

/// Cuts the command that follows payments. Returns the mistakes.
fn follow() -> Vec<String> {
    let folder = folder();
    let row = ROWS.into_iter().find(|row| !row.has_journal).unwrap();
    let findings = following::cut(&Place::new(row, &folder), &folder);
    if findings.is_empty() {
        std::fs::remove_dir_all(folder).unwrap();
    }
    findings
}

fn named(name: &str) -> Vec<Row> {
    let rows: Vec<_> = ROWS.into_iter().filter(|row| row.to_string() == name).collect();
    assert!(!rows.is_empty(), "unknown row: {name}");
    rows
}

/// Cuts the calls of these rows, all rows at once: they mostly wait, for the tracer
/// or a deadline. Returns the mistakes.
fn cut(rows: &[Row], mode: Mode<'_>) -> Vec<String> {
    let began = Instant::now();
    let folder = folder();
    let results: Vec<_> = std::thread::scope(|scope| {
        let folder = &folder;
        let start = |&row| scope.spawn(move || cut_row(row, mode, folder));
        let threads: Vec<_> = rows.iter().map(start).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    println!("\n{} rows in {:.0} s", rows.len(), began.elapsed().as_secs_f64());
    let mut findings = Vec::new();
    for (line, found) in results {
        println!("{line}");
        findings.extend(found);
    }
    if findings.is_empty() {
        std::fs::remove_dir_all(folder).unwrap();
    }
    findings
}

/// Returns a line of figures, and the mistakes.
fn cut_row(row: Row, mode: Mode<'_>, folder: &Path) -> (String, Vec<String>) {
    let began = Instant::now();
    let place = Place::new(row, folder);
    let shown = Mutex::new(began);
    let note = |cut, all| {
        let mut shown = shown.lock().unwrap();
        if shown.elapsed() >= PROGRESS_EVERY {
            println!("{row}: {cut} of {all} steps");
            *shown = Instant::now();
        }
    };
    let mut cuts =
        Cuts::new(&place, if let Mode::Freezes(_) = mode { CutKind::Freeze } else { CutKind::Cut });
    match mode {
        // It looks at the lock of the journal a thousand times.
        Mode::Steps(Selection::All) if row.setting == Setting::Busy => {
            cuts.run(Selection::Changing, note);
        }
        Mode::Steps(which) | Mode::Freezes(which) => cuts.run(which, note),
        Mode::Jumps => cuts.jump(),
    }
    let (attempts, Figures { steps, cut, others, missed }) = cuts.end();
    place.settle();
    let mut check = RowCheck::new(&place, &attempts);
    check.finish();
    let took = began.elapsed().as_secs_f64();
    let what = match mode {
        Mode::Steps(_) => {
            format!("{steps} steps, {cut} kills, {others} errors, {missed} seen once")
        }
        Mode::Freezes(_) => format!("{steps} steps, {cut} frozen before, {others} frozen after"),
        Mode::Jumps => format!("{steps} looks at the wall clock, {cut} jumps"),
    };
    let line = format!("{row}: {what}; {} ({took:.0} s)", check.totals);
    println!("{line}");
    (line, check.findings)
}

/// A folder on the disk that holds the build.
fn folder() -> PathBuf {
    let program = std::env::current_exe().unwrap();
    let target = program.ancestors().nth(2).unwrap();
    target.join(format!("exhaust-{}", std::process::id()))
}
