//! `spec/service_codes.toml`: what is known of the codes with which the service
//! refuses an operation.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::{Mistakes, Text};

/// The codes, as they are on the wire.
pub(crate) type ServiceCodes = IndexMap<String, ServiceCode>;

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ServiceCode {
    /// What the service says with it, as part of a sentence.
    meaning: String,
    /// What to do, as part of a sentence.
    remedy: String,
}

/// The codes in this file.
pub(super) fn read(file: &Text, mistakes: &mut Mistakes) -> ServiceCodes {
    let codes: ServiceCodes = file.parsed(mistakes).unwrap_or_default();
    for (code, ServiceCode { meaning, remedy }) in &codes {
        for (name, text) in [("meaning", meaning), ("remedy", remedy)] {
            if text.is_empty() || text.ends_with('.') || text.starts_with(char::is_uppercase) {
                let place = file.place(&format!("[{code}]"));
                mistakes.add(&place, format!("{name} must be part of a sentence"));
            }
        }
    }
    codes
}
