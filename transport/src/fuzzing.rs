//! Readers of responses and certificates, for fuzzing.

use std::time::Duration;

use rustls::pki_types::{CertificateDer, UnixTime};

use crate::response::ResponseReader;
use crate::response_bytes::ResponseBytes;
use crate::tls;

/// Reads the response in `pieces`, after which the connection is closed, and
/// says whether its body is whole. `None` if it is not HTTP.
pub fn received<'p>(
    pieces: impl Iterator<Item = &'p [u8]>,
    is_to_head: bool,
    max_body: usize,
) -> Option<(ResponseBytes, bool)> {
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

/// Whether a server at `localhost` that sends some certificates is trusted at
/// this time if another one is. `None` if that cannot be one.
pub fn is_trusted(sent: &[&[u8]], trusted: &[u8], seconds: u64) -> Option<bool> {
    let now = UnixTime::since_unix_epoch(Duration::from_secs(seconds));
    let sent: Vec<_> = sent.iter().map(|der| CertificateDer::from(*der)).collect();
    tls::is_trusted(&sent, trusted.into(), now)
}
