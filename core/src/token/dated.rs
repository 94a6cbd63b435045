//! Entries whose times come from another clock.

use super::{Backoff, Now, Token, TokenEntry};

impl TokenEntry {
    /// The same with each time of the future as now: a clock ran ahead when it
    /// was written. Lengths stay as they are.
    pub(super) fn dated(self, now: Now) -> Self {
        let dated = |since: u64| now.since(since).is_none().then_some(since);
        Self {
            token: self.token.map(|token| match dated(token.obtained_at) {
                Some(since) => token.moved(|time| now.translate(since, time)),
                None => token,
            }),
            backoff: self.backoff.map(|backoff| match dated(backoff.since) {
                Some(since) => backoff.moved(|time| now.translate(since, time)),
                None => backoff,
            }),
            replacements: self.replacements.dated(now),
        }
    }

    /// The same for a clock that shows other times.
    #[cfg(feature = "redis")]
    pub(super) fn moved(self, moved: impl Fn(u64) -> u64) -> Self {
        Self {
            token: self.token.map(|token| token.moved(&moved)),
            backoff: self.backoff.map(|backoff| backoff.moved(&moved)),
            replacements: self.replacements.moved(&moved),
        }
    }
}

impl Token {
    fn moved(self, moved: impl Fn(u64) -> u64) -> Self {
        let (obtained_at, expires_at) = (moved(self.obtained_at), moved(self.expires_at));
        Self { obtained_at, expires_at, ..self }
    }
}

impl Backoff {
    fn moved(self, moved: impl Fn(u64) -> u64) -> Self {
        Self { since: moved(self.since), until: moved(self.until), ..self }
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;
    use crate::token::TOLERATED_SKEW;

    const NOW: u64 = 1_800_000_000;

    fn entry(since: u64, length: u64) -> TokenEntry {
        let until = since + length;
        let pause = format!(r#"{{"since":{since},"until":{until},"number":2}}"#);
        let text = format!(
            r#"{{"token":{{"value":"a","obtained_at":{since},"expires_at":{until}}},
                "backoff":{{"since":{since},"until":{until},"failures":3}},
                "replacements":{{"pause":{pause},"targets":{{"t":{pause}}},
                    "requested_at":[{since}]}}}}"#
        );
        TokenEntry::from_json(text.as_bytes())
    }

    #[test]
    fn times_of_the_future_are_read_as_now_and_keep_their_length() {
        let now = Now { monotonic: Instant::now(), unix: Duration::from_secs(NOW) };
        for (since, dated) in [
            (NOW - 1, NOW - 1),
            (NOW + TOLERATED_SKEW, NOW + TOLERATED_SKEW),
            (NOW + TOLERATED_SKEW + 1, NOW),
            (NOW + 400 * 86_400, NOW),
        ] {
            assert_eq!(entry(since, 100).dated(now), entry(dated, 100), "{since}");
        }
    }
}
