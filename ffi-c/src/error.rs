//! Errors.

use std::sync::OnceLock;

use payments_core::ErrorCode;
use payments_core::error::help_of;
use payments_core::json::{Json, Members};
use payments_core::{Error, Outcome};

use crate::boundary::CallFailure;
use crate::error_values::MEMBERS;
use crate::input;
use crate::status::payments_status;
use crate::text::NulTerminated;

/// An error. All of its texts and bytes are valid until it is freed. Several
/// threads may read it at once.
pub struct payments_error {
    pub(crate) status: payments_status,
    pub(crate) outcome: Outcome,
    pub(crate) core: Option<Error>,
    /// For errors that are not the core's.
    plain: Option<LocalError>,
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
    members: Vec<(String, NulTerminated)>,
}

/// An error without an error of the core.
struct LocalError {
    kind: &'static str,
    code: ErrorCode,
    message: String,
    path: Option<&'static str>,
}

impl payments_error {
    pub(crate) fn of(failure: CallFailure) -> Self {
        let status = failure.status();
        let (outcome, core, plain) = match failure {
            CallFailure::Core(error) => (error.outcome(), Some(*error), None),
            CallFailure::Argument { name, problem } => {
                let (kind, message) = ("invalid_argument", format!("{name} {problem}"));
                let plain = LocalError {
                    kind,
                    code: ErrorCode::INVALID_ARGUMENT,
                    message,
                    path: Some(name),
                };
                (Outcome::NotExecuted, None, Some(plain))
            }
            CallFailure::Panic(outcome) => {
                let message = "a bug in libpayments was caught; please report it".to_owned();
                let plain = LocalError {
                    kind: "internal",
                    code: ErrorCode::INTERNAL_ERROR,
                    message,
                    path: None,
                };
                (outcome, None, Some(plain))
            }
        };
        Self { status, outcome, core, plain, texts: OnceLock::new() }
    }

    pub(crate) fn texts(&self) -> &Texts {
        self.texts.get_or_init(|| {
            let core = self.core.as_ref().map(|error| (error.to_json(), error.to_string()));
            let plain = || self.plain.as_ref().map(|plain| plain.described(self.outcome));
            let (report, line) = core.or_else(plain).unwrap_or_default();
            Texts::of(&report, &line)
        })
    }
}

impl LocalError {
    /// The error as a report, and in one line.
    fn described(&self, outcome: Outcome) -> (Json, String) {
        let Self { kind, code, message, path } = self;
        let value = |name| match name {
            "kind" => Json::from(*kind),
            "code" => code.as_str().into(),
            "message" => message.as_str().into(),
            "outcome" => outcome.as_str().into(),
            "path" => Json::from(*path),
            "attempts" => 0_u64.into(),
            "help" => help_of(*code).as_str().into(),
            _ => Json::Null,
        };
        let report = Members::from(MEMBERS.map(|name| (name, value(name))));
        (report.into(), format!("{message} [{kind}/{code}, {outcome}]"))
    }
}

impl Texts {
    fn of(report: &Json, line: &str) -> Self {
        let of = |json: &Json, prefix: &str| -> Vec<(String, NulTerminated)> {
            let members = json.as_object().into_iter().flat_map(Members::iter);
            let text = |(name, value): (&str, &Json)| {
                Some((format!("{prefix}{name}"), c(value.as_str()?)))
            };
            members.filter_map(text).collect()
        };
        let mut members = of(report, "");
        members.extend(report.get("diagnosis").into_iter().flat_map(|it| of(it, "diagnosis_")));
        let entry = report.get("journal_entry").filter(|entry| !entry.is_null());
        members.extend(entry.map(|entry| ("journal_entry".to_owned(), c(&entry.to_text()))));
        Self { report: NulTerminated::new(report.to_bytes()), line: c(line), members }
    }

    pub(crate) fn member(&self, name: &str) -> Option<&NulTerminated> {
        self.members.iter().find(|(own, _)| own == name).map(|(_, text)| text)
    }
}

fn c(text: &str) -> NulTerminated {
    NulTerminated::without_nul(text)
}

/// Frees an error. NULL does nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_error_free(error: *mut payments_error) {
    // SAFETY: the caller passes NULL or an error that was not freed.
    unsafe { input::take_back(error) }
}

#[cfg(test)]
mod tests {
    use payments_core::{Client, Config};

    use super::*;

    #[test]
    fn every_report_has_the_same_members() {
        let names = |report: &Json| {
            let members = report.as_object().map(Members::iter).into_iter().flatten();
            members.map(|(name, _)| name.to_owned()).collect::<Vec<_>>()
        };
        let core = Client::new(Config::default()).unwrap_err();
        let plain = payments_error::of(CallFailure::Panic(Outcome::Unknown));
        // SAFETY: the report ends in NUL and lives.
        let report = unsafe { std::ffi::CStr::from_ptr(plain.texts().report.as_ptr()) };
        let report = Json::parse(report.to_bytes()).unwrap();
        assert_eq!(names(&report), names(&core.to_json()));
    }
}
