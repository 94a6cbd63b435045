//! Permissions of the files that hold secrets.

use std::fs::Metadata;
use std::path::Path;

use payments_base::private_file;
use payments_core::config::{FIELDS, Shape};

use super::{ConfiguredMembers, Report};
#[cfg(unix)]
use crate::process::shell;
use crate::settings::Sources;

/// Checks the configuration file if it holds secrets, and the secret files it
/// names.
pub(super) fn check(report: &mut Report, sources: &Sources, given: &ConfiguredMembers) {
    let secrets = || FIELDS.iter().filter(|field| field.shape == Shape::Secret);
    let file = sources.file.clone().filter(|_| given.has_secret_in_file);
    let file = file.map(|path| ("config".to_owned(), path));
    let named = secrets().filter_map(|field| {
        let name = format!("{}_file", field.name);
        given.path(&name).map(|path| (name, path))
    });
    for (name, path) in file.into_iter().chain(named) {
        // The library reports a missing file.
        let Ok(metadata) = path.metadata() else { continue };
        match shared(&path, &metadata) {
            Ok(readers) => {
                report.ok(&name, format!("only {readers} can read {}", path.display()));
            }
            Err((why, advice)) => {
                let path = path.display();
                let problem =
                    format!("{path} contains a secret, and others have access to it ({why})");
                report.warn(&name, problem, advice);
            }
        }
    }
}

/// The readers of a file, or why others are among them, and the remedy.
#[cfg(unix)]
fn shared(path: &Path, metadata: &Metadata) -> Result<&'static str, (String, String)> {
    use std::os::unix::fs::MetadataExt as _;

    let mode = metadata.mode() & 0o777;
    if private_file::is_for_others(metadata) {
        let advice = format!("run chmod 600 {}", shell::word(&path.display().to_string()));
        return Err((format!("mode {mode:03o}"), advice));
    }
    Ok(if mode & 0o040 == 0 { "its owner" } else { "root and its group" })
}

/// The readers of a file, or why others are among them, and the remedy.
#[cfg(windows)]
fn shared(path: &Path, _: &Metadata) -> Result<&'static str, (String, String)> {
    let checked = private_file::check_private(path);
    checked.map_err(|refused| ("not in this user's profile".to_owned(), refused))?;
    Ok("its owner")
}
