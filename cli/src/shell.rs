//! Commands for users to copy into the shell of this system: on Windows, they work
//! in both of its own.

/// A word of a command.
pub(crate) fn word(word: &str) -> String {
    let is_plain = |it: char| it.is_ascii_alphanumeric() || "/._-:\\".contains(it);
    match word.chars().all(is_plain) {
        true => word.to_owned(),
        false if cfg!(windows) => format!("\"{word}\""),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

/// A command of several lines, which begins after two spaces. No sign continues a
/// line in both shells of Windows, so there it has one.
pub(crate) fn lines(parts: &[&str]) -> String {
    parts.join(if cfg!(windows) { " " } else { " \\\n    " })
}
