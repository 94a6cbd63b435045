//! Comparison of the local clock with a server's `Date` header.

use std::time::{SystemTime, UNIX_EPOCH};

const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// Seconds since the Unix epoch.
pub(super) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}

/// Parses a `Date` header such as `Sun, 06 Nov 1994 08:49:37 GMT` into
/// seconds since the Unix epoch.
pub(super) fn parse(date: &str) -> Option<i64> {
    let words: Vec<_> = date.split_whitespace().collect();
    let [_, day, month, year, time, "GMT"] = words[..] else { return None };
    let month = MONTHS.iter().position(|name| *name == month)?;
    let mut clock = time.split(':').map(|part| part.parse::<i64>().ok());
    let (hours, minutes, seconds) = (clock.next()??, clock.next()??, clock.next()??);
    let days = days_from_civil(year.parse().ok()?, month as i64 + 1, day.parse().ok()?);
    Some(((days * 24 + hours) * 60 + minutes) * 60 + seconds)
}

/// Days from the Unix epoch to a Gregorian date after 1600.
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    // Years start in March, so the leap day comes last.
    let year = if month <= 2 { year - 1 } else { year };
    let era = year / 400;
    let of_era = year % 400;
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_http_are_read() {
        assert_eq!(parse("Sun, 06 Nov 1994 08:49:37 GMT"), Some(784_111_777));
        assert_eq!(parse("Thu, 01 Jan 1970 00:00:00 GMT"), Some(0));
        assert_eq!(parse("Thu, 29 Feb 2024 23:59:59 GMT"), Some(1_709_251_199));
        for wrong in ["", "now", "Sun Nov  6 08:49:37 1994", "Sun, 06 Nov 1994 0:49 GMT"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }
}
