//! Following in progress: what is queried next, and what came of it.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};
use std::time::{Duration, Instant};

use super::item::{Answer, Item, Key};
use super::rule::{NextStep, OpenPayment};
use super::state::{Known, Stage, State};
use super::{EndKind, FollowCounts, FollowEnd, FollowOptions};
use crate::base::utc::about;
use crate::call::context::CallContext;
use crate::call::turns::Turns;
use crate::client::Client;
use crate::model::error::{Error, ErrorCode, ErrorKind};
use crate::model::request::PaymentResponse;

/// The longest wait without a look at the clock, which may jump or be frozen.
const SLICE: Duration = Duration::from_millis(100);
/// The pause after a 429 without `Retry-After`.
const PAUSE: Duration = Duration::from_secs(1);
pub(super) const FAR: Duration = Duration::from_secs(365 * 86_400);
/// How often the journal is read for new entries, and how often as far back as
/// `since`: an old entry becomes done when recovery or a person says so.
const READ_EVERY_MS: u64 = 30_000;
const READ_WHOLE_EVERY_MS: u64 = 15 * 60_000;
/// How far back the journal is read for new entries.
const RECENT_MS: u64 = 60 * 60_000;
/// The clock that made an entry's id may be wrong by so much.
const CLOCK_MS: u64 = 86_400_000;
/// No query is due later than this, whatever the clock did.
const LATEST_MS: u64 = 15 * 60_000;

/// What a step of following came to.
#[derive(Clone, Debug)]
pub enum Progress {
    /// Something ended.
    Ended(FollowEnd),
    /// Nothing has ended yet.
    Open,
    /// Nothing is followed any more.
    Over,
}

/// Following in progress, for a client that comes with each call.
#[derive(Debug)]
pub(crate) struct Following {
    options: FollowOptions,
    state: State,
    /// What is open, by the time when it is due, in milliseconds since 1970 UTC.
    due: BinaryHeap<Reverse<(u64, Key)>>,
    /// Those whose end may have been reported by an earlier run.
    repeated: HashSet<Key>,
    turns: Turns,
    /// The turn of the next query.
    turn: Option<Instant>,
    /// When the journal was read, and when as far back as `since`.
    read: Option<(u64, u64)>,
    /// What was given last and is not confirmed.
    given: Option<(Known, FollowEnd)>,
    counts: FollowCounts,
}

impl Following {
    pub(crate) fn new(client: &Client, options: FollowOptions) -> Result<Self, Error> {
        options.check()?;
        if options.references.is_none() {
            client.client_journal()?;
        }
        let state = State::open(options.state.as_deref(), &client.0.settings.journal_scope)?;
        let interval = Duration::from_secs(1) / options.per_second;
        let mut following = Self {
            options,
            state,
            due: BinaryHeap::new(),
            repeated: HashSet::new(),
            turns: Turns::new(interval, Instant::now()),
            turn: None,
            read: None,
            given: None,
            counts: FollowCounts::default(),
        };
        following.begin(now_of(client))?;
        Ok(following)
    }

    fn begin(&mut self, now: u64) -> Result<(), Error> {
        let open: Vec<Known> = match self.options.references.clone() {
            None => self.state.open_items().cloned().collect(),
            Some(references) => {
                let mut listed = HashSet::new();
                let by_hash = self.options.by_hash;
                let items = references.iter().map(|it| Item::named(it, by_hash, now));
                let once: Vec<_> = items.filter(|item| listed.insert(item.key())).collect();
                once.into_iter().map(|item| self.known(item)).collect::<Result<Vec<_>, _>>()?
            }
        };
        for known in open.into_iter().filter(|known| known.stage != Stage::Reported) {
            if known.stage == Stage::Reporting {
                self.repeated.insert(known.item.key());
            }
            self.due.push(Reverse((due_after_restart(&known, now), known.item.key())));
        }
        Ok(())
    }

    /// What is known of an item, which is kept from now on.
    fn known(&mut self, item: Item) -> Result<Known, Error> {
        match self.state.get(&item.key()) {
            Some(known) => Ok(known.clone()),
            None => {
                let known = Known::new(item);
                self.state.put(known.clone(), false)?;
                Ok(known)
            }
        }
    }

