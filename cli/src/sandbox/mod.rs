//! `payments sandbox`.

pub(crate) mod client_files;

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use payments_core::ErrorCode;
use payments_core::json::{Json, Members};
use payments_core::jws::PublicKey;
use payments_core::signer::generate_key;
use payments_sandbox::{Require, Sandbox, SandboxConfig};

use crate::args::Global;
use crate::args::tool::SandboxArgs;
use crate::keys::keygen;
use crate::output;
use crate::process::failure::Failure;
use crate::process::{browser, input, progress, shell};
use crate::sandbox::client_files::{ClientKey, EarlierClient};

/// Runs the sandbox until the process is terminated.
///
/// # Errors
/// The port is in use, the public key is invalid, or a file already exists.
pub(crate) fn run(global: &Global, args: &SandboxArgs) -> Result<ExitCode, Failure> {
    let require = args.require.as_deref().map_or(Ok(Require::default()), Require::from_list);
    let invalid = |message: String| {
        Failure::usage(ErrorCode::INVALID_ARGUMENTS, format!("--require {message}"))
    };
    let require = require.map_err(invalid)?;
    let mut config = SandboxConfig {
        port: args.port,
        seed: args.seed.or(args.config_out.is_none().then_some(1)),
        require,
        accept_repeats: args.accept_repeats,
        lenient: args.lenient,
        accept_paths: args.accept_path.clone(),
        state: args.state.clone(),
        token_lifetime: Duration::from_secs(args.token_lifetime),
        ..SandboxConfig::default()
    };
    if args.port != 0 {
        // With a fixed port, a copied configuration survives a restart.
        config.client_id = "sandbox-client".to_owned();
    }
    let mut earlier = None;
    if let Some(folder) = &args.config_out {
        if args.public_key.is_some() && args.key_file.is_none() {
            let message = "--config-out with --public-key needs --key-file, since the \
                           configuration names the private key";
            return Err(Failure::usage(ErrorCode::INVALID_ARGUMENTS, message));
        }
        earlier = EarlierClient::read(folder, args)?;
        match &earlier {
            Some(client) => client.apply(&mut config)?,
            None => client_files::check_new(folder)?,
        }
    }
    let sandbox = start(config, earlier.is_some())?;
    let is_again = earlier.is_some();
    let configuration = match earlier {
        Some(client) => {
            let public_key = args.public_key.as_deref().map(public_key_in).transpose()?;
            client.register(&sandbox, public_key)?
        }
        None => client_configuration(&sandbox, args)?,
    };
    let text = if global.json {
        format!("{}\n", Json::Object(configuration).to_text())
    } else {
        format!("{}\n{}", sandbox.banner(&configuration), next_steps(&sandbox, args, is_again))
    };
    output::write_text(&text)?;
    if args.open
        && let Err(problem) = browser::open(&page_url(&sandbox))
    {
        output::note(&problem);
    }
    if args.stdin_lifetime {
        // A read error also means that the input has ended.
        let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
    } else {
        sandbox.wait();
    }
    Ok(ExitCode::SUCCESS)
}

/// The places of the files, and their use.
fn next_steps(sandbox: &Sandbox, args: &SandboxArgs, is_again: bool) -> String {
    let page = page_url(sandbox);
    let folder =
        args.config_out.as_ref().map(|it| client_files::absolute(it).unwrap_or(it.clone()));
    let (files, config, again) = match folder {
        None => (
            "Save the configuration above as payments.json, or start again with --config-out DIR, \n\
             which writes it and its key into files.\n"
                .to_owned(),
            String::new(),
            "",
        ),
        Some(folder) => {
            let file = folder.join(client_files::CONFIGURATION).display().to_string();
            let written = if is_again { "of an earlier run, unchanged" } else { "written" };
            (
                format!("Files ({written})\n  {file}\n  the key and the secrets beside it\n"),
                format!("--config {} ", shell::word(&file)),
                "  To restart the sandbox with the same key and client, run the same command.\n",
            )
        }
    };
    let forgotten = if is_again && args.state.is_none() {
        "  The journal refuses references of earlier runs, whose payments this sandbox has\n  \
         forgotten: use new ones. With --state FILE, it keeps payments.\n"
    } else {
        ""
    };
    let payment = shell::lines(&[
        &format!("payments {config}create-payment --name {}", shell::word("Maria Souza")),
        "--email maria@example.com --country br --document 853.513.468-93",
        "--payment-type-code pix --merchant-payment-code test-1",
        "--currency-code BRL --amount-total 100.10",
    ]);
    format!(
        "{files}
Next, in another terminal
  {payment}
  Then open {page} to see the request, its signature and the payment.
{again}{forgotten}
Ctrl-C ends it.
"
    )
}

/// The URL of the sandbox's web page.
pub(crate) fn page_url(sandbox: &Sandbox) -> String {
    format!("{}/", sandbox.control_url())
}

/// `is_again` says whether the port is that of an earlier run.
fn start(config: SandboxConfig, is_again: bool) -> Result<Sandbox, Failure> {
    let port = config.port;
    Sandbox::start(config).map_err(|error| {
        let message = match error.kind() {
            std::io::ErrorKind::AddrInUse if is_again => format!(
                "port {port}, which payments.json in the folder of --config-out names, is in use; \
                 stop the sandbox that runs there, or name another folder"
            ),
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
            let key_file = args.key_file.as_deref().unwrap_or(keygen::PRIVATE_KEY);
            (public_key_in(file)?, ClientKey::File(key_file.to_owned()))
        }
        None => {
            let pair = progress::while_working("creating an RSA key of 4096 bits", generate_key)?;
            (PublicKey::from_pem(&pair.public_key_pem)?, ClientKey::Made(pair))
        }
    };
    let kid = match &args.kid {
        Some(kid) => {
            sandbox.register_key_as(&public_key, kid);
            kid.clone()
        }
        None => sandbox.register_key(&public_key),
    };
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

fn public_key_in(file: &Path) -> Result<PublicKey, Failure> {
    let key = PublicKey::from_contents(&input::read_file(file)?);
    key.map_err(|error| Failure::from(error).with_member("file", file.display().to_string()))
}
