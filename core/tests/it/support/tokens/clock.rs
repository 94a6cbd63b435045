//! A clock set by hand.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use payments_core::token::Clock;

/// A clock that moves only when a test moves it.
pub struct ManualClock(Mutex<Times>);

struct Times {
    monotonic: Instant,
    unix: Duration,
}

impl ManualClock {
    pub fn new() -> Arc<Self> {
        let unix = Duration::from_secs(1_800_000_000);
        Arc::new(Self(Mutex::new(Times { monotonic: Instant::now(), unix })))
    }

    /// Lets time pass.
    pub fn advance(&self, by: Duration) {
        let mut times = self.0.lock().expect("no panic under it");
        times.monotonic += by;
        times.unix += by;
    }

    /// Sets the wall clock forward.
    pub fn jump_forward(&self, by: Duration) {
        self.0.lock().expect("no panic under it").unix += by;
    }

    /// Sets the wall clock back.
    pub fn jump_back(&self, by: Duration) {
        self.0.lock().expect("no panic under it").unix -= by;
    }

    pub fn unix_seconds(&self) -> u64 {
        self.unix().as_secs()
    }
}

impl Clock for ManualClock {
    fn monotonic(&self) -> Instant {
        self.0.lock().expect("no panic under it").monotonic
    }

    fn unix(&self) -> Duration {
        self.0.lock().expect("no panic under it").unix
    }
}
