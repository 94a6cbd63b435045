//! Commands for users to copy into the shell of this system: on Windows, they work
//! in both of its shells.

/// A word of a command.
pub(crate) fn word(word: &str) -> String {
    // In a Unix shell, a backslash escapes the next character.
    let separator = std::path::MAIN_SEPARATOR;
    let is_plain = |it: char| it.is_alphanumeric() || it == separator || "/._-:".contains(it);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else if cfg!(windows) {
        format!("\"{word}\"")
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// A command of several lines, which begins after two spaces. No character
/// continues a line in both shells of Windows, so there it is one line.
pub(crate) fn lines(parts: &[&str]) -> String {
    parts.join(if cfg!(windows) { " " } else { " \\\n    " })
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_shell_reads_a_word_as_it_is() {
        assert_eq!(word("/a/payout-1.json"), "/a/payout-1.json");
        assert_eq!(word("a b"), "'a b'");
        for text in ["", "/a/b.json", "a b", r"a\b", "it's $(x)", "$HOME", "a;b", "ação"] {
            let script = format!("printf %s {}", word(text));
            let output = std::process::Command::new("sh").args(["-c", &script]).output();
            assert_eq!(String::from_utf8(output.unwrap().stdout).as_deref(), Ok(text), "{script}");
        }
    }
}