    /// The end that was given last is handled: no run gives it again.
    pub(crate) fn confirm(&mut self) -> Result<(), Error> {
        match self.given.take() {
            Some((known, _)) => self.state.put(Known { stage: Stage::Reported, ..known }, false),
            None => Ok(()),
        }
    }

    pub(crate) fn counts(&self) -> FollowCounts {
        self.counts
    }

    /// The end that was given last, again.
    pub(crate) fn unconfirmed(&self) -> Option<FollowEnd> {
        self.given.as_ref().map(|(_, end)| FollowEnd { repeated: true, ..end.clone() })
    }

    /// As [`Follow::next_within`](super::Follow::next_within).
    pub(crate) fn next_within(
        &mut self,
        client: &Client,
        limit: Duration,
        context: &CallContext,
    ) -> Result<Progress, Error> {
        self.confirm()?;
        let context = &context.renewed(FAR);
        let until = Instant::now() + limit.min(FAR);
        loop {
            context.check()?;
            self.read_journal(client, context)?;
            let Some(Reverse((due, _))) = self.due.peek() else { return Ok(Progress::Over) };
            let early = Duration::from_millis(due.saturating_sub(now_of(client)));
            let wait = if early.is_zero() { self.until_turn() } else { early };
            if wait.is_zero() {
                if let Some(end) = self.query_next(client, context)? {
                    self.counts.count(end.end);
                    return Ok(Progress::Ended(end));
                }
                continue;
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(Progress::Open);
            }
            context.sleep(wait.min(SLICE).min(left))?;
        }
    }

    /// How long to wait for the turn of the next query.
    fn until_turn(&mut self) -> Duration {
        let now = Instant::now();
        let turn = *self.turn.get_or_insert_with(|| self.turns.turn(now));
        turn.saturating_duration_since(now)
    }

    /// Queries what is due first. Returns its end, if it has one.
    fn query_next(
        &mut self,
        client: &Client,
        context: &CallContext,
    ) -> Result<Option<FollowEnd>, Error> {
        let Some(Reverse((due, key))) = self.due.pop() else { return Ok(None) };
        let Some(mut known) = self.state.get(&key).cloned() else { return Ok(None) };
        if !known.item.can_be_queried() {
            let reason = "no query finds a refund that has neither merchant_refund_code nor id; \
                          look for it on the provider's platform";
            let end = end_of(&known, EndKind::GivenUp, None, Some((reason.to_owned(), None)));
            return self.give(known, end).map(Some);
        }
        self.turn = None;
        let query = client.renewed(context).without_retries();
        let result = client.execute(&known.item.query(), &query);
        if let Err(error) = &result {
            self.pause_after(error);
            if fails_for_all(error) {
                self.due.push(Reverse((due, key)));
                return Err(error.clone());
            }
        }
        let now = now_of(client);
        let answer = result.as_ref().map(|response: &PaymentResponse| known.item.read(response));
        let payment = OpenPayment {
            age: Duration::from_millis(now.saturating_sub(known.item.since)),
            give_up_after: self.options.give_up_after,
            was_found: known.item.was_found,
        };
        let step = payment.next_step(answer.as_ref().map(|it| it.is_over).map_err(|it| *it));
        let answer = answer.ok();
        if let Some(answer) = &answer {
            known.item.was_found |= answer.is_found;
            known.item.hash = known.item.hash.or_else(|| answer.hash.clone());
        }
        known.asked = Some(now);
        let why = result.err().map(|error| (error.to_string(), Some(error.code())));
        let end = match step {
            NextStep::Query(wait) => {
                self.due.push(Reverse((now.saturating_add(milliseconds(wait)), key)));
                return self.state.put(known, false).map(|()| None);
            }
            NextStep::Fail => {
                let end = end_of(&known, EndKind::Failed, None, why);
                return self.state.put(known, false).map(|()| Some(end));
            }
            NextStep::Ended if answer.as_ref().is_some_and(|it| it.is_confirmed) => {
                end_of(&known, EndKind::Confirmed, answer, None)
            }
            NextStep::Ended => end_of(&known, EndKind::Cancelled, answer, None),
            NextStep::GiveUp => {
                let age = about(milliseconds(payment.age));
                let why = why.unwrap_or_else(|| (format!("it is still open after {age}"), None));
                end_of(&known, EndKind::GivenUp, answer, Some(why))
            }
        };
        self.give(known, end).map(Some)
    }

