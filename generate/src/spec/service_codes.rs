//! `spec/service_codes.toml`: the known codes with which the service refuses an
//! operation or cancels a payout, and the token server refuses a token.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::{Mistakes, Text};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    refusal: Vec<ServiceCodes>,
    cancellation: Vec<ServiceCodes>,
    token_refusal: Vec<ServiceCodes>,
}

/// All known codes.
#[derive(Default, Serialize)]
pub(crate) struct KnownCodes {
    /// Those of the service.
    service_codes: Vec<ServiceCodes>,
    /// Those of cancelled payouts.
    cancellations: Vec<ServiceCodes>,
    /// Those of the token server.
    token_refusals: Vec<ServiceCodes>,
}

/// Codes with the same meaning.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ServiceCodes {
    /// As they are on the wire.
    codes: Vec<String>,
    /// Its meaning, as part of a sentence.
    meaning: String,
    /// The remedy, as part of a sentence.
    remedy: String,
    /// Whether the code itself says that money may have moved.
    #[serde(default)]
    outcome: Outcome,
}

/// For explanations only: a code decides no outcome of an error.
#[derive(Default, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
enum Outcome {
    #[default]
    NotExecuted,
    Unknown,
}

/// The codes in this file.
pub(super) fn read(file: &Text, mistakes: &mut Mistakes) -> KnownCodes {
    let Some(File { refusal, cancellation, token_refusal }) = file.parsed(mistakes) else {
        return KnownCodes::default();
    };
    let mut seen = HashSet::new();
    let all = refusal.iter().chain(&cancellation).chain(&token_refusal);
    for ServiceCodes { codes, meaning, remedy, .. } in all {
        let place = file.place(&format!("codes = {codes:?}"));
        for code in codes.iter().filter(|code| !seen.insert(code.as_str())) {
            mistakes.add(&place, format!("{code} has two meanings"));
        }
        for (name, text) in [("meaning", meaning), ("remedy", remedy)] {
            if text.is_empty() || text.ends_with('.') || text.starts_with(char::is_uppercase) {
                mistakes.add(&place, format!("{name} must be part of a sentence"));
            }
        }
    }
    KnownCodes {
        service_codes: refusal,
        cancellations: cancellation,
        token_refusals: token_refusal,
    }
}
