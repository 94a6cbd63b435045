//! The items to follow: named ones, those of the journal, and those of an
//! earlier run.

use std::collections::HashSet;
use std::time::Duration;

use payments_core::error::Error;

use super::item::Item;
use super::item_state::{ItemState, Stage};
use super::rule::{NextStep, OpenPayment, pause_after};
use super::running::Follower;
use super::schedule::Line;
use super::time::{DAY, milliseconds};

impl Follower {
    pub(super) fn begin(&mut self, now: u64) -> Result<(), Error> {
        self.schedule.resume(now);
        let Some(references) = self.options.references.clone() else {
            let open: Vec<ItemState> = self.state.open_items().cloned().collect();
            open.iter().for_each(|known| self.take_up(known, false, now));
            return Ok(());
        };
        let mut listed = HashSet::new();
        for reference in &references {
            let item = if self.options.names_payouts() {
                Item::payout(reference, self.options.by_uid, now)
            } else {
                Item::named(reference, self.options.by_hash, now)
            };
            let key = item.key();
            if !listed.insert(key.clone()) || self.state.see(&key, now)? {
                continue;
            }
            let known = match self.state.get(&key) {
                Some(known) => known.clone(),
                None => self.kept(item, now)?,
            };
            self.take_up(&known, true, now);
        }
        Ok(())
    }

    /// A new item, which is known from now on.
    fn kept(&mut self, item: Item, now: u64) -> Result<ItemState, Error> {
        let known = ItemState::new(item);
        self.state.put(known.clone(), now)?;
        Ok(known)
    }

    /// Follows what an earlier run knew.
    pub(super) fn take_up(&mut self, known: &ItemState, is_named: bool, now: u64) {
        let key = known.item.key();
        let is_half_reported = known.stage == Stage::Reporting;
        if is_half_reported {
            self.repeated.insert(key.clone());
        }
        let came = known.item.since.min(now);
        if known.given_up.is_some() {
            self.counts.given_up += 1;
            if is_named || is_half_reported {
                self.schedule.push(key, Line::Named, known.asked.unwrap_or(came), 0);
            } else {
                let due = known.due_given_up().min(now.saturating_add(DAY));
                self.schedule.push(key, Line::GivenUp, due, DAY);
            }
            return;
        }
        let Some(asked) = known.asked.filter(|_| !is_half_reported) else {
            self.schedule.push(key, Line::New, came, 0);
            return;
        };
        let interval = interval_of(known, asked);
        let line = if known.failing.is_some() { Line::Failing } else { Line::Open };
        self.schedule.push(key, line, asked.saturating_add(interval), interval);
    }

    /// Follows an item that the journal offers, unless it is known.
    pub(super) fn offer(&mut self, mut item: Item, now: u64) -> Result<(), Error> {
        if item.can_be_queried() {
            // A time in the future is from a clock that was wrong.
            item.since = item.since.min(now);
        }
        let key = item.key();
        if self.state.see(&key, now)? || self.state.get(&key).is_some() {
            return Ok(());
        }
        self.kept(item, now)?;
        self.schedule.push(key, Line::New, now, 0);
        Ok(())
    }
}

/// The time from its last query, at `asked`, to the next one.
fn interval_of(known: &ItemState, asked: u64) -> u64 {
    let age = Duration::from_millis(asked.saturating_sub(known.item.since));
    let payment = OpenPayment { age, give_up_after: Duration::MAX, was_found: true, failures: 0 };
    let usual = match payment.next_step(Ok(false)) {
        NextStep::Query(wait) => wait,
        _ => Duration::ZERO,
    };
    let pause = known.failing.map(|failing| pause_after(failing.count));
    milliseconds(usual.max(pause.unwrap_or_default()))
}
