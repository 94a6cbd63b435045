//! The JSON form of fault scripts, shared by the tests of every language.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use payments_core::jws::Cause;
use payments_core::operation::Operation;
use serde_json::Value;

use crate::faults::cancellation::PayoutCancellation;
use crate::faults::large::Large;
use crate::faults::names::{NAMED_FAULTS, named_fault};
use crate::faults::script::{FaultScript, Times};
use crate::faults::{At, Edit, EndlessFraming, Fault, FaultKind};
use crate::http::json_form::JsonForm;
use crate::http::response::Response;

/// Reads one script, or an array of scripts.
pub(crate) fn read_scripts(value: &Value) -> Result<Vec<FaultScript>, String> {
    match value.as_array() {
        Some(scripts) => scripts
            .iter()
            .enumerate()
            .map(|(index, script)| read_script(script, &format!("[{index}]")))
            .collect(),
        None => Ok(vec![read_script(value, "script")?]),
    }
}

fn read_script(value: &Value, place: &str) -> Result<FaultScript, String> {
    let mut members = JsonForm::of(value, place)?;
    let operation = match members.text("operation")? {
        Some(name) => Some(Operation::from_name(name).ok_or_else(|| {
            members.unknown("operation", "the name of an operation", name, operation_names())
        })?),
        None => None,
    };
    let method = members.text("method")?.map(str::to_owned);
    let path = members.text("path")?.map(str::to_owned);
    let first = value.pointer("/then/0/fault").and_then(Value::as_str).and_then(named_fault);
    let operation = match (operation, &path) {
        (None, None) => first.and_then(|named| named.operation),
        (given, _) => given,
    };
    let times = match members.take("times") {
        None => Times::Count(1),
        Some(Value::String(word)) if word == "always" => Times::Always,
        Some(value) => Times::Count(
            value.as_u64().ok_or_else(|| members.wrong("times", "a whole number or \"always\""))?,
        ),
    };
    let then = members.take("then").ok_or_else(|| members.needed("then"))?;
    let faults = then.as_array().ok_or_else(|| members.wrong("then", "an array"))?;
    let then = faults
        .iter()
        .enumerate()
        .map(|(index, fault)| read_fault(fault, &format!("{place}.then[{index}]")))
        .collect::<Result<_, _>>()?;
    members.finish()?;
    Ok(FaultScript { operation, method, path, times, then })
}

/// Reads a fault, or a named fault with additional members.
fn read_fault(value: &Value, place: &str) -> Result<Fault, String> {
    let named = value.get("fault").and_then(Value::as_str).and_then(named_fault);
    let Some(named) = named else { return read_plain_fault(value, place) };
    let mut whole: Value = serde_json::from_str(named.form).map_err(|error| error.to_string())?;
    for (name, member) in value.as_object().into_iter().flatten() {
        if name != "fault" {
            whole[name] = member.clone();
        }
    }
    Ok(Fault { given_as: Some(named.name), ..read_plain_fault(&whole, place)? })
}

fn read_plain_fault(value: &Value, place: &str) -> Result<Fault, String> {
    let mut members = JsonForm::of(value, place)?;
    let name = members.text("fault")?.ok_or_else(|| members.needed("fault"))?;
    let known = PLAIN_FAULTS.iter().find(|(known, _)| *known == name);
    let unknown = || members.unknown("fault", "the name of a fault", name, fault_names());
    let (_, read) = known.ok_or_else(unknown)?;
    let mut fault = read(&mut members)?;
    fault.at = match members.text("at")? {
        None | Some("body") => At::Body,
        Some("head") => At::Head,
        Some("accept") => At::Accept,
        Some(_) => return Err(members.wrong("at", "accept, head or body")),
    };
    fault.execute = members.boolean("execute")?;
    let needs_request = fault.execute == Some(true)
        || matches!(fault.kind, FaultKind::Edit(_) | FaultKind::Decline(_));
    if needs_request && fault.at != At::Body {
        return Err(members.wrong("at", "body, before which nothing is executed"));
    }
    if let Some(delay) = members.number("delay_ms")? {
        fault.delay = Duration::from_millis(delay);
    }
    if let Some(response) =
        read_response(&mut members, name == "response", fault.response.as_ref())?
    {
        fault.response = Some(response);
    }
    fault.given_as = fault_names().find(|known| *known == name && *known != fault.name());
    members.finish()?;
    Ok(fault)
}

fn operation_names() -> impl Iterator<Item = &'static str> {
    Operation::ALL.into_iter().map(Operation::name)
}

