//! Runs one scenario: the client, its steps, and the final checks.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use payments_core::json::Json;
use payments_core::request::RawRequest;
use payments_core::transport::PreparedRequest;
use payments_core::{CallContext, CallOptions as _, Client, Config, Error};
use payments_host::{by_name, journal};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::compare::{check, differences};
use super::control::Control;
use super::events::EventRecorder;
use super::format::{
    Credential, ExpectedRequest, ExpectedResponse, Scenario, SendInput, Step, shared_folder,
};
use super::placeholders::Placeholders;
use super::service::check_service;

use crate::support::folder::Folder;

/// The payer and payee data of the samples, which no error may show.
const PAYER: [&str; 7] = [
    "Maria Souza",
    "maria@example.com",
    "Ana López",
    "ana@example.com",
    "João Souza",
    "joao@example.com",
    "853.513.468-93",
];

/// A sandbox that runs scenarios one after the other.
pub struct Stage {
    control: Control,
    placeholders: Placeholders,
    samples: BTreeMap<String, Box<RawValue>>,
}

impl Stage {
    /// Registers the keys and reads the sandbox's settings.
    pub fn new(base_url: &str, samples: BTreeMap<String, Box<RawValue>>) -> Self {
        let control = Control::new(base_url);
        let settings = control.call("GET", "/sandbox/settings", None);
        let mut placeholders = Placeholders::default();
        for name in ["base_url", "auth_url", "integration_key", "client_id", "client_secret"] {
            placeholders.set(name, settings[name].as_str().unwrap());
        }
        for (name, url) in [("host", "base_url"), ("auth_host", "auth_url")] {
            let host = settings[url].as_str().unwrap().strip_prefix("http://").unwrap();
            placeholders.set(name, host.split('/').next().unwrap());
        }
        // Compared as what they stand for.
        for name in ["number", "text", "duration"] {
            placeholders.set(name, format!("{{{name}}}"));
        }
        let keys = shared_folder().join("vectors/keys");
        let key_file = |name: &str| keys.join(name).display().to_string();
        placeholders.set("key_file", key_file("test_rsa_4096_pkcs8.pem"));
        placeholders.set("other_key_file", key_file("test_other_rsa_4096_pkcs8.pem"));
        placeholders.set("kid", control.register("test_rsa_4096_public.pem"));
        Self { control, placeholders, samples }
    }

    /// Runs a scenario. Returns the differences from the expectations.
    pub fn run(&self, scenario: &Scenario) -> Result<(), String> {
        let mut placeholders = self.placeholders.clone();
        placeholders.set("client_id", self.set_up(scenario));
        let folder = Folder::new();
        if scenario.config.values().any(|value| value == "{journal}") {
            let file = folder.path().join("payments.db");
            // A build without journals refuses the configuration.
            let _ = journal::file::create(&file);
            placeholders.set("journal", format!("file:{}", file.display()));
        }
        let config = configuration(scenario, &placeholders);
        let events = Arc::new(EventRecorder::default());
        let client = Config::from_json(config.to_string().as_bytes())
            .map(|config| match scenario.events {
                Some(_) => config.observer(Arc::clone(&events) as _),
                // Without an observer, a client takes another way.
                None => config,
            })
            .and_then(Client::new);
        let lacking = lacking(&config);
        let client = match (client, lacking.as_ref().or(scenario.client_error.as_ref())) {
            (Ok(client), None) => client,
            (Ok(_), Some(_)) => return Err("the configuration was accepted".to_owned()),
            (Err(error), Some(expected)) => return check_error(&error, expected, &placeholders),
            (Err(error), None) => return Err(format!("no client: {error}")),
        };
        tracing::subscriber::with_default(events.spans.clone(), || {
            for (index, step) in scenario.steps.iter().enumerate() {
                let in_step = |why: String| format!("steps/{index}: {why}");
                self.perform(step, &client, &mut placeholders).map_err(in_step)?;
            }
            Ok::<_, String>(())
        })?;
        events.check(scenario, &placeholders)?;
        check_service(scenario, &self.control, &placeholders)
    }

