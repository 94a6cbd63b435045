//! Following open payments and refunds until each has ended.
//!
//! The interface has no events. This is the substitute: queries under a rate,
//! each later than the one before, and one report of each end.

mod item;
mod registry;
mod rule;
mod running;
mod state;
mod state_file;

use std::path::PathBuf;
use std::time::Duration;

pub(crate) use self::registry::Followings;
pub(crate) use self::rule::FailedQuery;
pub use self::rule::{NextStep, OpenPayment};
use self::running::FAR;
pub(crate) use self::running::Following;
pub use self::running::Progress;
use crate::call::context::CallContext;
use crate::client::Client;
use crate::model::error::{Error, ErrorCode};
use crate::model::json::{Json, Members};
use crate::model::operation::Operation;

const WEEK: Duration = Duration::from_secs(7 * 86_400);
const PER_SECOND: u32 = 5;

/// What to follow, and how.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FollowOptions {
    /// The payments to follow, by `merchant_payment_code`. `None` follows the
    /// payments and refunds that the journal says were done.
    pub references: Option<Vec<String>>,
    /// Whether the references are payment hashes.
    pub by_hash: bool,
    /// The file that remembers, also after a crash, what was reported. One
    /// process uses it at a time. Without it, the next run reports all again.
    pub state: Option<PathBuf>,
    /// How far back the journal is read, by default 7 days.
    pub since: Duration,
    /// The age at which an open payment is given up, by default 7 days. That of a
    /// reference counts from when it was first followed.
    pub give_up_after: Duration,
    /// The most queries in a second, by default 5.
    pub per_second: u32,
}

impl Default for FollowOptions {
    fn default() -> Self {
        Self {
            references: None,
            by_hash: false,
            state: None,
            since: WEEK,
            give_up_after: WEEK,
            per_second: PER_SECOND,
        }
    }
}

impl FollowOptions {
    fn check(&self) -> Result<(), Error> {
        let refused = |path: &str, message: &str| {
            Err(Error::validation(path, ErrorCode::VALUE_INVALID, message))
        };
        if self.references.as_ref().is_some_and(|all| all.iter().any(|it| it.trim().is_empty())) {
            return refused("references", "must not be empty");
        }
        if self.per_second == 0 {
            return refused("per_second", "must be at least 1");
        }
        Ok(())
    }
}

/// How a payment or a refund ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum EndKind {
    /// It is paid, or refunded: `CO`.
    Confirmed,
    /// It was cancelled: `CA`.
    Cancelled,
    /// It is still open at the age of `give_up_after`, the service does not find
    /// it, or no query can say what became of it.
    GivenUp,
    /// Its query failed, and another one would fail alike. It stays open: the
    /// next run queries it again.
    Failed,
}

impl EndKind {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Confirmed, Self::Cancelled, Self::GivenUp, Self::Failed];

    /// Its name in every language.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Confirmed => "confirmed",
            Self::Cancelled => "cancelled",
            Self::GivenUp => "given_up",
            Self::Failed => "failed",
        }
    }
}

/// The end of a payment or a refund.
#[derive(Clone, Debug)]
pub struct FollowEnd {
    /// `CreatePayment` or `RefundPayment`.
    pub operation: Operation,
    /// The merchant's reference, or the hash by which it is followed; for a
    /// refund the payment hash.
    pub reference: String,
    /// The `merchant_refund_code` of a refund.
    pub refund_code: Option<String>,
    /// The service's id of a refund.
    pub uid: Option<String>,
    /// The payment hash, if it is known.
    pub hash: Option<String>,
    /// How it ended.
    pub end: EndKind,
    /// The code of the last status, such as `CO`.
    pub status: Option<String>,
    /// Whether this end may have been reported before, by a run that stopped
    /// without confirming it.
    pub repeated: bool,
    /// Why it was given up or failed.
    pub reason: Option<String>,
    /// The code of the error of the last query.
    pub code: Option<ErrorCode>,
}

/// How many ended, and how.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct FollowCounts {
    /// Those that are paid or refunded.
    pub confirmed: u64,
    /// Those that were cancelled.
    pub cancelled: u64,
    /// Those that were given up.
    pub given_up: u64,
    /// Those whose query failed.
    pub failed: u64,
}

