//! Dates as the service writes them: `YYYY-MM-DD HH:MM:SS`, no zone.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use payments_base::utc::iso_8601;

/// 2026-01-01 00:00:00, where a seeded clock starts.
const SEEDED_START: u64 = 1_767_225_600;

/// The service's clock. When seeded, each reading is one second after the
/// previous one, so that runs repeat; otherwise it is the system clock.
#[derive(Debug)]
pub(crate) struct Calendar {
    seeded: bool,
    readings: AtomicU64,
}

impl Calendar {
    pub(crate) fn new(seeded: bool) -> Self {
        Self { seeded, readings: AtomicU64::new(0) }
    }

    /// The number of seeded readings so far.
    pub(crate) fn readings(&self) -> u64 {
        self.readings.load(Ordering::Relaxed)
    }

    /// Resumes after that many readings.
    pub(crate) fn resume(&self, readings: u64) {
        self.readings.store(readings, Ordering::Relaxed);
    }

    /// Returns to the start, as after a reset.
    pub(crate) fn rewind(&self) {
        self.resume(0);
    }

    /// Seconds since 1970.
    pub(crate) fn now(&self) -> u64 {
        if self.seeded {
            SEEDED_START + self.readings.fetch_add(1, Ordering::Relaxed)
        } else {
            SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
        }
    }
}

/// The system clock, in milliseconds since 1970.
pub(crate) fn now_ms() -> u64 {
    milliseconds(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default())
}

pub(crate) fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// The moment, in seconds since 1970 UTC, as `2026-01-31 23:59:59`.
pub(crate) fn date_time(seconds: u64) -> String {
    iso_8601(seconds.saturating_mul(1000)).replace('T', " ").replace('Z', "")
}

/// Its date, as `2026-01-31`.
pub(crate) fn date(seconds: u64) -> String {
    date_time(seconds).chars().take_while(|letter| *letter != ' ').collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_agree_with_the_calendar() {
        assert_eq!(date_time(0), "1970-01-01 00:00:00");
        assert_eq!(date_time(951_782_399), "2000-02-28 23:59:59");
        assert_eq!(date_time(951_782_400), "2000-02-29 00:00:00");
        assert_eq!(date_time(SEEDED_START), "2026-01-01 00:00:00");
        assert_eq!(date(4_102_444_799), "2099-12-31");
    }

    #[test]
    fn seeded_clock_moves_one_second_per_reading() {
        let clock = Calendar::new(true);
        assert_eq!(clock.now(), SEEDED_START);
        assert_eq!(clock.now(), SEEDED_START + 1);
        clock.rewind();
        assert_eq!(clock.now(), SEEDED_START);
    }
}