    /// Resets the sandbox and returns a client id unique to the scenario, since
    /// clients of this process share tokens.
    fn set_up(&self, scenario: &Scenario) -> String {
        self.control.call("POST", "/sandbox/reset", None);
        let require: Vec<_> = scenario.credentials.iter().map(|it| name_of(*it)).collect();
        let client_id = format!("client-of-{}", scenario.name);
        let mut settings = json!({ "require": require, "client_id": client_id });
        for (name, value) in scenario.settings.iter().flat_map(|it| it.as_object().unwrap()) {
            settings[name] = value.clone();
        }
        self.control.call("POST", "/sandbox/settings", Some(&settings));
        if let Some(block) = &scenario.block_tokens {
            self.control.call("POST", "/sandbox/tokens/block", Some(block));
        }
        if !scenario.faults.is_empty() {
            let faults = Value::Array(scenario.faults.clone());
            self.control.call("POST", "/sandbox/faults", Some(&faults));
        }
        client_id
    }

    fn perform(
        &self,
        step: &Step,
        client: &Client,
        placeholders: &mut Placeholders,
    ) -> Result<(), String> {
        if let Some(call) = &step.control {
            let body = call.body.as_ref().map(|body| placeholders.fill_tree(body));
            self.control.call(&call.method, &placeholders.fill(&call.path), body.as_ref());
            return Ok(());
        }
        let context = match context_of(client, step) {
            Ok(context) => context,
            Err(error) => return expect_error(&error, step, placeholders),
        };
        if let Some(name) = &step.prepare {
            let prepared = match &step.send {
                Some(send) => client.prepare(&send_request(send), &context),
                None => {
                    by_name::prepare(client, name, &self.input(step, placeholders), b"", &context)
                }
            };
            return match (prepared, &step.prepared) {
                (Ok(request), Some(expected)) => {
                    self.check_prepared(&request, expected, step, placeholders)
                }
                (Ok(_), None) => Err("it was prepared".to_owned()),
                (Err(error), _) => expect_error(&error, step, placeholders),
            };
        }
        match (self.result(step, client, placeholders, &context), &step.response) {
            (Ok((status, body, view)), Some(expected)) => {
                for (name, pointer) in &step.remember {
                    let text = view.pointer(pointer).and_then(Value::as_str);
                    placeholders.set(name, text.ok_or_else(|| format!("no text at {pointer}"))?);
                }
                check_response(status, &body, &view, expected, placeholders)
            }
            (Ok((status, ..)), None) => Err(format!("responded {status}")),
            (Err(error), _) => expect_error(&error, step, placeholders),
        }
    }

    /// The status, body and view of a response, or those of a function's result.
    fn result(
        &self,
        step: &Step,
        client: &Client,
        placeholders: &Placeholders,
        context: &CallContext,
    ) -> Result<(u16, Vec<u8>, Value), Error> {
        if let Some(send) = &step.send {
            let response = client.execute(&send_request(send), context)?;
            let view = response.json().map_or(Value::Null, |json| value_of(&json));
            return Ok((response.status(), response.body().to_vec(), view));
        }
        let input = self.input(step, placeholders);
        let result = match step.call.as_deref().expect("a step calls something") {
            "lint" => by_name::lint_report(&input)?,
            "token_status" => by_name::token_status(client, context)?,
            "forget_token" => by_name::forget_token(client, context)?,
            "warm_up" => by_name::warm_up(client, context)?,
            name => {
                let response = by_name::call(client, name, &input, context)?;
                let raw = &response.raw;
                return Ok((raw.status(), raw.body().to_vec(), value_of(&response.view)));
            }
        };
        Ok((200, Vec::new(), value_of(&result)))
    }

