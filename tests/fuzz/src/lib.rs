//! Readers of bytes of other programs, each as one function of bytes that
//! panics if a promise does not hold. Where a second implementation exists,
//! both must say the same.

mod amounts;
mod batch;
mod cards;
mod certificates;
mod configuration;
mod http;
mod journal;
mod json;
mod keys;
mod redis;
mod signatures;
mod tokens;

/// A target: takes any bytes, and panics if a check fails.
pub type Target = fn(&[u8]);

/// Every target, by its name, which is also that of its corpus.
pub const TARGETS: [(&str, Target); 13] = [
    ("amount", amounts::amount),
    ("batch", batch::batch),
    ("card_guard", cards::card_guard),
    ("certificate", certificates::certificate),
    ("configuration", configuration::configuration),
    ("doctor", signatures::doctor),
    ("journal", journal::journal),
    ("json", json::json),
    ("key", keys::key),
    ("redis", redis::redis),
    ("response", http::response),
    ("token", tokens::token),
    ("verify", signatures::verify),
];

/// The target of that name.
pub fn target(name: &str) -> Option<Target> {
    TARGETS.iter().find(|(it, _)| *it == name).map(|(_, target)| *target)
}
