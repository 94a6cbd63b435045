//! Reports, one at a time, and the state after each.

use payments_base::utc::about;
use payments_core::error::{Error, ErrorCode};

use super::item::{Answer, Item};
use super::item_state::ItemState;
use super::{EndKind, FollowEnd};

/// A report, and the state after it.
#[derive(Debug)]
pub(super) struct Report {
    /// `None` if nothing has ended.
    pub(super) known: Option<ItemState>,
    pub(super) end: FollowEnd,
}

pub(super) fn end_of(
    known: &ItemState,
    end: EndKind,
    answer: Option<Answer>,
    why: Option<(String, Option<ErrorCode>)>,
) -> FollowEnd {
    let Item { operation, reference, refund_code, uid, hash, .. } = known.item.clone();
    let (status, of_service, [amount, currency]) =
        answer.map_or((None, None, [None, None]), |it| (it.status, it.code, it.money));
    let (reason, code) = why.map_or((None, None), |(reason, code)| (Some(reason), code));
    let code = code.map(|code| code.as_str().to_owned()).or(of_service);
    FollowEnd {
        operation,
        reference,
        refund_code,
        uid,
        hash,
        other_hash: None,
        end,
        status,
        amount,
        currency,
        repeated: false,
        is_final: known.is_final,
        reason,
        code,
    }
}

pub(super) fn why_failing(error: &Error, is_paused: bool) -> String {
    let next = if is_paused {
        "all queries pause, and one at a time finds out when they work again"
    } else {
        "no query has succeeded for an hour"
    };
    format!("{error}; {next}")
}

pub(super) fn why_behind(late: u64, followed: usize, per_second: u32) -> String {
    let late = about(late);
    format!(
        "this query is {late} late: {followed} items are followed, with at most {per_second} \
         queries a second; allow more, make more at a time, or handle ends faster"
    )
}
