//! The wall clock, which each process has for itself.

use std::ops::{Add, Sub};
use std::time::{Duration, SystemTimeError};

use crate::{model, processes};

/// When an execution begins, in seconds since 1970.
const BEGINNING: Duration = Duration::from_secs(1_800_000_000);

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct SystemTime(std::time::SystemTime);

impl SystemTime {
    pub const UNIX_EPOCH: Self = Self(std::time::SystemTime::UNIX_EPOCH);

    pub fn now() -> Self {
        let now = Self::UNIX_EPOCH + BEGINNING + model::elapsed();
        let ahead = processes::wall_clock_ahead();
        let by = Duration::from_millis(ahead.unsigned_abs());
        if ahead < 0 { now - by } else { now + by }
    }

    pub fn duration_since(self, earlier: impl Into<Self>) -> Result<Duration, SystemTimeError> {
        self.0.duration_since(earlier.into().0)
    }
}

impl From<std::time::SystemTime> for SystemTime {
    fn from(time: std::time::SystemTime) -> Self {
        Self(time)
    }
}

impl Add<Duration> for SystemTime {
    type Output = Self;

    fn add(self, time: Duration) -> Self {
        Self(self.0 + time)
    }
}

impl Sub<Duration> for SystemTime {
    type Output = Self;

    fn sub(self, time: Duration) -> Self {
        Self(self.0 - time)
    }
}
