//! The servers that are trusted: each chain of `tests/tls/chains.json`. With `UPDATE=1`, the
//! verdicts of curl and of this library are written there.

use std::fs::{read_to_string, write};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use payments_core::{CallContext, Client};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::support::calls;
use crate::support::chains::Certificates;
use crate::support::der::pem;
use crate::support::raw_server::{RawServer, created};
use crate::support::tls_server::{self, TemporaryFile};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    #[serde(rename = "about")]
    _about: String,
    /// The curl that gave its verdicts.
    #[serde(rename = "curl")]
    _curl: String,
    certificates: Map<String, Value>,
    chains: Vec<Chain>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Chain {
    name: String,
    #[serde(default)]
    certificates: Map<String, Value>,
    /// The certificates that the server sends, its own first; by default its own only.
    sent: Option<Vec<String>>,
    /// The name of the key that the server has; by default the first of `sent`.
    server_key: Option<String>,
    /// The certificates in `ca_file`; by default the root.
    trusted: Option<Vec<String>>,
    host: Option<String>,
    curl: String,
    payments: String,
    /// Why the verdicts differ.
    reason: Option<String>,
}

const ACCEPTED: &str = "accepted";

/// A server that sends the chain, and the trusted certificates.
fn server_of(chain: &Chain, common: &Map<String, Value>) -> (RawServer, TemporaryFile) {
    let mut certificates = Certificates::new(common, &chain.certificates);
    let sent = chain.sent.clone().unwrap_or_else(|| vec!["own".to_owned()]);
    let trusted = chain.trusted.clone().unwrap_or_else(|| vec!["root".to_owned()]);
    let trusted: String =
        trusted.iter().map(|it| pem("CERTIFICATE", &certificates.of(it))).collect();
    let ders: Vec<_> = sent.iter().map(|name| certificates.of(name)).collect();
    let key = certificates.key_of(chain.server_key.as_ref().unwrap_or(&sent[0]));
    let server = tls_server::start(tls_server::sending(&ders, key), |mut connection| {
        while connection.read_request().is_some() && connection.write(&created()) {}
    });
    (server, TemporaryFile::new(trusted.as_bytes()))
}

/// "accepted", or the reason in the message, up to what depends on the clock.
fn verdict(url: &str, trusted: &TemporaryFile) -> String {
    let client = Client::new(calls::config(url).ca_file(&trusted.0)).unwrap();
    let context = CallContext::with_timeout(Duration::from_secs(10));
    match client.execute(&calls::payment("order-1"), &context) {
        Ok(_) => ACCEPTED.to_owned(),
        Err(error) => {
            let (_, reason) = error.message().split_once(" failed: ").unwrap();
            reason.split("; ").next().unwrap().to_owned()
        }
    }
}

/// The same of curl.
fn verdict_of_curl(url: &str, trusted: &TemporaryFile) -> String {
    let mut curl = Command::new("curl");
    let output = curl.args(["-sS", "--cacert"]).arg(&trusted.0).arg(url).output().unwrap();
    if output.status.success() {
        return ACCEPTED.to_owned();
    }
    let said = String::from_utf8(output.stderr).unwrap();
    let said = said.lines().next().unwrap_or_default();
    ["curl: (60) SSL certificate problem: ", "curl: (60) SSL: "]
        .iter()
        .find_map(|start| said.strip_prefix(start))
        .unwrap_or(said)
        .to_owned()
}

fn version_of_curl() -> String {
    let output = Command::new("curl").arg("--version").output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let words: Vec<_> = said.split(' ').collect();
    format!("curl {} ({})", words[1], words[4])
}

/// The table with these values of its members `curl` and `payments`, in its order.
fn updated(table: &str, values: &[String]) -> String {
    let mut values = values.iter();
    let line = |line: &str| match line.split_once(": ") {
        Some((name, old)) if ["\"curl\"", "\"payments\""].contains(&name.trim_start()) => {
            let comma = if old.ends_with(',') { "," } else { "" };
            let value = serde_json::to_string(values.next().unwrap()).unwrap();
            format!("{name}: {value}{comma}\n")
        }
        _ => format!("{line}\n"),
    };
    table.lines().map(line).collect()
}

#[test]
fn chains_are_accepted_and_refused_as_the_table_says() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/tls/chains.json");
    let text = read_to_string(&path).unwrap();
    let Table { certificates, chains, .. } = serde_json::from_str(&text).unwrap();
    assert!(chains.len() >= 60);
    let is_update = std::env::var_os("UPDATE").is_some();
    let mut values = Vec::new();
    for chain in chains {
        let (server, trusted) = server_of(&chain, &certificates);
        let host = chain.host.as_deref().unwrap_or("localhost");
        let url = format!("https://{host}:{}", server.port());
        let said = verdict(&url, &trusted);
        if is_update {
            values.extend([verdict_of_curl(&url, &trusted), said]);
            continue;
        }
        assert_eq!(said, chain.payments, "{}", chain.name);
        assert_eq!(server.requests().len(), usize::from(said == ACCEPTED), "{}", chain.name);
        let differs = (said == ACCEPTED) != (chain.curl == ACCEPTED);
        assert_eq!(differs, chain.reason.is_some(), "{}", chain.name);
    }
    if is_update {
        values.insert(0, version_of_curl());
        write(path, updated(&text, &values)).unwrap();
    }
}
