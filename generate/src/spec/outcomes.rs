//! `spec/outcomes.toml`: whether a failed call was executed, and exit codes.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::{Mistakes, Text};

#[derive(Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Outcomes {
    #[serde(rename(serialize = "outcomes"))]
    pub(super) outcome: IndexMap<String, Outcome>,
    #[serde(rename(serialize = "exits"))]
    pub(super) exit: IndexMap<String, Exit>,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Outcome {
    /// In C.
    number: u32,
    meaning: String,
    /// The exit code of the command.
    exit: String,
}

/// An exit code of the command `payments`.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Exit {
    code: u8,
    meaning: String,
}

pub(super) fn read(file: &Text, mistakes: &mut Mistakes) -> Outcomes {
    let outcomes: Outcomes = file.parsed(mistakes).unwrap_or_default();
    for (name, outcome) in &outcomes.outcome {
        if !outcomes.exit.contains_key(&outcome.exit) {
            let place = file.place(&format!("[outcome.{name}]"));
            mistakes.add(&place, format!("there is no [exit] {}", outcome.exit));
        }
    }
    outcomes
}
