//! The format of scenarios. Unknown members are refused.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// A file in `tests/scenarios`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ScenarioFile {
    #[expect(dead_code, reason = "for readers")]
    about: String,
    scenarios: Vec<Scenario>,
}

/// The configuration of a client, its steps, and the expected result.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    pub name: String,
    #[expect(dead_code, reason = "for readers")]
    pub doc: String,
    #[serde(default = "every_credential")]
    pub credentials: Vec<Credential>,
    #[serde(default)]
    pub config: serde_json::Map<String, Value>,
    pub settings: Option<Value>,
    pub block_tokens: Option<Value>,
    #[serde(default)]
    pub faults: Vec<Value>,
    pub client_error: Option<Value>,
    #[serde(default)]
    pub steps: Vec<Step>,
    #[serde(default)]
    pub seen: BTreeMap<String, u64>,
    pub requests: Option<Vec<Value>>,
    #[serde(default)]
    pub effects: BTreeMap<String, usize>,
    pub events: Option<Value>,
    pub log: Option<Vec<String>>,
    pub spans: Option<Value>,
}

/// The credentials of a client.
#[derive(Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "snake_case")]
pub enum Credential {
    IntegrationKey,
    Jws,
    Bearer,
}

fn every_credential() -> Vec<Credential> {
    vec![Credential::IntegrationKey, Credential::Jws, Credential::Bearer]
}

/// A call of the client or of the sandbox's control API.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    pub call: Option<String>,
    pub send: Option<SendInput>,
    pub prepare: Option<String>,
    pub control: Option<ControlCall>,

    pub sample: Option<String>,
    pub input: Option<Box<RawValue>>,
    pub input_text: Option<String>,
    #[serde(default)]
    pub set: BTreeMap<String, Box<RawValue>>,
    #[serde(default)]
    pub remove: Vec<String>,
    #[serde(default)]
    pub options: CallOptions,

    pub response: Option<ExpectedResponse>,
    pub error: Option<Value>,
    pub prepared: Option<ExpectedRequest>,
    #[serde(default)]
    pub deliver: bool,
    #[serde(default)]
    pub remember: BTreeMap<String, String>,
}

/// The options of a call.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub struct CallOptions {
    pub timeout_ms: Option<u64>,
    pub traceparent: Option<String>,
    pub ensure_wait_ms: Option<u64>,
}

/// A request made of the caller's own bytes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SendInput {
    pub method: String,
    pub path: String,
    #[serde(default)]
    pub query: Vec<(String, String)>,
    pub body: Option<String>,
    pub body_base64: Option<String>,
    pub content_type: Option<String>,
    pub reference: Option<String>,
}

/// A request to the control API.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ControlCall {
    pub method: String,
    pub path: String,
    pub body: Option<Value>,
}

/// The expected response.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExpectedResponse {
    pub http_status: Option<u16>,
    #[serde(default)]
    pub view: BTreeMap<String, Value>,
    #[serde(default)]
    pub present: Vec<String>,
    pub body: Option<String>,
}

/// The expected prepared request.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExpectedRequest {
    pub method: String,
    pub target: String,
    pub body: Option<String>,
    pub body_base64: Option<String>,
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    #[serde(default)]
    pub has_headers: Vec<String>,
    #[serde(default)]
    pub lacks_headers: Vec<String>,
}

/// The directory `tests`, which all languages share.
pub fn shared_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests")
}

/// Loads every scenario, sorted by file name.
pub fn load_all() -> Vec<Scenario> {
    let folder = shared_folder().join("scenarios");
    let entries = std::fs::read_dir(&folder).expect("tests/scenarios");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let mut scenarios = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let parsed: ScenarioFile = serde_json::from_str(&text)
            .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        scenarios.extend(parsed.scenarios);
    }
    scenarios
}

/// Loads the sample requests, as JSON text by name.
pub fn load_samples() -> BTreeMap<String, Box<RawValue>> {
    let text = std::fs::read_to_string(shared_folder().join("samples.json")).unwrap();
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("samples.json: {error}"))
}
