//! A follower: the next query, and its result. It makes no queries
//! itself, and gets the time as an argument.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet, VecDeque};
use std::time::{Duration, Instant};

use payments_base::utc::about;
use payments_core::error::{Error, ErrorKind};

use super::item::{Answer, Item, Key};
use super::item_state::{ItemState, Stage};
use super::reporting::{Report, end_of, why_failing};
use super::rule::{Concern, FailedQuery, LATEST, NextStep, OpenPayment};
use super::state::{Place, RunState, State};
use super::time::{DAY, RunClock, YEAR, milliseconds};
use super::{EndKind, FAR, FollowCounts, FollowEnd, FollowOptions};
use crate::agreement::Agreement;
use crate::turns::Turns;

/// The pause after a 429 without `Retry-After`.
const PAUSE: Duration = Duration::from_secs(1);

/// The next step.
#[derive(Debug)]
pub(super) enum Next {
    /// Something can be reported.
    Report,
    /// A query is due.
    Query(Task),
    /// Nothing is due for this long.
    Wait(Duration),
    /// Nothing is followed any more.
    Over,
}

/// A query that was begun.
#[derive(Debug)]
pub(super) struct Task {
    key: Key,
    pub(super) item: Item,
    due: u64,
    /// Whether it finds out if a pause is over.
    is_probe: bool,
}

/// The result of a query.
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) answer: Answer,
    /// How a paid payment, or a payout that has ended, compares with the requested one.
    pub(super) agreement: Agreement,
    /// The hash of a cancelled payment whose payer paid this one instead.
    pub(super) other_hash: Option<String>,
}

/// Follows open payments, refunds and payouts, for the client that each call
/// passes.
#[derive(Debug)]
pub(crate) struct Follower {
    pub(super) options: FollowOptions,
    /// How to turn on the query of payouts, if it is off.
    way: Option<String>,
    pub(super) clock: RunClock,
    pub(super) state: State,
    /// Open items, by the time when they are due, in milliseconds since 1970
    /// UTC.
    pub(super) due: BinaryHeap<Reverse<(u64, Key)>>,
    /// Items that were given up, by the same time. They do not keep the run
    /// from being over.
    pub(super) daily: BinaryHeap<Reverse<(u64, Key)>>,
    /// How many queries are under way, and whether one of them is a probe.
    pub(super) asking: usize,
    is_probing: bool,
    /// Those whose end may have been reported by an earlier run.
    pub(super) repeated: HashSet<Key>,
    turns: Turns,
    /// The turn of the next query.
    turn: Option<Instant>,
    /// When each of the readings of the journal was last made.
    pub(super) read_at: [Option<u64>; 3],
    pub(super) reports: VecDeque<Report>,
    /// The last report, until it is confirmed.
    pub(super) given: Option<Report>,
    pub(super) counts: FollowCounts,
}

impl Follower {
    /// `now` is that of `clock`.
    pub(super) fn begun(
        options: FollowOptions,
        way: Option<String>,
        scope: &str,
        clock: RunClock,
        now: u64,
    ) -> Result<Self, Error> {
        options.check(way.as_deref())?;
        let forget_after = options.forgets_after();
        let place = Place { path: options.state.as_deref(), scope, forget_after };
        let state = State::open(&place, now)?;
        let interval = Duration::from_secs(1) / options.per_second;
        let mut follower = Self {
            options,
            way,
            clock,
            state,
            due: BinaryHeap::new(),
            daily: BinaryHeap::new(),
            asking: 0,
            is_probing: false,
            repeated: HashSet::new(),
            turns: Turns::new(interval, Instant::now()),
            turn: None,
            read_at: [None; 3],
            reports: VecDeque::new(),
            given: None,
            counts: FollowCounts::default(),
        };
        follower.begin(now)?;
        Ok(follower)
    }

    /// `newest` is when something last happened according to the journal.
    pub(super) fn look_at_clock(&mut self, now: u64, newest: Option<u64>) -> Result<(), Error> {
        let RunState { outage, mut doubt } = self.state.run();
        doubt.look(now, self.state.newest().max(newest));
        self.state.put_run(RunState { outage, doubt }, now)
    }

