//! The settings of the control API, and its control over tokens.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::config::{Require, SandboxConfig};
use crate::http::json_form::{JsonForm, read_json};
use crate::service::Service;
use crate::service::clock::milliseconds;
use crate::service::tokens::TokenBlock;

/// Returns the settings a client needs and all that can be changed.
pub(crate) fn read(service: &Service) -> Value {
    let config = service.config();
    json!({
        "base_url": service.base_url,
        "auth_url": service.base_url,
        "integration_key": config.integration_key,
        "client_id": config.client_id,
        "client_secret": config.client_secret,
        "require": config.require.names(),
        "verify_signatures": config.verify_signatures,
        "bearer_challenge": config.bearer_challenge,
        "bearer_header": config.bearer_header,
        "bearer_scheme": config.bearer_scheme,
        "decode_client_auth": config.decode_client_auth,
        "require_user_agent": config.require_user_agent,
        "refund_hash_member": config.refund_hash_member,
        "leave_open": config.leave_open,
        "accept_paths": config.accept_paths,
        "accept_repeats": config.accept_repeats,
        "unique_payouts": config.unique_payouts,
        "accept_any_digits": config.accept_any_digits,
        "lenient": config.lenient,
        "latency_ms": milliseconds(config.latency),
        "token_lifetime_ms": milliseconds(config.token_lifetime),
        "token_limit": {
            "requests": config.token_limit.requests,
            "window_ms": milliseconds(config.token_limit.window),
            "status": config.token_limit.status,
        },
    })
}

/// Applies the settings in the body.
pub(crate) fn write(service: &Service, body: &[u8]) -> Result<Value, String> {
    let json = read_json(body)?;
    let mut changed = SandboxConfig::clone(&service.config());
    change(&mut changed, &json)?;
    service.configure(|config| *config = changed);
    Ok(read(service))
}

fn change(config: &mut SandboxConfig, json: &Value) -> Result<(), String> {
    let mut form = JsonForm::of(json, "settings")?;
    if let Some(require) = form.take("require") {
        let names: Option<Vec<&str>> = match require {
            Value::String(list) => Some(vec![list]),
            Value::Array(names) => names.iter().map(Value::as_str).collect(),
            _ => None,
        };
        let names = names.ok_or_else(|| form.wrong("require", "an array of texts"))?;
        config.require = Require::from_list(&names.join(","))?;
    }
    for (name, flag) in [
        ("verify_signatures", &mut config.verify_signatures),
        ("bearer_challenge", &mut config.bearer_challenge),
        ("decode_client_auth", &mut config.decode_client_auth),
        ("require_user_agent", &mut config.require_user_agent),
        ("leave_open", &mut config.leave_open),
        ("accept_repeats", &mut config.accept_repeats),
        ("unique_payouts", &mut config.unique_payouts),
        ("accept_any_digits", &mut config.accept_any_digits),
        ("lenient", &mut config.lenient),
    ] {
        *flag = form.boolean(name)?.unwrap_or(*flag);
    }
    for (name, text) in [
        ("client_id", &mut config.client_id),
        ("client_secret", &mut config.client_secret),
        ("bearer_header", &mut config.bearer_header),
        ("bearer_scheme", &mut config.bearer_scheme),
        ("refund_hash_member", &mut config.refund_hash_member),
    ] {
        if let Some(given) = form.text(name)? {
            given.clone_into(text);
        }
    }
    if let Some(paths) = form.take("accept_paths") {
        let texts = paths.as_array().map(|paths| paths.iter().map(|path| path.as_str()));
        let texts: Option<Vec<&str>> = texts.and_then(Iterator::collect);
        let texts = texts.ok_or_else(|| form.wrong("accept_paths", "an array of texts"))?;
        config.accept_paths = texts.into_iter().map(str::to_owned).collect();
    }
    if let Some(latency) = form.number("latency_ms")? {
        config.latency = Duration::from_millis(latency);
    }
    if let Some(lifetime) = form.number("token_lifetime_ms")? {
        config.token_lifetime = Duration::from_millis(lifetime);
    }
    if let Some(limit) = form.take("token_limit") {
        let mut members = JsonForm::of(limit, "settings.token_limit")?;
        if let Some(requests) = members.number("requests")? {
            config.token_limit.requests = u32::try_from(requests).unwrap_or(u32::MAX);
        }
        if let Some(window) = members.number("window_ms")? {
            config.token_limit.window = Duration::from_millis(window);
        }
        if let Some(status) = members.number("status")? {
            config.token_limit.status = status_of(&members, status)?;
        }
        members.finish()?;
    }
    form.finish()
}

/// Serves `POST /sandbox/tokens/{lifetime,revoke,block}`.
pub(crate) fn tokens(service: &Service, what: &str, body: &[u8]) -> Result<Value, String> {
    let json = read_json(body)?;
    let mut form = JsonForm::of(&json, what)?;
    match what {
        "lifetime" => {
            let lifetime = duration(&mut form)?.ok_or_else(|| form.needed("seconds"))?;
            form.finish()?;
            service.configure(|config| config.token_lifetime = lifetime);
            Ok(json!({"token_lifetime_ms": milliseconds(lifetime)}))
        }
        "revoke" => {
            let only = form.text("token")?;
            form.finish()?;
            Ok(json!({"revoked": service.tokens().revoke(only)}))
        }
        "block" => {
            let blocked = form.boolean("blocked")?.unwrap_or(true);
            let status = form.number("status")?.unwrap_or(429);
            let block = TokenBlock {
                status: status_of(&form, status)?,
                retry_after: form.number("retry_after")?,
                duration: duration(&mut form)?,
            };
            form.finish()?;
            service.tokens().block(blocked.then_some(block), Instant::now());
            Ok(json!({"blocked": blocked}))
        }
        _ => Err(format!("{what}: not one of lifetime, revoke, block")),
    }
}

/// Reads a duration from `seconds` or `ms`.
fn duration(form: &mut JsonForm<'_>) -> Result<Option<Duration>, String> {
    let seconds = form.number("seconds")?.map(Duration::from_secs);
    Ok(form.number("ms")?.map(Duration::from_millis).or(seconds))
}

fn status_of(form: &JsonForm<'_>, status: u64) -> Result<u16, String> {
    u16::try_from(status)
        .ok()
        .filter(|status| (400..=599).contains(status))
        .ok_or_else(|| form.wrong("status", "a status from 400 to 599"))
}
