//! The requests and effects in the service's request log and ledger.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::{Map, Value, json};

use super::compare::{check, differences};
use super::control::Control;
use super::format::{Credential, Scenario};
use super::placeholders::Placeholders;

/// Compares the service's side with the scenario.
pub fn check_service(
    scenario: &Scenario,
    control: &Control,
    placeholders: &Placeholders,
) -> Result<(), String> {
    let records = control.call("GET", "/sandbox/requests", None);
    let (tokens, requests): (Vec<&Value>, Vec<&Value>) = records["requests"]
        .as_array()
        .unwrap()
        .iter()
        .partition(|record| record["operation"] == "access_token");
    let mut found = Vec::new();
    check_counts(scenario, &requests, tokens.len(), &mut found);
    check_requests(scenario, &requests, placeholders, &mut found);
    check_effects(scenario, control, &mut found);
    let pending = control.call("GET", "/sandbox/faults", None);
    if pending["faults"] != json!([]) {
        found.push(format!("faults that struck nothing: {}", pending["faults"]));
    }
    check(&found)
}

fn check_counts(scenario: &Scenario, requests: &[&Value], tokens: usize, into: &mut Vec<String>) {
    let mut seen: BTreeMap<String, u64> = BTreeMap::new();
    for record in requests {
        let name = format!("{} {}", text(record, "method"), text(record, "path"));
        *seen.entry(name).or_default() += 1;
    }
    if tokens > 0 {
        seen.insert("token".to_owned(), tokens as u64);
    }
    if seen != scenario.seen {
        into.push(format!("the service saw {seen:?}, expected {:?}", scenario.seen));
    }
}

fn check_requests(
    scenario: &Scenario,
    requests: &[&Value],
    placeholders: &Placeholders,
    into: &mut Vec<String>,
) {
    let listed = scenario.requests.as_deref();
    if let Some(listed) = listed.filter(|listed| listed.len() != requests.len()) {
        into.push(format!("{} requests, and {} are listed", requests.len(), listed.len()));
        return;
    }
    for (index, record) in requests.iter().enumerate() {
        let mut expected = usual(scenario, record);
        if let Some(entry) = listed.map(|listed| &listed[index]) {
            let entry = placeholders.fill_tree(entry);
            expected.extend(entry.as_object().expect("an object").clone());
        }
        let place = format!("requests/{index}");
        let record = with_readable_members(record);
        for list in ["has_headers", "lacks_headers"] {
            for name in expected.remove(list).iter().filter_map(Value::as_array).flatten() {
                let is_there = record["headers"].get(name.as_str().unwrap()).is_some();
                if is_there != (list == "has_headers") {
                    into.push(format!("{place}: {list} {name}"));
                }
            }
        }
        differences(&place, &Value::Object(expected), &record, into);
    }
}

/// Rules for every request, unless the scenario overrides them.
fn usual(scenario: &Scenario, record: &Value) -> Map<String, Value> {
    let mut usual = Map::new();
    let is_read = record["complete"] == true;
    let Some(operation) = record["operation"].as_str().filter(|_| is_read) else {
        return usual;
    };
    let sent = |credential, good: &str| {
        if scenario.credentials.contains(&credential) { json!(good) } else { json!("absent") }
    };
    usual.insert("signature".to_owned(), sent(Credential::Jws, "verified"));
    usual.insert("bearer".to_owned(), sent(Credential::Bearer, "valid"));
    let integration_key = match operation {
        "send" => json!("absent"),
        _ => sent(Credential::IntegrationKey, "valid"),
    };
    usual.insert("integration_key".to_owned(), integration_key);
    if record["method"] != "GET" {
        usual.insert("resend".to_owned(), json!(false));
    }
    usual
}

/// The record with `body` as text, `headers` by lowercase name, and whether it
/// repeats an earlier request.
fn with_readable_members(record: &Value) -> Value {
    let mut readable = record.as_object().unwrap().clone();
    let body = BASE64.decode(text(record, "body_base64")).unwrap();
    if let Ok(body) = String::from_utf8(body) {
        readable.insert("body".to_owned(), body.into());
    }
    let headers = record["headers"].as_array().unwrap().iter();
    let headers: Map<String, Value> = headers
        .map(|pair| (pair[0].as_str().unwrap().to_ascii_lowercase(), pair[1].clone()))
        .collect();
    readable.insert("headers".to_owned(), headers.into());
    readable.insert("resend".to_owned(), (!record["resend_of"].is_null()).into());
    readable.into()
}

fn check_effects(scenario: &Scenario, control: &Control, into: &mut Vec<String>) {
    let list = |what: &str| {
        let response = control.call("GET", &format!("/sandbox/{what}"), None);
        response[what].as_array().unwrap().clone()
    };
    let payments = list("payments");
    let refunds = payments.iter().map(|payment| payment["refunds"].as_array().unwrap().len()).sum();
    let found: BTreeMap<String, usize> = [
        ("payments", payments.len()),
        ("refunds", refunds),
        ("payouts", list("payouts").len()),
        ("trackings", list("trackings").len()),
    ]
    .into_iter()
    .filter(|(_, count)| *count > 0)
    .map(|(name, count)| (name.to_owned(), count))
    .collect();
    if found != scenario.effects {
        into.push(format!("the service made {found:?}, expected {:?}", scenario.effects));
    }
}

fn text<'v>(record: &'v Value, name: &str) -> &'v str {
    record[name].as_str().unwrap_or_default()
}
