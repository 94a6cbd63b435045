//! The followed items and their reported ends, also after a crash.
//!
//! Each line of the state file has everything that is known about one item, as a
//! JSON object, and the last line of an item counts. Items whose end was reported
//! have short lines, once the file is rewritten. Another line is about the run
//! itself.

use std::collections::HashMap;
use std::io;
use std::path::Path;

use payments_core::error::Error;
use payments_core::json::{Json, Members};

use super::ended::{EndedItems, Mark, is_line};
use super::item::Key;
use super::item_state::ItemState;
use super::outage::Outage;
use super::state_file::StateFile;
use super::time::Doubt;

/// The file is rewritten when it has this many lines more than two per item, or
/// this many long lines of ended items.
const SUPERFLUOUS: usize = 10_000;
const VERSION: u64 = 1;

/// State that concerns all items.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct RunState {
    pub(super) outage: Outage,
    pub(super) doubt: Doubt,
    /// When it was last reported that queries are late.
    pub(super) behind: Option<u64>,
}

/// Where the state is kept, and for how long.
pub(super) struct Place<'a> {
    pub(super) path: Option<&'a Path>,
    pub(super) scope: &'a str,
    /// How long a reported end is kept that no run asks for, in milliseconds.
    pub(super) forget_after: u64,
}

/// All items, and the file that keeps them, if there is one.
#[derive(Debug)]
pub(super) struct State {
    known: HashMap<Key, ItemState>,
    ended: EndedItems,
    run: RunState,
    /// When something last happened, according to the file.
    newest: Option<u64>,
    scope: String,
    forget_after: u64,
    file: Option<StateFile>,
    lines: usize,
    long_lines: usize,
    /// Whether the clock may be too far ahead for anything to be left out.
    is_in_doubt: bool,
}

impl State {
    /// Reads the state of a scope, and keeps other processes from using it.
    ///
    /// # Errors
    /// `config` if the file cannot be used, or another process follows with it.
    pub(super) fn open(place: &Place<'_>, now: u64) -> Result<Self, Error> {
        let mut state = Self {
            known: HashMap::new(),
            ended: EndedItems::default(),
            run: RunState::default(),
            newest: None,
            scope: place.scope.to_owned(),
            forget_after: place.forget_after,
            file: None,
            lines: 0,
            long_lines: 0,
            is_in_doubt: false,
        };
        if let Some(path) = place.path {
            let mut file = StateFile::open(path)?;
            file.read(|number, line| state.read(number, line, now))?;
            state.file = Some(file);
            let mut doubt = state.run.doubt;
            doubt.look(now, state.newest);
            state.is_in_doubt = doubt.holds(now);
            if state.is_worth_rewriting(now) {
                state.rewrite(now)?;
            }
        }
        Ok(state)
    }

    fn read(&mut self, number: usize, line: &str, now: u64) -> Result<(), String> {
        self.lines = number;
        let problem =
            || format!("line {number} is not one of a state file; restore it, or name another");
        if number == 1 {
            return self.check_head(line);
        }
        if is_line(line) {
            let seen = self.ended.read(line, now).map_err(|_| problem())?;
            self.newest = self.newest.max(seen);
            return Ok(());
        }
        let json = Json::parse(line.as_bytes()).map_err(|_| problem())?;
        if let Some(outage) = json.get("outage") {
            let outage = Outage::from_json(outage, now).ok_or_else(problem)?;
            let time = |name: &str| json.get(name).and_then(Json::as_u64);
            let doubt = Doubt { since: time("doubt_since") };
            let behind = time("behind_reported").map(|at| at.min(now));
            self.run = RunState { outage, doubt, behind };
            return Ok(());
        }
        let known = ItemState::from_json(&json, now).ok_or_else(problem)?;
        self.newest = self.newest.max(Some(known.newest()));
        self.long_lines += usize::from(known.is_ended());
        self.keep(known);
        Ok(())
    }

    fn check_head(&self, head: &str) -> Result<(), String> {
        let head = Json::parse(head.as_bytes()).unwrap_or_default();
        let version = head.get("follow").and_then(Json::as_u64);
        let scope = head.get("scope").and_then(Json::as_str);
        match (version, scope) {
            (Some(VERSION), Some(scope)) if scope == self.scope => Ok(()),
            (Some(VERSION), Some(_)) => {
                Err("it belongs to another service or journal_scope; name another".to_owned())
            }
            _ => Err("it is another kind of file; name another".to_owned()),
        }
    }

    fn keep(&mut self, known: ItemState) {
        let key = known.item.key();
        let mark = Mark::of(&key);
        if known.is_ended() {
            self.known.remove(&key);
            self.ended.add(mark, known.is_forgettable().then_some(known.newest()));
        } else {
            self.ended.remove(mark);
            self.known.insert(key, known);
        }
    }

