//! The doctor finds every near miss, and claims nothing when nothing fits.

mod bodies;
mod digests;
mod queries;
mod rewritings;
mod tokens;

use payments_core::jws::Cause;
use payments_sandbox::doctor::{SignatureDiagnosis, SignatureFinding as Finding, diagnose};

use crate::support::KEY;

const KID: &str = "key-1";

/// Diagnoses a request whose signature covers `signed`, but whose body is
/// `sent`.
#[track_caller]
fn diagnosis_of(signed: impl AsRef<[u8]>, sent: impl AsRef<[u8]>) -> SignatureDiagnosis {
    let token = KEY.token(KID, signed.as_ref());
    let diagnosis = diagnose(Some(&token), sent.as_ref(), &[KEY.public().into()]);
    assert_shows_nothing(&diagnosis, &token);
    diagnosis
}

#[track_caller]
fn assert_shows_nothing(diagnosis: &SignatureDiagnosis, token: &str) {
    let shown = format!("{diagnosis} {diagnosis:?}");
    for hidden in ["853", "Jos", "rua", &token[token.len() - 40..], "BEGIN"] {
        assert!(!shown.contains(hidden), "{shown}");
    }
}

#[track_caller]
fn assert_found(diagnosis: &SignatureDiagnosis, finding: Finding, message: &str) {
    assert_eq!(diagnosis.finding(), finding, "{diagnosis}");
    assert_eq!(diagnosis.cause(), Some(Cause::SignatureMismatch));
    assert_eq!(diagnosis.to_json().get("finding").unwrap().as_str(), Some(finding.as_str()));
    assert!(diagnosis.message().contains(message), "{diagnosis}");
}

const COMPACT: &str = r#"{"document":"853.513","list":[1.50,{}],"address":{"b":1,"a":[]}}"#;
const SPACED: &str = r#"{"document": "853.513", "list": [1.50, {}], "address": {"b": 1, "a": []}}"#;
const INDENTED_BY_2: &str = "{\n  \"document\": \"853.513\",\n  \"list\": [\n    1.50,\n    {}\n  ],\n  \"address\": {\n    \"b\": 1,\n    \"a\": []\n  }\n}";
