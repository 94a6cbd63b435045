//! The items to follow: named ones, those of the journal, and those of an
//! earlier run.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::time::Duration;

use payments_core::error::Error;

use super::item::Item;
use super::item_state::{ItemState, Stage};
use super::rule::{NextStep, OpenPayment};
use super::running::Follower;
use super::time::{DAY, milliseconds};

impl Follower {
    pub(super) fn begin(&mut self, now: u64) -> Result<(), Error> {
        let Some(references) = self.options.references.clone() else {
            let open: Vec<ItemState> = self.state.open_items().cloned().collect();
            open.into_iter().for_each(|known| self.schedule(known, false, now));
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
            self.schedule(known, true, now);
        }
        Ok(())
    }

    /// A new item, which is known from now on.
    fn kept(&mut self, item: Item, now: u64) -> Result<ItemState, Error> {
        let known = ItemState::new(item);
        self.state.put(known.clone(), false, now)?;
        Ok(known)
    }

    /// Follows what an earlier run knew.
    fn schedule(&mut self, known: ItemState, is_named: bool, now: u64) {
        let key = known.item.key();
        let is_half_reported = known.stage == Stage::Reporting;
        if is_half_reported {
            self.repeated.insert(key.clone());
        }
        if known.given_up.is_some() {
            self.counts.given_up += 1;
            let due = known.due_given_up().min(now.saturating_add(DAY));
            self.daily.push(Reverse((if is_named || is_half_reported { now } else { due }, key)));
            return;
        }
        self.due.push(Reverse((due_after_restart(&known, now), key)));
    }

    /// Follows an item that the journal offers, unless it is known.
    pub(super) fn offer(&mut self, item: Item, now: u64) -> Result<(), Error> {
        let key = item.key();
        if self.state.see(&key, now)? || self.state.get(&key).is_some() {
            return Ok(());
        }
        let due = item.since.min(now);
        self.kept(item, now)?;
        self.due.push(Reverse((due, key)));
        Ok(())
    }
}

/// When an item of an earlier run is due.
fn due_after_restart(known: &ItemState, now: u64) -> u64 {
    let Some(asked) = known.asked.filter(|_| known.stage == Stage::Open) else {
        // Before all others.
        return known.item.since.min(now);
    };
    let age = Duration::from_millis(asked.saturating_sub(known.item.since));
    let payment = OpenPayment { age, give_up_after: Duration::MAX, was_found: true, failures: 0 };
    match payment.next_step(Ok(false)) {
        NextStep::Query(wait) => asked.saturating_add(milliseconds(wait)),
        _ => now,
    }
}
