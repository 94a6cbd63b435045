//! Files that only their owner can read, replaced atomically.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(windows)]
pub use system::check_private;
use system::is_link;
pub use system::{is_at, is_private, open, prepare_folder};
#[cfg(unix)]
use unix as system;
#[cfg(unix)]
pub use unix::is_for_others;
#[cfg(windows)]
use windows as system;

/// An entry takes a few KiB. A larger file is not one that this library wrote.
const LARGEST_FILE: u64 = 1024 * 1024;
/// After this time, a temporary file counts as left behind by a dead process.
const LEFTOVER_AGE: Duration = Duration::from_secs(60);

/// Reads one of our files. `None` if it is absent, a link, too large, owned by
/// another user, or accessible to others.
pub fn read(path: &Path) -> Result<Option<Vec<u8>>, String> {
    let file = match open(OpenOptions::new().read(true), path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound || is_link(&error) => {
            return Ok(None);
        }
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

fn is_ours(file: &File) -> bool {
    file.metadata().is_ok_and(|metadata| is_private(&metadata))
}

/// The path as shown in messages.
pub fn shown(path: &Path) -> String {
    path.display().to_string()
}

/// Replaces the file at `path` atomically.
pub fn replace(path: &Path, contents: &[u8]) -> Result<(), String> {
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
pub fn is_older(path: &Path, age: Duration) -> bool {
    let modified = std::fs::symlink_metadata(path).and_then(|metadata| metadata.modified()).ok();
    modified.and_then(|at| at.elapsed().ok()).is_some_and(|elapsed| elapsed > age)
}

/// Removes a file that may already be gone.
pub fn remove(path: &Path) -> Result<(), String> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(format!("could not remove {}: {error}", shown(path)))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;
    use crate::test_folder::Folder;

    /// Windows reports a path below a file as absent.
    #[cfg(unix)]
    #[test]
    fn an_obstacle_is_named() {
        let folder = Folder::new();
        let file = folder.write("file", "text");
        let below = file.join("state");
        assert_eq!(remove(&folder.path().join("gone")), Ok(()));
        for (done, said) in [
            (read(&below).map(drop), "could not open"),
            (replace(&below, b"text"), "could not write"),
            (remove(&below), "could not remove"),
            (prepare_folder(&below).map(drop), "could not"),
        ] {
            let problem = done.unwrap_err();
            assert!(problem.contains(said) && problem.contains("state"), "{problem}");
        }
    }

    #[test]
    fn files_of_a_dead_process_are_removed_after_a_while() {
        let folder = Folder::new();
        let [old, new, other] = ["state.1-0.tmp", "state.2-0.tmp", "mail.1-0.tmp"]
            .map(|name| folder.write(name, "half"));
        for path in [&old, &other] {
            let file = OpenOptions::new().write(true).open(path).unwrap();
            file.set_modified(SystemTime::now() - LEFTOVER_AGE - LEFTOVER_AGE).unwrap();
        }
        replace(&folder.path().join("state"), b"text").unwrap();
        assert_eq!([old, new, other].map(|it| it.exists()), [false, true, true]);
    }
}