    /// Records that the end may be reported from now on.
    fn give(&mut self, known: Known, end: FollowEnd) -> Result<FollowEnd, Error> {
        let repeated = self.repeated.remove(&known.item.key());
        let known = Known { stage: Stage::Reporting, end: Some(end.end), ..known };
        self.state.put(known.clone(), true)?;
        let end = FollowEnd { repeated, ..end };
        self.given = Some((known, end.clone()));
        Ok(end)
    }

    /// After a 429, or while the token server is left alone, nothing is queried.
    fn pause_after(&mut self, error: &Error) {
        let pause = match error.kind() {
            ErrorKind::RateLimited => Some(error.retry_after().unwrap_or(PAUSE)),
            ErrorKind::Token => error.retry_after(),
            _ => None,
        };
        if let Some(pause) = pause {
            self.turns.pause(Instant::now() + pause.min(FAR));
        }
    }

    /// Follows what the journal has and is not known yet.
    fn read_journal(&mut self, client: &Client, context: &CallContext) -> Result<(), Error> {
        let now = now_of(client);
        let is_due = |at: u64, every: u64| now < at || now - at >= every;
        let is_whole = match self.read {
            _ if self.options.references.is_some() => return Ok(()),
            Some((at, _)) if !is_due(at, READ_EVERY_MS) => return Ok(()),
            read => read.is_none_or(|(_, whole)| is_due(whole, READ_WHOLE_EVERY_MS)),
        };
        let oldest = now.saturating_sub(milliseconds(self.options.since));
        let from = if is_whole { oldest } else { oldest.max(now.saturating_sub(RECENT_MS)) };
        // Ids begin with the time.
        let mut after = format!("{:012x}", from.saturating_sub(CLOCK_MS));
        loop {
            let found = client.list_journal(false, Some(&after), context)?;
            let Some(last) = found.entries.last() else { break };
            after.clone_from(&last.id);
            let recent = found.entries.iter().filter(|entry| entry.created_at >= oldest);
            for item in recent.filter_map(Item::of_entry) {
                let key = item.key();
                if self.state.get(&key).is_none() {
                    let due = item.since;
                    self.known(item)?;
                    self.due.push(Reverse((due, key)));
                }
            }
        }
        let whole = self.read.map_or(now, |(_, whole)| if is_whole { now } else { whole });
        self.read = Some((now, whole));
        Ok(())
    }
}

/// Milliseconds since 1970 UTC, by the client's clock.
fn now_of(client: &Client) -> u64 {
    milliseconds(client.0.clock.unix())
}

fn end_of(
    known: &Known,
    end: EndKind,
    answer: Option<Answer>,
    why: Option<(String, Option<ErrorCode>)>,
) -> FollowEnd {
    let Item { operation, reference, refund_code, uid, hash, .. } = known.item.clone();
    let status = answer.and_then(|answer| answer.status);
    let (reason, code) = why.map_or((None, None), |(reason, code)| (Some(reason), code));
    let repeated = false;
    FollowEnd { operation, reference, refund_code, uid, hash, end, status, repeated, reason, code }
}

/// When an item is due of which an earlier run knows.
fn due_after_restart(known: &Known, now: u64) -> u64 {
    let Some(asked) = known.asked.filter(|_| known.stage == Stage::Open) else {
        // Before all others.
        return known.item.since.min(now);
    };
    let age = Duration::from_millis(asked.saturating_sub(known.item.since));
    let payment = OpenPayment { age, give_up_after: Duration::MAX, was_found: true };
    match payment.next_step(Ok(false)) {
        NextStep::Query(wait) => {
            asked.saturating_add(milliseconds(wait)).min(now.saturating_add(LATEST_MS))
        }
        _ => now,
    }
}

/// Whether the next query would fail in the same way, whatever it asks for, or
/// nobody waits for it.
fn fails_for_all(error: &Error) -> bool {
    match error.kind() {
        ErrorKind::Config
        | ErrorKind::Signing
        | ErrorKind::Unauthorized
        | ErrorKind::Journal
        | ErrorKind::Cancelled
        | ErrorKind::Internal => true,
        ErrorKind::Token => error.code() == ErrorCode::CREDENTIALS_REFUSED,
        _ => false,
    }
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
