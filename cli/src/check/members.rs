//! Checks of the configured members: values, and missing members.

use payments_core::inside::authority_of;
use payments_core::transport::inside::PROXY_VARIABLES;
use payments_core::{Client, Operation};

use super::{ConfiguredMembers, Report};
use crate::process::failure::Failure;
use crate::settings::Sources;

/// Shorter deadlines can end a call after it was sent, which leaves its
/// outcome unknown.
const SHORT_MS: u64 = 1000;

const SANDBOX_WORDS: [&str; 9] =
    ["sandbox", "sbx", "staging", "stage", "stg", "test", "homolog", "uat", "dev"];
const PRODUCTION_WORDS: [&str; 3] = ["production", "prod", "live"];

/// Reports the sources read, or why no client can be built from them.
pub(super) fn check_sources(report: &mut Report, sources: &Sources, failure: Option<&Failure>) {
    let file = sources.file.iter().map(|path| path.display().to_string());
    let variables = sources.variables.iter().filter(|_| sources.reads_environment).cloned();
    let names: Vec<_> = file.chain(variables).collect();
    match failure {
        None => report.ok("configuration", format!("read from {}", names.join(", "))),
        Some(failure) => {
            let about = failure.text("path").unwrap_or("configuration");
            report.failed(about, failure.text("message").unwrap_or_default());
        }
    }
}

pub(super) fn check(report: &mut Report, given: &ConfiguredMembers, client: Option<&Client>) {
    check_environment(report, given);
    check_credentials(report, given, client);
    if let Some(client) = client {
        list_credentials(report, client);
        check_query(report, given, client);
    }
    check_timeout(report, given);
    check_headers(report, given, client);
    check_connection(report, given, client);
}

/// Compares words in the host names with the configured environment.
fn check_environment(report: &mut Report, given: &ConfiguredMembers) {
    let environment = given.text("environment").unwrap_or("production");
    for member in ["base_url", "auth_url"] {
        let Some(host) = given.text(member).map(host_of) else { continue };
        let words: Vec<_> = host.split(|it: char| !it.is_ascii_alphanumeric()).collect();
        let has = |known: &[&str]| words.iter().any(|word| known.contains(word));
        let is_sandbox = has(&SANDBOX_WORDS) || host == "localhost" || host.starts_with("127.");
        match environment {
            "production" if is_sandbox => report.warn(
                member,
                format!("environment is production, but {host} looks like a sandbox"),
                "set environment to sandbox, or correct the address",
            ),
            "sandbox" if !is_sandbox && has(&PRODUCTION_WORDS) => report.warn(
                member,
                format!("environment is sandbox, but {host} looks like production"),
                "set environment to production, or correct the address",
            ),
            _ => report.ok(member, format!("{host}, environment {environment}")),
        }
    }
}

fn check_credentials(report: &mut Report, given: &ConfiguredMembers, client: Option<&Client>) {
    let has_key = given.has("key") || given.has("pkcs11_module");
    if given.has("integration_key") {
        report.ok("integration_key", "given");
    } else if !(has_key && given.has("kid")) {
        // Those who sign may have to leave it out.
        report.warn(
            "integration_key",
            "missing: requests carry no merchant key",
            "set integration_key_file or integration_key",
        );
    }
    match client {
        Some(client) => match client.kid() {
            Some(kid) => match client.try_signature(&client.context()) {
                Ok(()) => report.ok("key", format!("usable; signs as kid {kid}")),
                Err(error) => report.failed("key", error.message()),
            },
            None => report.warn(
                "key",
                "missing: requests are not signed",
                "set key_file and kid; payments keygen creates a key",
            ),
        },
        // The client's own error explains what is wrong with a key.
        None if has_key && given.has("kid") => {}
        None if has_key => report.error(
            "kid",
            "missing, but a key is set",
            "set kid to the key id that the provider returned at registration",
        ),
        None if given.has("kid") => {
            report.error("key", "missing, but kid is set", "set key_file, or remove kid");
        }
        None => {}
    }
    if given.has("client_id") && given.has("client_secret") {
        report.ok("client_id", "set with its secret: requests carry a bearer token");
    } else if !given.has("client_id") && !given.has("client_secret") {
        report.warn(
            "client_id",
            "missing: requests carry no bearer token",
            "set auth_url, client_id and client_secret_file",
        );
    }
}

