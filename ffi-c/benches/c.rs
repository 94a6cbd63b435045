//! What C costs beside Rust: `make bench`.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

// It loads the library by `dlopen`.
#[cfg(unix)]
#[path = "c/measure.rs"]
mod measure;

fn main() {
    #[cfg(unix)]
    measure::main();
}
