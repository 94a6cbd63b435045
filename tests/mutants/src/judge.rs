//! Finds the tests that notice a mutant.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::build::Folders;
use crate::log::Log;
use crate::tests::{self, Run, Test};

/// Tests run in batches that end at the first that fails, so the first one is short.
const FIRST_BATCH: f64 = 0.3;
const GROWTH: f64 = 5.0;
/// How much more time a test gets if it did not end.
const LONGER: f64 = 4.0;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Verdict {
    /// A test failed, twice.
    Caught,
    /// A test did not end, or ended its process, twice.
    Hung,
    /// All tests that reach it passed.
    Missed,
    /// No test reaches it.
    Unreached,
    /// Tests are left that may notice it.
    Open,
}

impl Verdict {
    const ALL: [(Self, &'static str); 5] = [
        (Self::Caught, "caught"),
        (Self::Hung, "hung"),
        (Self::Missed, "missed"),
        (Self::Unreached, "unreached"),
        (Self::Open, "open"),
    ];

    /// Whether the tests notice it.
    pub fn is_noticed(self) -> bool {
        matches!(self, Self::Caught | Self::Hung)
    }

    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(it, _)| *it == self).map_or("", |(_, name)| name)
    }

    fn of(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, it)| *it == name).map(|(it, _)| *it)
    }
}

/// One mutant.
pub struct Question<'a> {
    pub name: &'a str,
    pub number: usize,
    pub file: &'a str,
    /// The hash of its file.
    pub key: u64,
}

/// Asks the tests, and keeps their verdicts.
pub struct Judge<'a> {
    pub folders: &'a Folders,
    /// The fastest first.
    pub tests: &'a [Test],
    log: &'a Log,
    /// A test that noticed mutants of a file probably notices others of it: how
    /// many, by file and test.
    noticed: Mutex<HashMap<(String, String), u32>>,
    /// No mutant is begun after it.
    end: Option<Instant>,
}

impl<'a> Judge<'a> {
    pub fn new(
        folders: &'a Folders,
        tests: &'a [Test],
        log: &'a Log,
        end: Option<Instant>,
    ) -> Self {
        Self { folders, tests, log, noticed: Mutex::default(), end }
    }

    /// The verdict of an earlier run, if it still holds: the file is the same, and
    /// so is the test that noticed, or every test that did not.
    pub fn kept(&self, question: &Question<'_>) -> Option<Verdict> {
        let earlier = self.log.get(question.name)?;
        if earlier["file"] != json!(question.key) {
            return None;
        }
        let verdict = Verdict::of(earlier["verdict"].as_str()?)?;
        let holds = match verdict {
            Verdict::Caught | Verdict::Hung => {
                self.note(question.file, earlier["test"].as_str()?);
                self.tests.iter().any(|it| it.key() == earlier["by"])
            }
            Verdict::Missed | Verdict::Unreached => {
                let passed = passed(&earlier);
                self.reaching(question).all(|it| passed.contains(&it.key().to_string()))
            }
            Verdict::Open => false,
        };
        holds.then_some(verdict)
    }

    /// Runs tests that reach a mutant until one fails, but none that begins after
    /// `budget` seconds of tests.
    pub fn judge(
        &self,
        lane: usize,
        question: &Question<'_>,
        budget: f64,
    ) -> Result<Verdict, String> {
        if self.end.is_some_and(|end| Instant::now() >= end) {
            return Ok(Verdict::Open);
        }
        let earlier = self.log.get(question.name).unwrap_or_default();
        let is_same = earlier["file"] == json!(question.key);
        let passed = if is_same { passed(&earlier) } else { BTreeSet::new() };
        let (before, mut open): (Vec<&Test>, Vec<&Test>) =
            self.reaching(question).partition(|it| passed.contains(&it.key().to_string()));
        let mut done: Vec<Value> = before.into_iter().map(Test::key).collect();
        self.sort(&mut open, question.file, earlier["test"].as_str());
        let (mut limit, mut spent) = (FIRST_BATCH, 0.0);
        while !open.is_empty() && spent < budget {
            let batch = first(&mut open, limit);
            spent += seconds(&batch);
            limit *= GROWTH;
            for part in batch.chunk_by(|one, other| one.program == other.program) {
                if let Some((verdict, test)) = self.noticing(lane, question.number, part)? {
                    self.note(question.file, &test.name);
                    self.keep(question, verdict, Some(test), &[])?;
                    return Ok(verdict);
                }
                done.extend(part.iter().map(|test| test.key()));
            }
        }
        let verdict = match (open.is_empty(), done.is_empty()) {
            (false, _) => Verdict::Open,
            (true, true) => Verdict::Unreached,
            (true, false) => Verdict::Missed,
        };
        self.keep(question, verdict, None, &done)?;
        Ok(verdict)
    }

