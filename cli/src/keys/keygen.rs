//! `payments keygen`.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::path::Path;
use std::process::ExitCode;

use payments_base::unreadable::reason;
use payments_core::ErrorCode;
use payments_core::json::{Json, Members};
use payments_core::jws::PublicKey;
use payments_core::signer::{GeneratedKey, generate_key};
use payments_host::commands::{WIDTH, wrapped};

use crate::args::Global;
use crate::output;
use crate::process::failure::Failure;
use crate::process::progress;

/// The private key's file name. Only the owner can read the file.
pub(crate) const PRIVATE_KEY: &str = "private_key.pem";
/// The public key's file name.
pub(crate) const PUBLIC_KEY: &str = "public_key.pem";

/// The mode of files that hold secrets.
pub(crate) const OWNER_ONLY: u32 = 0o600;
#[cfg(unix)]
const OWNER_ONLY_FOLDER: u32 = 0o700;
const EVERYONE_READS: u32 = 0o644;

/// Generates a key pair and writes it to two new files.
///
/// # Errors
/// A file already exists or cannot be written.
pub(crate) fn run(global: &Global, folder: &Path) -> Result<ExitCode, Failure> {
    check_absent(folder, &[PRIVATE_KEY, PUBLIC_KEY])?;
    make_folder(folder)?;
    let key = progress::while_working("creating an RSA key of 4096 bits", generate_key)?;
    write_pair(folder, &key)?;
    let thumbprint = PublicKey::from_pem(&key.public_key_pem)?.thumbprint().to_owned();
    let text = if output::is_for_people(global) {
        for_people(folder, &thumbprint)
    } else {
        output::json_text(&as_json(folder, &thumbprint))
    };
    output::write_text(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// Fails if `folder` already has a file with one of these names.
///
/// # Errors
/// `exists`, with the path.
pub(crate) fn check_absent(folder: &Path, names: &[&str]) -> Result<(), Failure> {
    match names.iter().map(|name| folder.join(name)).find(|path| path.symlink_metadata().is_ok()) {
        Some(path) => Err(exists(&path)),
        None => Ok(()),
    }
}

/// Creates the folder, accessible only to the owner, unless it exists.
///
/// # Errors
/// It cannot be created.
pub(crate) fn make_folder(folder: &Path) -> Result<(), Failure> {
    #[cfg(windows)]
    refuse_shared(folder)?;
    owner_only().recursive(true).create(folder).map_err(|error| not_made(folder, &error))
}

/// Creates a folder accessible only to the owner; `false` if it exists.
///
/// # Errors
/// It cannot be created.
pub(crate) fn make_new_folder(folder: &Path) -> Result<bool, Failure> {
    #[cfg(windows)]
    refuse_shared(folder)?;
    match owner_only().create(folder) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(not_made(folder, &error)),
    }
}

/// Refuses a place for private files that others may have access to.
///
/// # Errors
/// It is not in the user's profile.
#[cfg(windows)]
pub(crate) fn refuse_shared(place: &Path) -> Result<(), Failure> {
    payments_base::private_file::check_private(place)
        .map_err(|problem| Failure::io(ErrorCode::FILE_UNWRITABLE, problem))
}

#[cfg(unix)]
fn owner_only() -> DirBuilder {
    let mut builder = DirBuilder::new();
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, OWNER_ONLY_FOLDER);
    builder
}

#[cfg(windows)]
fn owner_only() -> DirBuilder {
    DirBuilder::new()
}

/// The failure for a folder that cannot be created.
pub(crate) fn not_made(folder: &Path, error: &std::io::Error) -> Failure {
    let message =
        format!("could not create the folder {folder:?} ({}); name another", reason(error));
    Failure::io(ErrorCode::FILE_UNWRITABLE, message)
}

/// Writes both keys of a pair to new files in `folder`.
///
/// # Errors
/// A file already exists or cannot be written.
pub(crate) fn write_pair(folder: &Path, key: &GeneratedKey) -> Result<(), Failure> {
    write_new(&folder.join(PRIVATE_KEY), key.private_key_pem.expose(), OWNER_ONLY)?;
    write_new(&folder.join(PUBLIC_KEY), &key.public_key_pem, EVERYONE_READS)
}

/// Writes a new file. It is created with its final permissions, so others can
/// never read it.
///
/// # Errors
/// The file already exists or cannot be written.
pub(crate) fn write_new(path: &Path, text: &str, mode: u32) -> Result<(), Failure> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, mode);
    // On Windows, the folder decides.
    #[cfg(windows)]
    let _ = mode;
    let write = |mut file: File| file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
    options.open(path).and_then(write).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => exists(path),
        _ => Failure::io(
            ErrorCode::FILE_UNWRITABLE,
            format!("could not write the file {path:?} ({}); name another folder", reason(&error)),
        ),
    })
}

fn exists(path: &Path) -> Failure {
    Failure::usage(
        ErrorCode::EXISTS,
        format!("{path:?} exists and is not overwritten; name another folder"),
    )
}

/// The next steps for the two files.
const NEXT: [&str; 3] = [
    "send public_key.pem to the provider's integration contact, who registers it and returns the kid",
    "put kid and key_file into payments.json",
    "keep private_key.pem in a secrets manager, and never in version control, logs or \
     client-side code",
];

fn as_json(folder: &Path, thumbprint: &str) -> Json {
    let path = |name: &str| Json::from(folder.join(name).display().to_string());
    let next: Vec<Json> = NEXT.into_iter().map(Json::from).collect();
    Members::from([
        ("private_key_file", path(PRIVATE_KEY)),
        ("public_key_file", path(PUBLIC_KEY)),
        ("thumbprint", Json::from(thumbprint)),
        ("next", Json::Array(next)),
    ])
    .into()
}

fn for_people(folder: &Path, thumbprint: &str) -> String {
    let mut text = format!(
        "private key  {}  (readable by you alone)\npublic key   {}\nthumbprint   {thumbprint}\n\nNext:\n",
        folder.join(PRIVATE_KEY).display(),
        folder.join(PUBLIC_KEY).display(),
    );
    for (index, step) in NEXT.iter().enumerate() {
        for (line, part) in wrapped(step, WIDTH - 6).iter().enumerate() {
            let number = if line == 0 { format!("{}.", index + 1) } else { String::new() };
            text.push_str(&format!("  {number:<3}{part}\n"));
        }
    }
    text.push_str(
        "\nTo try it now, `payments sandbox --public-key FILE` registers it with a sandbox.\n",
    );
    text
}
