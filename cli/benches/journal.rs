//! The cost of a journal of 500,000 entries: `make bench`.

#![allow(clippy::unwrap_used, missing_docs)]

// Windows has no journals in files.
#[cfg(unix)]
#[path = "journal/measure.rs"]
mod measure;

fn main() {
    #[cfg(unix)]
    measure::main();
}
