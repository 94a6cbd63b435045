//! A file of lines that a person made, perhaps with a spreadsheet: CSV, or one
//! JSON object per line.

use std::path::Path;

use payments_base::invisible::BYTE_ORDER_MARK;
use payments_base::unreadable::unreadable;
use payments_core::error::ErrorCode;

use super::command_failure::CommandFailure;

const AS_CSV: &str = "in Excel with File > Save As > CSV UTF-8 (Arquivo > Salvar como > CSV UTF-8)";

/// How to read a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LineFormat {
    /// With a line of names.
    Csv,
    /// One object per line.
    JsonLines,
}

impl LineFormat {
    /// The format that the name of a file states, in any case.
    pub fn of(path: &Path) -> Option<Self> {
        let extension = path.extension().and_then(|extension| extension.to_str())?;
        match extension.to_ascii_lowercase().as_str() {
            "csv" | "tsv" => Some(Self::Csv),
            "jsonl" => Some(Self::JsonLines),
            _ => None,
        }
    }
}

/// The text of a file, without a byte order mark.
pub struct LineFile {
    /// The format that its name states.
    pub format: LineFormat,
    /// Without a byte order mark.
    pub text: String,
}

impl LineFile {
    /// Reads a file whose name ends in `.csv`, `.tsv` or `.jsonl`.
    ///
    /// # Errors
    /// `usage` if it cannot be read.
    pub fn read(path: &Path) -> Result<Self, CommandFailure> {
        let text = text_of(path)?;
        let format = LineFormat::of(path).ok_or_else(|| {
            let message = "the name must end in .csv, .tsv or .jsonl, which says how to read it";
            CommandFailure::usage(ErrorCode::INVALID_ARGUMENTS, message)
        })?;
        Ok(Self { format, text })
    }
}

/// The text of a file that an option names, without a byte order mark.
///
/// # Errors
/// `usage` if it cannot be read, or is not UTF-8.
pub(super) fn text_of(path: &Path) -> Result<String, CommandFailure> {
    let shown = path.display();
    let bytes = std::fs::read(path).map_err(|error| {
        let message = format!("could not read {}", unreadable(path, &error));
        CommandFailure::usage(ErrorCode::FILE_UNREADABLE, message)
    })?;
    let not_text = |message: String| CommandFailure::usage(ErrorCode::FILE_UNREADABLE, message);
    if let Some(kind) = workbook(&bytes) {
        return Err(not_text(format!(
            "{shown} is a workbook ({kind}), whatever its name ends in; save its sheet as CSV, \
             {AS_CSV}"
        )));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = 1 + String::from_utf8_lossy(valid).matches('\n').count();
        not_text(format!(
            "line {line} of {shown} is not UTF-8; save the file in UTF-8, {AS_CSV}, because \
             Excel's plain CSV is Latin-1"
        ))
    })?;
    match text.strip_prefix(BYTE_ORDER_MARK) {
        None => Ok(text),
        Some(rest) if rest.starts_with(BYTE_ORDER_MARK) => Err(not_text(format!(
            "line 1 of {shown} begins with more than one byte order mark, so a program added one \
             that was there; save the file with one, or with none"
        ))),
        Some(rest) => Ok(rest.to_owned()),
    }
}

/// The kind of a workbook, by its first bytes.
fn workbook(bytes: &[u8]) -> Option<&'static str> {
    let is_zip = bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06");
    let is_old = bytes.starts_with(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1");
    if is_zip {
        Some(".xlsx or .ods")
    } else if is_old {
        Some(".xls")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use payments_core::json::Json;

    use super::*;
    use crate::test_folder::Folder;

    /// The format and the text, or the code and the message.
    fn read(name: &str, bytes: &[u8]) -> Result<(LineFormat, String), (String, String)> {
        let folder = Folder::new();
        let path = folder.write(name, bytes);
        let text = |failure: &CommandFailure, name| {
            failure.report.get(name).and_then(Json::as_str).unwrap_or_default().to_owned()
        };
        LineFile::read(&path)
            .map(|file| (file.format, file.text))
            .map_err(|failure| (text(&failure, "code"), text(&failure, "message")))
    }

    #[test]
    fn the_name_says_the_format_in_any_case() {
        for name in ["a.csv", "PAGOS.CSV", "a.Csv"] {
            assert_eq!(read(name, b"a"), Ok((LineFormat::Csv, "a".to_owned())), "{name}");
        }
        assert_eq!(read("A.JSONL", b"").map(|it| it.0), Ok(LineFormat::JsonLines));
        for name in ["csv", "a.csv.txt", "a.xlsx", "a.json"] {
            assert_eq!(read(name, b"a").unwrap_err().0, "invalid_arguments", "{name}");
        }
    }

    #[test]
    fn a_file_that_is_not_text_is_named() {
        for (bytes, parts) in [
            (&b"PK\x03\x04\x14\x00"[..], ["workbook (.xlsx or .ods)", "CSV UTF-8"]),
            (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\x00", ["workbook (.xls)", "CSV UTF-8"]),
            (b"a\nJos\xe9\n", ["line 2 of ", "Latin-1"]),
            (b"\xef\xbb\xbf\xef\xbb\xbfa", ["line 1 of ", "more than one byte order mark"]),
        ] {
            let (code, message) = read("a.csv", bytes).unwrap_err();
            assert_eq!(code, "file_unreadable");
            assert!(parts.iter().all(|part| message.contains(part)), "{message}");
        }
        assert_eq!(read("a.csv", b"\xef\xbb\xbfa").unwrap().1, "a");
        assert_eq!(read("a.csv", b"PK,1").unwrap().1, "PK,1");
    }
}
