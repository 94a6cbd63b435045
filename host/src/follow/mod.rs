//! Following open payments, refunds and payouts until each has ended.
//!
//! The interface has no events. This is the substitute: queries under a rate,
//! each later than the one before, and one report of each end.

mod beginning;
mod driving;
mod ended;
mod item;
mod item_state;
mod outage;
mod registry;
mod reporting;
mod rule;
mod running;
mod schedule;
mod shared;
mod state;
mod state_file;
mod time;

use std::path::PathBuf;
use std::time::Duration;

use payments_core::error::{Error, ErrorCode};
use payments_core::json::{Json, Members};
use payments_core::operation::Operation;
use payments_core::{CallContext, Client};

pub use self::driving::Progress;
pub use self::registry::FollowerTable;
pub(crate) use self::registry::Held;
pub(crate) use self::rule::FailedQuery;
pub use self::rule::{NextStep, OpenPayment};
pub(crate) use self::running::Follower;
pub use self::shared::{SharedFollower, begin};

const DAY: Duration = Duration::from_secs(86_400);
const WEEK: Duration = Duration::from_secs(7 * 86_400);
const QUARTER: Duration = Duration::from_secs(90 * 86_400);
const PER_SECOND: u32 = 5;
pub(super) const FAR: Duration = Duration::from_secs(365 * 86_400);

/// The payments or payouts to follow, and options.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FollowOptions {
    /// The payments to follow, by `merchant_payment_code`. `None` follows the
    /// payments and refunds that the journal says were done, and its payouts if
    /// `payout_query` is on.
    pub references: Option<Vec<String>>,
    /// Whether the references are payment hashes.
    pub by_hash: bool,
    /// Whether the references are the `external_reference` of payouts, which
    /// needs `payout_query`.
    pub by_external_reference: bool,
    /// Whether the references are the `uid` of payouts, which needs
    /// `payout_query`.
    pub by_uid: bool,
    /// The file that remembers, also after a crash, what was reported. One
    /// process uses it at a time. Without it, the next run reports everything
    /// again.
    pub state: Option<PathBuf>,
    /// How far back the journal is read, by default 7 days: entries that became
    /// `done` since then are followed.
    pub since: Duration,
    /// The age at which an open payment is given up, by default 7 days. The age
    /// of a reference counts from when it was first followed.
    pub give_up_after: Duration,
    /// The most queries in a second, by default 5.
    pub per_second: u32,
    /// How long the state file keeps a reported end that is neither named nor in
    /// the journal: by default 90 days, and at least `since` and a day.
    /// [`Duration::MAX`] keeps all. Ends that a person must decide stay.
    pub forget_after: Duration,
}

impl Default for FollowOptions {
    fn default() -> Self {
        Self {
            references: None,
            by_hash: false,
            by_external_reference: false,
            by_uid: false,
            state: None,
            since: WEEK,
            give_up_after: WEEK,
            per_second: PER_SECOND,
            forget_after: QUARTER,
        }
    }
}

impl FollowOptions {
    /// `way` is how to turn on the query of payouts, if it is off.
    fn check(&self, way: Option<&str>) -> Result<(), Error> {
        let refused = |path: &str, message: &str| {
            Err(Error::validation(path, ErrorCode::VALUE_INVALID, message))
        };
        if self.references.as_ref().is_some_and(|all| all.iter().any(|it| it.trim().is_empty())) {
            return refused("references", "must not be empty");
        }
        if self.per_second == 0 {
            return refused("per_second", "must be at least 1");
        }
        let kinds = [self.by_hash, self.by_external_reference, self.by_uid];
        if kinds.into_iter().filter(|is_given| *is_given).count() > 1 {
            return refused(
                "references",
                "must be of one kind: set one of by_hash, by_external_reference and by_uid",
            );
        }
        match way.filter(|_| self.references.is_some() && self.names_payouts()) {
            Some(way) => Err(Error::config(
                "payout_query",
                ErrorCode::REQUIRED,
                format!("is off, and without it no query finds a payout; {way}"),
            )),
            None => Ok(()),
        }
    }

    /// Whether the references are of payouts.
    fn names_payouts(&self) -> bool {
        self.by_external_reference || self.by_uid
    }

    /// For how long an end is kept, in milliseconds.
    fn forgets_after(&self) -> u64 {
        time::milliseconds(self.forget_after.max(self.since.saturating_add(DAY)))
    }
}

/// The report of a payment, a refund or a payout.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum EndKind {
    /// It is paid, or refunded: `CO`; `PA` of a payout.
    Confirmed,
    /// It was cancelled: `CA`.
    Cancelled,
    /// It is paid, but its amount, its currency or the spelling of its reference
    /// is not what was asked for; or a payout has ended with another amount,
    /// currency or reference. A person must look at it.
    Differs,
    /// It is still open at the age of `give_up_after`, the service refuses its
    /// query at that age or does not find it, its query alone fails, or no query can
    /// find its outcome. It is queried once a day for a year; if it ends, that is
    /// reported too.
    GivenUp,
    /// The request of its query is invalid. It stays open: the next run queries it
    /// again.
    Failed,
    /// No end: queries have failed for a while, this one as the last. Reported at
    /// most once an hour. Everything that is open stays open.
    QueryFailing,
    /// No end: queries are late by more than their interval and a minute, because
    /// the rate or the caller is too slow. Reported at most once an hour.
    Behind,
}

impl EndKind {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Confirmed,
        Self::Cancelled,
        Self::Differs,
        Self::GivenUp,
        Self::Failed,
        Self::QueryFailing,
        Self::Behind,
    ];

    /// Its name in every language.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Confirmed => "confirmed",
            Self::Cancelled => "cancelled",
            Self::Differs => "differs",
            Self::GivenUp => "given_up",
            Self::Failed => "failed",
            Self::QueryFailing => "query_failing",
            Self::Behind => "behind",
        }
    }
}

