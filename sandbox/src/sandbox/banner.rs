//! The text printed when the sandbox is started by hand.

use std::fmt::Write as _;

use payments_core::json::{Json, Members};

use crate::service::Service;

/// Formats the members, one per line.
pub(crate) fn indented(configuration: &Members) -> String {
    let line = |(name, value): (&str, &Json)| {
        format!("  {}: {}", Json::from(name).to_text(), value.to_text())
    };
    let lines: Vec<String> = configuration.iter().map(line).collect();
    format!("{{\n{}\n}}", lines.join(",\n"))
}

pub(crate) fn banner(service: &Service, configuration: &Members) -> String {
    let control = service.control_url();
    let mut text = String::new();
    let required = service.config().require.names();
    let required = if required.is_empty() { "nothing".to_owned() } else { required.join(", ") };
    let key_note = if configuration.contains("kid") {
        ""
    } else {
        "With a registered key, add \"kid\" and \"key_file\".\n"
    };
    // Writing to a String cannot fail.
    let _ = write!(
        text,
        "\
payments sandbox
  page      {control}/
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
  cut the next response   curl -d '{{\"then\":[{{\"fault\":\"close\",\"execute\":true}}]}}' {control}/faults
  decline the next one    curl -d '{{\"then\":[{{\"fault\":\"decline\"}}]}}' {control}/faults
  revoke all tokens       curl -X POST {control}/tokens/revoke
  reset                   curl -X POST {control}/reset
",
        base = service.base_url,
        configuration = indented(configuration),
    );
    text
}
