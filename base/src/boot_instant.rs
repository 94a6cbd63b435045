//! How much time has passed, including time in suspend.

use std::time::{Duration, SystemTime};

/// A moment by two clocks, because neither is enough alone. When a machine
/// resumes from a snapshot, only the wall clock jumps. When it sleeps, the time
/// since boot continues even if the wall clock is set back.
#[derive(Clone, Copy, Debug)]
pub struct BootInstant {
    since_boot: Duration,
    wall: SystemTime,
}

impl BootInstant {
    /// This moment.
    pub fn now() -> Self {
        Self { since_boot: since_boot(), wall: SystemTime::now() }
    }

    /// The moment `since_boot` after the boot.
    #[cfg(any(test, feature = "testing"))]
    pub fn of_test(since_boot: Duration) -> Self {
        Self { since_boot, wall: SystemTime::UNIX_EPOCH + since_boot }
    }

    /// The larger of the two times since `earlier`.
    pub fn since(self, earlier: Self) -> Duration {
        let by_wall = self.wall.duration_since(earlier.wall).unwrap_or_default();
        self.since_boot.saturating_sub(earlier.since_boot).max(by_wall)
    }
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn since_boot() -> Duration {
    use rustix::time::{ClockId, clock_gettime};

    clock_gettime(ClockId::Boottime).try_into().unwrap_or_default()
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn since_boot() -> Duration {
    use std::sync::LazyLock;
    use std::time::Instant;

    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn the_larger_of_two_times_counts() {
        let BootInstant { since_boot, wall } = BootInstant::now();
        let before = BootInstant { since_boot, wall };
        let resumed = BootInstant { since_boot: since_boot + SECOND, wall: wall + SECOND * 3600 };
        assert_eq!(resumed.since(before), SECOND * 3600);
        let set_back = BootInstant { since_boot: since_boot + SECOND, wall: wall - SECOND * 3600 };
        assert_eq!(set_back.since(before), SECOND);
    }
}
