//! Invisible characters.

/// The mark that some editors put before the text of a file.
pub const BYTE_ORDER_MARK: char = '\u{feff}';

/// A text without such a mark at its beginning.
pub fn without_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix(BYTE_ORDER_MARK.encode_utf8(&mut [0; 4]).as_bytes()).unwrap_or(text)
}

/// Ranges of the category Cf and of `Default_Ignorable_Code_Point` in Unicode
/// 17, and the separators of lines and paragraphs.
const INVISIBLE: [(char, char); 25] = [
    ('\u{ad}', '\u{ad}'),
    ('\u{34f}', '\u{34f}'),
    ('\u{600}', '\u{605}'),
    ('\u{61c}', '\u{61c}'),
    ('\u{6dd}', '\u{6dd}'),
    ('\u{70f}', '\u{70f}'),
    ('\u{890}', '\u{891}'),
    ('\u{8e2}', '\u{8e2}'),
    ('\u{115f}', '\u{1160}'),
    ('\u{17b4}', '\u{17b5}'),
    ('\u{180b}', '\u{180f}'),
    ('\u{200b}', '\u{200f}'),
    ('\u{2028}', '\u{202e}'),
    ('\u{2060}', '\u{206f}'),
    ('\u{3164}', '\u{3164}'),
    ('\u{fe00}', '\u{fe0f}'),
    ('\u{feff}', '\u{feff}'),
    ('\u{ffa0}', '\u{ffa0}'),
    ('\u{fff0}', '\u{fffb}'),
    ('\u{110bd}', '\u{110bd}'),
    ('\u{110cd}', '\u{110cd}'),
    ('\u{13430}', '\u{1343f}'),
    ('\u{1bca0}', '\u{1bca3}'),
    ('\u{1d173}', '\u{1d17a}'),
    ('\u{e0000}', '\u{e0fff}'),
];

/// Whether a character has no visible shape: a text with it looks like one
/// without.
pub fn is_invisible(character: char) -> bool {
    INVISIBLE.iter().any(|(first, last)| (*first..=*last).contains(&character))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invisible_characters_are_found() {
        for invisible in [
            '\u{ad}',
            '\u{200b}',
            '\u{200d}',
            '\u{200e}',
            '\u{202e}',
            '\u{2060}',
            '\u{2066}',
            '\u{feff}',
            '\u{fe0f}',
            '\u{e0041}',
            '\u{180e}',
            '\u{2028}',
        ] {
            assert!(is_invisible(invisible), "{invisible:?}");
        }
        for visible in ['a', '-', ' ', '\u{a0}', 'é', '\u{301}', '李', '\u{2010}', '🙂', '\u{fffd}']
        {
            assert!(!is_invisible(visible), "{visible:?}");
        }
        assert!(INVISIBLE.is_sorted_by(|one, other| one.1 < other.0));
    }
}
