//! Errors from JSON and as JSON.

use super::{Error, ErrorKind, Outcome};
use crate::model::amount::AmountError;
use crate::model::json::{Json, JsonError, Members};

impl Error {
    /// Everything the error knows but the bytes that were sent and received.
    ///
    /// `service_message` may repeat payer data: it is for the caller, not for
    /// a log. Durations are whole seconds, rounded up.
    pub fn to_json(&self) -> Json {
        let mut report = Members::new();
        report.push("kind", self.kind().as_str());
        report.push("code", self.code());
        report.push("message", self.message());
        report.push("outcome", self.outcome().as_str());
        report.push("advice", self.advice());
        report.push("path", self.path());
        report.push("operation", self.operation().map(|operation| operation.name()));
        report.push("reference", self.reference());
        report.push("http_status", self.http_status().map(u64::from));
        report.push("service_code", self.service_code());
        report.push("service_message", self.service_message());
        report.push("payment_hash", self.payment_hash());
        let seconds = self.retry_after().map(|after| after.as_millis().div_ceil(1000));
        report.push("retry_after", seconds.and_then(|seconds| u64::try_from(seconds).ok()));
        report.push("diagnosis", self.diagnosis().map(|diagnosis| diagnosis.to_json()));
        report.push("journal_entry", self.journal_entry().cloned());
        report.push("attempts", u64::from(self.attempts()));
        report.push("help", self.help());
        Json::Object(report)
    }
}

/// A request that cannot be read: `validation`.
impl From<JsonError> for Error {
    fn from(error: JsonError) -> Self {
        let message = error.to_string();
        if !error.path().is_empty() {
            return Self::validation(error.path(), error.code(), message);
        }
        let message = format!("the request {message}");
        Self::new(ErrorKind::Validation, Outcome::NotExecuted, error.code(), message)
    }
}

impl From<AmountError> for Error {
    fn from(error: AmountError) -> Self {
        Self::new(ErrorKind::Validation, Outcome::NotExecuted, error.code(), error.message())
    }
}

#[cfg(test)]
mod tests {
    use crate::model::error::MEMBERS;
    use crate::model::json::Json;
    use crate::{Client, Config};

    #[test]
    fn a_report_has_the_members_of_the_table() {
        let report = Client::new(Config::default()).unwrap_err().to_json();
        let Json::Object(report) = report else { panic!("{report:?}") };
        let names: Vec<_> = report.iter().map(|(name, _)| name.to_owned()).collect();
        assert_eq!(names, MEMBERS.iter().map(|member| member.name).collect::<Vec<_>>());
        for member in MEMBERS.iter().filter(|member| !member.may_be_null) {
            assert!(report.get(member.name).is_some_and(|it| !it.is_null()), "{}", member.name);
        }
    }
}
