//! `payments sign`.

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use payments_core::ErrorCode;
use payments_core::error::Reason;
use payments_core::jws::sign::{encoded_header, signing_input, token};
use payments_core::secret::Secret;
use payments_core::signer::{PrivateKey, Signer as _, SigningInput};
use payments_core::{CallContext, Error};

use crate::args::Global;
use crate::args::tool::SignArgs;
use crate::output;
use crate::process::failure::Failure;
use crate::process::input;

/// Holds the passphrase if no file is given.
const PASSPHRASE_VARIABLE: &str = "PAYMENTS_KEY_PASSPHRASE";

/// Generous: signing takes about a millisecond.
const DEADLINE: Duration = Duration::from_secs(30);

/// Prints the token that signs exactly the bytes of the body.
///
/// # Errors
/// `config` if the key cannot be used.
pub(crate) fn run(global: &Global, args: &SignArgs) -> Result<ExitCode, Failure> {
    let passphrase = passphrase(args.key_passphrase_file.as_deref())?;
    let key = PrivateKey::from_file(&args.key, passphrase.as_ref(), args.allow_small_keys)
        .map_err(advised)?;
    let signer = key.signer(&args.kid)?;
    let body = input::body(args.body.body.as_deref())?;
    let header = encoded_header(&args.kid);
    let input = signing_input(&header, &body);
    let deadline = global.timeout_ms.map_or(DEADLINE, Duration::from_millis);
    let signature = signer
        .sign(&CallContext::with_timeout(deadline), &SigningInput::new(&input))
        .map_err(|error| Failure::io(ErrorCode::SIGNER_FAILED, error.to_string()))?;
    output::write_text(&format!("{}\n", token(&header, &signature)))?;
    Ok(ExitCode::SUCCESS)
}

/// The passphrase of a private key: in that file, or in the environment.
///
/// # Errors
/// The file cannot be read.
pub(crate) fn passphrase(file: Option<&Path>) -> Result<Option<Secret>, Failure> {
    let Some(path) = file else {
        return Ok(std::env::var(PASSPHRASE_VARIABLE).ok().map(Secret::new));
    };
    Ok(Some(Secret::new(input::text_of_file(path)?)))
}

/// Adds the option to use: the library names configuration members.
pub(crate) fn advised(error: Error) -> Failure {
    let advice = match (error.path(), error.reason()) {
        (Some("key_passphrase"), _) => Some("name its file with --key-passphrase-file"),
        (_, Some(Reason::SmallKey)) => Some("here the option is --allow-small-keys"),
        _ => None,
    };
    let failure = Failure::from(error);
    advice.into_iter().fold(failure, Failure::with_advice)
}
