//! PEM blocks: finding, decoding and writing.

use crate::secret::SecretBytes;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use base64::{DecodeError, DecodeSliceError, Engine as _, alphabet};
use der::pem::{LineEnding, encode_string};
use zeroize::Zeroizing;

use super::Document;
use super::form::{Form, identify};

/// Why the contents of a block cannot be decoded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// The block has no END line that matches its BEGIN line, or its base64 is
    /// cut off.
    Incomplete,
    /// Encrypted by OpenSSL's legacy scheme, with headers in the block.
    LegacyEncrypted,
    /// Line ends are written as the two characters `\n`.
    EscapedLineEnds,
    /// Spaces are where plus signs were.
    PlusLost,
    /// The contents are not base64.
    NotBase64,
}

impl Fault {
    /// The mistake in the key or certificate that `noun` names, and the remedy.
    pub fn message(self, noun: &str) -> String {
        match self {
            Self::Incomplete => format!(
                "the {noun} is incomplete: a part of it is missing, or the END line that matches \
                 its BEGIN line; copy it again, from its BEGIN line to its END line"
            ),
            Self::LegacyEncrypted => format!("the {noun} is encrypted; give it unencrypted"),
            Self::EscapedLineEnds => {
                "line breaks are written as backslash and n; use real line breaks".to_owned()
            }
            Self::PlusLost => format!(
                "the plus signs of the {noun} became spaces, as in a form or a URL; copy it again \
                 without changes"
            ),
            Self::NotBase64 => format!(
                "the PEM block contains characters that are not base64; copy the {noun} again \
                 without changes"
            ),
        }
    }
}

/// Reads base64 without its padding, and with stray bits at its end, as OpenSSL
/// does. The document tells whether it is whole.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

const BEGIN: &[u8] = b"-----BEGIN ";
const END: &[u8] = b"-----END ";
const DASHES: &[u8] = b"-----";

/// Whether `text` contains the start of a block.
pub(super) fn is_in(text: &[u8]) -> bool {
    position(text, BEGIN).is_some()
}

/// Every block of `text`, in order. Text between blocks is ignored.
pub(super) fn all(text: &[u8]) -> Vec<Document> {
    let starts = starts(text);
    // A block without its end must not swallow the next.
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    starts.iter().zip(ends).map(|(start, end)| block(&text[start + BEGIN.len()..end])).collect()
}

/// Where blocks begin: at the start of a line, or right after another block, which
/// may be cut. If there is none, anywhere, since a program may have added to each
/// line. A comment that mentions a BEGIN line begins no block.
fn starts(text: &[u8]) -> Vec<usize> {
    let found: Vec<_> =
        text.windows(BEGIN.len()).enumerate().filter(|(_, it)| *it == BEGIN).collect();
    let is_start = |at: &usize| {
        let line = text[..*at].rsplit(|it| matches!(it, b'\n' | b'\r')).next();
        let before = line.unwrap_or_default().trim_ascii();
        let is_base64 = |it: &u8| it.is_ascii_alphanumeric() || matches!(it, b'+' | b'/' | b'=');
        before.iter().all(is_base64) || before.ends_with(DASHES)
    };
    let all = found.into_iter().map(|(at, _)| at);
    let (starts, others): (Vec<_>, Vec<_>) = all.partition(is_start);
    if starts.is_empty() { others } else { starts }
}

/// A block, from its label on.
fn block(text: &[u8]) -> Document {
    let (label, inside) = split_once(text, DASHES).unwrap_or((b"", b""));
    // A label never spans lines: the first line of this block is cut off.
    let label = if label.contains(&b'\n') { b"" } else { label };
    let der = match split_once(inside, END) {
        Some((inside, end)) if end.strip_prefix(label).is_some_and(|it| it.starts_with(DASHES)) => {
            decode(inside)
        }
        _ => Err(Fault::Incomplete),
    };
    Document { label: Some(String::from_utf8_lossy(label).into_owned()), der }
}

/// Decodes base64, which may have white space anywhere.
pub(super) fn decode(inside: &[u8]) -> Result<SecretBytes, Fault> {
    // RFC 1421 has other types, of which none is encrypted.
    let kind = split_once(inside, b"Proc-Type:").map(|(_, rest)| rest.split(|it| *it == b'\n'));
    if kind
        .and_then(|mut it| it.next())
        .is_some_and(|it| it.trim_ascii_end().ends_with(b"ENCRYPTED"))
    {
        return Err(Fault::LegacyEncrypted);
    }
    if position(inside, b"\\n").is_some() || position(inside, b"\\r").is_some() {
        return Err(Fault::EscapedLineEnds);
    }
    let decoded = decode_all(inside.iter().copied());
    let may_have_lost = inside.contains(&b' ') && !is_whole(&decoded);
    if may_have_lost && is_whole(&decode_all(with_plus(inside))) {
        return Err(Fault::PlusLost);
    }
    decoded
}

