//! The named faults: the failures that merchants test for, by group, the most
//! dangerous first.

use payments_core::operation::Operation;
use serde_json::{Value, json};

/// A fault that can be scripted by name alone: `{"fault": "response_lost"}`.
#[derive(Debug)]
pub(crate) struct NamedFault {
    /// The name in scripts.
    pub(crate) name: &'static str,
    /// The title shown to people.
    pub(crate) title: &'static str,
    /// The kind of failure.
    pub(crate) group: FaultGroup,
    /// The effect, in one sentence.
    pub(crate) about: &'static str,
    /// The operation it applies to, unless a script names another.
    pub(crate) operation: Option<Operation>,
    /// The script it expands to.
    pub(crate) form: &'static str,
    /// How often in a row it must strike until a caller notices.
    pub(crate) times: u32,
}

/// A group of faults, for people who choose one.
#[derive(Clone, Copy, Debug)]
pub(crate) enum FaultGroup {
    Executed,
    Refused,
    Credentials,
    Broken,
}

impl FaultGroup {
    const fn title(self) -> &'static str {
        match self {
            Self::Executed => "Executed, and the client does not learn it",
            Self::Refused => "Refused or declined",
            Self::Credentials => "Credentials refused",
            Self::Broken => "Slow, broken or unreadable",
        }
    }
}

/// The named faults in JSON.
pub(crate) fn known_faults() -> Vec<Value> {
    let json = |fault: &NamedFault| {
        json!({
            "name": fault.name,
            "title": fault.title,
            "group": fault.group.title(),
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

const fn of_group(
    group: FaultGroup,
    name: &'static str,
    title: &'static str,
    form: &'static str,
    about: &'static str,
) -> NamedFault {
    NamedFault { name, title, group, about, operation: None, form, times: 1 }
}

const fn executed(
    name: &'static str,
    title: &'static str,
    form: &'static str,
    about: &'static str,
) -> NamedFault {
    of_group(FaultGroup::Executed, name, title, form, about)
}

const fn refused(
    name: &'static str,
    title: &'static str,
    form: &'static str,
    about: &'static str,
) -> NamedFault {
    of_group(FaultGroup::Refused, name, title, form, about)
}

const fn broken(
    name: &'static str,
    title: &'static str,
    form: &'static str,
    about: &'static str,
) -> NamedFault {
    of_group(FaultGroup::Broken, name, title, form, about)
}

/// A 401, which a client answers by sending the request again with a new token:
/// given once, it goes unnoticed.
const fn unauthorized(
    name: &'static str,
    title: &'static str,
    form: &'static str,
    about: &'static str,
) -> NamedFault {
    NamedFault { times: 2, ..of_group(FaultGroup::Credentials, name, title, form, about) }
}

const fn token(
    name: &'static str,
    title: &'static str,
    form: &'static str,
    about: &'static str,
) -> NamedFault {
    NamedFault {
        operation: Some(Operation::AccessToken),
        ..of_group(FaultGroup::Credentials, name, title, form, about)
    }
}

pub(crate) const NAMED_FAULTS: &[NamedFault] = &[
    executed(
        "response_lost",
        "Response lost after execution",
        r#"{"fault": "close", "execute": true}"#,
        "The operation is executed, then the connection closes without a response.",
    ),
    executed(
        "silence_after_execution",
        "Silence after execution",
        r#"{"fault": "hang", "execute": true}"#,
        "The operation is executed, and no response comes until the client gives up.",
    ),
    executed(
        "response_cut",
        "Response cut",
        r#"{"fault": "cut_response"}"#,
        "The operation is executed, and the response ends in the middle of its body.",
    ),
    executed(
        "reset_after_execution",
        "Reset after execution",
        r#"{"fault": "reset", "execute": true}"#,
        "The operation is executed, then the connection is reset.",
    ),
    NamedFault {
        operation: Some(Operation::CreatePayment),
        ..executed(
            "doubtful",
            "Refused as doubtful, executed",
            r#"{"fault": "response", "execute": true, "json": {"status": "ERROR", "status_code": "BP-DR-119"}}"#,
            "Refused with BP-DR-119, and executed all the same.",
        )
    },
    NamedFault {
        operation: Some(Operation::CreatePayment),
        ..refused(
            "declined",
            "Payment declined",
            r#"{"fault": "decline"}"#,
            "The payment is created and cancelled at once.",
        )
    },
    NamedFault {
        operation: Some(Operation::CreatePayout),
        ..refused(
            "payout_cancelled",
            "Payout cancelled",
            r#"{"fault": "decline"}"#,
            "The payout is created and cancelled at once, with the code TAX_ID_MISMATCH or another `code`.",
        )
    },
    NamedFault {
        operation: Some(Operation::CreatePayment),
        ..refused(
            "probably_repeated",
            "Refused as probably repeated",
            r#"{"fault": "response", "json": {"status": "ERROR", "status_code": "BP-DR-84"}}"#,
            "Refused with BP-DR-84: an earlier payment may exist.",
        )
    },
    refused(
        "rate_limited",
        "429 with Retry-After",
        r#"{"fault": "response", "status": 429, "headers": {"Retry-After": "2"}}"#,
        "Nothing is executed; the service asks to wait 2 seconds.",
    ),
    refused(
        "server_error",
        "500",
        r#"{"fault": "response", "status": 500}"#,
        "An internal error; nothing is executed.",
    ),
    refused(
        "unavailable",
        "503",
        r#"{"fault": "response", "status": 503}"#,
        "The service is unavailable; nothing is executed.",
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
    broken(
        "silence",
        "Silence",
        r#"{"fault": "hang"}"#,
        "Nothing is executed, and no response comes until the client gives up.",
    ),
    broken(
        "closed",
        "Connection closed",
        r#"{"fault": "close"}"#,
        "Nothing is executed, and the connection closes without a response.",
    ),
    broken(
        "refused_connection",
        "Connection closed at once",
        r#"{"fault": "close", "at": "accept"}"#,
        "The next connection closes before anything is read.",
    ),
    broken("slow", "Slow response", r#"{"fault": "pass"}"#, "A normal response, after the delay."),
    broken(
        "web_page",
        "Web page",
        r#"{"fault": "html"}"#,
        "A maintenance page with status 200; nothing is executed.",
    ),
    broken(
        "half_json",
        "Half a JSON object",
        r#"{"fault": "truncated_json"}"#,
        "Status 200 with JSON that ends too early; nothing is executed.",
    ),
    broken(
        "not_http",
        "Not HTTP",
        r#"{"fault": "garbage"}"#,
        "Bytes that are not HTTP; nothing is executed.",
    ),
    broken(
        "endless",
        "Endless response",
        r#"{"fault": "endless_body"}"#,
        "A response whose body never ends; nothing is executed.",
    ),
    broken(
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
