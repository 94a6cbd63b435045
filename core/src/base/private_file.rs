//! Files that only their owner can read, replaced atomically.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rustix::fs::OFlags;

/// An entry takes a few KiB. A larger file is not one of ours.
const LARGEST_FILE: u64 = 1024 * 1024;
/// After this time, a temporary file counts as left behind by a dead process.
const LEFTOVER_AGE: Duration = Duration::from_secs(60);
const OTHERS: u32 = 0o077;

/// Creates the folder, or checks that only this user can access it. Returns its
/// real path.
pub(crate) fn prepare_folder(folder: &Path) -> Result<PathBuf, String> {
    let cannot_look =
        |error: io::Error| format!("could not inspect the folder {}: {error}", shown(folder));
    match std::fs::symlink_metadata(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let made = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder);
            made.map_err(|error| {
                format!("could not create the folder {}: {error}", shown(folder))
            })?;
        }
        Err(error) => return Err(cannot_look(error)),
        Ok(_) => {}
    }
    let metadata = std::fs::symlink_metadata(folder).map_err(cannot_look)?;
    if !metadata.is_dir() {
        return Err(format!(
            "{} is not a folder, or is a symbolic link to one; name a real folder",
            shown(folder)
        ));
    }
    if metadata.uid() != rustix::process::geteuid().as_raw() {
        return Err(format!(
            "the folder {} belongs to another user; name a folder that belongs to this user",
            shown(folder)
        ));
    }
    if metadata.mode() & OTHERS != 0 {
        let mode = metadata.mode() & 0o7777;
        return Err(format!(
            "the folder {} is accessible to others (mode {mode:o}); {}",
            shown(folder),
            remedy(folder, mode, metadata.uid())
        ));
    }
    std::fs::canonicalize(folder).map_err(cannot_look)
}

/// What to do about a folder of `owner` that others can access. Those of root or
/// with the sticky bit, such as `/tmp`, may be there for others.
fn remedy(folder: &Path, mode: u32, owner: u32) -> String {
    const STICKY: u32 = 0o1000;
    if owner != 0 && mode & STICKY == 0 {
        return "run chmod 700 on it".to_owned();
    }
    let own = folder.join("payments");
    format!("use a folder of its own with mode 700, such as {}", shown(&own))
}

/// Reads one of our files. `None` if it is absent, a link, too large, owned by
/// another user, or accessible to others.
pub(crate) fn read(path: &Path) -> Result<Option<Vec<u8>>, String> {
    let file = match open(OpenOptions::new().read(true), path) {
        Ok(file) => file,
        Err(error) if is_nothing(&error) => return Ok(None),
        Err(error) => return Err(format!("could not open {}: {error}", shown(path))),
    };
    if !is_ours(&file) {
        return Ok(None);
    }
    let mut contents = Vec::new();
    match file.take(LARGEST_FILE + 1).read_to_end(&mut contents) {
        Ok(_) if contents.len() as u64 <= LARGEST_FILE => Ok(Some(contents)),
        Ok(_) => Ok(None),
        Err(error) => Err(format!("could not read {}: {error}", shown(path))),
    }
}

/// Whether there is no file, or a link in its place.
fn is_nothing(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound
        || error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error())
}

fn is_ours(file: &File) -> bool {
    file.metadata().is_ok_and(|metadata| is_private(&metadata))
}

/// Whether this is a file of this user that nobody else can access.
pub(crate) fn is_private(metadata: &Metadata) -> bool {
    metadata.is_file()
        && metadata.uid() == rustix::process::geteuid().as_raw()
        && metadata.mode() & OTHERS == 0
}

/// The path as shown in messages.
pub(crate) fn shown(path: &Path) -> String {
    path.display().to_string()
}

/// Opens a file without following a symbolic link.
pub(crate) fn open(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    let flags = i32::try_from((OFlags::NOFOLLOW | OFlags::CLOEXEC).bits()).unwrap_or_default();
    options.mode(0o600).custom_flags(flags).open(path)
}

/// Replaces the file at `path` atomically.
pub(crate) fn replace(path: &Path, contents: &[u8]) -> Result<(), String> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    sweep_leftovers(path);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let temporary = path.with_extension(format!("{}-{number}.tmp", std::process::id()));
    let written = open(OpenOptions::new().write(true).create_new(true), &temporary)
        .and_then(|mut file| {
            file.write_all(contents)?;
            file.sync_all()
        })
        .and_then(|()| std::fs::rename(&temporary, path));
    written.map_err(|error| {
        let _ = std::fs::remove_file(&temporary);
        format!("could not write {}: {error}", shown(path))
    })
}

/// Removes temporary files of processes that died while saving.
fn sweep_leftovers(path: &Path) {
    let (Some(folder), Some(stem)) = (path.parent(), path.file_stem()) else {
        return;
    };
    let stem = stem.to_string_lossy();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with(stem.as_ref())
            && name.ends_with(".tmp")
            && is_older(&entry.path(), LEFTOVER_AGE)
        {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// Whether the file was last written more than `age` ago.
pub(crate) fn is_older(path: &Path, age: Duration) -> bool {
    let modified = std::fs::symlink_metadata(path).and_then(|metadata| metadata.modified()).ok();
    modified.and_then(|at| at.elapsed().ok()).is_some_and(|elapsed| elapsed > age)
}

/// Removes a file that may already be gone.
pub(crate) fn remove(path: &Path) -> Result<(), String> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(format!("could not remove {}: {error}", shown(path)))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_folder_that_others_may_need_is_to_be_closed_to_them() {
        let remedy = |folder: &str, mode, owner| remedy(Path::new(folder), mode, owner);
        assert_eq!(remedy("/var/lib/shop", 0o755, 1000), "run chmod 700 on it");
        for (folder, mode, owner) in [("/tmp", 0o1777, 0), ("/srv", 0o755, 0), ("/t", 0o1777, 7)] {
            let own = format!("use a folder of its own with mode 700, such as {folder}/payments");
            assert_eq!(remedy(folder, mode, owner), own);
        }
    }
}
