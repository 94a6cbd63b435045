//! What reads responses, for fuzzing.

use super::response::ResponseReader;

/// A response that was read to the end of its bytes.
#[derive(PartialEq, Eq, Debug)]
pub struct Received {
    /// The status.
    pub status: u16,
    /// Names and values.
    pub headers: Vec<(String, String)>,
    /// The body, as far as it was read.
    pub body: Vec<u8>,
    /// Whether the body is whole.
    pub is_whole: bool,
    /// Whether the connection could carry another request.
    pub can_be_reused: bool,
}

/// Reads the response in `pieces`, after which the connection is closed. `None`
/// if it is not HTTP.
pub fn received<'p>(
    pieces: impl Iterator<Item = &'p [u8]>,
    is_to_head: bool,
    max_body: usize,
) -> Option<Received> {
    let mut reader = ResponseReader::new(is_to_head, max_body);
    for piece in pieces {
        if !reader.is_done() {
            reader.push(piece).ok()?;
        }
    }
    if !reader.is_done() {
        reader.end(None).ok()?;
    }
    let (response, may_idle) = reader.finish();
    Some(Received {
        status: response.status,
        is_whole: response.body_failure.is_none(),
        headers: response.headers.clone(),
        body: response.body.clone(),
        can_be_reused: may_idle.is_some(),
    })
}