    /// The JSON text passed by a step.
    fn input(&self, step: &Step, placeholders: &Placeholders) -> Vec<u8> {
        if let Some(text) = &step.input_text {
            return placeholders.fill(text).into_bytes();
        }
        let text = match (&step.sample, &step.input) {
            (Some(name), None) => self.samples.get(name).expect("a known sample").get(),
            (None, Some(input)) => input.get(),
            (None, None) => return Vec::new(),
            _ => panic!("a step has a sample or an input"),
        };
        let mut tree = Json::parse(text.as_bytes()).unwrap();
        for pointer in &step.remove {
            let (holder, name) = pointer.rsplit_once('/').unwrap();
            let mut holder_of = tree.pointer(holder).unwrap().clone();
            holder_of.as_object_mut().unwrap().remove(name).expect("a member to remove");
            if holder.is_empty() {
                tree = holder_of;
            } else {
                tree.set_pointer(holder, holder_of).unwrap();
            }
        }
        for (pointer, value) in &step.set {
            tree.set_pointer(pointer, Json::parse(value.get().as_bytes()).unwrap()).unwrap();
        }
        placeholders.fill(&tree.to_text()).into_bytes()
    }

    fn check_prepared(
        &self,
        request: &PreparedRequest,
        expected: &ExpectedRequest,
        step: &Step,
        placeholders: &Placeholders,
    ) -> Result<(), String> {
        let mut found = Vec::new();
        let target = request.url().strip_prefix(self.control.base_url.as_str());
        let wanted = placeholders.fill(&expected.target);
        if request.method() != expected.method || target != Some(wanted.as_str()) {
            found.push(format!("{} {target:?}", request.method()));
        }
        let body = expected.body.as_deref().map(|body| placeholders.fill(body));
        let body = bytes_of(body.as_deref(), expected.body_base64.as_deref());
        if request.body() != body {
            found.push(format!("body {}", String::from_utf8_lossy(request.body())));
        }
        for (name, value) in &expected.headers {
            if request.header(name) != Some(value) {
                found.push(format!("header {name}: {:?}", request.header(name)));
            }
        }
        let missing = expected.has_headers.iter().filter(|name| request.header(name).is_none());
        found.extend(missing.map(|name| format!("no header {name}")));
        let unwanted = expected.lacks_headers.iter().filter(|name| request.header(name).is_some());
        found.extend(unwanted.map(|name| format!("has the header {name}")));
        if step.deliver {
            let headers: Vec<(String, String)> =
                request.headers().map(|(name, value)| (name.into(), value.into())).collect();
            let (status, _) =
                self.control.deliver(request.method(), request.url(), &headers, request.body());
            if status != 200 {
                found.push(format!("delivered by another client, it got {status}"));
            }
        }
        check(&found)
    }
}

/// The context of a call with its options.
fn context_of(client: &Client, step: &Step) -> Result<CallContext, Error> {
    let timeout = step.options.timeout_ms.map(Duration::from_millis);
    let context = timeout.map_or_else(|| client.context(), CallContext::with_timeout);
    let wait = step.options.ensure_wait_ms.map(Duration::from_millis);
    let context =
        wait.map_or_else(|| context.clone(), |wait| context.clone().with_ensure_wait(wait));
    let name = step.call.as_deref().unwrap_or("send");
    by_name::traced(context, step.options.traceparent.as_deref(), name)
}

/// The client's configuration: addresses and credentials of the sandbox,
/// overridden by the scenario. `null` removes a member.
fn configuration(scenario: &Scenario, placeholders: &Placeholders) -> Value {
    let mut config = json!({ "base_url": "{base_url}", "environment": "sandbox" });
    let mut give = |names: &[&str]| {
        for name in names {
            config[name] = Value::String(format!("{{{name}}}"));
        }
    };
    for credential in &scenario.credentials {
        match credential {
            Credential::IntegrationKey => give(&["integration_key"]),
            Credential::Jws => give(&["key_file", "kid"]),
            Credential::Bearer => give(&["auth_url", "client_id", "client_secret"]),
        }
    }
    for (name, value) in &scenario.config {
        config[name] = value.clone();
    }
    let mut config = placeholders.fill_tree(&config);
    config.as_object_mut().unwrap().retain(|_, value| !value.is_null());
    config
}

