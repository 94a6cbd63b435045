//! The lines of a batch while they are sent: their states, and their outcomes.

use payments_core::error::Reason;
use payments_core::json::Json;
use payments_core::request::cancelled_with;
use payments_core::{Error, ErrorCode, Outcome};
use payments_host::recovery::OpenEntry;

use super::change::Change;
use super::file::Line;

/// The state of a line.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) enum LineState {
    Done,
    /// Created, and cancelled by the service.
    Cancelled,
    Failed,
    Unknown,
    /// A different request was sent earlier with this reference.
    Changed,
    /// Not sent; the next run sends it.
    #[default]
    Unsent,
}

impl LineState {
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Cancelled => "cancelled",
            Self::Failed => "failed",
            Self::Unknown => "unknown",
            Self::Changed => "changed",
            Self::Unsent => "unsent",
        }
    }
}

/// The states of lines that a person has to look at, as [`note_open`](super::report::note_open)
/// says.
pub(super) const NEED_A_PERSON: [LineState; 3] =
    [LineState::Unknown, LineState::Changed, LineState::Cancelled];

/// The result of a line.
#[derive(Clone, Default, Debug)]
pub(super) struct LineResult {
    pub(super) state: LineState,
    pub(super) uid: Option<String>,
    /// The service's status of the payout.
    pub(super) status: Option<String>,
    pub(super) code: Option<ErrorCode>,
    /// The reason of its error.
    pub(super) reason: Option<Reason>,
    /// The service's code of a cancelled payout.
    pub(super) service_code: Option<String>,
    /// The id of its entry in the journal.
    pub(super) id: Option<String>,
    /// For a changed line, the differences that the journal knows.
    pub(super) change: Option<Change>,
    /// The entry of an unknown payout that a query left open.
    pub(super) open: Option<OpenEntry>,
}

impl LineResult {
    /// The result of a payout that was executed, by its response.
    pub(super) fn executed(body: &Json, view: &Json) -> Self {
        let text = |name: &str| view.get(name).and_then(Json::as_str).map(str::to_owned);
        let service_code = cancelled_with(body).map(str::to_owned);
        let state = match service_code {
            Some(_) => LineState::Cancelled,
            None => LineState::Done,
        };
        Self { state, uid: text("uid"), status: text("status"), service_code, ..Self::default() }
    }

    /// The code of a line, the service's own if it cancelled the payout.
    pub(super) fn code_shown(&self) -> Option<&str> {
        self.service_code.as_deref().or(self.code.map(ErrorCode::as_str))
    }
}

/// The outcome of a batch as a whole, for callers who do not see its report.
pub(super) fn outcome(results: &[LineResult]) -> Outcome {
    let any = |states: &[LineState]| results.iter().any(|it| states.contains(&it.state));
    if any(&[LineState::Unknown]) {
        Outcome::Unknown
    } else if any(&[LineState::Done, LineState::Cancelled, LineState::Changed]) {
        Outcome::Executed
    } else {
        Outcome::NotExecuted
    }
}

/// Why a batch takes no new line.
#[derive(Clone, Debug)]
pub(super) enum Stop {
    Signal,
    /// After a payout that may have been executed.
    Unknown,
    /// Every other payout would fail with this error.
    Failure(Error),
}

/// A line, its state, and its outcome.
pub(super) type ReportedLine<'a> = (&'a Line, &'static str, Option<&'a LineResult>);
