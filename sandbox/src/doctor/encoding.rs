//! Changes to a whole text: its ends, its line ends, and its encoding.

use super::finding::{Change, SignatureFinding};

pub(super) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// A change to the whole text. `None` if it changes nothing.
pub(super) type TextChange = (Change, fn(&[u8]) -> Option<Vec<u8>>);

pub(super) static EDGES: [TextChange; 10] = [
    ((SignatureFinding::TrailingNewline, "with a line feed at its end"), |body| {
        Some([body, b"\n"].concat())
    }),
    ((SignatureFinding::TrailingNewline, "with CR LF at its end"), |body| {
        Some([body, b"\r\n"].concat())
    }),
    ((SignatureFinding::TrailingNewline, "without the line break at its end"), |body| {
        let without = body.strip_suffix(b"\n")?;
        Some(without.strip_suffix(b"\r").unwrap_or(without).to_vec())
    }),
    ((SignatureFinding::ByteOrderMark, "with a byte order mark before it"), |body| {
        Some([BYTE_ORDER_MARK, body].concat())
    }),
    ((SignatureFinding::ByteOrderMark, "without its byte order mark"), |body| {
        body.strip_prefix(BYTE_ORDER_MARK).map(<[u8]>::to_vec)
    }),
    ((SignatureFinding::LineEnds, "with LF in place of each CR LF"), |body| {
        let text = std::str::from_utf8(body).ok().filter(|text| text.contains("\r\n"))?;
        Some(text.replace("\r\n", "\n").into_bytes())
    }),
    ((SignatureFinding::LineEnds, "with CR LF in place of each LF"), |body| {
        let text = std::str::from_utf8(body).ok().filter(|text| text.contains('\n'))?;
        Some(text.replace("\r\n", "\n").replace('\n', "\r\n").into_bytes())
    }),
    ((SignatureFinding::CharacterEncoding, "encoded as Latin-1 (ISO-8859-1)"), |body| {
        latin_1(body).filter(|encoded| std::str::from_utf8(encoded).is_err())
    }),
    ((SignatureFinding::CharacterEncoding, "encoded as UTF-8 once instead of twice"), |body| {
        latin_1(body).filter(|encoded| std::str::from_utf8(encoded).is_ok())
    }),
    ((SignatureFinding::CharacterEncoding, "encoded as UTF-8 twice"), |body| {
        let is_text = !body.is_ascii() && std::str::from_utf8(body).is_ok();
        is_text.then(|| from_latin_1(body))
    }),
];

/// A text that arrived in Latin-1, as UTF-8.
pub(super) fn from_latin_1(bytes: &[u8]) -> Vec<u8> {
    bytes.iter().map(|&byte| char::from(byte)).collect::<String>().into_bytes()
}

/// A text of UTF-8 in Latin-1, if it has letters beyond ASCII and Latin-1 has all
/// of them.
fn latin_1(body: &[u8]) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(body).ok().filter(|text| !text.is_ascii())?;
    text.chars().map(|letter| u8::try_from(letter).ok()).collect()
}
