//! Reads private keys from files.

use std::fs::File;
use std::io::ErrorKind;
use std::path::Path;

use payments_base::bounded_file::read_at_most;
use payments_base::secret::{Secret, SecretBytes};
use payments_base::standard_streams;
use payments_base::unreadable::{full, is_contents, is_hidden, reason};

use super::local::PrivateKey;
use crate::model::error::{Error, ErrorCode, messages};

/// The largest private key takes a few KiB; text around it adds some.
const LARGEST_FILE: usize = 256 * 1024;

impl PrivateKey {
    /// Reads a private key from a file, in PEM or DER as accepted by
    /// [`from_pem`](Self::from_pem) and [`from_der`](Self::from_der).
    ///
    /// # Errors
    /// `config`, which states the finding, the expectation, and the remedy.
    pub fn from_file(
        path: impl AsRef<Path>,
        passphrase: Option<&Secret>,
        allow_small_keys: bool,
    ) -> Result<Self, Error> {
        let contents = read_key_file(path.as_ref(), Path::new(""))?;
        let key = Self::from_contents(contents.expose(), passphrase, allow_small_keys);
        key.map_err(|error| match error.path() {
            Some("key") => error.with_path("key_file"),
            _ => error,
        })
    }
}

fn missing(message: impl Into<String>) -> Error {
    Error::config("key_file", ErrorCode::FILE_UNREADABLE, message)
}

/// Reads the whole file. A relative path begins in `folder`.
pub(crate) fn read_key_file(given: &Path, folder: &Path) -> Result<SecretBytes, Error> {
    let path = &folder.join(given);
    let shown = shown(given, path)?;
    let unreadable = |error: std::io::Error| {
        let (file, why) = (&shown, reason(&error));
        match error.kind() {
            _ if is_hidden(given, folder, &error) => messages::no_file("key_file"),
            ErrorKind::NotFound => {
                missing(format!("could not read {file}: {why}; name an existing file"))
            }
            ErrorKind::PermissionDenied => {
                let advice = "grant the user of this process read permission";
                messages::key_file_unreadable(file, why, advice)
            }
            _ => messages::key_file_unreadable(file, why, "name a readable file"),
        }
    };
    standard_streams::occupy();
    let file = File::open(path).map_err(unreadable)?;
    if file.metadata().map_err(unreadable)?.is_dir() {
        return Err(messages::key_file_is_directory(shown));
    }
    let contents = read_at_most(file, LARGEST_FILE).map_err(unreadable)?;
    let mut contents = contents.ok_or_else(|| messages::key_file_too_large(&shown))?;
    Ok(SecretBytes::new(std::mem::take(&mut *contents)))
}

/// The path as shown in messages. Refuses the text of a key given in place of
/// its path, which would then be shown.
fn shown(given: &Path, path: &Path) -> Result<String, Error> {
    let text = given.to_string_lossy();
    if text.is_empty() {
        return Err(missing("the path is empty; name the private key file"));
    }
    if is_contents(given) {
        return Err(messages::key_file_is_key());
    }
    Ok(if text.len() <= 255 { full(path) } else { "the file".to_owned() })
}
