//! Other bytes with the same content.

use payments_core::json::{Json, ParseOptions};

use super::finding::{Change, SignatureFinding};
use super::style::Style;

/// Of larger bodies, only the ends are changed.
const LARGEST_PARSED: usize = 64 * 1024;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// A change at an end of the text. `None` if it changes nothing.
type EndChange = (Change, fn(&[u8]) -> Option<Vec<u8>>);

const END_CHANGES: [EndChange; 5] = [
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
];

/// A body in other bytes, and its changes, of which the first is the largest.
pub(super) type Rewriting = (Vec<u8>, Vec<Change>);

/// The body with other ends, and then, if it is JSON, as other serializers write it,
/// those with the fewest changes first.
pub(super) fn rewritings(body: &[u8]) -> impl Iterator<Item = Rewriting> {
    let reserialized = reserialized(body).flat_map(|(text, changes)| {
        let with_ends = with_other_ends(&text, &changes);
        std::iter::once((text, changes)).chain(with_ends)
    });
    with_other_ends(body, &[]).into_iter().chain(reserialized)
}

fn with_other_ends(text: &[u8], changes: &[Change]) -> Vec<Rewriting> {
    let changed = END_CHANGES
        .iter()
        .filter_map(|(change, apply)| Some((apply(text)?, [changes, &[*change]].concat())));
    changed.collect()
}

/// The body as other serializers write it, if it is JSON, and not large.
fn reserialized(body: &[u8]) -> impl Iterator<Item = Rewriting> {
    let content = body.strip_prefix(BYTE_ORDER_MARK).unwrap_or(body);
    let text = str::from_utf8(content).ok().filter(|it| it.len() <= LARGEST_PARSED);
    let options = ParseOptions::new().keeping_duplicates();
    let document = text.and_then(|it| Some((it, Json::parse_with(it.as_bytes(), options).ok()?)));
    document.into_iter().flat_map(|(text, json)| {
        let mut styles = Style::of(text.trim(), &json).others();
        styles.sort_by_key(|(_, changes)| changes.len());
        styles.into_iter().map(move |(style, changes)| (style.written(&json).into_bytes(), changes))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_ends_change_of_what_is_not_json() {
        for bytes in [&b"{"[..], b"", b"\xff", b"{} {}", &[b'['; 1000]] {
            assert_eq!(rewritings(bytes).count(), 3);
        }
    }

    #[test]
    fn the_fewest_changes_come_first() {
        let body = b"\xef\xbb\xbf{\"b\":\"\\u00e9/\", \"amount\":1.50}";
        let (_, changes): (Vec<_>, Vec<_>) = rewritings(body).unzip();
        assert_eq!(changes[..4].iter().map(Vec::len).collect::<Vec<_>>(), [1; 4]);
        assert!(changes.iter().all(|it| !it.is_empty()));
        assert_eq!(changes.len(), 4 + 4 * 192, "{}", changes.len());
    }
}
