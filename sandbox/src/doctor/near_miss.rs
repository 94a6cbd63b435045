//! Searches for the signing input that a signature covers.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use payments_core::jws::sign::signing_input;
use sha2::{Digest as _, Sha256};

use super::SignatureFinding;
use super::rewriting::OriginalBody;

/// Larger bodies are tried with changes at their ends only.
const LARGEST_TAKEN_APART: usize = 1024 * 1024;

/// The search stops after hashing this many bytes, or this many times the body.
/// By then every single change has been tried.
const MOST_HASHED: usize = 32 * 1024 * 1024;
const MOST_TIMES: usize = 24;

/// What a signature was found to cover.
pub(super) struct NearMiss {
    /// `None` if it covers exactly what it should.
    pub(super) finding: Option<SignatureFinding>,
    /// How the payload was written; completes a sentence.
    pub(super) written: String,
    /// The signing input with this digest.
    pub(super) signing_input: Vec<u8>,
}

impl NearMiss {
    /// The payload in the signing input.
    pub(super) fn payload(&self) -> Option<Vec<u8>> {
        let period = self.signing_input.iter().position(|byte| *byte == b'.')?;
        Some(self.signing_input[period + 1..].to_vec())
    }
}

/// Searches for the signing input with the SHA-256 `digest`: one of `headers`
/// (the token's own first), a period, and a variant of `body`.
pub(super) fn search(headers: &[String], body: &[u8], digest: [u8; 32]) -> Option<NearMiss> {
    let (first, others) = headers.split_first()?;
    let as_sent = Target::new(first, digest);
    if as_sent.is_over(body) {
        return Some(as_sent.near_miss(None, "as it is", body));
    }
    for header in others {
        let target = Target::new(header, digest);
        if target.is_over(body) {
            let written = "as it is, with the header in another base64";
            return Some(target.near_miss(Some(SignatureFinding::PaddedBase64), written, body));
        }
    }
    for header in headers {
        let target = Target::new(header, digest);
        for encoded in [URL_SAFE_NO_PAD.encode(body), STANDARD.encode(body)] {
            if target.is_over(encoded.as_bytes()) {
                let finding = Some(SignatureFinding::PayloadBase64Encoded);
                return Some(target.near_miss(finding, "base64-encoded", encoded.as_bytes()));
            }
        }
    }
    if as_sent.is_over(b"") {
        return Some(as_sent.near_miss(
            Some(SignatureFinding::EmptyPayloadSigned),
            "left out",
            b"",
        ));
    }
    rewritten(&as_sent, body)
}

fn rewritten(target: &Target<'_>, body: &[u8]) -> Option<NearMiss> {
    let source = OriginalBody::new(body, body.len() <= LARGEST_TAKEN_APART);
    let most_hashed = MOST_HASHED.max(body.len().saturating_mul(MOST_TIMES));
    let mut hashed = 0;
    let rewritings = source.rewritings().into_iter().filter_map(|rewriting| {
        let payload = source.rewritten(&rewriting)?;
        Some((payload, rewriting.changes))
    });
    for (candidate, changes) in rewritings.chain(source.reorderings()) {
        hashed += candidate.len();
        if hashed > most_hashed {
            return None;
        }
        if target.is_over(&candidate) {
            let finding = changes.first().map(|(finding, _)| *finding);
            let written: Vec<_> = changes.iter().map(|(_, written)| *written).collect();
            return Some(target.near_miss(finding, &written.join(", "), &candidate));
        }
    }
    None
}

/// A header, and the digest its signing input must have.
struct Target<'a> {
    header: &'a str,
    prefix: Sha256,
    digest: [u8; 32],
}

impl<'a> Target<'a> {
    fn new(header: &'a str, digest: [u8; 32]) -> Self {
        let prefix = Sha256::new().chain_update(header).chain_update(b".");
        Self { header, prefix, digest }
    }

    fn is_over(&self, payload: &[u8]) -> bool {
        self.prefix.clone().chain_update(payload).finalize()[..] == self.digest
    }

    fn near_miss(
        &self,
        finding: Option<SignatureFinding>,
        written: &str,
        payload: &[u8],
    ) -> NearMiss {
        NearMiss {
            finding,
            written: written.to_owned(),
            signing_input: signing_input(self.header, payload),
        }
    }
}