/// Reads the members of a fault that not all faults have.
type FaultReader = fn(&mut JsonForm<'_>) -> Result<Fault, String>;

/// The faults that need members, and those that named faults are made of.
const PLAIN_FAULTS: [(&str, FaultReader); 25] = [
    ("pass", |_| of_kind(FaultKind::Pass)),
    ("response", |_| of_kind(FaultKind::Pass)),
    ("close", |_| of_kind(FaultKind::Close)),
    ("reset", |_| of_kind(FaultKind::Reset)),
    ("hang", |members| match members.number("ms")? {
        Some(delay) => Ok(Fault::delay(Duration::from_millis(delay))),
        None => of_kind(FaultKind::Hang),
    }),
    ("partial_status_line", |_| of_kind(FaultKind::PartialStatusLine)),
    ("cut_response", |members| of_kind(FaultKind::CutResponse(members.size("after_bytes")?))),
    ("drip", |members| of_kind(FaultKind::Drip(needed_milliseconds(members, "every_ms")?))),
    ("endless_body", |members| {
        of_kind(FaultKind::EndlessBody(match members.text("framing")? {
            None | Some("chunked") => EndlessFraming::Chunked,
            Some("close") => EndlessFraming::Close,
            Some(_) => return Err(members.wrong("framing", "chunked or close")),
        }))
    }),
    ("endless_head", |_| of_kind(FaultKind::EndlessHead)),
    ("giant_body", |members| {
        let bytes = members.number("bytes")?;
        of_kind(FaultKind::GiantBody(bytes.ok_or_else(|| members.needed("bytes"))?))
    }),
    ("broken_chunks", |_| of_kind(FaultKind::BrokenChunks)),
    ("long_content_length", |members| {
        of_kind(FaultKind::LongContentLength(members.size("extra")?.unwrap_or(100)))
    }),
    ("garbage", |_| Ok(Fault::garbage())),
    ("raw", |members| {
        let bytes = read_bytes(members)?;
        of_kind(FaultKind::Raw(bytes.ok_or_else(|| members.needed("body"))?))
    }),
    ("html", |_| Ok(Fault::html())),
    ("truncated_json", |_| Ok(Fault::truncated_json())),
    ("large", |members| {
        let of = members.text("of")?.ok_or_else(|| members.needed("of"))?;
        let known = Large::ALL.into_iter().find(|(name, _)| *name == of);
        let names = || Large::ALL.map(|(name, _)| name).join(", ");
        let known = known.ok_or_else(|| members.wrong("of", &format!("one of {}", names())))?;
        Ok(Fault::large(known.1))
    }),
    ("empty", |_| Ok(Fault::status(200))),
    ("no_content", |_| Ok(Fault::status(204))),
    ("connection_close", |_| of_kind(FaultKind::ConnectionClose)),
    ("close_idle", |members| {
        of_kind(FaultKind::CloseIdle(needed_milliseconds(members, "after_ms")?))
    }),
    ("edit", |members| of_kind(FaultKind::Edit(read_edits(members)?))),
    ("decline", |members| of_kind(FaultKind::Decline(cancellation(members)?))),
    ("unauthorized", |members| {
        let name = members.text("cause")?.ok_or_else(|| members.needed("cause"))?;
        let cause = Cause::ALL.into_iter().find(|cause| cause.as_str() == name);
        let causes = Cause::ALL.into_iter().map(Cause::as_str);
        let unknown = || members.unknown("cause", "one of the five causes", name, causes);
        Ok(Fault::unauthorized(cause.ok_or_else(unknown)?))
    }),
];

/// The names that a fault can have, those for people first.
fn fault_names() -> impl Iterator<Item = &'static str> {
    let named = NAMED_FAULTS.iter().map(|fault| fault.name);
    named.chain(PLAIN_FAULTS.map(|(name, _)| name))
}

/// Reads the `code` of a payout that is cancelled.
pub(crate) fn cancellation(members: &mut JsonForm<'_>) -> Result<PayoutCancellation, String> {
    let Some(code) = members.text("code")? else { return Ok(PayoutCancellation::default()) };
    let known = PayoutCancellation::ALL.into_iter();
    let unknown = || {
        let codes = known.clone().map(PayoutCancellation::as_str);
        members.unknown("code", "a code of a cancelled payout", code, codes)
    };
    known.clone().find(|known| known.as_str() == code).ok_or_else(unknown)
}

fn of_kind(kind: FaultKind) -> Result<Fault, String> {
    Ok(Fault::new(kind))
}

fn needed_milliseconds(members: &mut JsonForm<'_>, name: &str) -> Result<Duration, String> {
    let number = members.number(name)?;
    number.map(Duration::from_millis).ok_or_else(|| members.needed(name))
}

