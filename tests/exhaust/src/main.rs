//! One call, cut everywhere: each kind of call that moves money is repeated once
//! for each of its system calls, with the process killed there, and once with
//! each error that this system call can return. Then the calls are finished as a
//! worker would, and the books of the caller, of the journal and of the service
//! are compared.
//!
//! `make exhaust` runs all rows, and `make test` those of `--each-kind`.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may fail so")]

mod books;
mod cuts;
mod rows;
mod tls;
mod tracer;
mod worker;

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use books::Books;
use cuts::{Cuts, Figures, Which};
use rows::{Place, ROWS, Row};

const AT_ONCE: usize = 2;
const PROGRESS_EVERY: Duration = Duration::from_secs(20);

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [worker::PROGRAM, task] => worker::run(task),
        [] => cut(&ROWS, Which::All),
        ["--each-kind"] => {
            let rows: Vec<_> = ROWS.into_iter().filter(|row| row.is_of_each_kind()).collect();
            cut(&rows, Which::Changing);
        }
        ["--row", name] => cut(&named(name), Which::All),
        ["--row", name, call] => cut(&named(name), Which::Named(call)),
        _ => panic!("usage: payments-exhaust-tests [--each-kind | --row NAME [SYSTEM-CALL]]"),
    }
}

fn named(name: &str) -> Vec<Row> {
    let rows: Vec<_> = ROWS.into_iter().filter(|row| row.to_string() == name).collect();
    assert!(!rows.is_empty(), "unknown row: {name}");
    rows
}

/// Cuts the calls of these rows, two rows at a time.
fn cut(rows: &[Row], which: Which<'_>) {
    let began = Instant::now();
    let folder = folder();
    let (next, results) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(row) = rows.get(next.fetch_add(1, Ordering::SeqCst)) {
                    let result = cut_row(*row, which, &folder);
                    results.lock().unwrap().push(result);
                }
            });
        }
    });
    let results = results.into_inner().unwrap();
    assert_eq!(results.len(), rows.len());
    println!("\n{} rows in {:.0} s", rows.len(), began.elapsed().as_secs_f64());
    let mut findings = Vec::new();
    for (line, found) in results {
        println!("{line}");
        findings.extend(found);
    }
    assert!(findings.is_empty(), "{} findings:\n{}", findings.len(), findings.join("\n"));
    std::fs::remove_dir_all(folder).unwrap();
    println!("passed");
}

/// Returns a line of figures, and what is wrong.
fn cut_row(row: Row, which: Which<'_>, folder: &Path) -> (String, Vec<String>) {
    let began = Instant::now();
    let place = Place::new(row, folder);
    let shown = Mutex::new(began);
    let mut cuts = Cuts::new(&place, which);
    cuts.run(|cut, all| {
        let mut shown = shown.lock().unwrap();
        if shown.elapsed() >= PROGRESS_EVERY {
            println!("{row}: {cut} of {all} steps");
            *shown = Instant::now();
        }
    });
    let (attempts, Figures { steps, kills, errors, missed }) = cuts.end();
    place.settle();
    let mut books = Books::new(&place, &attempts);
    books.finish();
    let took = began.elapsed().as_secs_f64();
    let totals = &books.totals;
    let line = format!(
        "{row}: {steps} steps, {kills} kills, {errors} errors, {missed} seen once; {totals} \
         ({took:.0} s)"
    );
    println!("{line}");
    (line, books.findings)
}

/// A folder on the disk that holds the build.
fn folder() -> PathBuf {
    let program = std::env::current_exe().unwrap();
    let target = program.ancestors().nth(2).unwrap();
    target.join(format!("exhaust-{}", std::process::id()))
}
