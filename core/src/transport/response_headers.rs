//! The headers of a response that concern its body and its connection.

use std::time::Duration;

use super::pool::MAX_IDLE;
use crate::model::response::RawResponse;

/// How long before the announced timeout a connection counts as closed.
const KEEP_ALIVE_MARGIN: Duration = Duration::from_secs(1);

/// Whether a list header contains `word`.
pub(super) fn header_has_token(response: &RawResponse, header: &str, word: &str) -> bool {
    response
        .headers_named(header)
        .flat_map(|value| value.split(','))
        .any(|part| part.trim().eq_ignore_ascii_case(word))
}

/// Whether `chunked` is the only transfer coding.
pub(super) fn is_chunked(response: &RawResponse) -> bool {
    let mut codings = response.headers_named("transfer-encoding");
    codings.next().is_some_and(|coding| coding.trim().eq_ignore_ascii_case("chunked"))
        && codings.next().is_none()
}

/// How long the service keeps an idle connection (`Keep-Alive:
/// timeout=SECONDS`), less a margin.
pub(super) fn may_idle(response: &RawResponse) -> Duration {
    let parameters = response.headers_named("keep-alive").flat_map(|value| value.split(','));
    let named = parameters.filter_map(|parameter| parameter.split_once('='));
    let seconds = named
        .filter(|(name, _)| name.trim().eq_ignore_ascii_case("timeout"))
        .find_map(|(_, seconds)| seconds.trim().trim_matches('"').parse().ok());
    seconds.map_or(MAX_IDLE, |seconds| {
        let stated = Duration::from_secs(seconds);
        stated.saturating_sub(KEEP_ALIVE_MARGIN).max(stated / 2).min(MAX_IDLE)
    })
}

/// Several equal lengths count as one.
pub(super) fn length_of(response: &RawResponse) -> Result<Option<u64>, ()> {
    let mut length = None;
    for part in response.headers_named("content-length").flat_map(|value| value.split(',')) {
        let part = part.trim();
        if part.is_empty() || !part.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(());
        }
        let value = part.parse::<u64>().map_err(|_| ())?;
        if length.is_some_and(|known| known != value) {
            return Err(());
        }
        length = Some(value);
    }
    Ok(length)
}
