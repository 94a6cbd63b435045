//! The files of a sandbox client: configuration, journal, key and secrets.

use std::path::{Path, PathBuf};

#[cfg(unix)]
use payments_core::ErrorCode;
use payments_core::json::{Json, Members};
use payments_core::signer::GeneratedKey;
use payments_sandbox::Sandbox;

use crate::keys::keygen;
use crate::process::failure::Failure;
use crate::process::pretty;
#[cfg(unix)]
use crate::process::shell;

mod earlier;

pub(crate) use earlier::EarlierClient;

pub(crate) const CONFIGURATION: &str = "payments.json";
const INTEGRATION_KEY: &str = "integration_key";
const CLIENT_SECRET: &str = "client_secret";
const JOURNAL: &str = "journal.db";

/// The key that signs a client's requests.
pub(crate) enum ClientKey {
    /// A key pair generated for the sandbox.
    Made(GeneratedKey),
    /// The path of an existing private key.
    File(String),
}

/// The path of a folder from anywhere. On Windows, the canonical one begins with
/// `\\?\`, which many programs do not take.
pub(crate) fn absolute(folder: &Path) -> std::io::Result<PathBuf> {
    if cfg!(windows) {
        std::path::absolute(folder)
    } else {
        payments_base::real_path::real_path(folder)
    }
}

/// Fails if one of the files already exists, or others have access to the folder.
///
/// # Errors
/// `exists`, with the path; `io` if the folder is not private.
pub(crate) fn check_new(folder: &Path) -> Result<(), Failure> {
    let keys = [keygen::PRIVATE_KEY, keygen::PUBLIC_KEY];
    keygen::check_absent(folder, &[CONFIGURATION, INTEGRATION_KEY, CLIENT_SECRET, JOURNAL])?;
    keygen::check_absent(folder, &keys)?;
    #[cfg(unix)]
    check_private(folder)?;
    Ok(())
}

#[cfg(unix)]
fn check_private(folder: &Path) -> Result<(), Failure> {
    use std::fs::Metadata;
    use std::os::unix::fs::MetadataExt as _;

    const STICKY: u32 = 0o1000;
    // The rest of what can be wrong shows when the files are written.
    let Some(metadata) = folder.metadata().ok().filter(Metadata::is_dir) else { return Ok(()) };
    let mode = metadata.mode() & 0o7777;
    if mode & 0o077 == 0 {
        return Ok(());
    }
    // A folder of root's with files in it, and one such as /tmp, may be there for others.
    let is_empty = || folder.read_dir().is_ok_and(|mut files| files.next().is_none());
    let is_own = mode & STICKY == 0 && (metadata.uid() != 0 || is_empty());
    let path = absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let word = |path: &Path| shell::word(&path.display().to_string());
    let chmod = if is_own { format!("run chmod 700 {}, or ", word(&path)) } else { String::new() };
    let message = format!(
        "--config-out: others have access to the folder {} (mode {mode:o}), which would hold a \
         private key; {chmod}name a folder that does not exist yet, such as {}",
        path.display(),
        word(&path.join("merchant"))
    );
    Err(Failure::io(ErrorCode::FILE_UNWRITABLE, message))
}

/// Writes the client's files into `folder`, readable only by the owner, and
/// returns the configuration. Its paths are absolute, so that it works from
/// any folder.
///
/// # Errors
/// A file already exists or cannot be written.
pub(crate) fn write(
    folder: &Path,
    sandbox: &Sandbox,
    kid: &str,
    key: &ClientKey,
) -> Result<Members, Failure> {
    keygen::make_folder(folder)?;
    let folder = absolute(folder).map_err(|error| keygen::not_made(folder, &error))?;
    let path_of = |name: &str| folder.join(name).display().to_string();
    // First, since it refuses a folder that others can read.
    let mut journal = None;
    if cfg!(unix) {
        payments_host::journal::file::create(&folder.join(JOURNAL))?;
        journal = Some(("journal", format!("file:{}", path_of(JOURNAL))));
    } else {
        eprintln!(
            "The configuration has no journal: Windows has none in files, only in a database."
        );
    }
    // Keeps the folder out of a repository around it.
    let ignoring = folder.join(".gitignore");
    if !ignoring.exists() {
        keygen::write_new(&ignoring, "*\n", keygen::OWNER_ONLY)?;
    }
    let key_file = match key {
        ClientKey::Made(pair) => {
            keygen::write_pair(&folder, pair)?;
            path_of(keygen::PRIVATE_KEY)
        }
        ClientKey::File(file) => std::path::absolute(file)
            .map_or_else(|_| file.clone(), |absolute| absolute.display().to_string()),
    };
    let secrets = sandbox.config();
    for (name, secret) in
        [(INTEGRATION_KEY, secrets.integration_key), (CLIENT_SECRET, secrets.client_secret)]
    {
        keygen::write_new(&folder.join(name), &secret, keygen::OWNER_ONLY)?;
    }
    let mut members = vec![
        ("integration_key_file", path_of(INTEGRATION_KEY)),
        ("client_secret_file", path_of(CLIENT_SECRET)),
        ("kid", kid.to_owned()),
        ("key_file", key_file),
    ];
    members.extend(journal);
    let members: Vec<_> = members.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let configuration = sandbox.client_configuration(&members);
    let text = pretty::indented(&Json::Object(configuration.clone()));
    keygen::write_new(&folder.join(CONFIGURATION), &format!("{text}\n"), keygen::OWNER_ONLY)?;
    Ok(configuration)
}