fn read_edits(members: &mut JsonForm<'_>) -> Result<Vec<Edit>, String> {
    let mut edits = Vec::new();
    if let Some(set) = members.take("set") {
        let set = set.as_object().ok_or_else(|| members.wrong("set", "an object"))?;
        edits.extend(set.iter().map(|(place, value)| Edit::Set(place.clone(), value.clone())));
    }
    if let Some(remove) = members.take("remove") {
        let remove = remove.as_array().ok_or_else(|| members.wrong("remove", "an array"))?;
        for place in remove {
            let place = place.as_str().ok_or_else(|| members.wrong("remove", "texts"))?;
            edits.push(Edit::Remove(place.to_owned()));
        }
    }
    let is_pointer = |place: &String| place.starts_with('/');
    let places = edits.iter().map(|edit| match edit {
        Edit::Set(place, _) | Edit::Remove(place) => place,
    });
    if !places.clone().all(is_pointer) {
        return Err(members.wrong("set and remove", "JSON Pointers (\"/payment/status\")"));
    }
    Ok(edits)
}

/// Reads `status`, `headers`, `json`, `body`, and `body_base64`. They define a
/// scripted response, or change that of a shorthand such as `html`.
fn read_response(
    members: &mut JsonForm<'_>,
    always: bool,
    shorthand: Option<&Response>,
) -> Result<Option<Response>, String> {
    let status = members
        .number("status")?
        .map(|status| match u16::try_from(status) {
            Ok(status) if (100..=999).contains(&status) => Ok(status),
            _ => Err(members.wrong("status", "an HTTP status")),
        })
        .transpose()?;
    let headers = members.take("headers");
    let json = members.take("json");
    let bytes = read_bytes(members)?;
    if json.is_some() && bytes.is_some() {
        return Err(members.wrong("json", "allowed beside another body"));
    }
    if !always && status.is_none() && headers.is_none() && json.is_none() && bytes.is_none() {
        return Ok(None);
    }
    let mut response = shorthand.cloned().unwrap_or_else(|| Response::empty(200));
    if let Some(json) = json {
        response = Response::json(response.status, json);
    } else if let Some(bytes) = bytes {
        response.body = bytes;
    }
    if let Some(status) = status {
        response.status = status;
    }
    if let Some(headers) = headers {
        let given = read_headers(members, headers)?;
        response
            .headers
            .retain(|(name, _)| !given.iter().any(|(new, _)| new.eq_ignore_ascii_case(name)));
        response.headers.extend(given);
    }
    Ok(Some(response))
}

fn read_headers(members: &JsonForm<'_>, value: &Value) -> Result<Vec<(String, String)>, String> {
    let object = value.as_object().ok_or_else(|| members.wrong("headers", "an object"))?;
    let mut headers = Vec::new();
    for (name, value) in object {
        let values = match value {
            Value::Array(values) => values.iter().collect(),
            single => vec![single],
        };
        for value in values {
            match value.as_str() {
                Some(text) if !text.contains(['\r', '\n']) && !name.contains(['\r', '\n']) => {
                    headers.push((name.clone(), text.to_owned()));
                }
                _ => return Err(members.wrong("headers", "one line of text each (see `raw`)")),
            }
        }
    }
    Ok(headers)
}

