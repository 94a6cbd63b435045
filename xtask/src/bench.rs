//! `make bench`: measures all languages and ends with a list of missed goals.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use crate::{Failure, sh};

/// How a benchmark marks a missed goal in its output.
const MISSED: &str = "missed: ";

const PARTS: [&str; 7] = [
    "cargo bench --locked -p payments-core --bench ratios --bench distance --bench waits \
     --bench saturation --bench journal",
    "cargo bench --locked -p payments-cli --bench journal --bench follow",
    "cargo build --locked --release -p payments-ffi",
    "cargo bench --locked -p payments-ffi --bench c --bench php",
    "cargo run --locked --target-dir target --manifest-path tests/schedules/Cargo.toml --bin \
     payments-simulate -- --rate",
    "scripts/bench-python.sh",
    "scripts/bench-node.sh",
];

pub(crate) fn run() -> Result<(), Failure> {
    sh::run(&["scripts/setup.sh", "bench"])?;
    let mut missed = Vec::new();
    let result = PARTS.iter().try_for_each(|part| measure(part, &mut missed));
    match missed.as_slice() {
        [] if result.is_ok() => println!("\nevery goal was reached"),
        goals => println!("\n{} goals were missed:\n{}", goals.len(), goals.join("\n")),
    }
    result
}

/// Runs a benchmark, echoes its output and collects the goals it missed.
fn measure(part: &str, missed: &mut Vec<String>) -> Result<(), Failure> {
    let mut command = sh::command(&sh::words(part));
    command.env("PAYMENTS_LIBRARY", sh::target().join("release/libpayments.so"));
    let failed = |error: std::io::Error| format!("{}: {error}", part);
    let mut child = command.stdout(Stdio::piped()).spawn().map_err(failed)?;
    for line in child.stdout.take().into_iter().flat_map(|output| BufReader::new(output).lines()) {
        let line = line.map_err(failed)?;
        println!("{line}");
        missed.extend(line.strip_prefix(MISSED).map(str::to_owned));
    }
    let status = child.wait().map_err(failed)?;
    if status.success() { Ok(()) } else { Err(format!("{}: {status}", part)) }
}
