//! Describes a file that could not be read.

use std::io;
use std::path::{Component, Path};

/// The full path and the reason, for example `/srv/shop/key.pem: no such file`.
pub fn unreadable(path: &Path, error: &io::Error) -> String {
    format!("{}: {}", full(path), reason(error))
}

/// A relative path would not tell which folder was searched.
pub fn full(path: &Path) -> String {
    let full = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    full.display().to_string()
}

/// Whether this is the text of a file in place of its path. A message must not
/// show it.
pub fn is_contents(path: &Path) -> bool {
    let text = path.to_string_lossy();
    text.contains('\n') || text.contains("-----") || text.len() > 1024
}

/// Whether a path that could not be read may be the contents of a file, such as a
/// secret. A message must not show it. A relative path begins in `folder`.
pub fn is_hidden(given: &Path, folder: &Path, error: &io::Error) -> bool {
    // Only a path leads to something that is forbidden.
    error.kind() != io::ErrorKind::PermissionDenied && may_be_contents(given, folder)
}

/// Whether `given` begins in no folder that exists, and does not end like the name of
/// a file.
fn may_be_contents(given: &Path, folder: &Path) -> bool {
    const ENDS: [&str; 14] = [
        "cer", "crt", "der", "json", "jwk", "key", "p12", "pem", "pfx", "pin", "ppk", "pub",
        "secret", "txt",
    ];
    let mut parts = given.components();
    let mut first = parts.next();
    let mut start = folder.to_owned();
    if first == Some(Component::RootDir) {
        start = Path::new("/").to_owned();
        first = parts.next();
    }
    let Some(Component::Normal(name)) = first else { return is_contents(given) };
    let begins_in_folder = parts.next().is_some() && (name == "~" || start.join(name).is_dir());
    let end = given.extension().and_then(|it| it.to_str()).unwrap_or_default();
    is_contents(given) || !(begins_in_folder || ENDS.contains(&end.to_ascii_lowercase().as_str()))
}

/// The system's error, in a few words.
pub fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "no such file".to_owned(),
        io::ErrorKind::PermissionDenied => format!("permission denied{}", to_user()),
        kind => kind.to_string(),
    }
}

/// The user of this process, who is often not the one that reads the message.
#[cfg(unix)]
fn to_user() -> String {
    let id = rustix::process::geteuid().as_raw().to_string();
    let users = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    let name = users.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1) == Some(id.as_str())).then(|| name.to_owned())
    });
    format!(" to the user {}", name.unwrap_or(id))
}

#[cfg(not(unix))]
fn to_user() -> &'static str {
    ""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_refusal_by_permissions_names_the_user() {
        let error = io::Error::from(io::ErrorKind::PermissionDenied);
        let output = std::process::Command::new("id").arg("-un").output().unwrap();
        let user = String::from_utf8(output.stdout).unwrap();
        assert_eq!(reason(&error), format!("permission denied to the user {}", user.trim()));
    }

    #[test]
    fn a_text_that_may_be_a_secret_is_no_path() {
        let folder = std::env::temp_dir();
        for text in [
            "s3cr3t-of-the-client",
            "ab/cd+ef==",
            "/Ab3+cd/ef==",
            "/Ab3cd",
            "eyJhbGciOiJI.eyJzdWIi.c2ln",
            "1234",
            "-----BEGIN PRIVATE KEY-----.pem",
        ] {
            assert!(may_be_contents(Path::new(text), &folder), "{text}");
        }
        let within = folder.join("missing/secret");
        let name = folder.file_name().unwrap_or_default();
        let relative = Path::new(name).join("secret");
        for path in [within.as_path(), Path::new("missing.pem"), Path::new("/nowhere/pin.TXT")] {
            assert!(!may_be_contents(path, Path::new("")), "{}", path.display());
        }
        for text in ["./secret", "../secret", "~/secret", ""] {
            assert!(!may_be_contents(Path::new(text), &folder), "{text}");
        }
        let above = folder.parent().unwrap_or(&folder);
        assert!(name.is_empty() || !may_be_contents(&relative, above));
    }
}
