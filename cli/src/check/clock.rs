//! Comparison of the local clock with a server's `Date` header.

use std::time::{SystemTime, UNIX_EPOCH};

use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimeParser;

/// Seconds since the Unix epoch.
pub(super) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}

/// Parses a `Date` header such as `Sun, 06 Nov 1994 08:49:37 GMT` into
/// seconds since the Unix epoch.
pub(super) fn parse(date: &str) -> Option<i64> {
    DateTimeParser::new().parse_timestamp(date).ok().map(Timestamp::as_second)
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
