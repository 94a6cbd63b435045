//! A folder that needs no configuration.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::base::private_file;
use crate::token::StoreError;

/// Returns the first usable folder of the user; creates it if absent.
pub(super) fn choose_folder() -> Result<PathBuf, StoreError> {
    let mut problems = Vec::new();
    for folder in user_folders(|name| std::env::var_os(name)) {
        match private_file::prepare_folder(&folder) {
            Ok(folder) => return Ok(folder),
            Err(problem) => problems.push(problem),
        }
    }
    Err(StoreError::new(format!(
        "this user has no folder for tokens: {}; set XDG_CACHE_HOME, or name a folder in \
         token_store",
        problems.join("; ")
    )))
}

/// The user's cache folder, then one in the temporary directory.
fn user_folders(variable: impl Fn(&str) -> Option<OsString>) -> Vec<PathBuf> {
    let absolute = |name: &str| variable(name).map(PathBuf::from).filter(|it| it.is_absolute());
    let cache = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")));
    let user = rustix::process::geteuid().as_raw();
    let temporary = absolute("TMPDIR").unwrap_or_else(std::env::temp_dir);
    let cache = cache.map(|folder| folder.join("libpayments"));
    cache.into_iter().chain([temporary.join(format!("libpayments-{user}"))]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
