//! What is printed when the sandbox is started by hand.

use std::fmt::Write as _;
use std::io;

use serde_json::json;

use crate::config::SandboxConfig;
use crate::sandbox::Sandbox;

/// What `payments sandbox` starts.
#[derive(Clone, Default, Debug)]
pub struct CommandOptions {
    /// How the sandbox behaves.
    pub config: SandboxConfig,
    /// A public key in PEM to register at once.
    pub public_key_pem: Option<String>,
    /// The kid it is to get; a new one when `None`.
    pub kid: Option<String>,
    /// The file of the private key, only named in the printed configuration.
    pub key_file: Option<String>,
}

/// Starts a sandbox and returns it with the text to print. It runs until it
/// is dropped.
///
/// # Errors
/// The port is taken, or the public key is not one.
pub fn run_command(options: CommandOptions) -> io::Result<(Sandbox, String)> {
    let sandbox = Sandbox::start(options.config)?;
    let mut kid = options.kid;
    if let Some(pem) = &options.public_key_pem {
        let key = crate::signature::read_public_key(pem)
            .map_err(|message| io::Error::new(io::ErrorKind::InvalidInput, message))?;
        match &kid {
            Some(kid) => sandbox.register_key_as(&key, kid),
            None => kid = Some(sandbox.register_key(&key)),
        }
    }
    let text = sandbox.banner(kid.as_deref(), options.key_file.as_deref());
    Ok((sandbox, text))
}

pub(crate) fn client_configuration(
    sandbox: &Sandbox,
    kid: Option<&str>,
    key_file: Option<&str>,
) -> String {
    let config = sandbox.config();
    let mut members = vec![
        ("environment", json!("sandbox")),
        ("base_url", json!(sandbox.base_url())),
        ("auth_url", json!(sandbox.auth_url())),
        ("integration_key", json!(config.integration_key)),
        ("client_id", json!(config.client_id)),
        ("client_secret", json!(config.client_secret)),
    ];
    if let Some(kid) = kid {
        members.push(("kid", json!(kid)));
        members.push(("key_file", json!(key_file.unwrap_or("private_key.pem"))));
    }
    let lines: Vec<String> =
        members.into_iter().map(|(name, value)| format!("  \"{name}\": {value}")).collect();
    format!("{{\n{}\n}}", lines.join(",\n"))
}

pub(crate) fn banner(sandbox: &Sandbox, kid: Option<&str>, key_file: Option<&str>) -> String {
    let control = sandbox.control_url();
    let mut text = String::new();
    let required = sandbox.config().require.names();
    let required = if required.is_empty() { "nothing".to_owned() } else { required.join(", ") };
    let key_note = match kid {
        Some(_) => "",
        None => "With a registered key, add \"kid\" and \"key_file\".\n",
    };
    // Writing to a String does not fail.
    let _ = write!(
        text,
        "\
payments sandbox
  service   {base}/ws/...
  tokens    {base}/authorization-server/oauth/token
  control   {control}/
  required  {required} (whatever is presented must be valid)

payments.json
{configuration}
{key_note}
Control API
  register a public key   curl --data-binary @public_key.pem {control}/keys
  every request           curl {control}/requests
  payments                curl {control}/payments
  confirm, cancel         curl -X POST {control}/payments/HASH_OR_CODE/confirm
  cut the next answer     curl -d '{{\"then\":[{{\"fault\":\"close\",\"execute\":true}}]}}' {control}/faults
  decline the next one    curl -d '{{\"then\":[{{\"fault\":\"decline\"}}]}}' {control}/faults
  revoke all tokens       curl -X POST {control}/tokens/revoke
  begin again             curl -X POST {control}/reset
",
        base = sandbox.base_url(),
        configuration = client_configuration(sandbox, kid, key_file),
    );
    text
}
