//! Errors.

use std::sync::OnceLock;

use payments_core::inside::error_of_panic;
use payments_core::json::Json;
use payments_core::{Error, ErrorCode};

use crate::failure::CallFailure;
use crate::input;
use crate::nul_terminated::{NamedTexts, NulTerminated};
use crate::status::payments_status;

/// An error. All of its texts and bytes are valid until it is freed. Several
/// threads may read it at once.
pub struct payments_error {
    pub(crate) status: payments_status,
    pub(crate) core: Error,
    /// Created when first read.
    texts: OnceLock<Texts>,
}

impl input::Handle for payments_error {
    type Owner = input::Caller;
}

/// The texts of an error.
pub(crate) struct Texts {
    pub(crate) report: NulTerminated,
    pub(crate) line: NulTerminated,
    /// By their names in the report; those of the diagnosis begin with
    /// `diagnosis_`.
    pub(crate) members: NamedTexts,
}

impl payments_error {
    pub(crate) fn of(failure: CallFailure) -> Self {
        let status = failure.status();
        let core = match failure {
            CallFailure::Core(error) => *error,
            CallFailure::Argument { name, problem } => {
                let message = format!("{name} {problem}");
                Error::validation(name, ErrorCode::INVALID_ARGUMENT, message)
            }
            CallFailure::Panic(outcome) => error_of_panic(outcome),
        };
        Self { status, core, texts: OnceLock::new() }
    }

    pub(crate) fn texts(&self) -> &Texts {
        self.texts.get_or_init(|| {
            let core = &self.core;
            let (mut report, mut line) = (core.to_json(), core.to_string());
            if self.status == payments_status::PAYMENTS_STATUS_INVALID_ARGUMENT {
                // A kind of the ABI alone.
                let kind = ErrorCode::INVALID_ARGUMENT.as_str();
                report.as_object_mut().into_iter().for_each(|report| report.set("kind", kind));
                line = format!("{} [{kind}/{}, {}]", core.message(), core.code(), core.outcome());
            }
            Texts::of(&report, &line)
        })
    }
}

impl Texts {
    fn of(report: &Json, line: &str) -> Self {
        let mut members = NamedTexts::default();
        members.add_members(report, "");
        if let Some(diagnosis) = report.get("diagnosis") {
            members.add_members(diagnosis, "diagnosis_");
        }
        if let Some(entry) = report.get("journal_entry").filter(|entry| !entry.is_null()) {
            members.add("journal_entry".to_owned(), &entry.to_text());
        }
        let line = NulTerminated::without_nul(line);
        Self { report: NulTerminated::new(report.to_bytes()), line, members }
    }
}