    pub(super) fn get(&self, key: &Key) -> Option<&ItemState> {
        self.known.get(key)
    }

    /// Notes that an item is named or offered. Returns whether its end was
    /// reported.
    ///
    /// # Errors
    /// Those of [`put`](Self::put).
    pub(super) fn see(&mut self, key: &Key, now: u64) -> Result<bool, Error> {
        let mark = Mark::of(key);
        match self.ended.see(mark, now) {
            Some(line) => self.append(&[line], false, now).map(|()| true),
            None => Ok(self.ended.has(mark)),
        }
    }

    /// The items whose end was not reported.
    pub(super) fn open_items(&self) -> impl Iterator<Item = &ItemState> {
        self.known.values()
    }

    /// When something last happened, according to the file.
    pub(super) fn newest(&self) -> Option<u64> {
        self.newest
    }

    pub(super) fn run(&self) -> RunState {
        self.run
    }

    /// Stores the state that concerns all items.
    ///
    /// # Errors
    /// Those of [`put`](Self::put).
    pub(super) fn put_run(&mut self, run: RunState, now: u64) -> Result<(), Error> {
        if run == self.run {
            return Ok(());
        }
        self.append(&[line_of_run(run)], false, now)?;
        self.run = run;
        Ok(())
    }

    /// Stores the state of an item.
    ///
    /// # Errors
    /// `config` if the file cannot be written. Then nothing has changed.
    pub(super) fn put(&mut self, known: ItemState, now: u64) -> Result<(), Error> {
        self.put_all(vec![known], false, now)
    }

    /// Stores the states of items, on the disk if `is_durable`.
    ///
    /// # Errors
    /// Those of [`put`](Self::put).
    pub(super) fn put_all(
        &mut self,
        all: Vec<ItemState>,
        is_durable: bool,
        now: u64,
    ) -> Result<(), Error> {
        let lines: Vec<String> = all.iter().map(ItemState::to_line).collect();
        self.append(&lines, is_durable, now)?;
        for known in all {
            self.long_lines += usize::from(known.is_ended());
            let ended_now = known.is_forgettable().then(|| Mark::of(&known.item.key()));
            self.keep(known);
            if let Some(mark) = ended_now {
                self.ended.add(mark, Some(now));
            }
        }
        Ok(())
    }

    fn append(&mut self, lines: &[String], is_durable: bool, now: u64) -> Result<(), Error> {
        if self.file.is_none() || lines.is_empty() {
            return Ok(());
        }
        if self.is_worth_rewriting(now) {
            self.rewrite(now)?;
        }
        if let Some(file) = &mut self.file {
            file.append(lines, is_durable)?;
        }
        self.lines += lines.len();
        Ok(())
    }

    fn is_worth_rewriting(&self, now: u64) -> bool {
        let kept = self.known.len() + self.ended.len();
        let is_long = self.lines > 2 * kept + SUPERFLUOUS || self.long_lines > SUPERFLUOUS;
        // Counted at the start only: it takes a look at each.
        let is_start = self.file.as_ref().is_some_and(|file| !file.was_appended_to());
        let forgettable =
            || if self.is_in_doubt { 0 } else { self.ended.forgettable(now, self.forget_after) };
        self.lines == 0
            || is_long
            || is_start && forgettable() > if kept > SUPERFLUOUS { kept / 10 } else { 0 }
    }

    /// Replaces the file with one that has a line for each item that is kept.
    fn rewrite(&mut self, now: u64) -> Result<(), Error> {
        let Some(file) = &mut self.file else { return Ok(()) };
        if !self.is_in_doubt {
            self.ended.forget(now, self.forget_after);
        }
        let mut head = Members::from([("follow", VERSION)]);
        head.push("scope", self.scope.as_str());
        let (known, ended) = (&self.known, &self.ended);
        file.replace(|output: &mut dyn io::Write| {
            writeln!(output, "{}", Json::from(head).to_text())?;
            writeln!(output, "{}", line_of_run(self.run))?;
            known.values().try_for_each(|known| writeln!(output, "{}", known.to_line()))?;
            ended.lines().try_for_each(|line| writeln!(output, "{line}"))
        })?;
        self.lines = 2 + self.known.len() + self.ended.len();
        self.long_lines = 0;
        Ok(())
    }
}

fn line_of_run(run: RunState) -> String {
    let mut members = Members::new();
    members.push("outage", run.outage.to_json());
    members.push("doubt_since", run.doubt.since);
    members.push("behind_reported", run.behind);
    Json::from(members).to_text()
}

#[cfg(unix)]
#[cfg(test)]
#[path = "state_tests.rs"]
mod tests;
