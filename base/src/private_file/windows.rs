//! Privacy on Windows: files in the user's profile, whose access files and
//! folders inherit. The user, administrators and the system have access.

use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::os::windows::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use super::shown;
use crate::real_path::real_path;

const FILE_FLAG_OPEN_REPARSE_POINT: u32 = 0x0020_0000;

/// Creates the folder, or checks that it is one. Refuses a folder outside of the
/// user's profile. Returns its real path.
pub fn prepare_folder(folder: &Path) -> Result<PathBuf, String> {
    let cannot_look =
        |error: io::Error| format!("could not inspect the folder {}: {error}", shown(folder));
    check_private(folder)?;
    if let Err(error) = std::fs::create_dir_all(folder)
        && error.kind() != io::ErrorKind::AlreadyExists
    {
        return Err(format!("could not create the folder {}: {error}", shown(folder)));
    }
    let metadata = std::fs::symlink_metadata(folder).map_err(cannot_look)?;
    if !metadata.is_dir() {
        return Err(format!(
            "{} is not a folder, or is a link to one; name a real folder",
            shown(folder)
        ));
    }
    real_path(folder).map_err(cannot_look)
}

/// Whether a file or folder at this place is private.
///
/// # Errors
/// The reason, and the remedy.
pub fn check_private(place: &Path) -> Result<(), String> {
    let absolute = std::path::absolute(place)
        .map_err(|error| format!("could not find {}: {error}", shown(place)))?;
    check_profile(&absolute, std::env::home_dir())
}

/// Follows the links on the way. The place itself may not exist yet.
fn check_profile(place: &Path, profile: Option<PathBuf>) -> Result<(), String> {
    let profile = profile.and_then(|profile| real_path(&profile).ok());
    let existing = place.ancestors().find_map(|it| real_path(it).ok());
    match (profile, existing) {
        (Some(profile), Some(existing)) if existing.starts_with(&profile) => Ok(()),
        (Some(profile), _) => Err(format!(
            "{} is not in the profile of this user, so others may have access to it; name a place \
             below {}",
            shown(place),
            shown(&profile)
        )),
        (None, _) => Err(format!(
            "could not find the profile of this user, so others may have access to {}; set \
             USERPROFILE",
            shown(place)
        )),
    }
}

/// An open link is one, and not private.
pub(super) fn is_link(_: &io::Error) -> bool {
    false
}

/// Whether this is a file, which has the access of its folder.
pub fn is_private(metadata: &Metadata) -> bool {
    metadata.is_file()
}

/// Whether the path leads to this open file.
pub fn is_at(file: &File, path: &Path) -> bool {
    let opened = file.try_clone().and_then(same_file::Handle::from_file);
    let found = same_file::Handle::from_path(path);
    matches!((opened, found), (Ok(opened), Ok(found)) if opened == found)
}

/// Opens a file without following a symbolic link.
pub fn open(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    options.custom_flags(FILE_FLAG_OPEN_REPARSE_POINT).open(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_folder::Folder;

    #[test]
    fn only_files_in_the_profile_are_private() {
        let folder = Folder::made();
        let top = folder.path();
        let profile = top.join("maria");
        std::fs::create_dir_all(profile.join("cache")).unwrap();
        let check = |folder: &str| check_profile(&top.join(folder), Some(profile.clone()));
        for inside in ["maria/cache", "maria/new/folder", "maria"] {
            assert_eq!(check(inside), Ok(()), "{inside}");
        }
        for outside in ["maria2/cache", "", "public"] {
            let problem = check(outside).unwrap_err();
            assert!(problem.contains("is not in the profile of this user"), "{problem}");
        }
        let unknown = check_profile(&profile, None).unwrap_err();
        assert!(unknown.contains("set USERPROFILE"), "{unknown}");
    }
}
