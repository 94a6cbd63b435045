//! A folder that needs no configuration.

use std::ffi::OsString;
use std::path::PathBuf;

use payments_base::private_file;

use crate::token::StoreError;

/// Returns the first usable folder of the user, by these environment variables;
/// creates it if absent.
pub(super) fn choose_folder(
    variable: impl Fn(&str) -> Option<OsString>,
) -> Result<PathBuf, StoreError> {
    let mut problems = Vec::new();
    for folder in user_folders(variable) {
        match private_file::prepare_folder(&folder) {
            Ok(folder) => return Ok(folder),
            Err(problem) => problems.push(problem),
        }
    }
    Err(StoreError::new(format!(
        "this user has no folder for tokens: {}; set {CACHE}, or name a folder in token_store",
        problems.join("; ")
    )))
}

/// The variable that names the cache folder of the user.
const CACHE: &str = if cfg!(windows) { "LOCALAPPDATA" } else { "XDG_CACHE_HOME" };

/// The user's cache folder, then one in the temporary directory.
fn user_folders(variable: impl Fn(&str) -> Option<OsString>) -> Vec<PathBuf> {
    let absolute = |name: &str| variable(name).map(PathBuf::from).filter(|it| it.is_absolute());
    let cache = absolute(CACHE).or_else(|| {
        if cfg!(windows) {
            Some(absolute("USERPROFILE")?.join("AppData").join("Local"))
        } else {
            Some(absolute("HOME")?.join(".cache"))
        }
    });
    let temporary = absolute("TMPDIR").unwrap_or_else(std::env::temp_dir);
    let cache = cache.map(|folder| folder.join("libpayments"));
    cache.into_iter().chain([temporary.join(of_user())]).collect()
}

/// Users share the temporary directory.
#[cfg(unix)]
fn of_user() -> String {
    format!("libpayments-{}", rustix::process::geteuid().as_raw())
}

/// The temporary directory is in the profile, or refused.
#[cfg(windows)]
fn of_user() -> String {
    "libpayments".to_owned()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::test_folder::Folder;

    #[test]
    fn the_cache_folder_of_the_user_comes_first() {
        let folders = |cache: Option<&str>, home: Option<&str>| {
            let folders = user_folders(|name| match name {
                "XDG_CACHE_HOME" => cache.map(Into::into),
                "HOME" => home.map(Into::into),
                _ => Some("/run/temporary".into()),
            });
            let shown: Vec<_> = folders.iter().map(|it| it.display().to_string()).collect();
            shown
        };
        let user = rustix::process::geteuid().as_raw();
        let temporary = format!("/run/temporary/libpayments-{user}");
        for (cache, home, first) in [
            (Some("/cache"), Some("/users/maria"), "/cache/libpayments"),
            (Some("relative"), Some("/users/maria"), "/users/maria/.cache/libpayments"),
            (Some(""), Some("/users/maria"), "/users/maria/.cache/libpayments"),
            (None, Some("/users/maria"), "/users/maria/.cache/libpayments"),
        ] {
            assert_eq!(folders(cache, home), [first, &temporary]);
        }
        assert_eq!(folders(None, None), [&*temporary]);
        assert_eq!(folders(None, Some("")), [&*temporary]);
    }

    #[test]
    fn a_folder_that_cannot_be_used_leaves_the_next() {
        let temporary = Folder::made();
        let folder = choose_folder(|name| match name {
            "XDG_CACHE_HOME" => Some("/dev/null".into()),
            "TMPDIR" => Some(temporary.path().into()),
            _ => None,
        });
        let folder = folder.unwrap();
        assert_eq!(folder, temporary.path().join(of_user()));
        assert!(folder.is_dir());
        let nowhere = |_: &str| Some(OsString::from("/dev/null"));
        let message = choose_folder(nowhere).unwrap_err().to_string();
        assert!(message.contains("/dev/null/libpayments"), "{message}");
    }
}

#[cfg(all(test, windows))]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn the_cache_folder_of_the_user_comes_first() {
        let first = |cache: Option<&str>| {
            let folders = user_folders(|name| match name {
                "LOCALAPPDATA" => cache.map(Into::into),
                "USERPROFILE" => Some(r"C:\users\maria".into()),
                _ => None,
            });
            folders[0].clone()
        };
        let own = Path::new(r"C:\users\maria\AppData\Local\libpayments");
        assert_eq!(first(Some(r"D:\cache")), Path::new(r"D:\cache\libpayments"));
        assert_eq!(first(None), own);
        assert_eq!(first(Some("relative")), own);
    }
}
