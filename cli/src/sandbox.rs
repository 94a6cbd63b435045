//! `payments sandbox`.

use std::process::ExitCode;
use std::time::Duration;

use payments_core::ErrorCode;
use payments_core::json::{Json, Members};
use payments_core::jws::PublicKey;
use payments_core::signer::generate_key;
use payments_sandbox::{Require, Sandbox, SandboxConfig};

use crate::args::Global;
use crate::client_files::{self, ClientKey};
use crate::failure::Failure;
use crate::tool_args::SandboxArgs;
use crate::{browser, input, keygen, output, progress};

/// Runs the sandbox until the process is terminated.
///
/// # Errors
/// The port is in use, the public key is invalid, or a file already exists.
pub(crate) fn run(global: &Global, args: &SandboxArgs) -> Result<ExitCode, Failure> {
    let require = match args.require.as_deref().map(Require::from_list) {
        None => Require::default(),
        Some(Ok(require)) => require,
        Some(Err(message)) => {
            return Err(Failure::usage(ErrorCode::REQUIRE_INVALID, format!("--require {message}")));
        }
    };
    let mut config = SandboxConfig {
        port: args.port,
        seed: Some(args.seed),
        require,
        accept_repeats: args.accept_repeats,
        accept_paths: args.accept_path.clone(),
        state: args.state.clone(),
        token_lifetime: Duration::from_secs(args.token_lifetime),
        ..SandboxConfig::default()
    };
    if args.port != 0 {
        // With a fixed port, a copied configuration survives a restart.
        config.client_id = "sandbox-client".to_owned();
    }
    if let Some(folder) = &args.config_out {
        if args.public_key.is_some() && args.key_file.is_none() {
            let message = "--config-out with --public-key needs --key-file, since the \
                           configuration names the private key";
            return Err(Failure::usage(ErrorCode::KEY_FILE_MISSING, message));
        }
        client_files::check_absent(folder)?;
    }
    let sandbox = start(config)?;
    let configuration = client_configuration(&sandbox, args)?;
    let text = if global.json {
        format!("{}\n", Json::Object(configuration).to_text())
    } else {
        format!("{}\nCtrl-C ends it.\n", sandbox.banner(&configuration))
    };
    output::write_text(&text)?;
    if args.open {
        browser::open(&page_url(&sandbox))?;
    }
    if args.stdin_lifetime {
        // A read error also means that the input has ended.
        let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
    } else {
        sandbox.wait();
    }
    Ok(ExitCode::SUCCESS)
}

/// The URL of the sandbox's web page.
pub(crate) fn page_url(sandbox: &Sandbox) -> String {
    format!("{}/", sandbox.control_url())
}

fn start(config: SandboxConfig) -> Result<Sandbox, Failure> {
    let port = config.port;
    Sandbox::start(config).map_err(|error| {
        let message = match error.kind() {
            std::io::ErrorKind::AddrInUse => {
                format!("port {port} is in use; give another one, or none to let the system choose")
            }
            std::io::ErrorKind::PermissionDenied => {
                format!("this user may not listen on port {port}; give one above 1023")
            }
            _ => format!("could not start the sandbox: {error}"),
        };
        Failure::usage(ErrorCode::SANDBOX_NOT_STARTED, message)
    })
}

/// Registers the given public key, or that of a new pair, and returns the
/// configuration of a client with the private key.
fn client_configuration(sandbox: &Sandbox, args: &SandboxArgs) -> Result<Members, Failure> {
    let (public_key, key) = match &args.public_key {
        Some(file) => {
            let pem = String::from_utf8_lossy(&input::read_file(file)?).into_owned();
            let key_file = args.key_file.as_deref().unwrap_or(keygen::PRIVATE_KEY);
            (pem, ClientKey::File(key_file.to_owned()))
        }
        None => {
            let pair = progress::while_working("creating an RSA key of 4096 bits", generate_key)?;
            (pair.public_key_pem.clone(), ClientKey::Made(pair))
        }
    };
    let kid = register(sandbox, &public_key, args.kid.as_deref())?;
    Ok(match (&args.config_out, &key) {
        (Some(folder), _) => client_files::write(folder, sandbox, &kid, &key)?,
        (None, ClientKey::Made(pair)) => {
            sandbox.client_configuration(&[("kid", &kid), ("key", pair.private_key_pem.expose())])
        }
        (None, ClientKey::File(file)) => {
            sandbox.client_configuration(&[("kid", &kid), ("key_file", file)])
        }
    })
}

fn register(sandbox: &Sandbox, pem: &str, kid: Option<&str>) -> Result<String, Failure> {
    let key = PublicKey::from_pem(pem)?;
    Ok(match kid {
        Some(kid) => {
            sandbox.register_key_as(&key, kid);
            kid.to_owned()
        }
        None => sandbox.register_key(&key),
    })
}
