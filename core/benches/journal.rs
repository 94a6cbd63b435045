//! The cost of the journal in a file: `make bench`.

#![allow(clippy::unwrap_used, missing_docs)]

// Windows has no journals in files.
#[cfg(unix)]
#[path = "journal/measure.rs"]
mod measure;

fn main() {
    #[cfg(unix)]
    measure::main();
}