fn read_bytes(members: &mut JsonForm<'_>) -> Result<Option<Vec<u8>>, String> {
    if let Some(text) = members.text("body")? {
        return Ok(Some(text.as_bytes().to_vec()));
    }
    members
        .text("body_base64")?
        .map(|text| BASE64.decode(text).map_err(|_| members.wrong("body_base64", "base64")))
        .transpose()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::faults::names::NAMED_FAULTS;
    use serde_json::json;

    fn fault(value: Value) -> Fault {
        read_fault(&value, "fault").unwrap()
    }

    #[test]
    fn every_fault_has_a_json_form() {
        let forms = [
            json!({"fault": "pass", "delay_ms": 5}),
            json!({"fault": "close", "at": "accept"}),
            json!({"fault": "reset", "at": "head"}),
            json!({"fault": "hang"}),
            json!({"fault": "partial_status_line"}),
            json!({"fault": "cut_response", "after_bytes": 3}),
            json!({"fault": "drip", "every_ms": 1}),
            json!({"fault": "endless_body", "framing": "close", "status": 500}),
            json!({"fault": "endless_head"}),
            json!({"fault": "giant_body", "bytes": 10}),
            json!({"fault": "broken_chunks"}),
            json!({"fault": "long_content_length", "extra": 7}),
            json!({"fault": "raw", "body": "HTTP/1.1 ?"}),
            json!({"fault": "connection_close"}),
            json!({"fault": "close_idle", "after_ms": 1}),
            json!({"fault": "edit", "set": {"/a": 1}, "remove": ["/b"]}),
            json!({"fault": "decline"}),
            json!({"fault": "unauthorized", "cause": "invalid_header"}),
        ];
        for form in forms {
            assert_eq!(fault(form.clone()).kind.name(), form["fault"].as_str().unwrap());
        }
        for shorthand in ["garbage", "html", "truncated_json", "empty", "no_content", "response"] {
            fault(json!({"fault": shorthand}));
        }
    }

    #[test]
    fn every_suggested_name_is_valid() {
        for name in fault_names() {
            let refusal = read_fault(&json!({"fault": name}), "fault").err().unwrap_or_default();
            assert!(!refusal.contains("not the name"), "{refusal}");
        }
    }

    #[test]
    fn named_faults_are_scripts_that_can_be_changed() {
        for named in NAMED_FAULTS {
            let plain: Fault = fault(serde_json::from_str(named.form).unwrap());
            let given = fault(json!({"fault": named.name}));
            assert_eq!(given.name(), named.name, "the lists show what was typed");
            assert_eq!(Fault { given_as: plain.given_as, ..given }, plain, "{}", named.name);
        }
        let lost = fault(json!({"fault": "response_lost", "delay_ms": 7}));
        let close = Fault::execute_then_close().after(Duration::from_millis(7));
        assert_eq!(Fault { given_as: None, ..lost }, close);
        let script = |value| read_scripts(&value).unwrap().remove(0);
        let blocked = script(json!({"then": [{"fault": "token_server_blocked"}]}));
        assert_eq!(blocked.operation, Some(Operation::AccessToken));
        let everywhere = json!({"path": "/*", "then": [{"fault": "token_server_blocked"}]});
        assert_eq!(script(everywhere).operation, None);
    }

    #[test]
    fn effect_follows_the_response_unless_it_is_settled() {
        assert!(fault(json!({"fault": "hang", "ms": 5})).executes());
        assert!(fault(json!({"fault": "cut_response"})).executes());
        assert!(!fault(json!({"fault": "close"})).executes());
        assert!(fault(json!({"fault": "close", "execute": true})).executes());
        assert!(!fault(json!({"fault": "response", "status": 500})).executes());
        assert!(fault(json!({"fault": "response", "status": 500, "execute": true})).executes());
    }

    #[test]
    fn scripted_responses_keep_their_members() {
        let response = fault(json!({
            "fault": "response", "status": 401, "json": {"a": 1},
            "headers": {"WWW-Authenticate": ["Bearer", "Basic"], "content-type": "text/plain"},
        }))
        .response
        .unwrap();
        assert_eq!(response.status, 401);
        assert_eq!(response.body, br#"{"a":1}"#);
        assert_eq!(response.header("Content-Type"), Some("text/plain"));
        assert_eq!(response.headers.len(), 3);
        let page = fault(json!({"fault": "html", "status": 502})).response.unwrap();
        assert_eq!((page.status, page.body.is_empty()), (502, false));
    }

    #[test]
    fn scripts_of_the_readme_are_read() {
        let blocks = include_str!("../../README.md").split("```json\n").skip(1);
        let scripts = blocks.map(|block| block.split("```").next().unwrap());
        let read: usize = scripts
            .map(|script| read_scripts(&serde_json::from_str(script).unwrap()).unwrap().len())
            .sum();
        assert_eq!(read, 3);
    }

    #[test]
    fn mistakes_are_named_with_their_place() {
        let script = |then: Value| read_scripts(&json!({"then": [then]})).unwrap_err();
        assert_eq!(script(json!({"fault": "drip"})), "script.then[0].every_ms: required");
        assert_eq!(
            script(json!({"fault": "close", "when": "head"})),
            "script.then[0].when: unknown member"
        );
        assert!(script(json!({"fault": "close", "at": "head", "execute": true})).contains(".at: "));
        assert!(script(json!({"fault": "decline", "at": "head"})).contains(".at: "));
        assert_eq!(
            script(json!({"fault": "respose_lost"})),
            "script.then[0].fault: not the name of a fault (\"respose_lost\"); \
             did you mean \"response_lost\"?"
        );
        let unlike = script(json!({"fault": "xyz"}));
        assert!(
            unlike.contains("not the name of a fault (\"xyz\"); it is one of response_lost, "),
            "{unlike}"
        );
        let operation = read_scripts(&json!({"then": [], "operation": "pay"})).unwrap_err();
        assert!(operation.contains("create_payment, "), "{operation}");
        assert!(read_scripts(&json!({"then": [], "operation": "pay"})).is_err());
        assert!(read_scripts(&json!([{"then": 1}])).unwrap_err().starts_with("[0].then"));
    }
}
