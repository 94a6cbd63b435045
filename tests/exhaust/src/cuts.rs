//! All cuts of one row.

use payments_core::Client;

use crate::books::Attempt;
use crate::rows::Place;
use crate::tracer::{self, Cut, Point, Run, faults, is_change};

const KILL: &str = "signal=KILL";
/// How often a step is tried that not every run has, because bytes came together.
const MOST_TRIES: usize = 3;
/// The steps that depend on when bytes come.
const WAITS: [&str; 2] = ["ppoll", "recvfrom"];

/// Which steps are cut.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Which<'a> {
    All,
    /// Those that write, sync, connect or send.
    Changing,
    /// Those with this name.
    Named(&'a str),
}

/// The runs of a row.
pub(crate) struct Cuts<'a> {
    place: &'a Place,
    which: Which<'a>,
    client: Client,
    attempts: Vec<Attempt>,
    figures: Figures,
}

#[derive(Default)]
pub(crate) struct Figures {
    /// The steps that a run without a cut has.
    pub(crate) steps: usize,
    /// Those at which the process was killed.
    pub(crate) kills: usize,
    /// The errors that steps returned instead.
    pub(crate) errors: usize,
    /// Waits that only the first run had, because later bytes came sooner.
    pub(crate) missed: usize,
}

impl<'a> Cuts<'a> {
    pub(crate) fn new(place: &'a Place, which: Which<'a>) -> Self {
        let client = place.client();
        Self { place, which, client, attempts: Vec::new(), figures: Figures::default() }
    }

    /// Cuts a call at each step. `note` hears how many of how many were cut.
    ///
    /// The steps of one run are counted by their names. Each name is then cut at
    /// its first occurrence, its second and so on, until a run comes to its end:
    /// so none is left out, whatever the first run had.
    pub(crate) fn run(&mut self, note: impl Fn(usize, usize)) {
        let base = self.attempt(None);
        let counts = base.counts();
        let is_chosen = |name: &str| match self.which {
            Which::All => true,
            Which::Changing => is_change(name),
            Which::Named(chosen) => name == chosen,
        };
        let chosen: Vec<_> = counts.into_iter().filter(|(name, _)| is_chosen(name)).collect();
        self.figures.steps = base.steps.len();
        let all: usize = chosen.iter().map(|(_, count)| count).sum();
        for (name, count) in chosen {
            for number in 1.. {
                let point = Point { name: name.clone(), number };
                if self.cut(&point, &base) {
                    self.figures.kills += 1;
                } else if number > count {
                    break;
                } else {
                    self.miss(&point);
                }
                note(self.figures.kills.min(all), all);
            }
        }
    }

    /// The calls that were made. Closes the connection of the row's own client.
    pub(crate) fn end(self) -> (Vec<Attempt>, Figures) {
        (self.attempts, self.figures)
    }

    /// Cuts at a point by a kill, and by each of its faults. Whether there is
    /// such a step.
    fn cut(&mut self, point: &Point, base: &Run) -> bool {
        let Some(killed) = self.cut_by(KILL, point, base) else { return false };
        let step = killed.step(point).unwrap();
        for fault in faults(step) {
            match self.cut_by(fault, point, base) {
                Some(_) => self.figures.errors += 1,
                None if base.step(point).is_none() => {}
                None => self.miss(point),
            }
        }
        true
    }

    fn miss(&mut self, point: &Point) {
        assert!(WAITS.contains(&&*point.name), "runs differ by {point:?}");
        self.figures.missed += 1;
    }

    fn cut_by(&mut self, how: &str, point: &Point, base: &Run) -> Option<Run> {
        let tries = if base.step(point).is_some() { MOST_TRIES } else { 1 };
        let mut before = base.before(&point.name);
        (0..tries).find_map(|_| {
            let run = self.attempt(Some(&Cut { point, how, before }));
            before = run.before(&point.name);
            run.was_cut.then_some(run)
        })
    }

    /// Makes a call under a reference of its own.
    fn attempt(&mut self, cut: Option<&Cut<'_>>) -> Run {
        let number = self.attempts.len();
        let reference = format!("call-{number}");
        let hash = self.place.payment_to_refund(&self.client, number);
        let task = self.place.task(&reference, &hash);
        let run = tracer::run(&task, &self.place.folder, cut);
        let told = run.told.clone();
        let cut = cut.map(ToString::to_string);
        let place = self.place;
        let is_durable = !place.row.has_journal || run.is_synced_first(place.tls_port());
        self.attempts.push(Attempt { reference, hash, told, cut, is_durable });
        run
    }
}
