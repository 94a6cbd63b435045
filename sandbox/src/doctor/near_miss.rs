//! Searches for the signing input that a signature covers.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};

use super::SignatureFinding::{
    self, EmptyPayloadSigned, PaddedBase64, PayloadBase64Encoded, QueryRewritten,
};
use super::block::{Block, Recipe};
use super::query::other_forms;
use super::rewriting::rewritings;

/// The bytes that a signature was found to cover.
pub(super) struct NearMiss {
    /// `None` if it covers exactly what it should.
    pub(super) finding: Option<SignatureFinding>,
    /// How the payload was written; completes a sentence.
    pub(super) written: String,
    pub(super) payload: Vec<u8>,
    /// How the block in the signature was made from the signing input.
    pub(super) recipe: Recipe,
    pub(super) signing_input: Vec<u8>,
}

/// Searches for the signing input that `block` was made from: one of `headers` (the
/// token's own first), a period, and a variant of `body`, or of the query of `url`.
pub(super) fn search(
    headers: &[String],
    body: &[u8],
    url: Option<&str>,
    block: &Block,
) -> Option<NearMiss> {
    let (first, others) = headers.split_first()?;
    let under = |header: &str, finding, written: &str, payload: &[u8]| {
        let parts = [header.as_bytes(), b".", payload];
        Some(NearMiss {
            recipe: block.recipe(&parts)?,
            finding,
            written: written.to_owned(),
            payload: payload.to_vec(),
            signing_input: parts.concat(),
        })
    };
    let other_header = "as it is, with the header in another base64";
    let encoded = [URL_SAFE_NO_PAD.encode(body), STANDARD.encode(body)];
    under(first, None, "as it is", body)
        .or_else(|| {
            let mut forms = other_forms(url?).into_iter();
            forms.find_map(|(written, form)| under(first, Some(QueryRewritten), written, &form))
        })
        .or_else(|| others.iter().find_map(|it| under(it, Some(PaddedBase64), other_header, body)))
        .or_else(|| {
            let mut tried =
                headers.iter().flat_map(|it| encoded.iter().map(move |text| (it, text)));
            tried.find_map(|(header, text)| {
                under(header, Some(PayloadBase64Encoded), "base64-encoded", text.as_bytes())
            })
        })
        .or_else(|| under(first, Some(EmptyPayloadSigned), "left out", b""))
        .or_else(|| {
            rewritings(body).find_map(|(payload, changes)| {
                let (finding, _) = *changes.first()?;
                let written: Vec<_> = changes.iter().map(|(_, written)| *written).collect();
                under(first, Some(finding), &written.join(", "), &payload)
            })
        })
}
