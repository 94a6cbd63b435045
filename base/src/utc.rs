//! Times as people read and write them, in UTC.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, Unit};

/// The moment, in milliseconds since 1970 UTC, as ISO 8601 with seconds.
pub fn iso_8601(milliseconds: u64) -> String {
    let moment =
        i64::try_from(milliseconds).ok().and_then(|it| Timestamp::from_millisecond(it).ok());
    let moment = moment.unwrap_or(Timestamp::MAX);
    moment.round(Unit::Second).unwrap_or(moment).to_string()
}

/// The moment of a date (its midnight) or of an ISO 8601 time with its offset, in
/// milliseconds since 1970 UTC. `None` for another text.
pub fn parse(text: &str) -> Option<u64> {
    let moment = text.parse::<Timestamp>().ok().or_else(|| {
        let date = text.parse::<Date>().ok().filter(|_| text.len() == "2026-01-31".len())?;
        Some(date.to_zoned(TimeZone::UTC).ok()?.timestamp())
    })?;
    u64::try_from(moment.as_millisecond()).ok()
}

/// How long it is, in the largest unit that fits twice: `90 s`, `15 min`.
pub fn about(milliseconds: u64) -> String {
    let seconds = SignedDuration::from_millis(i64::try_from(milliseconds).unwrap_or(i64::MAX))
        .as_secs()
        .max(1);
    let (size, unit) = [(86_400, "days"), (3_600, "h"), (60, "min")]
        .into_iter()
        .find(|(size, _)| seconds >= 2 * size)
        .unwrap_or((1, "s"));
    format!("{} {unit}", (seconds + size - 1) / size)
}

/// The end of a wait, and how long it takes from `now`.
pub fn wait(until: u64, now: u64) -> String {
    format!("{} (in {})", iso_8601(until), about(until.saturating_sub(now)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_and_read() {
        assert_eq!(iso_8601(0), "1970-01-01T00:00:00Z");
        assert_eq!(iso_8601(1_709_251_199_400), "2024-02-29T23:59:59Z");
        assert_eq!(iso_8601(u64::MAX), iso_8601(u64::MAX - 1));
        assert_eq!(parse("2024-02-29"), Some(1_709_164_800_000));
        assert_eq!(parse("2024-02-29T23:59:59Z"), Some(1_709_251_199_000));
        assert_eq!(parse("2024-02-29T23:59:59-03:00"), Some(1_709_261_999_000));
        for wrong in
            ["", "2023-02-29", "29/02/2024", "20240229", "2024-02-29T23:59:59", "1969-12-31"]
        {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn durations_are_rounded_up() {
        let written: Vec<_> =
            [0, 119_000, 120_001, 900_000, 7_200_000, 172_800_000].map(about).into();
        assert_eq!(written, ["1 s", "119 s", "2 min", "15 min", "2 h", "2 days"]);
        assert_eq!(wait(60_000, 0), "1970-01-01T00:01:00Z (in 60 s)");
    }
}
