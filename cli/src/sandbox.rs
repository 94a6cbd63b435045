//! `payments sandbox`.

use std::process::ExitCode;
use std::time::Duration;

use payments_core::json::{Json, Members};
use payments_sandbox::{CommandOptions, Require, SandboxConfig};

use crate::args::{Global, SandboxArgs};
use crate::failure::Failure;
use crate::{input, output};

/// Runs the sandbox until the process is ended.
///
/// # Errors
/// The port is taken, or the public key is not one.
pub(crate) fn run(global: &Global, args: &SandboxArgs) -> Result<ExitCode, Failure> {
    let require = Require::from_list(&args.require)
        .map_err(|message| Failure::usage("require_invalid", format!("--require {message}")))?;
    let config = SandboxConfig {
        port: args.port,
        seed: Some(args.seed),
        require,
        accept_repeats: args.accept_repeats,
        accept_paths: args.accept_path.clone(),
        token_lifetime: Duration::from_secs(args.token_lifetime),
        ..SandboxConfig::default()
    };
    let public_key_pem = args.public_key.as_deref().map(input::read_file).transpose()?;
    let options = CommandOptions {
        config,
        public_key_pem: public_key_pem.map(|pem| String::from_utf8_lossy(&pem).into_owned()),
        kid: args.kid.clone(),
        key_file: args.key_file.clone(),
    };
    let (sandbox, banner) = payments_sandbox::run_command(options).map_err(|error| {
        let message = match error.kind() {
            std::io::ErrorKind::AddrInUse => {
                format!("port {} is taken; give another, or none for a free one", args.port)
            }
            std::io::ErrorKind::PermissionDenied => {
                format!("port {} is not open to you; give one above 1023", args.port)
            }
            _ => format!("the sandbox cannot start: {error}"),
        };
        Failure::usage("sandbox_not_started", message)
    })?;
    let text = if global.json {
        let report = Members::from([
            ("base_url", sandbox.base_url().to_owned()),
            ("auth_url", sandbox.auth_url().to_owned()),
            ("control_url", sandbox.control_url()),
        ]);
        format!("{}\n", Json::Object(report).to_text())
    } else {
        format!("{banner}\nCtrl-C ends it.\n")
    };
    output::write_text(&text)?;
    sandbox.wait();
    Ok(ExitCode::SUCCESS)
}
