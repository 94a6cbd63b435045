//! The files of a sandbox client: configuration, journal, key and secrets.

use std::path::{Path, PathBuf};

use payments_core::json::{Json, Members};
use payments_core::signer::GeneratedKey;
use payments_sandbox::Sandbox;

use crate::keys::keygen;
use crate::process::failure::Failure;
use crate::process::pretty;

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

/// Fails if one of the files already exists.
///
/// # Errors
/// `exists`, with the path.
pub(crate) fn check_absent(folder: &Path) -> Result<(), Failure> {
    let keys = [keygen::PRIVATE_KEY, keygen::PUBLIC_KEY];
    keygen::check_absent(folder, &[CONFIGURATION, INTEGRATION_KEY, CLIENT_SECRET, JOURNAL])?;
    keygen::check_absent(folder, &keys)
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