/// Lists the credentials that operations carry.
fn list_credentials(report: &mut Report, client: &Client) {
    let mut carried: Vec<(String, Vec<&str>)> = Vec::new();
    let is_on = |it: &Operation| client.rules().missing_switch(*it).is_none();
    let operations = Operation::ALL.into_iter().filter(|it| *it != Operation::AccessToken);
    for operation in operations.filter(is_on) {
        let words = client.credentials_of(operation);
        match carried.iter_mut().find(|(known, _)| *known == words) {
            Some((_, names)) => names.push(operation.name()),
            None => carried.push((words, vec![operation.name()])),
        }
    }
    for (words, names) in carried {
        report.note("operations", format!("{words}: {}", names.join(", ")));
    }
}

/// The signature of a GET does not cover its query by default.
fn check_query(report: &mut Report, given: &ConfiguredMembers, client: &Client) {
    let is = |member, value| given.text(member) == Some(value);
    if client.kid().is_some() && !is("query_method", "post") && !is("signed_query", "query") {
        let queries = Operation::ALL.into_iter().filter(|it| it.method() == "GET");
        let names = queries.map(Operation::name).collect::<Vec<_>>().join(", ");
        let message = format!(
            "get: no signature covers the query of {names}; if your service takes post, set that, \
             since a JSON body is signed"
        );
        report.note("query_method", message);
    }
}

fn check_timeout(report: &mut Report, given: &ConfiguredMembers) {
    match given.milliseconds("timeout_ms") {
        Some(limit) if limit < SHORT_MS => report.warn(
            "timeout_ms",
            format!("{limit} ms is short: a payment that exceeds it has an unknown outcome"),
            "set it to 10000 or more",
        ),
        Some(limit) => report.ok("timeout_ms", format!("{limit} ms")),
        None => {}
    }
}

/// Fixed headers are for a provider's sandbox.
fn check_headers(report: &mut Report, given: &ConfiguredMembers, client: Option<&Client>) {
    if !given.has("headers") {
        return;
    }
    match given.text("environment").unwrap_or("production") {
        "production" => report.warn(
            "headers",
            "all requests carry fixed headers, and environment is production: a header that \
             simulates failures is for a sandbox",
            "remove headers, unless your provider asks for them in production",
        ),
        _ if client.is_some() => {
            report.ok("headers", "all requests to the service carry fixed headers");
        }
        // The client's own error explains what is wrong.
        _ => {}
    }
}

/// The certificates that are trusted, and a proxy that is not used.
fn check_connection(report: &mut Report, given: &ConfiguredMembers, client: Option<&Client>) {
    if client.is_some() && given.has("ca_file") {
        report.ok("ca_file", "only its certificates are trusted");
    }
    if !given.has("proxy") {
        let is_set = |name: &&str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let although = PROXY_VARIABLES.into_iter().find(is_set);
        let although = although.map(|name| format!(", although {name} names a proxy"));
        let although = although.unwrap_or_default();
        report.ok("proxy", format!("not set: calls connect directly{although}"));
    }
}

/// The host of a URL, in lower case and without its port.
fn host_of(address: &str) -> String {
    let authority = authority_of(address);
    let host = match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|it| it.is_ascii_digit()) => host,
        _ => authority,
    };
    host.to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_found() {
        for (address, host) in [
            ("https://API.example:8443/v1", "api.example"),
            ("http://[::1]:80", "[::1]"),
            ("https://user:secret@api.example", "api.example"),
            ("api.example", "api.example"),
        ] {
            assert_eq!(host_of(address), host);
        }
    }
}