    pub(super) fn next(&mut self, now: u64) -> Result<Next, Error> {
        loop {
            if self.given.is_none() && !self.reports.is_empty() {
                return Ok(Next::Report);
            }
            let first = |heap: &BinaryHeap<Reverse<(u64, Key)>>| heap.peek().map(|it| it.0.0);
            let (open, given_up) = (first(&self.due), first(&self.daily));
            let is_due = |due: Option<u64>| due.is_some_and(|due| due <= now);
            let is_idle = self.asking == 0 && self.reports.is_empty() && self.given.is_none();
            if open.is_none() && !is_due(given_up) && is_idle {
                return Ok(Next::Over);
            }
            let until = self.state.run().outage.until();
            let earliest = open.into_iter().chain(given_up).min().unwrap_or(u64::MAX).max(until);
            if earliest > now || self.is_probing {
                let wait = Duration::from_millis(earliest.saturating_sub(now));
                return Ok(Next::Wait(if self.is_probing { FAR } else { wait.min(FAR) }));
            }
            let turn = self.until_turn();
            if !turn.is_zero() {
                return Ok(Next::Wait(turn));
            }
            let heap = if is_due(open) { &mut self.due } else { &mut self.daily };
            let Some(Reverse((due, key))) = heap.pop() else { continue };
            let Some(known) = self.state.get(&key) else { continue };
            if let Some((reason, is_final)) = self.why_not_queried(&known.item) {
                if known.given_up.is_some() {
                    self.daily.push(Reverse((now.saturating_add(DAY), key)));
                    continue;
                }
                let known = ItemState { is_final, ..known.clone() };
                let end = end_of(&known, EndKind::GivenUp, None, Some((reason, None)));
                self.reports.push_back(Report { known: Some(known), end });
                continue;
            }
            self.turn = None;
            self.asking += 1;
            self.is_probing = self.state.run().outage.is_paused();
            let (item, is_probe) = (known.item.clone(), self.is_probing);
            return Ok(Next::Query(Task { key, item, due, is_probe }));
        }
    }

    /// Why no query finds an item, and whether none ever will.
    fn why_not_queried(&self, item: &Item) -> Option<(String, bool)> {
        if !item.can_be_queried() {
            let reason = "no query finds a refund that has neither merchant_refund_code nor id; \
                          look for it on the provider's platform";
            return Some((reason.to_owned(), true));
        }
        // An earlier run followed it, when the query was on.
        let way = self.way.as_deref().filter(|_| item.is_payout())?;
        let reason = format!("no query finds it; look for it on the provider's platform; {way}");
        Some((reason, false))
    }

    /// How long to wait for the turn of the next query.
    fn until_turn(&mut self) -> Duration {
        let now = Instant::now();
        let turn = *self.turn.get_or_insert_with(|| self.turns.turn(now));
        turn.saturating_duration_since(now)
    }

    /// Takes the answer to a query, or its failure.
    ///
    /// # Errors
    /// The failure that ends the run.
    pub(super) fn answered(
        &mut self,
        task: Task,
        result: Result<Reply, Error>,
        now: u64,
    ) -> Result<(), Error> {
        let Task { key, due, is_probe, .. } = task;
        self.asking -= 1;
        self.is_probing &= !is_probe;
        let Some(known) = self.state.get(&key).cloned() else { return Ok(()) };
        if let Err(error) = &result
            && FailedQuery::of(error).ends_all()
        {
            self.put_back(&known, due);
            return Err(error.clone());
        }
        if let Err(error) = self.learn(&known, is_probe, &result, now) {
            self.put_back(&known, due);
            return Err(error);
        }
        self.decide(known, due, result, now)
    }

    fn put_back(&mut self, known: &ItemState, due: u64) {
        let heap = if known.given_up.is_some() { &mut self.daily } else { &mut self.due };
        heap.push(Reverse((due, known.item.key())));
    }

    /// Notes the consequences of the result for all queries.
    fn learn(
        &mut self,
        known: &ItemState,
        is_probe: bool,
        result: &Result<Reply, Error>,
        now: u64,
    ) -> Result<(), Error> {
        let RunState { mut outage, doubt } = self.state.run();
        let Err(error) = result else {
            outage.note_success();
            return self.state.put_run(RunState { outage, doubt }, now);
        };
        if error.kind() == ErrorKind::Validation {
            return Ok(());
        }
        let concern = FailedQuery::of(error).concern();
        let is_worth_a_report = outage.note_failure(concern, !is_probe && outage.is_paused(), now);
        self.state.put_run(RunState { outage, doubt }, now)?;
        self.pause_after(error);
        if is_worth_a_report {
            let why = Some((why_failing(error, &outage), Some(error.code())));
            let end = end_of(known, EndKind::QueryFailing, None, why);
            self.reports.push_back(Report { known: None, end });
        }
        Ok(())
    }

    /// After a 429, or during the backoff of the token server, nothing is queried.
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

