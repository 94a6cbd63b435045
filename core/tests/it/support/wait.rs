//! Waits for what other threads bring about.

use std::time::{Duration, Instant};

/// Waits until `is_so`, which other threads are expected to bring about.
pub fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !is_so() {
        assert!(Instant::now() < deadline, "this did not happen: {what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}
