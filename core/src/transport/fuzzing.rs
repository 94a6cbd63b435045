//! Readers of responses, for fuzzing.

use super::response::ResponseReader;
use crate::model::response::RawResponse;

/// Reads the response in `pieces`, after which the connection is closed, and
/// says whether its body is whole. `None` if it is not HTTP.
pub fn received<'p>(
    pieces: impl Iterator<Item = &'p [u8]>,
    is_to_head: bool,
    max_body: usize,
) -> Option<(RawResponse, bool)> {
    let mut reader = ResponseReader::new(is_to_head, max_body);
    for piece in pieces {
        if !reader.is_done() {
            reader.push(piece).ok()?;
        }
    }
    if !reader.is_done() {
        reader.end(None).ok()?;
    }
    let (response, _) = reader.finish();
    Some((response.raw, response.body_failure.is_none()))
}
