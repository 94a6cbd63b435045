//! A value that is given directly, or by a file.

use std::fs::File;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};

use payments_base::bounded_file::read_at_most;
use payments_base::invisible::BYTE_ORDER_MARK;
use payments_base::secret::{Secret, SecretBytes};
use payments_base::standard_streams;
use payments_base::unreadable::{is_contents, is_hidden, unreadable};

use crate::model::error::{Error, ErrorCode, messages};
use crate::signing::signer::read_key_file;

/// The largest file read for a secret or for certificates.
const LARGEST_FILE: usize = 4 * 1024 * 1024;

/// A text given directly, or a file that contains it.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    path: Option<PathBuf>,
    /// Where a relative path begins.
    folder: PathBuf,
    /// Empty until the file is read.
    contents: SecretBytes,
}

/// The same contents make the same client, wherever they are from.
impl Hash for Source {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.contents.expose().hash(state);
    }
}

impl Source {
    pub(super) fn text(text: Secret) -> Self {
        let contents = SecretBytes::new(text.expose().as_bytes().to_vec());
        Self { path: None, folder: PathBuf::new(), contents }
    }

    pub(super) fn file(path: PathBuf) -> Self {
        Self::file_in(Path::new(""), path)
    }

    /// A file, whose path begins in `folder` if it is relative.
    pub(super) fn file_in(folder: &Path, path: PathBuf) -> Self {
        let contents = SecretBytes::new(Vec::new());
        Self { path: Some(path), folder: folder.to_owned(), contents }
    }

    /// The name by which `member` was given.
    pub(super) fn named(&self, member: &str) -> String {
        let end = if self.path.is_some() { "_file" } else { "" };
        format!("{member}{end}")
    }

    pub(super) fn contents(&self) -> &[u8] {
        self.contents.expose()
    }

    /// The contents, if they are text.
    pub(super) fn as_str(&self) -> Option<&str> {
        std::str::from_utf8(self.contents()).ok()
    }

    /// The text, which `read_text` has checked.
    pub(super) fn secret(&self) -> Secret {
        Secret::new(self.as_str().unwrap_or_default())
    }

    /// Reads a file of text, and checks that there is some.
    pub(super) fn read_text(&mut self, member: &str) -> Result<(), Error> {
        let given_as = self.named(member);
        let refused = |code, message: &str| Err(Error::config(&given_as, code, message));
        self.read_bytes(&given_as)?;
        let Some(text) = self.as_str() else {
            return Err(messages::file_not_text(&given_as));
        };
        let text = Secret::new(if self.path.is_some() { text_of_file(text) } else { text });
        if text.expose().is_empty() {
            return refused(ErrorCode::VALUE_INVALID, "is empty; fill it in or remove it");
        }
        if has_break_at_an_end(text.expose()) {
            let message = "begins or ends with a line break or a byte order mark, which was \
                           probably copied with it; remove that";
            return refused(ErrorCode::VALUE_INVALID, message);
        }
        self.contents = Self::text(text).contents;
        Ok(())
    }

    /// Reads a file, which `given_as` names.
    pub(super) fn read_bytes(&mut self, given_as: &str) -> Result<(), Error> {
        if let Some(path) = &self.path {
            self.contents = read_file(path, &self.folder, given_as)?;
        }
        Ok(())
    }

    /// Reads a file of a private key.
    pub(super) fn read_key(&mut self) -> Result<(), Error> {
        if let Some(path) = &self.path {
            self.contents = read_key_file(path, &self.folder)?;
        }
        Ok(())
    }
}

/// The text of a file without the byte order mark and the line ends that editors
/// and `echo` add.
#[doc(hidden)]
pub fn text_of_file(contents: &str) -> &str {
    contents.strip_prefix(BYTE_ORDER_MARK).unwrap_or(contents).trim_end_matches(['\r', '\n'])
}

/// Whether the white space at the ends of `text` has a line break or a byte
/// order mark.
fn has_break_at_an_end(text: &str) -> bool {
    let is_break = |c: char| {
        matches!(c, '\n' | '\u{b}' | '\u{c}' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
            || c == BYTE_ORDER_MARK
    };
    let is_outside = |c: &char| c.is_whitespace() || *c == BYTE_ORDER_MARK;
    let start = text.chars().take_while(is_outside);
    let end = text.chars().rev().take_while(is_outside);
    start.chain(end).any(is_break)
}

fn read_file(given: &Path, folder: &Path, member: &str) -> Result<SecretBytes, Error> {
    let refused = |why: &str| {
        Error::config(member, ErrorCode::FILE_UNREADABLE, format!("could not read the file {why}"))
    };
    if is_contents(given) {
        let message = "this is the text of a file, not its path; name a file";
        return Err(Error::config(member, ErrorCode::FILE_UNREADABLE, message));
    }
    let path = &folder.join(given);
    let failed = |error: std::io::Error| {
        if is_hidden(given, folder, &error) {
            return messages::no_file(member);
        }
        refused(&unreadable(path, &error))
    };
    standard_streams::occupy();
    let file = File::open(path).map_err(failed)?;
    if file.metadata().map_err(failed)?.is_dir() {
        return Err(refused(&format!("{}: it is a directory", path.display())));
    }
    match read_at_most(file, LARGEST_FILE).map_err(failed)? {
        Some(mut contents) => Ok(SecretBytes::new(std::mem::take(&mut *contents))),
        None => Err(refused(&format!("{}: it is larger than 4 MiB", path.display()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_without_additions_of_editors() {
        for (contents, text) in [
            ("secret", "secret"),
            ("secret\n", "secret"),
            ("secret\r\n\n", "secret"),
            ("\u{feff}secret\r\n", "secret"),
            ("\u{feff}", ""),
            ("\u{feff}\u{feff}secret", "\u{feff}secret"),
            (" secret \n", " secret "),
            ("\nsecret", "\nsecret"),
            ("sec\u{feff}ret\u{feff}", "sec\u{feff}ret\u{feff}"),
        ] {
            assert_eq!(text_of_file(contents), text, "{contents:?}");
        }
    }

    #[test]
    fn a_line_break_counts_only_at_the_ends() {
        for text in [
            "secret\n",
            "\nsecret",
            "secret\r\n",
            "secret\r",
            "\u{feff}secret",
            "secret\u{feff}",
            " \u{feff} secret",
            "secret\n ",
            "secret\u{2028}",
            "secret\u{85}",
            "\n",
            "\u{feff}",
        ] {
            assert!(has_break_at_an_end(text), "{text:?}");
        }
        for text in ["secret", " secret\t", "sec\nret", "a\u{feff}b", "\u{a0}x", "\u{200b}x", "é"]
        {
            assert!(!has_break_at_an_end(text), "{text:?}");
        }
    }
}
