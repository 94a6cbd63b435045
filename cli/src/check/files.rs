//! Permissions of the files that hold secrets, and the disk of the journal.

#[cfg(unix)]
use payments_core::config::{FIELDS, Shape};
#[cfg(unix)]
use payments_core::journal::SqliteJournal;

use super::{GivenMembers, Report};
use crate::settings::Sources;

/// Checks the configuration file if it holds secrets, and the secret files it
/// names.
#[cfg(unix)]
pub(super) fn check(report: &mut Report, sources: &Sources, given: &GivenMembers) {
    use std::os::unix::fs::PermissionsExt as _;

    let secrets = || FIELDS.iter().filter(|field| field.shape == Shape::Secret);
    let holds_secret = secrets().any(|field| given.text(field.name).is_some());
    let file =
        sources.file.clone().filter(|_| holds_secret).map(|path| ("config".to_owned(), path));
    let named = secrets().filter_map(|field| {
        let name = format!("{}_file", field.name);
        given.path(&name).map(|path| (name, path))
    });
    for (name, path) in file.into_iter().chain(named) {
        // The library reports a missing file.
        let Ok(metadata) = path.metadata() else { continue };
        let mode = metadata.permissions().mode() & 0o777;
        let path = path.display();
        if mode & 0o077 == 0 {
            report.ok(&name, format!("only its owner can read {path}"));
        } else {
            report.warn(
                &name,
                format!("{path} contains a secret, and others have access to it (mode {mode:03o})"),
                format!("run chmod 600 {path}"),
            );
        }
    }
    check_journal(report, given);
}

/// Warns of a journal that a power failure clears.
#[cfg(unix)]
fn check_journal(report: &mut Report, given: &GivenMembers) {
    let Some(path) = given.path_after("journal", "file:") else { return };
    // The library reports a missing folder.
    if path.parent().is_some_and(SqliteJournal::is_in_memory) {
        report.warn(
            "journal",
            format!(
                "{} is on a file system in memory, which a power failure clears",
                path.display()
            ),
            "put the journal on a disk",
        );
    }
}

#[cfg(not(unix))]
pub(super) fn check(_: &mut Report, _: &Sources, _: &GivenMembers) {}
