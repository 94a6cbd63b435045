//! What went wrong.

use payments_core::error::help_of;
use payments_core::json::Members;
use payments_core::{Error, Outcome};

use crate::boundary::Failure;
use crate::input;
use crate::status::payments_status;
use crate::text::Terminated;

/// What went wrong. All texts and bytes of an error are valid until it is
/// freed. Several threads may read it at once.
pub struct payments_error {
    pub(crate) status: payments_status,
    pub(crate) outcome: Outcome,
    pub(crate) core: Option<Error>,
    pub(crate) message: Terminated,
    pub(crate) line: Terminated,
    pub(crate) texts: Texts,
    pub(crate) report: Terminated,
}

/// The texts of the core's error.
#[derive(Default)]
pub(crate) struct Texts {
    pub(crate) code: Terminated,
    pub(crate) help: Terminated,
    pub(crate) advice: Option<Terminated>,
    pub(crate) path: Option<Terminated>,
    pub(crate) operation: Option<Terminated>,
    pub(crate) reference: Option<Terminated>,
    pub(crate) service_code: Option<Terminated>,
    pub(crate) service_message: Option<Terminated>,
    pub(crate) payment_hash: Option<Terminated>,
    pub(crate) diagnosis_cause: Option<Terminated>,
    pub(crate) diagnosis_finding: Option<Terminated>,
    pub(crate) diagnosis_message: Option<Terminated>,
}

/// What has no error of the core behind it.
struct Plain<'a> {
    status: payments_status,
    kind: &'a str,
    code: &'a str,
    message: &'a str,
    outcome: Outcome,
    path: Option<&'static str>,
}

const NOT_IN_PLAIN: [&str; 8] = [
    "operation",
    "reference",
    "http_status",
    "service_code",
    "service_message",
    "payment_hash",
    "retry_after",
    "diagnosis",
];

impl payments_error {
    pub(crate) fn of(failure: Failure) -> Self {
        match failure {
            Failure::Core(error) => Self::of_core(*error),
            Failure::Argument { name, problem } => Self::plain(&Plain {
                status: payments_status::PAYMENTS_STATUS_INVALID_ARGUMENT,
                kind: "invalid_argument",
                code: "invalid_argument",
                message: &format!("{name} {problem}"),
                outcome: Outcome::NotExecuted,
                path: Some(name),
            }),
            Failure::Panic(outcome) => Self::plain(&Plain {
                status: payments_status::PAYMENTS_STATUS_INTERNAL,
                kind: "internal",
                code: "panic",
                message: "a bug in libpayments was caught; please report it",
                outcome,
                path: None,
            }),
        }
    }

    fn plain(plain: &Plain<'_>) -> Self {
        let Plain { status, kind, code, message, outcome, path } = *plain;
        let mut report = Members::new();
        report.push("kind", kind);
        report.push("code", code);
        report.push("message", message);
        report.push("outcome", outcome.as_str());
        report.push("advice", None::<&str>);
        report.push("path", path);
        // The members are the same for every error.
        for name in NOT_IN_PLAIN {
            report.push(name, None::<&str>);
        }
        report.push("attempts", 0_u64);
        let help = help_of(code);
        report.push("help", help.as_str());
        let line = format!("{message} [{kind}/{code}, {outcome}]");
        let texts =
            Texts { code: c(code), help: c(&help), path: path.map(c), ..Texts::default() };
        Self {
            status,
            outcome,
            core: None,
            message: c(message),
            line: c(&line),
            texts,
            report: Terminated::new(report.to_bytes()),
        }
    }

    fn of_core(error: Error) -> Self {
        let diagnosis = error.diagnosis();
        let texts = Texts {
            code: c(error.code()),
            help: c(&error.help()),
            advice: error.advice().map(c),
            path: error.path().map(c),
            operation: error.operation().map(|operation| c(operation.name())),
            reference: error.reference().map(c),
            service_code: error.service_code().map(c),
            service_message: error.service_message().map(c),
            payment_hash: error.payment_hash().map(c),
            diagnosis_cause: diagnosis
                .and_then(|found| found.cause())
                .map(|cause| c(cause.as_str())),
            diagnosis_finding: diagnosis.map(|found| c(found.code())),
            diagnosis_message: diagnosis.map(|found| c(found.message())),
        };
        Self {
            status: payments_status::of(error.kind()),
            outcome: error.outcome(),
            message: c(error.message()),
            line: c(&error.to_string()),
            report: Terminated::new(error.to_json().to_bytes()),
            texts,
            core: Some(error),
        }
    }
}

fn c(text: &str) -> Terminated {
    Terminated::without_nul(text)
}

/// Frees an error. NULL does nothing.
///
/// Ownership: takes the handle, which must not be used again.
/// Threads: any, when nobody else uses the handle.
/// Errors: none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_error_free(error: *mut payments_error) {
    // SAFETY: the caller gives NULL or an error that was not freed.
    unsafe { input::take_back(error) }
}

#[cfg(test)]
mod tests {
    use payments_core::{Client, Config};

    use super::*;

    #[test]
    fn every_report_has_the_same_members() {
        let names = |report: &payments_core::json::Json| {
            let members = report.as_object().map(Members::iter).into_iter().flatten();
            members.map(|(name, _)| name.to_owned()).collect::<Vec<_>>()
        };
        let core = Client::new(Config::default()).unwrap_err();
        let plain = payments_error::of(Failure::Panic(Outcome::Unknown));
        // SAFETY: the report ends in NUL and lives.
        let report = unsafe { std::ffi::CStr::from_ptr(plain.report.as_ptr()) };
        let report = payments_core::json::Json::parse(report.to_bytes()).unwrap();
        assert_eq!(names(&report), names(&core.to_json()));
    }
}
