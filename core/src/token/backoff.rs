//! How long to stay away from the token server after it failed.

use std::time::Duration;

use payments_base::jitter::random_part;

use crate::model::response::LONGEST_RETRY_AFTER;

/// The first backoff after a failure of the token server: a 5xx, or an unusable
/// response.
const AFTER_FAILURE: Duration = Duration::from_secs(2);
/// The first backoff after a refusal: the token server blocks clients that keep
/// asking.
const AFTER_REFUSAL: Duration = Duration::from_secs(30);
/// The first backoff after a local failure.
const AFTER_LOCAL_FAILURE: Duration = Duration::from_millis(500);

const LONGEST: Duration = Duration::from_secs(300);
const LONGEST_LOCAL: Duration = Duration::from_secs(30);
/// The longest backoff: the longest `Retry-After` plus jitter.
pub(super) const LONGEST_BACKOFF: Duration = Duration::from_secs(3960);
/// The lower bound for the first `Retry-After`.
const LEAST: Duration = Duration::from_secs(1);

/// The backoff after the `failures`th unusable response in a row. Honors
/// `Retry-After`, but is at least [`LEAST`], doubled with each failure.
pub(super) fn after_response(
    is_refusal: bool,
    retry_after: Option<Duration>,
    failures: u32,
) -> Duration {
    let first = if is_refusal { AFTER_REFUSAL } else { AFTER_FAILURE };
    retry_after.map_or_else(
        || backoff(first, failures, LONGEST),
        |asked| {
            let asked = asked.min(LONGEST_RETRY_AFTER);
            (asked + random_part(asked / 10)).max(backoff(LEAST, failures, LONGEST))
        },
    )
}

/// The backoff after the `failures`th request in a row without a response.
pub(super) fn after_silence(failures: u32) -> Duration {
    backoff(AFTER_FAILURE, failures, LONGEST)
}

/// The backoff after the `failures`th local failure in a row.
pub(super) fn after_local_failure(failures: u32) -> Duration {
    backoff(AFTER_LOCAL_FAILURE, failures, LONGEST_LOCAL)
}

fn backoff(first: Duration, failures: u32, longest: Duration) -> Duration {
    let doubled = first.saturating_mul(1_u32 << failures.saturating_sub(1).min(16)).min(longest);
    doubled + random_part(doubled / 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_a_cap() {
        for (failures, seconds) in [(1, 2), (2, 4), (3, 8), (8, 256), (9, 300), (60, 300)] {
            let wait = after_response(false, None, failures);
            let expected = Duration::from_secs(seconds);
            assert!(wait >= expected && wait <= expected * 5 / 4, "{failures}: {wait:?}");
        }
        assert!(after_local_failure(1) < Duration::from_secs(1));
        assert!(after_response(true, None, 1) >= Duration::from_secs(30));
    }

    #[test]
    fn retry_after_is_honored_and_capped() {
        assert!(after_response(true, Some(Duration::from_secs(90)), 1) >= Duration::from_secs(90));
        assert!(after_response(true, Some(Duration::MAX), 1) < Duration::from_secs(4000));
    }
}
