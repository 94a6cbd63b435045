//! The named faults: the failures that merchants test for, the most dangerous
//! first.

use payments_core::operation::Operation;
use serde_json::{Value, json};

/// A fault that can be scripted by name alone: `{"fault": "response_lost"}`.
#[derive(Debug)]
pub(crate) struct NamedFault {
    /// The name in scripts.
    pub(crate) name: &'static str,
    /// The title shown to people.
    pub(crate) title: &'static str,
    /// The effect, in one sentence.
    pub(crate) about: &'static str,
    /// The operation it applies to, unless a script names another.
    pub(crate) operation: Option<Operation>,
    /// The script it expands to.
    pub(crate) form: &'static str,
    /// How often in a row it must strike until a caller notices.
    pub(crate) times: u32,
}

/// The named faults in JSON.
pub(crate) fn known_faults() -> Vec<Value> {
    let json = |fault: &NamedFault| {
        json!({
            "name": fault.name,
            "title": fault.title,
            "about": fault.about,
            "operation": fault.operation.map(Operation::name),
            "times": fault.times,
        })
    };
    NAMED_FAULTS.iter().map(json).collect()
}

/// Finds a fault by name.
pub(crate) fn named_fault(name: &str) -> Option<&'static NamedFault> {
    NAMED_FAULTS.iter().find(|fault| fault.name == name)
}

const fn any(
    name: &'static str,
    title: &'static str,
    form: &'static str,
    about: &'static str,
) -> NamedFault {
    NamedFault { name, title, about, operation: None, form, times: 1 }
}

/// A 401, which a client answers by sending the request again with a new token:
/// given once, it goes unnoticed.
const fn unauthorized(
    name: &'static str,
    title: &'static str,
    form: &'static str,
    about: &'static str,
) -> NamedFault {
    NamedFault { times: 2, ..any(name, title, form, about) }
}

const fn token(
    name: &'static str,
    title: &'static str,
    form: &'static str,
    about: &'static str,
) -> NamedFault {
    NamedFault { operation: Some(Operation::AccessToken), ..any(name, title, form, about) }
}

