//! What following takes with 100,000 open payments, and with a state file of
//! 1,000,000 ended ones: `make bench`.

#![allow(clippy::unwrap_used, missing_docs)]

// Elsewhere there are no state files, and no file says what a process took.
#[cfg(target_os = "linux")]
#[path = "follow/measure.rs"]
mod measure;

fn main() {
    #[cfg(target_os = "linux")]
    measure::main();
}
