//! The cost of following 100,000 open payments, and of a state file with
//! 1,000,000 ended ones: `make bench`.

#![allow(clippy::unwrap_used, missing_docs)]

// Elsewhere there are no state files, and no file has the usage of a process.
#[cfg(target_os = "linux")]
#[path = "follow/measure.rs"]
mod measure;

fn main() {
    #[cfg(target_os = "linux")]
    measure::main();
}