/// The error instead of a client whose configuration needs a feature of the core that
/// is off. Tests of the core show that it is off where the core says so.
fn lacking(config: &Value) -> Option<Value> {
    let is_redis = config["token_store"].as_str().is_some_and(|it| it.starts_with("redis"));
    let has_journal = !config["journal"].is_null();
    let path = match (is_redis, has_journal) {
        (true, _) => "token_store",
        (false, true) => "journal",
        (false, false) => "pkcs11_module",
    };
    let made = Config::from_json(config.to_string().as_bytes()).and_then(Client::new);
    let is_off = made.is_err_and(|error| error.code() == "not_in_this_build");
    let error = json!({"code": "not_in_this_build", "path": path});
    (is_off && !config[path].is_null()).then_some(error)
}

fn name_of(credential: Credential) -> &'static str {
    match credential {
        Credential::IntegrationKey => "integration_key",
        Credential::Jws => "jws",
        Credential::Bearer => "bearer",
    }
}

pub fn bytes_of(text: Option<&str>, base64: Option<&str>) -> Vec<u8> {
    match (text, base64) {
        (Some(text), None) => text.as_bytes().to_vec(),
        (None, Some(base64)) => BASE64.decode(base64).unwrap(),
        (None, None) => Vec::new(),
        _ => panic!("a body is given as body or as body_base64"),
    }
}

fn send_request(input: &SendInput) -> RawRequest {
    let mut send = RawRequest::new(&input.method, &input.path)
        .body(bytes_of(input.body.as_deref(), input.body_base64.as_deref()));
    for (name, value) in &input.query {
        send = send.query(name, value);
    }
    if let Some(content_type) = &input.content_type {
        send = send.content_type(content_type);
    }
    match &input.reference {
        Some(reference) => send.reference(reference),
        None => send,
    }
}

pub fn value_of(json: &Json) -> Value {
    serde_json::from_slice(&json.to_bytes()).unwrap()
}

fn check_response(
    status: u16,
    body: &[u8],
    view: &Value,
    expected: &ExpectedResponse,
    placeholders: &Placeholders,
) -> Result<(), String> {
    let mut found = Vec::new();
    if expected.http_status.unwrap_or(200) != status {
        found.push(format!("status {status}"));
    }
    for (pointer, expected) in &expected.view {
        let expected = placeholders.fill_tree(expected);
        differences(pointer, &expected, view.pointer(pointer).unwrap_or(&Value::Null), &mut found);
    }
    let absent = expected.present.iter().filter(|it| view.pointer(it).is_none_or(Value::is_null));
    found.extend(absent.map(|pointer| format!("{pointer}: is not there")));
    if let Some(expected) = &expected.body {
        let expected = placeholders.fill(expected);
        if body != expected.as_bytes() {
            found.push(format!("body {}, expected {expected}", String::from_utf8_lossy(body)));
        }
    }
    check(&found)
}

fn expect_error(error: &Error, step: &Step, placeholders: &Placeholders) -> Result<(), String> {
    match &step.error {
        Some(expected) => check_error(error, expected, placeholders),
        None => Err(format!("failed: {error}")),
    }
}

/// Compares an error's report with the expected members. `message_has` and
/// `advice_has` list parts of the message and the advice.
fn check_error(error: &Error, expected: &Value, placeholders: &Placeholders) -> Result<(), String> {
    if !error.kind().usual_outcome().possible.contains(&error.outcome()) {
        return Err(format!("{} cannot have the outcome {}", error.kind(), error.outcome()));
    }
    let mut expected: Map<String, Value> =
        placeholders.fill_tree(expected).as_object().expect("an object").clone();
    let mut found = Vec::new();
    for (list, text) in
        [("message_has", error.message()), ("advice_has", error.advice().unwrap_or_default())]
    {
        for part in expected.remove(list).iter().flat_map(|it| it.as_array().unwrap()) {
            if !text.contains(part.as_str().unwrap()) {
                found.push(format!("{list} {part}: {text:?}"));
            }
        }
    }
    differences("error", &Value::Object(expected), &value_of(&error.to_json()), &mut found);
    let shown = format!("{error} {error:?} {error:#?}");
    let secrets = ["integration_key", "client_secret"].map(|name| placeholders.get(name));
    for secret in secrets.iter().chain(&PAYER) {
        if shown.contains(secret) {
            found.push(format!("the error shows {secret}"));
        }
    }
    check(&found)
}
