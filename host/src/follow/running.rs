//! A follower: the next query, and its result. It makes no queries
//! itself, and gets the time as an argument.

use std::collections::{HashSet, VecDeque};
use std::time::{Duration, Instant};

use payments_base::utc::about;
use payments_core::error::{Error, ErrorKind};

use super::ended::Mark;
use super::item::{Answer, Item, Key};
use super::item_state::{Failing, ItemState, Stage};
use super::outage::Failure;
use super::reporting::{Report, end_of, why_behind, why_failing};
use super::rule::{Concern, FailedQuery, LATEST, NextStep, OpenPayment};
use super::schedule::{Line, Schedule, Slot};
use super::state::{Place, RunState, State};
use super::time::{DAY, HOUR, MINUTE, RunClock, YEAR, milliseconds};
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
    slot: Slot,
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
    /// Those that wait for a query.
    pub(super) schedule: Schedule,
    /// How many queries are under way, and whether one of them is a probe.
    pub(super) asking: usize,
    is_probing: bool,
    /// Those whose end may have been reported by an earlier run.
    pub(super) repeated: HashSet<Key>,
    turns: Turns,
    /// The turn of the next query.
    turn: Option<Instant>,
    /// When a query was last answered.
    answered: Option<u64>,
    /// When the caller asks for the next step, if it keeps up.
    awaited: u64,
    /// When each of the readings of the journal was last made.
    pub(super) read_at: [Option<u64>; 3],
    pub(super) reports: VecDeque<Report>,
    /// The last reports, until they are confirmed.
    pub(super) given: Vec<Report>,
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
            schedule: Schedule::default(),
            asking: 0,
            is_probing: false,
            repeated: HashSet::new(),
            turns: Turns::new(interval, clock.instant(now)),
            turn: None,
            answered: None,
            awaited: now,
            read_at: [None; 3],
            reports: VecDeque::new(),
            given: Vec::new(),
            counts: FollowCounts::default(),
        };
        follower.begin(now)?;
        Ok(follower)
    }

    /// `newest` is when something last happened according to the journal.
    pub(super) fn look_at_clock(&mut self, now: u64, newest: Option<u64>) -> Result<(), Error> {
        let mut run = self.state.run();
        run.doubt.look(now, self.state.newest().max(newest));
        self.state.put_run(run, now)
    }

    pub(super) fn next(&mut self, now: u64) -> Result<Next, Error> {
        if now > self.awaited.saturating_add(MINUTE) {
            // The caller was away, or the whole machine.
            self.schedule.resume(now);
        }
        let next = self.next_step(now)?;
        let wait = if let Next::Wait(wait) = &next { milliseconds(*wait) } else { 0 };
        self.awaited = now.saturating_add(wait);
        Ok(next)
    }

    fn next_step(&mut self, now: u64) -> Result<Next, Error> {
        loop {
            if self.given.is_empty() && !self.reports.is_empty() {
                return Ok(Next::Report);
            }
            let is_idle = self.asking == 0 && self.reports.is_empty() && self.given.is_empty();
            if self.schedule.is_over(now) && is_idle {
                return Ok(Next::Over);
            }
            let (outage, followed) = (self.state.run().outage, self.followed());
            let is_probe = outage.is_paused(followed);
            let due =
                if is_probe { self.schedule.earliest_probe() } else { self.schedule.earliest() };
            let due = due.map_or(u64::MAX, |due| due.max(outage.until(followed)));
            if due > now || self.is_probing {
                let wait = Duration::from_millis(due.saturating_sub(now));
                return Ok(Next::Wait(if self.is_probing { FAR } else { wait.min(FAR) }));
            }
            let turn = self.until_turn(now);
            if !turn.is_zero() {
                return Ok(Next::Wait(turn));
            }
            let taken =
                if is_probe { self.schedule.take_probe(now) } else { self.schedule.take(now) };
            let Some((key, slot)) = taken else { continue };
            let Some(known) = self.state.get(&key).cloned() else { continue };
            if let Some((reason, is_final)) = self.why_not_queried(&known.item) {
                if known.given_up.is_some() {
                    self.schedule.push(key, Line::GivenUp, now.saturating_add(DAY), DAY);
                    continue;
                }
                let known = ItemState { is_final, ..known };
                let end = end_of(&known, EndKind::GivenUp, None, Some((reason, None)));
                self.reports.push_back(Report { known: Some(known), end });
                continue;
            }
            if !is_probe && let Err(error) = self.note_lateness(&known, &slot, followed, now) {
                self.schedule.put_back(key, slot);
                return Err(error);
            }
            self.turn = None;
            self.asking += 1;
            self.is_probing = is_probe;
            return Ok(Next::Query(Task { key, item: known.item, slot, is_probe }));
        }
    }

    /// How many are followed.
    fn followed(&self) -> usize {
        self.schedule.len() + self.asking
    }

    /// Reports once an hour that queries are late.
    fn note_lateness(
        &mut self,
        known: &ItemState,
        slot: &Slot,
        followed: usize,
        now: u64,
    ) -> Result<(), Error> {
        let run = self.state.run();
        let is_due = run.behind.is_none_or(|last| now.saturating_sub(last) >= HOUR);
        let Some(late) = self.schedule.lateness(slot, now).filter(|_| is_due) else {
            return Ok(());
        };
        self.state.put_run(RunState { behind: Some(now), ..run }, now)?;
        let why = why_behind(late, followed, self.options.per_second);
        let end = end_of(known, EndKind::Behind, None, Some((why, None)));
        self.reports.push_back(Report { known: None, end });
        Ok(())
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

    /// How long to wait for the turn of the next query, to the millisecond.
    fn until_turn(&mut self, now: u64) -> Duration {
        let now = self.clock.instant(now);
        let turn = *self.turn.get_or_insert_with(|| self.turns.turn(now));
        let left = turn.saturating_duration_since(now);
        if left < Duration::from_millis(1) { Duration::ZERO } else { left }
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
        let Task { key, slot, is_probe, .. } = task;
        let Some(known) = self.state.get(&key).cloned() else {
            self.asking -= 1;
            self.is_probing &= !is_probe;
            return Ok(());
        };
        let learned = match &result {
            Err(error) if FailedQuery::of(error).ends_all() => Err(error.clone()),
            result => self.learn(&known, is_probe, result, now),
        };
        self.asking -= 1;
        self.is_probing &= !is_probe;
        let decided = learned.and_then(|()| self.decide(known, is_probe, result, now));
        if decided.is_err() {
            self.schedule.put_back(key, slot);
        }
        decided
    }

    /// Notes the consequences of the result for all queries.
    fn learn(
        &mut self,
        known: &ItemState,
        is_probe: bool,
        result: &Result<Reply, Error>,
        now: u64,
    ) -> Result<(), Error> {
        let mut run = self.state.run();
        let followed = self.followed();
        let was_paused = run.outage.is_paused(followed);
        let Err(error) = result else {
            return self.note_success(now);
        };
        if error.kind() == ErrorKind::Validation {
            return Ok(());
        }
        let failure = Failure {
            concern: FailedQuery::of(error).concern(),
            item: Mark::of(&known.item.key()),
            began_before_pause: was_paused && !is_probe,
            followed,
        };
        if failure.concern == Concern::Answered {
            return self.note_success(now);
        }
        let is_worth_a_report = run.outage.note_failure(failure, now);
        self.state.put_run(run, now)?;
        self.pause_after(error, now);
        if is_worth_a_report {
            let reason = why_failing(error, run.outage.is_paused(followed));
            let end =
                end_of(known, EndKind::QueryFailing, None, Some((reason, Some(error.code()))));
            self.reports.push_back(Report { known: None, end });
        }
        Ok(())
    }

    fn note_success(&mut self, now: u64) -> Result<(), Error> {
        let mut run = self.state.run();
        if run.outage.is_paused(self.followed()) {
            self.schedule.resume(now);
        }
        run.outage.note_success();
        self.answered = Some(now);
        self.state.put_run(run, now)
    }

    /// After a 429, or during the backoff of the token server, nothing is queried.
    fn pause_after(&mut self, error: &Error, now: u64) {
        let pause = match error.kind() {
            ErrorKind::RateLimited => Some(error.retry_after().unwrap_or(PAUSE)),
            ErrorKind::Token => error.retry_after(),
            _ => None,
        };
        if let Some(pause) = pause.map(|pause| pause.min(FAR)) {
            self.turns.pause(self.clock.instant(now) + pause);
            self.schedule.resume(now.saturating_add(milliseconds(pause)));
        }
    }

    fn decide(
        &mut self,
        mut known: ItemState,
        is_probe: bool,
        result: Result<Reply, Error>,
        now: u64,
    ) -> Result<(), Error> {
        let concern = result
            .as_ref()
            .map_or_else(|error| FailedQuery::of(error).concern(), |_| Concern::Answered);
        let before = known.failing.filter(|_| concern == Concern::Item && !is_probe);
        match concern {
            Concern::Answered => known.failing = None,
            Concern::Item => {
                let after = Failing::after(known.failing, is_probe, self.answered, now);
                known.failing = Some(after);
            }
            Concern::Nothing | Concern::Outage | Concern::Refused => {}
        }
        let payment = OpenPayment {
            age: Duration::from_millis(now.saturating_sub(known.item.since)),
            give_up_after: self.options.give_up_after,
            was_found: known.item.was_found,
            failures: before.map_or(0, |failing| failing.count),
        };
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
        let why = error.as_ref().map(|error| (error.to_string(), Some(error.code())));
        let why = why.or(unreadable.map(|why| (why.to_owned(), None)));
        if step == NextStep::Ended {
            return self.ended(known, reply, now);
        }
        if step == NextStep::Fail {
            let end = end_of(&known, EndKind::Failed, None, why);
            self.reports.push_back(Report { known: None, end });
            return Ok(());
        }
        if let Some(wait) = self.wait_after(&mut known, step, concern, now) {
            return self.ask_again(known, wait, now);
        }
        let age = about(milliseconds(payment.age));
        let why = why.unwrap_or_else(|| (format!("it is still open after {age}"), None));
        let end = end_of(&known, EndKind::GivenUp, reply.map(|it| it.answer), Some(why));
        self.reports.push_back(Report { known: Some(known), end });
        Ok(())
    }

    /// When an open item is queried again; `None` if it is given up now, or for good.
    fn wait_after(
        &self,
        known: &mut ItemState,
        step: NextStep,
        concern: Concern,
        now: u64,
    ) -> Option<Duration> {
        let is_doubtful = self.state.run().doubt.holds(now);
        // It is known to be open, or will not become known.
        let is_settled = match concern {
            Concern::Answered => true,
            Concern::Item => known.failing.is_some_and(|failing| failing.is_its_own()),
            Concern::Nothing | Concern::Outage | Concern::Refused => false,
        };
        if let Some(since) = known.given_up {
            let is_last = is_settled && now.saturating_sub(since) >= YEAR;
            known.is_final = is_last && !is_doubtful;
            if !is_settled {
                // It says nothing, so it is made again sooner, also by the next run.
                return Some(LATEST);
            }
            known.asked = Some(now);
            return (!known.is_final).then_some(Duration::from_millis(DAY));
        }
        known.asked = Some(now);
        let is_old =
            now.saturating_sub(known.item.since) >= milliseconds(self.options.give_up_after);
        match step {
            NextStep::GiveUp => is_doubtful.then_some(LATEST),
            NextStep::Query(_) if concern == Concern::Item && is_old && is_settled => {
                is_doubtful.then_some(LATEST)
            }
            NextStep::Query(wait) => Some(wait),
            NextStep::Ended | NextStep::Fail => None,
        }
    }

    fn ask_again(&mut self, known: ItemState, wait: Duration, now: u64) -> Result<(), Error> {
        let (interval, key) = (milliseconds(wait), known.item.key());
        let line = match (known.given_up, known.failing) {
            (Some(_), _) => Line::GivenUp,
            (None, Some(_)) => Line::Failing,
            (None, None) => Line::Open,
        };
        self.state.put(known, now)?;
        self.schedule.push(key, line, now.saturating_add(interval), interval);
        Ok(())
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
        self.given.first().map(|given| FollowEnd { repeated: true, ..given.end.clone() })
    }

    /// The next reports, at most so many. From now on they may have been given.
    pub(super) fn give(&mut self, most: usize, now: u64) -> Result<Vec<FollowEnd>, Error> {
        let count = most.min(self.reports.len());
        let reporting = |report: &Report| {
            let (stage, end) = (Stage::Reporting, Some(report.end.end));
            Some(ItemState { stage, end, ..report.known.clone()? })
        };
        let known: Vec<ItemState> = self.reports.iter().take(count).filter_map(reporting).collect();
        self.state.put_all(known, true, now)?;
        for mut report in self.reports.drain(..count) {
            if let Some(known) = &mut report.known {
                (known.stage, known.end) = (Stage::Reporting, Some(report.end.end));
                report.end.repeated = self.repeated.remove(&known.item.key());
                self.counts.given_up -= u64::from(known.given_up.is_some());
            }
            self.counts.count(report.end.end);
            self.given.push(report);
        }
        Ok(self.given.iter().map(|given| given.end.clone()).collect())
    }

    /// Marks the ends that were given last as handled: no run gives them again.
    pub(super) fn confirmed(&mut self, now: u64) -> Result<(), Error> {
        let reported = |report: &Report| {
            let known = report.known.as_ref()?;
            // An item that was given up is still queried.
            let stays = report.end.end == EndKind::GivenUp && !known.is_final;
            let (stage, given_up) =
                if stays { (Stage::Open, Some(now)) } else { (Stage::Reported, known.given_up) };
            Some(ItemState { stage, given_up, ..known.clone() })
        };
        let known: Vec<ItemState> = self.given.iter().filter_map(reported).collect();
        self.state.put_all(known.clone(), false, now)?;
        for known in known.iter().filter(|known| known.stage == Stage::Open) {
            self.schedule.push(known.item.key(), Line::GivenUp, known.due_given_up(), DAY);
        }
        self.given.clear();
        Ok(())
    }
}

#[cfg(test)]
#[path = "running_tests.rs"]
mod tests;