    fn decide(
        &mut self,
        mut known: ItemState,
        due: u64,
        result: Result<Reply, Error>,
        now: u64,
    ) -> Result<(), Error> {
        let payment = OpenPayment {
            age: Duration::from_millis(now.saturating_sub(known.item.since)),
            give_up_after: self.options.give_up_after,
            was_found: known.item.was_found,
            failures: 0,
        };
        let concern = result
            .as_ref()
            .map_or_else(|error| FailedQuery::of(error).concern(), |_| Concern::Answered);
        let is_over = result.as_ref().map(|it| it.answer.is_over);
        let step = payment.after(is_over.map_err(FailedQuery::of));
        let unreadable = match &result {
            Ok(Reply { agreement: Agreement::Unreadable(why), .. }) => Some(*why),
            _ => None,
        };
        // A person looks at it; asking goes on daily.
        let step = if unreadable.is_some() { NextStep::GiveUp } else { step };
        let (reply, error) = match result {
            Ok(reply) => (Some(reply), None),
            Err(error) => (None, Some(error)),
        };
        if let Some(answer) = reply.as_ref().map(|it| &it.answer) {
            known.item.was_found |= answer.is_found;
            known.item.hash = known.item.hash.or_else(|| answer.hash.clone());
            known.item.uid = known.item.uid.or_else(|| answer.uid.clone());
        }
        let says_open = concern == Concern::Answered;
        let why = error.as_ref().map(|error| (error.to_string(), Some(error.code())));
        let why = why.or(unreadable.map(|why| (why.to_owned(), None)));
        let next = match (step, known.given_up) {
            (NextStep::Ended, _) => return self.ended(known, reply, now),
            (NextStep::Fail, _) => {
                let end = end_of(&known, EndKind::Failed, None, why);
                self.reports.push_back(Report { known: None, end });
                return Ok(());
            }
            (_, Some(since)) => {
                let is_last = says_open && now.saturating_sub(since) >= YEAR;
                if !is_last || self.state.run().doubt.holds(now) {
                    return self.stays_given_up(known, says_open, now);
                }
                known.is_final = true;
                None
            }
            (NextStep::Query(wait), _) => Some(wait),
            (NextStep::GiveUp, _) if self.state.run().doubt.holds(now) => Some(LATEST),
            (NextStep::GiveUp, _) => None,
        };
        known.asked = Some(now);
        if let Some(wait) = next {
            let again = now.saturating_add(milliseconds(wait));
            let key = known.item.key();
            let stored = self.state.put(known, false, now);
            self.due.push(Reverse((if stored.is_ok() { again } else { due }, key)));
            return stored;
        }
        let age = about(milliseconds(payment.age));
        let why = why.unwrap_or_else(|| (format!("it is still open after {age}"), None));
        let end = end_of(&known, EndKind::GivenUp, reply.map(|it| it.answer), Some(why));
        self.reports.push_back(Report { known: Some(known), end });
        Ok(())
    }

    /// A query that failed says nothing, so it is made again sooner.
    fn stays_given_up(
        &mut self,
        mut known: ItemState,
        is_answered: bool,
        now: u64,
    ) -> Result<(), Error> {
        let wait = if is_answered { DAY } else { milliseconds(LATEST) };
        self.daily.push(Reverse((now.saturating_add(wait), known.item.key())));
        if !is_answered {
            return Ok(());
        }
        known.asked = Some(now);
        self.state.put(known, false, now)
    }

    fn ended(&mut self, known: ItemState, reply: Option<Reply>, now: u64) -> Result<(), Error> {
        let Some(Reply { answer, agreement, other_hash }) = reply else { return Ok(()) };
        let (kind, why) = match agreement {
            Agreement::Differs(why) | Agreement::Unreadable(why) => {
                (EndKind::Differs, Some((why.to_owned(), None)))
            }
            Agreement::Agrees if answer.is_confirmed => (EndKind::Confirmed, None),
            Agreement::Agrees => (EndKind::Cancelled, None),
        };
        let known = ItemState { asked: Some(now), is_final: false, ..known };
        let paid = answer.hash.clone().filter(|_| other_hash.is_some());
        let mut end = end_of(&known, kind, Some(answer), why);
        (end.hash, end.other_hash) = (paid.or(end.hash), other_hash);
        self.reports.push_back(Report { known: Some(known), end });
        Ok(())
    }

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
                let known = ItemState { stage, end: Some(end.end), ..before.clone() };
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

    /// Marks the end that was given last as handled: no run gives it again.
    pub(super) fn confirmed(&mut self, now: u64) -> Result<(), Error> {
        let Some(Report { known: Some(known), end }) = &self.given else {
            self.given = None;
            return Ok(());
        };
        // An item that was given up is still queried.
        let stays = end.end == EndKind::GivenUp && !known.is_final;
        let mut known = ItemState { stage: Stage::Reported, ..known.clone() };
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
