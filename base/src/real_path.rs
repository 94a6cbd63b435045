//! The real path of a file, without `realpath` of the C library on Unix.
//!
//! `std::fs::canonicalize` frees what `realpath` allocates. A host that loads the
//! library with `RTLD_DEEPBIND`, as PHP does, under a preloaded allocator has two:
//! the C library then allocates with one, and the library frees with the other.

#[cfg(unix)]
use std::ffi::{OsStr, OsString};
use std::io;
#[cfg(unix)]
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

#[cfg(unix)]
use rustix::io::Errno;

/// The absolute path of an existing file, without symbolic links, `.` and `..`.
///
/// # Errors
/// Those of the system: a part does not exist, is not a folder or may not be
/// searched, or links form a loop.
#[cfg(unix)]
pub fn real_path(path: &Path) -> io::Result<PathBuf> {
    /// As many as Linux follows.
    const MOST_LINKS: usize = 40;

    let mut real = if path.is_absolute() { PathBuf::from("/") } else { std::env::current_dir()? };
    let mut rest = backwards(path)?;
    let mut links = 0;
    while let Some(part) = rest.pop() {
        // Also for `..` and `.`, which only a folder has.
        if !std::fs::symlink_metadata(&real)?.is_dir() {
            return Err(Errno::NOTDIR.into());
        }
        if part == ".." {
            real.pop();
        } else if part != "." {
            real.push(part);
            if std::fs::symlink_metadata(&real)?.is_symlink() {
                links += 1;
                if links > MOST_LINKS {
                    return Err(Errno::LOOP.into());
                }
                let target = std::fs::read_link(&real)?;
                real.pop();
                rest.append(&mut backwards(&target)?);
                if target.is_absolute() {
                    real = PathBuf::from("/");
                }
            }
        }
    }
    Ok(real)
}

/// The parts of a path, the last one first. A trailing slash counts as a last
/// part `.`: the path before it must be a folder.
#[cfg(unix)]
fn backwards(path: &Path) -> io::Result<Vec<OsString>> {
    let bytes = path.as_os_str().as_bytes();
    if bytes.is_empty() {
        return Err(Errno::NOENT.into());
    }
    let parts = bytes.split(|byte| *byte == b'/').rev().enumerate();
    let parts = parts.filter_map(|(from_end, part)| match part {
        b"" => (from_end == 0).then(|| OsString::from(".")),
        part => Some(OsStr::from_bytes(part).to_owned()),
    });
    Ok(parts.collect())
}

/// The absolute path of an existing file, without links, `.` and `..`.
///
/// # Errors
/// Those of the system: a part does not exist or may not be searched.
#[cfg(windows)]
#[expect(clippy::disallowed_methods, reason = "Windows writes into memory of the caller")]
pub fn real_path(path: &Path) -> io::Result<PathBuf> {
    std::fs::canonicalize(path)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::test_folder::Folder;

    /// The result of the C library.
    #[expect(clippy::disallowed_methods, reason = "a test has one allocator")]
    fn expected(path: &Path) -> Result<PathBuf, Option<i32>> {
        std::fs::canonicalize(path).map_err(|error| error.raw_os_error())
    }

    fn found(path: &Path) -> Result<PathBuf, Option<i32>> {
        real_path(path).map_err(|error| error.raw_os_error())
    }

    #[test]
    fn the_path_is_that_of_the_c_library() {
        use std::os::unix::fs::symlink;
        let folder = Folder::made();
        let top = folder.path();
        std::fs::create_dir_all(top.join("a/b")).unwrap();
        std::fs::write(top.join("a/file"), "").unwrap();
        for (link, target) in [
            ("relative", "a/b"),
            ("up", "a/b/../.."),
            ("to_file", "a/file"),
            ("file_as_folder", "a/file/"),
            ("loop", "loop"),
            ("nowhere", "absent/file"),
            ("a/b/chain", "../../relative"),
            ("root", "/"),
            ("slashes", "a//b/"),
        ] {
            symlink(target, top.join(link)).unwrap();
        }
        symlink(top.join("a"), top.join("absolute")).unwrap();
        for name in [
            "",
            ".",
            "..",
            "a",
            "a/",
            "a/.",
            "a//b/./..",
            "a/file",
            "a/file/",
            "a/file/.",
            "a/file/..",
            "a/file/x",
            "relative",
            "relative/",
            "relative/..",
            "up/a/b",
            "to_file",
            "to_file/",
            "file_as_folder",
            "file_as_folder/x",
            "loop",
            "loop/x",
            "nowhere",
            "absent",
            "absent/..",
            "a/b/chain",
            "a/b/chain/../file",
            "root",
            "root/usr",
            "slashes",
            "absolute/b/../file",
            "../..//../../../../../../../../../../..",
        ] {
            let path = top.join(name);
            assert_eq!(found(&path), expected(&path), "{name}");
        }
    }

    #[test]
    fn a_path_may_be_relative_or_one_of_the_system() {
        for name in [
            "",
            ".",
            "..",
            "src",
            "src/../Cargo.toml",
            "./src/lib.rs",
            "absent",
            "/",
            "//",
            "/..",
            "/proc/self/cwd",
            "/proc/self/cwd/src",
            "/dev/null",
            "/dev/null/",
            "/proc/self/exe",
        ] {
            let path = Path::new(name);
            assert_eq!(found(path), expected(path), "{name}");
        }
        let long = format!("/{}", "a".repeat(300));
        assert_eq!(found(Path::new(&long)), expected(Path::new(&long)));
    }

    /// Other systems follow fewer.
    #[cfg(target_os = "linux")]
    #[test]
    fn links_are_followed_up_to_the_limit_of_the_system() {
        let folder = Folder::made();
        for number in 0..42_u32 {
            let link = folder.path().join((number + 1).to_string());
            std::os::unix::fs::symlink(number.to_string(), link).unwrap();
        }
        std::fs::write(folder.path().join("0"), "").unwrap();
        for number in [39, 40, 41] {
            let path = folder.path().join(number.to_string());
            assert_eq!(found(&path).is_ok(), std::fs::metadata(&path).is_ok(), "{number} links");
        }
    }
}