/// The end of a payment, a refund or a payout.
#[derive(Clone, Debug)]
pub struct FollowEnd {
    /// The operation of the payment, the refund or the payout.
    pub operation: Operation,
    /// The merchant's reference, or the hash or `uid` by which it is followed;
    /// for a refund the payment hash.
    pub reference: String,
    /// The `merchant_refund_code` of a refund.
    pub refund_code: Option<String>,
    /// The service's id of a refund or a payout, if it is known.
    pub uid: Option<String>,
    /// The payment hash, if it is known.
    pub hash: Option<String>,
    /// The hash of a cancelled payment with the same reference, if the payer tried
    /// again and this one is paid.
    pub other_hash: Option<String>,
    /// How it ended.
    pub end: EndKind,
    /// The code of the last status, such as `CO`.
    pub status: Option<String>,
    /// The amount of a payment or a payout, as the service shows it: `amount_total`,
    /// or else `amount_ext`.
    pub amount: Option<String>,
    /// Its currency: `currency_code`, or else `currency_ext`.
    pub currency: Option<String>,
    /// Whether this end may have been reported before, by a run that stopped
    /// without confirming it.
    pub repeated: bool,
    /// Whether a payment that was given up is never reported again: it has been
    /// given up for a year, or no query can find it.
    pub is_final: bool,
    /// Why it was given up, differs or failed, or queries fail or are late.
    pub reason: Option<String>,
    /// The code of the error of the last query, or the service's code of a
    /// payout that it cancelled, such as `BANK_INFO`.
    pub code: Option<String>,
}

/// How many items ended, and how.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct FollowCounts {
    /// Those that are paid or refunded, and payouts whose payee has the money.
    pub confirmed: u64,
    /// Those that were cancelled.
    pub cancelled: u64,
    /// Those that are paid, but differ.
    pub differs: u64,
    /// Those that are given up, by this run or an earlier one.
    pub given_up: u64,
    /// Those whose query is invalid.
    pub failed: u64,
}

impl FollowCounts {
    fn count(&mut self, end: EndKind) {
        *match end {
            EndKind::Confirmed => &mut self.confirmed,
            EndKind::Cancelled => &mut self.cancelled,
            EndKind::Differs => &mut self.differs,
            EndKind::GivenUp => &mut self.given_up,
            EndKind::Failed => &mut self.failed,
            EndKind::QueryFailing | EndKind::Behind => return,
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
        members.push("other_hash", self.other_hash.as_deref());
        members.push("end", self.end.as_str());
        members.push("status", self.status.as_deref());
        members.push("amount", self.amount.as_deref());
        members.push("currency", self.currency.as_deref());
        members.push("repeated", self.repeated);
        members.push("final", self.is_final);
        members.push("reason", self.reason.as_deref());
        members.push("code", self.code.as_deref());
        members.into()
    }
}

/// Follows payments, refunds and payouts until all have ended, and gives the end
/// of each once, as [`OpenPayment::next_step`] says. It reads the journal again
/// and again, and also follows payments that are created meanwhile. While
/// refused credentials or an outage pause all queries, it gives
/// [`QueryFailing`](EndKind::QueryFailing) once an hour, and while the rate is too
/// low for them [`Behind`](EndKind::Behind).
///
/// An end counts as reported when the next one is asked for, or by
/// [`FollowIter::confirm`]. If that does not happen, the next run with the same
/// state file gives it again, as `repeated`: handle each end so that a second
/// time does no harm. Each query has the client's own deadline; `context` can
/// cancel them all.
///
/// ```no_run
/// # use payments_core::Client;
/// use payments_host::follow::{EndKind, FollowOptions};
///
/// # fn watch(client: &Client) -> Result<(), payments_core::Error> {
/// let options =
///     FollowOptions { state: Some("follow.state".into()), ..FollowOptions::default() };
/// for end in payments_host::follow(client, options, &client.context())? {
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
/// there are no references, for payouts while `payout_query` is off, or if the
/// state file cannot be used. The iterator ends after an error that is not
/// about queries: `config`, `journal`, `cancelled` and `internal`; open items
/// stay open.
pub fn follow(
    client: &Client,
    options: FollowOptions,
    context: &CallContext,
) -> Result<FollowIter, Error> {
    let follower = Follower::new(client, options, context)?;
    let (client, context) = (client.clone(), context.clone());
    Ok(FollowIter { client, context, follower, has_failed: false })
}

/// An iterator over the ends of payments, refunds and payouts, in the order in which they
/// were noticed.
#[derive(Debug)]
pub struct FollowIter {
    client: Client,
    context: CallContext,
    follower: Follower,
    has_failed: bool,
}

impl FollowIter {
    /// Marks the end that was given last as handled: no run gives it again.
    ///
    /// # Errors
    /// `config` if the state file cannot be written.
    pub fn confirm(&mut self) -> Result<(), Error> {
        self.follower.confirm(&self.client)
    }

    /// How many items have ended so far.
    pub fn counts(&self) -> FollowCounts {
        self.follower.counts()
    }

    /// Confirms the end that was given last, and waits for the next one, at most
    /// for `limit`. `context` can cancel it; its deadline does not count.
    ///
    /// # Errors
    /// `journal` if it cannot be read, `config` if the state file cannot be
    /// written, `cancelled`, `internal`. Open payments stay open.
    pub fn next_within(
        &mut self,
        limit: Duration,
        context: &CallContext,
    ) -> Result<Progress, Error> {
        self.follower.next_within(&self.client, limit, context)
    }
}

impl Iterator for FollowIter {
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