pub(crate) const NAMED_FAULTS: &[NamedFault] = &[
    any(
        "response_lost",
        "Response lost after execution",
        r#"{"fault": "close", "execute": true}"#,
        "The operation is executed, then the connection closes without a response.",
    ),
    any(
        "silence_after_execution",
        "Silence after execution",
        r#"{"fault": "hang", "execute": true}"#,
        "The operation is executed, and no response comes until the client gives up.",
    ),
    any(
        "silence",
        "Silence",
        r#"{"fault": "hang"}"#,
        "Nothing is executed, and no response comes until the client gives up.",
    ),
    any(
        "response_cut",
        "Response cut",
        r#"{"fault": "cut_response"}"#,
        "The operation is executed, and the response ends in the middle of its body.",
    ),
    any(
        "reset_after_execution",
        "Reset after execution",
        r#"{"fault": "reset", "execute": true}"#,
        "The operation is executed, then the connection is reset.",
    ),
    unauthorized(
        "missing_signature",
        "401: missing signature",
        r#"{"fault": "unauthorized", "cause": "missing_signature"}"#,
        "Refused as if the request had no X-JWS-Signature.",
    ),
    unauthorized(
        "invalid_token_format",
        "401: invalid token format",
        r#"{"fault": "unauthorized", "cause": "invalid_token_format"}"#,
        "Refused as if the signature could not be parsed.",
    ),
    unauthorized(
        "payload_not_detached",
        "401: payload not detached",
        r#"{"fault": "unauthorized", "cause": "payload_not_detached"}"#,
        "Refused as if the signature contained the payload.",
    ),
    unauthorized(
        "invalid_header",
        "401: invalid header",
        r#"{"fault": "unauthorized", "cause": "invalid_header"}"#,
        "Refused as if a member of the protected header were missing or wrong.",
    ),
    unauthorized(
        "signature_mismatch",
        "401: signature mismatch",
        r#"{"fault": "unauthorized", "cause": "signature_mismatch"}"#,
        "Refused as if another key, or other bytes, had been signed.",
    ),
    token(
        "token_server_blocked",
        "Token server blocked",
        r#"{"fault": "response", "status": 429, "headers": {"Retry-After": "60"}}"#,
        "The token server responds 429 and asks to wait 60 seconds.",
    ),
    token(
        "token_server_down",
        "Token server down",
        r#"{"fault": "response", "status": 503}"#,
        "The token server responds 503.",
    ),
    NamedFault {
        operation: Some(Operation::CreatePayment),
        ..any(
            "declined",
            "Payment declined",
            r#"{"fault": "decline"}"#,
            "The payment is created and cancelled at once.",
        )
    },
    NamedFault {
        operation: Some(Operation::CreatePayout),
        ..any(
            "payout_cancelled",
            "Payout cancelled",
            r#"{"fault": "decline"}"#,
            "The payout is created and cancelled at once, with the code TAX_ID_MISMATCH or another `code`.",
        )
    },
    NamedFault {
        operation: Some(Operation::CreatePayment),
        ..any(
            "probably_repeated",
            "Refused as probably repeated",
            r#"{"fault": "response", "json": {"status": "ERROR", "status_code": "BP-DR-84"}}"#,
            "Refused with BP-DR-84: an earlier payment may exist.",
        )
    },
    NamedFault {
        operation: Some(Operation::CreatePayment),
        ..any(
            "doubtful",
            "Refused as doubtful, executed",
            r#"{"fault": "response", "execute": true, "json": {"status": "ERROR", "status_code": "BP-DR-119"}}"#,
            "Refused with BP-DR-119, and executed all the same.",
        )
    },
    any(
        "closed",
        "Connection closed",
        r#"{"fault": "close"}"#,
        "Nothing is executed, and the connection closes without a response.",
    ),
    any(
        "refused_connection",
        "Connection closed at once",
        r#"{"fault": "close", "at": "accept"}"#,
        "The next connection closes before anything is read.",
    ),
    any("slow", "Slow response", r#"{"fault": "pass"}"#, "A normal response, after the delay."),
    any(
        "rate_limited",
        "429 with Retry-After",
        r#"{"fault": "response", "status": 429, "headers": {"Retry-After": "2"}}"#,
        "Nothing is executed; the service asks to wait 2 seconds.",
    ),
    any(
        "server_error",
        "500",
        r#"{"fault": "response", "status": 500}"#,
        "An internal error; nothing is executed.",
    ),
    any(
        "unavailable",
        "503",
        r#"{"fault": "response", "status": 503}"#,
        "The service is unavailable; nothing is executed.",
    ),
    any(
        "web_page",
        "Web page",
        r#"{"fault": "html"}"#,
        "A maintenance page with status 200; nothing is executed.",
    ),
    any(
        "half_json",
        "Half a JSON object",
        r#"{"fault": "truncated_json"}"#,
        "Status 200 with JSON that ends too early; nothing is executed.",
    ),
    any(
        "not_http",
        "Not HTTP",
        r#"{"fault": "garbage"}"#,
        "Bytes that are not HTTP; nothing is executed.",
    ),
    any(
        "endless",
        "Endless response",
        r#"{"fault": "endless_body"}"#,
        "A response whose body never ends; nothing is executed.",
    ),
    any(
        "dripping",
        "Dripping response",
        r#"{"fault": "drip", "every_ms": 20}"#,
        "A normal response, one byte every 20 ms.",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_readme_lists_every_named_fault() {
        let readme = include_str!("../../README.md");
        for fault in NAMED_FAULTS {
            let row = format!("| `{}` | {} | {} |", fault.name, fault.about, fault.times);
            assert!(readme.contains(&row), "the README lacks {row}");
        }
    }
}
