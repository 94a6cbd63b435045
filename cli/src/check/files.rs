//! Permissions of the files that hold secrets.

use std::fs::Metadata;
use std::path::Path;

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
            None => report.ok(&name, format!("only its owner can read {}", path.display())),
            Some((why, advice)) => {
                let path = path.display();
                let problem =
                    format!("{path} contains a secret, and others have access to it ({why})");
                report.warn(&name, problem, advice);
            }
        }
    }
}

/// Why others may read a file, and the remedy.
#[cfg(unix)]
fn shared(path: &Path, metadata: &Metadata) -> Option<(String, String)> {
    use std::os::unix::fs::PermissionsExt as _;

    let mode = metadata.permissions().mode() & 0o777;
    let advice = || format!("run chmod 600 {}", shell::word(&path.display().to_string()));
    (mode & 0o077 != 0).then(|| (format!("mode {mode:03o}"), advice()))
}

/// Why others may read a file, and the remedy.
#[cfg(windows)]
fn shared(path: &Path, _: &Metadata) -> Option<(String, String)> {
    let refused = payments_base::private_file::check_private(path).err()?;
    Some(("not in this user's profile".to_owned(), refused))
}