impl FollowCounts {
    fn count(&mut self, end: EndKind) {
        *match end {
            EndKind::Confirmed => &mut self.confirmed,
            EndKind::Cancelled => &mut self.cancelled,
            EndKind::GivenUp => &mut self.given_up,
            EndKind::Failed => &mut self.failed,
        } += 1;
    }
}

impl FollowEnd {
    /// The end as an object.
    pub fn to_json(&self) -> Json {
        let mut members = Members::from([("operation", self.operation.name())]);
        members.push("reference", self.reference.as_str());
        members.push("refund_code", self.refund_code.as_deref());
        members.push("uid", self.uid.as_deref());
        members.push("hash", self.hash.as_deref());
        members.push("end", self.end.as_str());
        members.push("status", self.status.as_deref());
        members.push("repeated", self.repeated);
        members.push("reason", self.reason.as_deref());
        members.push("code", self.code.map(ErrorCode::as_str));
        members.into()
    }
}

impl Client {
    /// The followings that callers in other languages hold.
    pub(crate) fn followings(&self) -> &Followings {
        &self.0.followings
    }

    /// Follows payments and refunds until all have ended, and gives the end of
    /// each once, as [`OpenPayment::next_step`] says. It reads the journal again
    /// and again, so that what is created meanwhile is followed too.
    ///
    /// An end counts as reported when the next one is asked for, or by
    /// [`Follow::confirm`]. If that does not happen, the next run with the same
    /// state file gives it again, as `repeated`: handle each end so that twice
    /// does no harm. Each query has the client's own deadline; `context` can
    /// cancel them all.
    ///
    /// ```no_run
    /// # use payments_core::Client;
    /// use payments_core::follow::{EndKind, FollowOptions};
    ///
    /// # fn follow(client: &Client) -> Result<(), payments_core::Error> {
    /// let options =
    ///     FollowOptions { state: Some("follow.state".into()), ..FollowOptions::default() };
    /// for end in client.follow(options, &client.context())? {
    ///     let end = end?;
    ///     if end.end == EndKind::Confirmed {
    ///         println!("{} is paid or refunded", end.reference);
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// `validation` for options that cannot work, `config` without a journal if
    /// there are no references, or if the state file cannot be used. The iterator
    /// ends after an error, such as wrong credentials; what is open stays so.
    pub fn follow(&self, options: FollowOptions, context: &CallContext) -> Result<Follow, Error> {
        let following = Following::new(self, options)?;
        let (client, context) = (self.clone(), context.clone());
        Ok(Follow { client, context, following, has_failed: false })
    }
}

/// Following in progress: an iterator over the ends of payments and refunds, in
/// the order in which they were noticed.
#[derive(Debug)]
pub struct Follow {
    client: Client,
    context: CallContext,
    following: Following,
    has_failed: bool,
}

impl Follow {
    /// The end that was given last is handled: no run gives it again.
    ///
    /// # Errors
    /// `config` if the state file cannot be written.
    pub fn confirm(&mut self) -> Result<(), Error> {
        self.following.confirm()
    }

    /// How many ended so far.
    pub fn counts(&self) -> FollowCounts {
        self.following.counts()
    }

    /// Confirms the end that was given last, and waits for the next one, at most
    /// for `limit`. `context` can cancel it; its deadline does not count.
    ///
    /// # Errors
    /// As a query, for what would fail for all; `journal` if it cannot be read,
    /// `config` if the state file cannot be written, `cancelled`. What is open
    /// stays so.
    pub fn next_within(
        &mut self,
        limit: Duration,
        context: &CallContext,
    ) -> Result<Progress, Error> {
        self.following.next_within(&self.client, limit, context)
    }
}

impl Iterator for Follow {
    type Item = Result<FollowEnd, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.has_failed {
            return None;
        }
        let context = self.context.clone();
        loop {
            match self.next_within(FAR, &context) {
                Ok(Progress::Ended(end)) => return Some(Ok(end)),
                Ok(Progress::Open) => {}
                Ok(Progress::Over) => return None,
                Err(error) => {
                    self.has_failed = true;
                    return Some(Err(error));
                }
            }
        }
    }
}
