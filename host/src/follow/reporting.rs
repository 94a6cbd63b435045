//! Reports, one at a time, and the state after each.

use std::cmp::Reverse;

use payments_core::error::{Error, ErrorCode};

use super::item::{Answer, Item};
use super::known::{Known, Stage};
use super::outage::Outage;
use super::running::Follower;
use super::{EndKind, FollowCounts, FollowEnd};

/// A report, and the state after it.
#[derive(Debug)]
pub(super) struct Report {
    /// `None` if nothing has ended.
    pub(super) known: Option<Known>,
    pub(super) end: FollowEnd,
}

impl Follower {
    pub(crate) fn counts(&self) -> FollowCounts {
        self.counts
    }

    /// The end that was given last, again.
    pub(crate) fn unconfirmed(&self) -> Option<FollowEnd> {
        self.given.as_ref().map(|given| FollowEnd { repeated: true, ..given.end.clone() })
    }

    /// The next report. From now on it may have been given.
    pub(super) fn give(&mut self, now: u64) -> Result<Option<FollowEnd>, Error> {
        let Some(Report { known, mut end }) = self.reports.pop_front() else { return Ok(None) };
        let known = match known {
            None => None,
            Some(before) => {
                let stage = Stage::Reporting;
                let known = Known { stage, end: Some(end.end), ..before.clone() };
                if let Err(error) = self.state.put(known.clone(), true, now) {
                    self.reports.push_front(Report { known: Some(before), end });
                    return Err(error);
                }
                end.repeated = self.repeated.remove(&known.item.key());
                self.counts.given_up -= u64::from(known.given_up.is_some());
                Some(known)
            }
        };
        self.counts.count(end.end);
        self.given = Some(Report { known, end: end.clone() });
        Ok(Some(end))
    }

    /// The end that was given last is handled: no run gives it again.
    pub(super) fn confirmed(&mut self, now: u64) -> Result<(), Error> {
        let Some(Report { known: Some(known), end }) = &self.given else {
            self.given = None;
            return Ok(());
        };
        // An item that was given up is still queried.
        let stays = end.end == EndKind::GivenUp && !known.is_final;
        let mut known = Known { stage: Stage::Reported, ..known.clone() };
        if stays {
            (known.stage, known.given_up) = (Stage::Open, Some(now));
        }
        self.state.put(known.clone(), false, now)?;
        if stays {
            self.daily.push(Reverse((known.due_given_up(), known.item.key())));
        }
        self.given = None;
        Ok(())
    }
}

pub(super) fn end_of(
    known: &Known,
    end: EndKind,
    answer: Option<Answer>,
    why: Option<(String, Option<ErrorCode>)>,
) -> FollowEnd {
    let Item { operation, reference, refund_code, uid, hash, .. } = known.item.clone();
    let status = answer.and_then(|answer| answer.status);
    let (reason, code) = why.map_or((None, None), |(reason, code)| (Some(reason), code));
    let (repeated, is_final) = (false, known.is_final);
    FollowEnd {
        operation,
        reference,
        refund_code,
        uid,
        hash,
        end,
        status,
        repeated,
        is_final,
        reason,
        code,
    }
}

pub(super) fn why_failing(error: &Error, outage: &Outage) -> String {
    let next = if outage.is_paused() {
        "all queries pause, and one at a time finds out when they work again"
    } else {
        "no query has succeeded for an hour"
    };
    format!("{error}; {next}")
}
