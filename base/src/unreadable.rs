//! Describes a file that could not be read.

use std::io;
use std::path::Path;

/// The full path and the reason, for example `/srv/shop/key.pem: no such file`.
pub fn unreadable(path: &Path, error: &io::Error) -> String {
    format!("{}: {}", full(path), reason(error))
}

/// A relative path would not tell which folder was searched.
pub fn full(path: &Path) -> String {
    let full = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    full.display().to_string()
}

/// Whether this is the text of a file in place of its path. A message must not
/// show it.
pub fn is_contents(path: &Path) -> bool {
    let text = path.to_string_lossy();
    text.contains('\n') || text.contains("-----") || text.len() > 1024
}

/// The system's error, in a few words.
pub fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "no such file".to_owned(),
        kind => kind.to_string(),
    }
}
