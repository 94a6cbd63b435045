//! Privacy on Unix: files that belong to this user, without access for others.

use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

use super::shown;
use crate::real_path::real_path;
use crate::standard_streams;

const OTHERS: u32 = 0o077;

/// Creates the folder, or checks that only this user can access it. Returns its
/// real path.
pub fn prepare_folder(folder: &Path) -> Result<PathBuf, String> {
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
    real_path(folder).map_err(cannot_look)
}

/// The remedy for a folder of `owner` that others can access. Those of root or
/// with the sticky bit, such as `/tmp`, may be there for others.
fn remedy(folder: &Path, mode: u32, owner: u32) -> String {
    const STICKY: u32 = 0o1000;
    if owner != 0 && mode & STICKY == 0 {
        return "run chmod 700 on it".to_owned();
    }
    let own = folder.join("payments");
    format!("use a folder of its own with mode 700, such as {}", shown(&own))
}

/// Whether there is a link in place of a file.
pub(super) fn is_link(error: &io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error())
}

/// Whether this is a file of this user that no other user can access.
pub fn is_private(metadata: &Metadata) -> bool {
    metadata.is_file()
        && metadata.uid() == rustix::process::geteuid().as_raw()
        && metadata.mode() & OTHERS == 0
}

/// Whether others can access a file with a secret. The group of a file that root
/// owns may read it: Kubernetes mounts secrets this way.
pub fn is_for_others(metadata: &Metadata) -> bool {
    let user = rustix::process::geteuid().as_raw();
    metadata.mode() & forbidden(metadata.uid(), user) != 0
}

/// The bits that the mode of a secret must not have, for a file of `owner`.
const fn forbidden(owner: u32, user: u32) -> u32 {
    const READING_BY_GROUP: u32 = 0o040;
    if owner == 0 && user != 0 { OTHERS & !READING_BY_GROUP } else { OTHERS }
}

/// Whether the path leads to this open file.
pub fn is_at(file: &File, path: &Path) -> bool {
    let inode = |metadata: Metadata| (metadata.dev(), metadata.ino());
    let opened = file.metadata().ok().map(inode);
    opened.is_some() && opened == std::fs::symlink_metadata(path).ok().map(inode)
}

/// Opens a file without following a symbolic link.
pub fn open(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    standard_streams::occupy();
    let flags = i32::try_from((OFlags::NOFOLLOW | OFlags::CLOEXEC).bits()).unwrap_or_default();
    options.mode(0o600).custom_flags(flags).open(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_folder::Folder;

    #[test]
    fn a_folder_of_another_user_is_refused() {
        let folder = Folder::made();
        let is_root = rustix::process::geteuid().is_root();
        if is_root {
            std::os::unix::fs::chown(folder.path(), Some(12_345), None).unwrap();
        }
        // To everybody else, the top belongs to another user.
        let of_another = if is_root { folder.path() } else { Path::new("/") };
        let problem = prepare_folder(of_another).unwrap_err();
        assert!(problem.ends_with("name a folder that belongs to this user"), "{problem}");
    }

    #[test]
    fn only_root_lends_a_secret_to_its_group() {
        for (owner, user, mode, is_refused) in [
            (0, 1000, 0o440, false),
            (0, 1000, 0o640, false),
            (0, 1000, 0o460, true),
            (0, 1000, 0o450, true),
            (0, 1000, 0o444, true),
            (0, 0, 0o440, true),
            (1000, 1000, 0o440, true),
            (1000, 1000, 0o600, false),
        ] {
            assert_eq!(mode & forbidden(owner, user) != 0, is_refused, "{owner} {user} {mode:o}");
        }
    }

    #[test]
    fn a_folder_that_others_may_need_is_not_to_be_closed() {
        let remedy = |folder: &str, mode, owner| remedy(Path::new(folder), mode, owner);
        assert_eq!(remedy("/var/lib/shop", 0o755, 1000), "run chmod 700 on it");
        for (folder, mode, owner) in [("/tmp", 0o1777, 0), ("/srv", 0o755, 0), ("/t", 0o1777, 7)] {
            let own = format!("use a folder of its own with mode 700, such as {folder}/payments");
            assert_eq!(remedy(folder, mode, owner), own);
        }
    }
}
