//! Searches for the signing input that a signature covers.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};

use super::block::{Block, Recipe};
use super::hash::{Hash, forms};
use super::query::other_forms;
use super::rewriting::OriginalBody;
use super::{SignatureFinding, decode_loosely};

/// Larger bodies are tried with changes at their ends only.
const LARGEST_TAKEN_APART: usize = 1024 * 1024;

/// The search stops after hashing this many bytes, or this many times the body.
/// By then every single change has been tried.
const MOST_HASHED: usize = 32 * 1024 * 1024;
const MOST_TIMES: usize = 24;

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
        let target = Target { start: [header.as_bytes(), b"."], block };
        target.near_miss(finding, written, payload, true)
    };
    under(first, None, "as it is", body)
        .or_else(|| {
            let finding = Some(SignatureFinding::QueryRewritten);
            let forms = other_forms(url?);
            forms.iter().find_map(|(written, form)| under(first, finding, written, form))
        })
        .or_else(|| {
            let (finding, written) = (
                Some(SignatureFinding::PaddedBase64),
                "as it is, with the header in another base64",
            );
            others.iter().find_map(|header| under(header, finding, written, body))
        })
        .or_else(|| {
            let finding = Some(SignatureFinding::PayloadBase64Encoded);
            let encoded = [URL_SAFE_NO_PAD.encode(body), STANDARD.encode(body)];
            headers.iter().find_map(|header| {
                let payloads = encoded.iter().map(String::as_bytes);
                payloads.into_iter().find_map(|it| under(header, finding, "base64-encoded", it))
            })
        })
        .or_else(|| under(first, Some(SignatureFinding::EmptyPayloadSigned), "left out", b""))
        .or_else(|| beside_the_header(first, body, block))
        .or_else(|| rewritten(&Target { start: [first.as_bytes(), b"."], block }, body))
}

/// Signing inputs that are put together in other ways.
fn beside_the_header(header: &str, body: &[u8], block: &Block) -> Option<NearMiss> {
    let decoded = decode_loosely(header).unwrap_or_default();
    let finding = Some(SignatureFinding::OtherSigningInput);
    let ways: [([&[u8]; 2], &str); 4] = [
        ([b"", b""], "alone, without the header and the period before it"),
        ([header.as_bytes(), b""], "behind the header, without the period between them"),
        ([header.as_bytes(), b".."], "behind the header and two periods"),
        ([&decoded, b"."], "behind the header as JSON, which was not encoded"),
    ];
    let put_together = ways.into_iter().find_map(|(start, written)| {
        let target = Target { start, block };
        target.near_miss(finding, written, body, true)
    });
    put_together.or_else(|| {
        let target = Target { start: [header.as_bytes(), b"."], block };
        forms(Hash::sha_256(), &Hash::sha_256().of(&[body])?).into_iter().find_map(|form| {
            let written = format!("replaced by {}its SHA-256 digest", form.what);
            target.near_miss(finding, &written, &form.bytes, true)
        })
    })
}

fn rewritten(target: &Target<'_>, body: &[u8]) -> Option<NearMiss> {
    let source = OriginalBody::new(body, body.len() <= LARGEST_TAKEN_APART);
    let most_hashed = MOST_HASHED.max(body.len().saturating_mul(MOST_TIMES));
    let mut hashed = 0;
    let rewritings = source.rewritings().into_iter().filter_map(|rewriting| {
        let payload = source.rewritten(&rewriting)?;
        Some((payload, rewriting.changes))
    });
    let reorderings = source.reorderings().map(|(candidate, changes)| (candidate, changes, false));
    let rewritings = rewritings.map(|(candidate, changes)| (candidate, changes, true));
    for (candidate, changes, is_thorough) in rewritings.chain(reorderings) {
        hashed += candidate.len();
        if hashed > most_hashed {
            return None;
        }
        let finding = changes.first().map(|(finding, _)| *finding);
        if let Some(mut found) = target.near_miss(finding, "", &candidate, is_thorough) {
            let written: Vec<_> = changes.iter().map(|(_, written)| *written).collect();
            found.written = written.join(", ");
            return Some(found);
        }
    }
    None
}

/// The bytes before the payload, and the block that must be made from both.
struct Target<'a> {
    start: [&'a [u8]; 2],
    block: &'a Block,
}

impl Target<'_> {
    fn near_miss(
        &self,
        finding: Option<SignatureFinding>,
        written: &str,
        payload: &[u8],
        is_thorough: bool,
    ) -> Option<NearMiss> {
        let parts = [self.start[0], self.start[1], payload];
        Some(NearMiss {
            recipe: self.block.recipe(&parts, is_thorough)?,
            finding,
            written: written.to_owned(),
            payload: payload.to_vec(),
            signing_input: parts.concat(),
        })
    }
}
