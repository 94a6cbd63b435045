//! What the core offers, as data: the source of `tests/manifest.json`.

use std::path::{Path, PathBuf};

use payments_core::config::FIELDS;
use payments_core::error::MEMBERS;
use payments_core::jws::{Cause, Finding};
use payments_core::operation::{Others, Presence, RequestMember, RequestObject, ResponseObject};
use payments_core::{Client, ErrorKind, Operation, Outcome, bridge};
use serde_json::{Value, json};

/// Functions that every package has beside the operations, with their
/// purpose. Each is listed by its path, so that none can be removed unnoticed.
pub fn functions() -> Vec<(&'static str, &'static str)> {
    let _ = (bridge::call, bridge::prepare, Client::token_status, Client::shared);
    let _ = (Client::send, payments_core::jws::doctor, payments_core::signer::generate_key);
    let _ = (bridge::create_journal, bridge::journal);
    let _ = || payments_core::jws::verify(None, b"", |_| None);
    vec![
        ("create_journal", "makes the file of a journal"),
        ("doctor", "says why a signature does not verify, and what would have"),
        ("generate_key", "makes an RSA key pair of 4096 bits"),
        ("journal", "lists, shows, recovers and resolves the entries of the journal"),
        ("prepare", "does everything of an operation, or of `send`, but the sending"),
        ("send", "signs the caller's own bytes and sends them unchanged"),
        ("shared", "gives the client of a configuration that others use too"),
        ("token_status", "tells of the cached token without asking for one"),
        ("verify", "checks a detached token against a body and public keys"),
    ]
}

/// The whole manifest.
pub fn manifest() -> Value {
    let scenarios = scenario_names();
    json!({
        "about": "What the core offers. Generated: cargo xtask generate",
        "operations": Operation::ALL.map(operation),
        "functions": functions().iter().map(|(name, purpose)| json!({"name": name, "purpose": purpose})).collect::<Vec<_>>(),
        "error_kinds": ErrorKind::ALL.map(|kind| json!({
            "name": kind.as_str(), "number": kind.number(), "meaning": kind.meaning(),
            "outcomes": kind.usual_outcome().possible.iter().map(|it| it.as_str()).collect::<Vec<_>>(),
        })),
        "error_details": ["response", "request_body", "response_body"],
        "error_members": MEMBERS.iter().map(|member| member.name).collect::<Vec<_>>(),
        "outcomes": Outcome::ALL.map(Outcome::as_str),
        "configuration": FIELDS.iter().map(|field| json!({
            "name": field.name,
            "shape": field.shape.name(),
            "environment_variable": format!("PAYMENTS_{}", field.name.to_uppercase()),
            "purpose": field.purpose(),
        })).collect::<Vec<_>>(),
        "diagnosis": {
            "causes": Cause::ALL.map(Cause::as_str),
            "findings": Finding::ALL.map(Finding::as_str),
        },
        "scenarios": { "count": scenarios.len(), "names": scenarios },
        "vectors": vector_files(),
    })
}

fn operation(operation: Operation) -> Value {
    json!({
        "name": operation.name(),
        "method": operation.method(),
        "path": operation.path(),
        "is_read_only": operation.is_read_only(),
        "request": operation.request().map(object),
        "fields": fields(operation.fields()),
        "view": operation.response().map_or(vec![], |response| view(operation, response)),
    })
}

/// The names of the members of the view that `bridge::call` gives.
fn view(operation: Operation, response: &ResponseObject) -> Vec<&'static str> {
    // A token is no response of the service, which would be there as a whole.
    let whole = (operation != Operation::AccessToken).then_some("response");
    response.members.iter().map(|member| member.name).chain(whole).collect()
}

fn object(of: &RequestObject) -> Value {
    json!({
        "type": of.name,
        "doc": of.doc,
        "source": of.source,
        "others": match of.others {
            Others::Refused => "refused",
            Others::InExtra => "in_extra",
            Others::Pass => "pass",
        },
        "holds_key": of.holds_key,
    })
}

fn fields(of: &[RequestMember]) -> Value {
    of.iter()
        .map(|field| {
            let mut described = json!({
                "name": field.name,
                "shape": field.shape.name(),
                "presence": field.presence.name(),
                "meaning": field.meaning,
                "is_stated": field.is_stated,
            });
            if let Presence::RequiredForCountry(country) = field.presence {
                described["country"] = country.into();
            }
            if let Some(inner) = field.shape.object() {
                described["object"] = object(inner);
                described["fields"] = fields(field.shape.fields());
            }
            described
        })
        .collect()
}

fn scenario_names() -> Vec<String> {
    let mut names = Vec::new();
    for file in files(&shared_folder().join("scenarios")) {
        let text = std::fs::read_to_string(&file).unwrap();
        let parsed: Value = serde_json::from_str(&text).unwrap();
        let scenarios = parsed["scenarios"].as_array().unwrap().iter();
        names.extend(scenarios.map(|scenario| scenario["name"].as_str().unwrap().to_owned()));
    }
    names.sort();
    names
}

fn vector_files() -> Vec<String> {
    let files = files(&shared_folder().join("vectors")).into_iter();
    let json = files.filter(|file| file.extension().is_some_and(|it| it == "json"));
    json.map(|file| file.file_name().unwrap().to_str().unwrap().to_owned()).collect()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = entries.filter(|path| path.is_file()).collect();
    files.sort();
    files
}

/// The folder `tests`, which all languages share.
pub fn shared_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests")
}