fn decode_all(text: impl Iterator<Item = u8> + Clone) -> Result<SecretBytes, Fault> {
    // Reserves everything at once: growing would leave a copy of the key
    // behind.
    const VERTICAL_TAB: u8 = 0x0b;
    let text = text.filter(|byte| !byte.is_ascii_whitespace() && *byte != VERTICAL_TAB);
    let mut compact = Zeroizing::new(Vec::with_capacity(text.clone().count()));
    compact.extend(text);
    let mut der = Zeroizing::new(vec![0; base64::decoded_len_estimate(compact.len())]);
    match LENIENT.decode_slice(&*compact, &mut der) {
        Ok(length) => {
            der.truncate(length);
            Ok(SecretBytes::new(std::mem::take(&mut *der)))
        }
        Err(DecodeSliceError::DecodeError(DecodeError::InvalidByte(_, byte))) if byte != b'=' => {
            Err(Fault::NotBase64)
        }
        Err(_) => Err(Fault::Incomplete),
    }
}

/// The text with plus signs for its spaces.
fn with_plus(text: &[u8]) -> impl Iterator<Item = u8> + Clone {
    text.iter().map(|byte| if *byte == b' ' { b'+' } else { *byte })
}

/// Whether these are exactly the bytes of a key or a certificate.
fn is_whole(der: &Result<SecretBytes, Fault>) -> bool {
    let form = der.as_ref().map(|der| identify(der.expose()));
    !matches!(form, Err(_) | Ok(Form::Unknown | Form::Truncated | Form::TrailingBytes))
}

fn position(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len()).position(|window| window == part)
}

fn split_once<'a>(text: &'a [u8], at: &[u8]) -> Option<(&'a [u8], &'a [u8])> {
    position(text, at).map(|start| (&text[..start], &text[start + at.len()..]))
}

/// Writes `der` as a block with `label`, in lines of 64 characters.
pub fn encode(label: &str, der: &[u8]) -> Zeroizing<String> {
    // Fails only for an invalid label or without memory.
    Zeroizing::new(encode_string(label, LineEnding::LF, der).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn der_of(text: &str) -> Vec<u8> {
        all(text.as_bytes()).remove(0).der.unwrap().expose().to_vec()
    }

    fn fault_of(text: &str) -> Option<Fault> {
        all(text.as_bytes()).remove(0).der.err()
    }

    #[test]
    fn encoded_bytes_are_found_again() {
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
            assert_eq!(fault_of(&text[..end]), Some(Fault::Incomplete), "{end}");
        }
    }

    #[test]
    fn a_block_without_its_end_leaves_the_next_alone() {
        let text = encode("TEST", &[7; 100]);
        let blocks = all([&text[..80], &text].concat().as_bytes());
        assert_eq!(blocks.len(), 2);
        assert_eq!(blocks[0].der, Err(Fault::Incomplete));
        assert_eq!(blocks[1].der.as_ref().unwrap().expose(), [7; 100]);
    }

    #[test]
    fn an_end_line_with_another_label_ends_no_block() {
        let text = encode("TEST", &[7; 100]);
        assert_eq!(fault_of(&text.replace("END TEST", "END TESTS")), Some(Fault::Incomplete));
        assert_eq!(fault_of(&text.replace("END TEST", "END A TEST")), Some(Fault::Incomplete));
    }

    #[test]
    fn lost_plus_signs_differ_from_lost_characters() {
        // The numbers of a public key, of which one is nothing but plus signs.
        let modulus = [0xfb, 0xef, 0xbe].repeat(29);
        let key = [&[0x30, 0x5f, 2, 89, 1, 1], modulus.as_slice(), &[2, 2, 1, 1]].concat();
        let text = encode("TEST", &key);
        for lost in [text.replace('+', " "), text.replacen("++", "+ ", 1)] {
            assert_eq!(fault_of(&lost), Some(Fault::PlusLost), "{lost}");
        }
        for lost in [text.replacen("++", "+", 1), text.replacen("++", " ", 1)] {
            assert_eq!(fault_of(&lost), Some(Fault::Incomplete), "{lost}");
        }
        assert_eq!(der_of(&text.replace('\n', " \n  ")), key);
    }
}
