//! Reads the contents of people's files of keys and certificates: PEM, base64
//! without its BEGIN line, or DER.
//!
//! The caller decides which of them it accepts.

pub mod ber;
mod block;
mod foreign;
pub mod form;

use crate::secret::SecretBytes;
use zeroize::Zeroizing;

pub use block::{Fault, encode};
pub use foreign::{Foreign, Use};

use form::Form;

/// A document of a file.
pub struct Document {
    /// The label of a PEM block, for example `PRIVATE KEY`. `None` outside of a
    /// block.
    pub label: Option<String>,
    /// The DER, or why it cannot be decoded.
    pub der: Result<SecretBytes, Fault>,
}

impl Document {
    fn without_label(der: Result<SecretBytes, Fault>) -> Self {
        Self { label: None, der }
    }

    /// Whether the label ends in this kind.
    pub fn is_labeled(&self, kind: &str) -> bool {
        self.label.as_ref().is_some_and(|label| label.ends_with(kind))
    }
}

/// Whether these are the bytes of DER rather than text.
pub fn is_der(contents: &[u8]) -> bool {
    std::str::from_utf8(contents).is_err() && !block::is_in(contents)
}

/// The documents of a file, of which there is at least one. Text around PEM
/// blocks is ignored, and so are invisible characters.
///
/// # Errors
/// The actual contents.
pub fn read(contents: &[u8]) -> Result<Vec<Document>, Foreign> {
    if let Some(foreign) = Foreign::of_bytes(contents) {
        return Err(foreign);
    }
    let Ok(text) = std::str::from_utf8(contents) else {
        // Text around a block may have another encoding.
        let blocks = block::all(contents);
        return Ok(if blocks.is_empty() {
            vec![Document::without_label(Ok(SecretBytes::new(contents.to_vec())))]
        } else {
            blocks
        });
    };
    let text = without_invisible(text);
    if let Some(foreign) = Foreign::of_text(text.trim()) {
        return Err(foreign);
    }
    let blocks = block::all(text.as_bytes());
    if !blocks.is_empty() {
        return Ok(blocks);
    }
    let text = text.trim();
    bare(text).unwrap_or_else(|| Err(Foreign::of_other_text(text))).map(|document| vec![document])
}

/// Base64 without a BEGIN line. `None` if `text` is something else.
fn bare(text: &str) -> Option<Result<Document, Foreign>> {
    // "MII" are the first characters of every key and certificate.
    let is_likely = text.trim_matches(QUOTES).starts_with("MII");
    let der = match block::decode(text.trim_matches(QUOTES).as_bytes()) {
        Ok(der) => der,
        Err(Fault::NotBase64) => return None,
        Err(fault) => return is_likely.then(|| Ok(Document::without_label(Err(fault)))),
    };
    match Foreign::of_bytes(der.expose()) {
        Some(Foreign::Utf16(_)) => return Some(Err(Foreign::EncodedTwice)),
        Some(foreign) => return Some(Err(foreign)),
        None if block::is_in(der.expose()) => return Some(Err(Foreign::EncodedTwice)),
        None => {}
    }
    match form::identify_key(der.expose()).0 {
        Form::Unknown => None,
        Form::Truncated | Form::TrailingBytes if !is_likely => None,
        _ => Some(Ok(Document::without_label(Ok(der)))),
    }
}

const QUOTES: [char; 2] = ['"', '\''];

/// The text without characters that take no space, such as byte order marks, and
/// with plain blanks for all other white space. Reserved at once: growing would
/// leave a copy of a key behind.
fn without_invisible(text: &str) -> Zeroizing<String> {
    let mut plain = Zeroizing::new(String::with_capacity(text.len()));
    for character in text.chars() {
        match character {
            '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' => {}
            blank if blank.is_whitespace() && !blank.is_ascii() => plain.push(' '),
            other => plain.push(other),
        }
    }
    plain
}
