//! Foreign texts in messages.

/// `text` without invisible characters and terminal controls, shortened to
/// `limit` characters.
pub fn escaped(text: &str, limit: usize) -> String {
    let mut shown = String::new();
    let (mut length, mut cut) = (0, 0);
    for character in text.chars() {
        let piece: String = match character {
            '\'' => "'".to_owned(),
            other => other.escape_debug().collect(),
        };
        length += piece.chars().count();
        if length > limit {
            shown.truncate(cut);
            shown.push('…');
            break;
        }
        shown.push_str(&piece);
        if length < limit {
            cut = shown.len();
        }
    }
    shown
}

/// [`escaped`], in quotes.
pub fn quoted(text: &str, limit: usize) -> String {
    format!("\"{}\"", escaped(text, limit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_foreign_text_ends_neither_its_quotes_nor_the_line() {
        assert_eq!(quoted("a\"b\\c\n\u{202e}é'", 64), r#""a\"b\\c\n\u{202e}é'""#);
        assert_eq!(quoted("abcd", 4), "\"abcd\"");
        assert_eq!(quoted("abcde", 4), "\"abc…\"");
        assert_eq!(quoted("ab\u{202e}", 4), "\"ab…\"");
        assert_eq!(quoted("", 4), "\"\"");
    }
}