    fn keep(
        &self,
        question: &Question<'_>,
        verdict: Verdict,
        by: Option<&Test>,
        passed: &[Value],
    ) -> Result<(), String> {
        let line = json!({
            "mutant": question.name, "file": question.key, "verdict": verdict.name(),
            "by": by.map(Test::key), "test": by.map(|it| &it.name), "passed": passed,
        });
        self.log.add(question.name, line)
    }

    fn reaching(&self, question: &Question<'_>) -> impl Iterator<Item = &'a Test> {
        let number = question.number;
        self.tests.iter().filter(move |test| test.reaches.contains(&number))
    }

    /// Counts that a test noticed a mutant of a file.
    fn note(&self, file: &str, test: &str) {
        let mut noticed = self.noticed.lock().unwrap_or_else(PoisonError::into_inner);
        *noticed.entry((file.to_owned(), test.to_owned())).or_default() += 1;
    }

    /// Tests that probably notice the mutant come first, and then fast ones.
    fn sort(&self, tests: &mut [&Test], file: &str, before: Option<&str>) {
        let noticed = self.noticed.lock().unwrap_or_else(PoisonError::into_inner);
        let cost = |test: &&Test| {
            let count = noticed.get(&(file.to_owned(), test.name.clone())).copied();
            let is_known = before == Some(&test.name);
            let likely =
                1.0 + f64::from(count.unwrap_or_default()) + if is_known { 1e6 } else { 0.0 };
            test.seconds / likely
        };
        tests.sort_by(|one, other| cost(one).total_cmp(&cost(other)));
    }

    /// The test of a batch that notices a mutant.
    fn noticing<'b>(
        &self,
        lane: usize,
        number: usize,
        batch: &[&'b Test],
    ) -> Result<Option<(Verdict, &'b Test)>, String> {
        let run = self.attempt(lane, number, batch, 1.0)?;
        if run.status.success() {
            return Ok(None);
        }
        let named = batch.iter().find(|test| run.failed.as_deref() == Some(&test.name));
        if let Some(test) = named {
            // A test that fails by chance, on a busy machine, notices nothing.
            let again = self.attempt(lane, number, &[test], LONGER)?;
            if !again.status.success() {
                return Ok(Some((verdict_of(&again), test)));
            }
        }
        if let [test] = batch {
            if named.is_some() {
                return Ok(None);
            }
            // A busy machine may have held it up.
            let again = self.attempt(lane, number, batch, LONGER)?;
            return Ok((!again.status.success()).then(|| (verdict_of(&again), *test)));
        }
        // One of the others did not end, or was not run.
        let is_open = |test: &&&Test| {
            !run.passed.contains(&test.name) && named.is_none_or(|it| it.name != test.name)
        };
        let rest = batch.iter().filter(is_open);
        for test in rest {
            if let Some(found) = self.noticing(lane, number, &[test])? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    fn attempt(
        &self,
        lane: usize,
        number: usize,
        batch: &[&Test],
        patience: f64,
    ) -> Result<Run, String> {
        let patience = Duration::from_secs_f64(patience * (12.0 + 3.0 * seconds(batch)));
        tests::run(self.folders, lane, batch, patience, |command| {
            command.env("MUTANT", number.to_string());
        })
    }
}

/// Takes the first tests, at least one, that end within some seconds.
fn first<'a>(open: &mut Vec<&'a Test>, limit: f64) -> Vec<&'a Test> {
    let mut sum = 0.0;
    let count = open.iter().take_while(|test| {
        sum += test.seconds;
        sum <= limit
    });
    let count = count.count().max(1);
    open.drain(..count).collect()
}

fn seconds(tests: &[&Test]) -> f64 {
    tests.iter().map(|test| test.seconds).sum()
}

fn passed(earlier: &Value) -> BTreeSet<String> {
    earlier["passed"].as_array().into_iter().flatten().map(ToString::to_string).collect()
}

fn verdict_of(run: &Run) -> Verdict {
    if run.failed.is_some() { Verdict::Caught } else { Verdict::Hung }
}
