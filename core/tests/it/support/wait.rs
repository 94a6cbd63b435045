//! Waits for the effects of other threads.

use std::time::{Duration, Instant};

/// Waits until `is_so`, which other threads are expected to bring about.
pub fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    wait_for(what, || is_so().then_some(()));
}

/// Waits until `find` finds something, and returns it.
pub fn wait_for<T>(what: &str, find: impl Fn() -> Option<T>) -> T {
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        if let Some(found) = find() {
            return found;
        }
        assert!(Instant::now() < deadline, "this did not happen: {what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}
