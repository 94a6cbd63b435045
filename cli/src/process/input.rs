//! Reads requests and bodies from the command line, files and standard input.

use std::io::{self, IsTerminal as _, Read as _};
use std::path::Path;

use payments_base::invisible::without_mark;
use payments_core::ErrorCode;

use crate::process::failure::Failure;

/// The argument that stands for standard input.
const STDIN: &str = "-";

/// The exact bytes of a body: the contents of a file, with or without `@` before
/// its name, standard input for `-`, or the argument itself. Empty without one.
///
/// # Errors
/// The file cannot be read.
pub(crate) fn body(argument: Option<&str>) -> Result<Vec<u8>, Failure> {
    match argument {
        None => Ok(Vec::new()),
        Some(STDIN) => read_stdin(),
        Some(text) => match text.strip_prefix('@') {
            Some(path) => read_file(Path::new(path)),
            None if Path::new(text).is_file() || looks_like_file(text) => {
                read_file(Path::new(text)).map_err(|failure| {
                    failure.with_advice("name another file, or pipe the body in and give -")
                })
            }
            None => Ok(text.as_bytes().to_vec()),
        },
    }
}

/// Whether a text can only be meant as a file: a path, or a name with an ending.
fn looks_like_file(text: &str) -> bool {
    let is_plain = |it: char| it.is_alphanumeric() || "._-~/\\".contains(it);
    let ending = text.rsplit_once('.').map_or("", |(_, ending)| ending);
    let has_ending = (1..=5).contains(&ending.len())
        && ending.bytes().all(|it| it.is_ascii_alphanumeric())
        && ending.bytes().any(|it| it.is_ascii_alphabetic());
    text.chars().all(is_plain) && (has_ending || text.contains(['/', '\\']))
}

/// A text: the argument itself, or the contents of `@FILE` without trailing
/// line breaks.
///
/// # Errors
/// The file cannot be read or is not UTF-8.
pub(crate) fn text(argument: &str) -> Result<String, Failure> {
    let Some(path) = argument.strip_prefix('@') else {
        return Ok(argument.to_owned());
    };
    text_of_file(Path::new(path))
}

/// The text of a file, without the line breaks at its end.
///
/// # Errors
/// `io`, or `usage` if it is not UTF-8.
pub(crate) fn text_of_file(path: &Path) -> Result<String, Failure> {
    let text = String::from_utf8(read_file(path)?).map_err(|_| {
        Failure::usage(
            ErrorCode::FILE_UNREADABLE,
            format!("{path:?} is not UTF-8 text; save it as UTF-8"),
        )
    })?;
    Ok(text.trim_end_matches(['\r', '\n']).to_owned())
}

/// A request's JSON text, without a byte order mark: standard input for `-`, the
/// argument itself, or a file.
///
/// # Errors
/// The file cannot be read.
pub(crate) fn request(argument: &str) -> Result<Vec<u8>, Failure> {
    let text = match argument {
        STDIN => read_stdin(),
        text if is_json_text(text) => Ok(text.as_bytes().to_vec()),
        path => read_file(Path::new(path.strip_prefix('@').unwrap_or(path))).map_err(|failure| {
            failure.with_advice("name another file, or give the members as options")
        }),
    };
    text.map(|text| without_mark(&text).to_owned())
}

/// Whether the argument is JSON text, a file or standard input, rather than
/// the value of a member.
pub(crate) fn is_source(argument: &str) -> bool {
    argument == STDIN
        || is_json_text(argument)
        || argument.contains(['/', '\\', '.', '@'])
        || Path::new(argument).exists()
}

fn is_json_text(argument: &str) -> bool {
    argument.trim_start().starts_with('{')
}

/// Piped standard input. `None` if it is empty or a terminal, where the command
/// would wait without an explanation.
///
/// # Errors
/// Standard input cannot be read.
pub(crate) fn piped() -> Result<Option<Vec<u8>>, Failure> {
    if io::stdin().is_terminal() {
        return Ok(None);
    }
    read_stdin().map(|bytes| Some(without_mark(&bytes).to_owned()).filter(|it| !it.is_empty()))
}

fn read_stdin() -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes).map_err(|error| {
        let message = format!("could not read standard input ({error}); check what is piped in");
        Failure::io(ErrorCode::FILE_UNREADABLE, message)
    })?;
    Ok(bytes)
}

/// The contents of a file.
///
/// # Errors
/// `usage` if it cannot be read.
pub(crate) fn read_file(path: &Path) -> Result<Vec<u8>, Failure> {
    std::fs::read(path).map_err(|error| {
        let message =
            format!("could not read {}", payments_base::unreadable::unreadable(path, &error));
        Failure::usage(ErrorCode::FILE_UNREADABLE, message)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_is_a_file_or_the_argument_itself() {
        for file in ["body.json", "./body", "a/b.txt", "C\\body", "~/pay.json", "no-such.xml"] {
            assert!(looks_like_file(file), "{file}");
        }
        for body in [
            "{}",
            "[1]",
            "\"a.b\"",
            "a=b.com",
            "10.50",
            "853.513.468-93",
            "text",
            "a b.txt",
            "a@b.com",
            "",
        ] {
            assert!(!looks_like_file(body), "{body}");
        }
    }
}
