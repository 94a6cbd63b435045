//! Makes the queries, reads the journal, and waits.

use std::time::{Duration, Instant};

use payments_core::error::Error;
use payments_core::journal::Entry;
use payments_core::operation::Operation;
use payments_core::{CallContext, CallOptions as _, Client};

use super::item::{Item, done_at};
use super::running::{Follower, Next, Reply};
use super::time::{DAY, HOUR, MINUTE, RunClock, milliseconds};
use super::{FAR, FollowEnd, FollowOptions};
use crate::agreement::{self, Agreement};
use crate::journal::{list_ended, newest_entry};
use crate::recovery::query_to_turn_on;

/// How often the journal is read, and how far back, in milliseconds. Each reading
/// includes those before it.
const READINGS: [(u64, Option<u64>); 3] = [
    (2_000, Some(5 * MINUTE)),
    // The clock that made an entry's id may be wrong by a day.
    (30_000, Some(DAY + HOUR)),
    // As far as `since`: an old entry becomes done when recovery or a person says so.
    (15 * MINUTE, None),
];

/// The result of a step of following.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "there is one at a time")]
pub enum Progress {
    /// Something ended.
    Ended(FollowEnd),
    /// Nothing has ended yet.
    Open,
    /// Nothing is followed any more.
    Over,
}

impl Follower {
    pub(crate) fn new(
        client: &Client,
        options: FollowOptions,
        context: &CallContext,
    ) -> Result<Self, Error> {
        if options.references.is_none() {
            client.client_journal()?;
        }
        let clock = RunClock::new(client.clock().unix(), client.clock().monotonic());
        let now = clock.at(client.clock().monotonic());
        let scope = client.journal_scope();
        let way = query_to_turn_on(client.rules(), Operation::CreatePayout);
        let mut follower = Self::begun(options, way, scope, clock, now)?;
        let newest = if client.has_journal() && follower.may_be_ahead(now) {
            // A count of nothing also says which entry is the newest.
            newest_entry(client, &context.renewed(FAR))?
        } else {
            None
        };
        follower.look_at_clock(now, newest)?;
        Ok(follower)
    }

    /// Whether the clock is far ahead of everything that the state knows.
    fn may_be_ahead(&self, now: u64) -> bool {
        self.state.newest().is_none_or(|newest| now > newest.saturating_add(DAY))
    }

    pub(super) fn now(&self, client: &Client) -> u64 {
        self.clock.at(client.clock().monotonic())
    }

    /// Marks the end that was given last as handled: no run gives it again.
    pub(crate) fn confirm(&mut self, client: &Client) -> Result<(), Error> {
        self.confirmed(self.now(client))
    }

    /// Like [`FollowIter::next_within`](super::FollowIter::next_within).
    pub(crate) fn next_within(
        &mut self,
        client: &Client,
        limit: Duration,
        context: &CallContext,
    ) -> Result<Progress, Error> {
        self.confirm(client)?;
        let context = &context.renewed(FAR);
        let until = Instant::now() + limit.min(FAR);
        loop {
            context.check()?;
            let until_read = self.read_journal(client, context)?;
            let wait = match self.next(self.now(client))? {
                Next::Over => return Ok(Progress::Over),
                Next::Report => {
                    let Some(end) = self.give(1, self.now(client))?.pop() else { continue };
                    return Ok(Progress::Ended(end));
                }
                Next::Query(task) => {
                    let reply = ask(client, &task.item, context);
                    self.answered(task, reply, self.now(client))?;
                    continue;
                }
                Next::Wait(wait) => wait.min(until_read),
            };
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(Progress::Open);
            }
            context.sleep(wait.min(left))?;
        }
    }

    /// Follows the entries of the journal that are not known yet. Returns how
    /// long until it is read again.
    pub(super) fn read_journal(
        &mut self,
        client: &Client,
        context: &CallContext,
    ) -> Result<Duration, Error> {
        if self.options.references.is_some() {
            return Ok(FAR);
        }
        let now = self.now(client);
        let wait = |at: usize| {
            self.read_at[at].map_or(0, |read| (read + READINGS[at].0).saturating_sub(now))
        };
        let Some(due) = (0..READINGS.len()).rfind(|&at| wait(at) == 0) else {
            return Ok(Duration::from_millis(wait(0)));
        };
        let oldest = now.saturating_sub(milliseconds(self.options.since));
        // Ids begin with the time of the creation.
        let created = READINGS[due].1.map(|back| format!("{:012x}", now.saturating_sub(back)));
        let mut after = created.unwrap_or_default();
        loop {
            let found = list_ended(client, oldest, &after, context)?;
            let Some(last) = found.entries.last() else { break };
            after.clone_from(&last.id);
            let of_entry = |entry: &Entry| Item::of_entry(entry, client.rules());
            let recent = found.entries.iter().filter(|entry| done_at(entry) >= oldest);
            recent.filter_map(of_entry).try_for_each(|item| self.offer(item, now))?;
        }
        self.read_at[..=due].fill(Some(now));
        Ok(Duration::from_millis(READINGS[0].0))
    }
}

/// Queries an item.
pub(super) fn ask(client: &Client, item: &Item, context: &CallContext) -> Result<Reply, Error> {
    let query = client.renewed(context).without_retries();
    if item.is_payout() {
        let response = client.execute(&item.payout_query(), &query)?;
        let answer = item.read_payout(&response, |code| client.is_secret(code));
        let difference = match (answer.is_over, answer.is_found) {
            (false, _) => None,
            (true, false) => Some(agreement::ANOTHER_PAYOUT),
            (true, true) => agreement::of_payout(client, &response, context)?,
        };
        let agreement = difference.map_or(Agreement::Agrees, Agreement::Differs);
        return Ok(Reply { answer, agreement, other_hash: None });
    }
    let response = client.execute(&item.query(), &query)?;
    if !item.is_payment() {
        let answer = item.read(&response);
        return Ok(Reply { answer, agreement: Agreement::Agrees, other_hash: None });
    }
    let (reference, by_hash) = (item.named_reference(), item.hash.is_some());
    let (counting, agreement) = agreement::judge(client, reference, by_hash, response, context)?;
    let answer = item.read(&counting.payment);
    Ok(Reply { answer, agreement, other_hash: counting.other_hash })
}
