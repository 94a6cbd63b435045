//! Makes the queries, reads the journal, and waits.

use std::time::{Duration, Instant};

use super::item::{Item, done_at};
use super::running::{Follower, Next, Reply};
use super::time::{DAY, HOUR, RunClock, milliseconds};
use super::{FAR, FollowEnd, FollowOptions};
use crate::agreement;
use crate::journal::{list_ended, newest_entry};
use crate::recovery::query_to_turn_on;
use payments_core::error::Error;
use payments_core::for_host::{ClientInside as _, ContextParts as _};
use payments_core::journal::Entry;
use payments_core::operation::Operation;
use payments_core::{CallContext, Client};

/// How often the journal is read for new entries, and how often as far back as
/// `since`: an old entry becomes done when recovery or a person says so.
const READ_EVERY_MS: u64 = 30_000;
const READ_WHOLE_EVERY_MS: u64 = 15 * 60_000;
/// The clock that made an entry's id may be wrong by so much.
const CLOCK_MS: u64 = DAY;

/// The result of a step of following.
#[derive(Clone, Debug)]
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

    /// Whether the clock is far ahead of all that the state knows.
    fn may_be_ahead(&self, now: u64) -> bool {
        self.state.newest().is_none_or(|newest| now > newest.saturating_add(DAY))
    }

    pub(super) fn now(&self, client: &Client) -> u64 {
        self.clock.at(client.clock().monotonic())
    }

    /// The end that was given last is handled: no run gives it again.
    pub(crate) fn confirm(&mut self, client: &Client) -> Result<(), Error> {
        self.confirmed(self.now(client))
    }

    /// As [`FollowIter::next_within`](super::FollowIter::next_within).
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
                    let Some(end) = self.give(self.now(client))? else { continue };
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

    /// Follows what the journal has and is not known yet. Returns how long until
    /// it is read again.
    pub(super) fn read_journal(
        &mut self,
        client: &Client,
        context: &CallContext,
    ) -> Result<Duration, Error> {
        let now = self.now(client);
        let is_due = |at: u64, every: u64| now.saturating_sub(at) >= every;
        let is_whole = match self.read {
            _ if self.options.references.is_some() => return Ok(FAR),
            Some((at, _)) if !is_due(at, READ_EVERY_MS) => {
                return Ok(Duration::from_millis(READ_EVERY_MS - (now - at)));
            }
            read => read.is_none_or(|(_, whole)| is_due(whole, READ_WHOLE_EVERY_MS)),
        };
        let oldest = now.saturating_sub(milliseconds(self.options.since));
        // Ids begin with the time of the creation, and an old entry may be done now.
        let new = now.saturating_sub(HOUR).saturating_sub(CLOCK_MS);
        let mut after = if is_whole { String::new() } else { format!("{new:012x}") };
        loop {
            let found = list_ended(client, oldest, &after, context)?;
            let Some(last) = found.entries.last() else { break };
            after.clone_from(&last.id);
            let of_entry = |entry: &Entry| Item::of_entry(entry, client.rules());
            let recent = found.entries.iter().filter(|entry| done_at(entry) >= oldest);
            recent.filter_map(of_entry).try_for_each(|item| self.offer(item, now))?;
        }
        let whole = self.read.map_or(now, |(_, whole)| if is_whole { now } else { whole });
        self.read = Some((now, whole));
        Ok(Duration::from_millis(READ_EVERY_MS))
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
        return Ok(Reply { answer, difference, spelling: None });
    }
    let response = client.execute(&item.query(), &query)?;
    let answer = item.read(&response);
    let mut reply = Reply { answer, difference: None, spelling: None };
    if reply.answer.is_confirmed && item.is_payment() {
        let found = agreement::with_journal(client, item.named_reference(), &response, context)?;
        (reply.difference, reply.spelling) = (found.difference, found.spelling);
    }
    Ok(reply)
}
