//! Why a request was refused, as `jws::verify` and errors of a 401 report it.

// - `generated.rs`: the causes and the findings

mod generated;

use std::fmt;

pub use generated::{Cause, Finding};

use crate::model::json::{Json, Members};

/// The diagnosis of a 401. It contains nothing of the body, the token or a key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnosis {
    cause: Option<Cause>,
    finding: Finding,
    message: String,
}

impl Diagnosis {
    /// A diagnosis whose message is the finding's own and `detail`.
    pub(crate) fn new(finding: Finding, cause: Option<Cause>, detail: &str) -> Self {
        let message = match finding {
            Finding::SeeCause => detail.to_owned(),
            _ => format!("{}: {detail}", finding.explanation()),
        };
        Self { cause, finding, message }
    }

    /// The cause as the interface names it, if the token is refused.
    pub fn cause(&self) -> Option<Cause> {
        self.cause
    }

    /// The finding.
    pub fn finding(&self) -> Finding {
        self.finding
    }

    /// The finding's name, for example `bearer_refused`.
    pub fn code(&self) -> &'static str {
        self.finding.as_str()
    }

    /// The finding and its remedy.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Cause, finding and message.
    pub fn to_json(&self) -> Json {
        let mut members = Members::new();
        members.push("cause", self.cause().map(Cause::as_str));
        members.push("finding", self.code());
        members.push("message", self.message());
        Json::Object(members)
    }
}

impl fmt::Display for Diagnosis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.finding, self.message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_has_its_own_name_and_message() {
        for finding in Finding::ALL {
            let diagnosis = Diagnosis::new(finding, None, "the detail");
            assert_eq!((diagnosis.code(), diagnosis.cause()), (finding.as_str(), None));
            assert!(diagnosis.message().ends_with("the detail"));
            assert_eq!(diagnosis.to_string(), format!("{finding}: {}", diagnosis.message()));
        }
    }
}
