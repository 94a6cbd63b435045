//! Text for people in wrapped lines.

/// The maximum width of text for people.
pub const WIDTH: usize = 80;

/// Wraps text at spaces into lines of at most `width` characters. Longer words
/// are split.
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut used = 0;
    for word in text.split_whitespace() {
        for (index, piece) in pieces(word, width).into_iter().enumerate() {
            let length = piece.chars().count();
            let gap = usize::from(index == 0 && used > 0);
            if used + gap + length > width {
                lines.push(String::new());
                used = 0;
            }
            if let Some(line) = lines.last_mut() {
                if used > 0 && gap > 0 {
                    line.push(' ');
                    used += 1;
                }
                line.push_str(&piece);
                used += length;
            }
        }
    }
    lines
}

/// Appends wrapped text after `first`. Its other lines begin at column `start`.
pub fn push_hanging(text: &mut String, first: &str, start: usize, message: &str) {
    let mut indent = first.to_owned();
    for line in wrapped(message, WIDTH - start) {
        text.push_str(&format!("{indent}{line}\n"));
        indent = " ".repeat(start);
    }
}

fn pieces(word: &str, width: usize) -> Vec<String> {
    let characters: Vec<char> = word.chars().collect();
    characters.chunks(width.max(1)).map(|piece| piece.iter().collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_at_spaces_and_long_words_within() {
        assert_eq!(wrapped("one two three", 7), ["one two", "three"]);
        assert_eq!(wrapped("ab cdefghij k", 4), ["ab", "cdef", "ghij", "k"]);
        assert_eq!(wrapped("", 4), [""]);
        assert_eq!(wrapped("áé íó", 5), ["áé íó"]);
    }
}
