//! PEM blocks: finding, decoding and writing.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use pkcs8::der::pem::{LineEnding, encode_string};
use zeroize::Zeroizing;

use crate::base::secret::SecretBytes;

/// One `-----BEGIN …-----` block of a text.
pub(crate) struct Block {
    /// The label of the block, for example `PRIVATE KEY`.
    pub label: String,
    /// The decoded contents, or why they could not be decoded.
    pub contents: Contents,
}

/// The contents of a block.
pub(crate) enum Contents {
    /// Decoded DER.
    Der(SecretBytes),
    /// The block has no end, or its base64 is cut off.
    Truncated,
    /// Encrypted by OpenSSL's legacy scheme, with headers in the block.
    LegacyEncrypted,
    /// Line ends are written as the two characters `\n`.
    EscapedLineEnds,
    /// The contents are not base64.
    NotBase64,
}

const BEGIN: &str = "-----BEGIN ";
const DASHES: &str = "-----";

/// Whether `text` contains the start of a block.
pub(crate) fn is_pem(text: &str) -> bool {
    text.contains(BEGIN)
}

/// Every block of `text`, in order. Text between blocks is ignored.
pub(crate) fn blocks(text: &str) -> Vec<Block> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(BEGIN) {
        let after = &rest[start + BEGIN.len()..];
        let Some((label, inside)) = after.split_once(DASHES) else { break };
        // A label never spans lines: this block's first line is cut off.
        let label = if label.contains('\n') { "" } else { label };
        let end_line = format!("-----END {label}-----");
        let contents = match inside.find(&end_line) {
            Some(end) => {
                rest = &inside[end + end_line.len()..];
                decode(&inside[..end])
            }
            None => {
                rest = inside;
                Contents::Truncated
            }
        };
        found.push(Block { label: label.to_owned(), contents });
    }
    found
}

fn decode(inside: &str) -> Contents {
    if inside.contains("Proc-Type:") {
        return Contents::LegacyEncrypted;
    }
    if inside.contains("\\n") || inside.contains("\\r") {
        return Contents::EscapedLineEnds;
    }
    // Reserves everything at once: growing would leave a copy of the key
    // behind.
    let mut compact = Zeroizing::new(Vec::with_capacity(inside.len()));
    compact.extend(inside.bytes().filter(|byte| !byte.is_ascii_whitespace()));
    let mut der = Zeroizing::new(vec![0; base64::decoded_len_estimate(compact.len())]);
    match STANDARD.decode_slice(&*compact, &mut der) {
        Ok(length) => {
            der.truncate(length);
            Contents::Der(SecretBytes::new(std::mem::take(&mut *der)))
        }
        Err(base64::DecodeSliceError::DecodeError(
            base64::DecodeError::InvalidLength(_) | base64::DecodeError::InvalidPadding,
        )) => Contents::Truncated,
        Err(_) => Contents::NotBase64,
    }
}

/// Writes `der` as a block with `label`, in lines of 64 characters.
pub(crate) fn encode(label: &str, der: &[u8]) -> Zeroizing<String> {
    // Fails only for an invalid label or without memory.
    Zeroizing::new(encode_string(label, LineEnding::LF, der).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn der_of(text: &str) -> Vec<u8> {
        match &blocks(text)[0].contents {
            Contents::Der(der) => der.expose().to_vec(),
            _ => panic!("no DER"),
        }
    }

    #[test]
    fn what_was_encoded_is_found_again() {
        for length in [0, 1, 47, 48, 49, 500] {
            let der: Vec<u8> = (0..length).map(|i| i as u8).collect();
            let text = encode("TEST", &der);
            assert_eq!(der_of(&text), der);
            assert_eq!(der_of(&format!("before\r\n{}after", text.replace('\n', "\r\n"))), der);
            assert!(text.lines().all(|line| line.len() <= 64));
        }
    }

    #[test]
    fn a_block_without_its_end_is_truncated() {
        let text = encode("TEST", &[7; 100]);
        for end in BEGIN.len() + 4 + DASHES.len()..text.len() - 2 {
            assert!(matches!(blocks(&text[..end])[0].contents, Contents::Truncated), "{end}");
        }
    }
}
