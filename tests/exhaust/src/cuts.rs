//! All cuts of one row.

use std::time::Duration;

use payments_core::Client;

use crate::row_check::Attempt;
use crate::rows::{Kind, Place, Setting};
use crate::tracer::{self, Cut, Point, Run, faults, is_change, is_decisive};

const KILL: &str = "signal=KILL";
/// The time that a call has, if nothing freezes it.
const LONG: Duration = Duration::from_secs(20);
/// The same for a call that uses all its time if there is a doubt.
const LONG_IF_DOUBTFUL: Duration = Duration::from_secs(8);
/// The time that a call has if it is frozen for longer; twice that if it did
/// not get so far.
const SHORT: Duration = Duration::from_millis(1500);
/// How far the wall clock jumps, in seconds.
const JUMPS: [i64; 4] = [3600, -3600, 400 * 86_400, -400 * 86_400];
/// How much longer it is frozen.
const MORE: Duration = Duration::from_millis(100);
const FREEZES: [&str; 2] = ["delay_enter", "delay_exit"];
/// How often to try a step that not every run has, because bytes arrive together.
const MOST_TRIES: u32 = 8;
/// The steps that depend on when bytes come.
const WAITS: [&str; 2] = ["ppoll", "recvfrom"];

/// The steps to cut.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Selection<'a> {
    All,
    /// Those that write, sync, connect or send.
    Changing,
    /// Those that sync, connect or send.
    Decisive,
    /// Those with this name.
    Named(&'a str),
}

/// The event at a step.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum CutKind {
    /// The process is killed, or the step fails.
    Cut,
    /// The process is frozen until after the deadline, before it or after it.
    Freeze,
}

/// The runs of a row.
pub(crate) struct Cuts<'a> {
    place: &'a Place,
    how: CutKind,
    client: Client,
    attempts: Vec<Attempt>,
    figures: Figures,
}

#[derive(Default)]
pub(crate) struct Figures {
    /// The steps that a run without a cut has, or its readings of the wall clock.
    pub(crate) steps: usize,
    /// Those at which the process was killed, was frozen, or saw the clock jump.
    pub(crate) cut: usize,
    /// The errors that steps returned instead, and the freezes after them.
    pub(crate) others: usize,
    /// Waits that only the first run had, because later bytes came sooner.
    pub(crate) missed: usize,
}

impl<'a> Cuts<'a> {
    pub(crate) fn new(place: &'a Place, how: CutKind) -> Self {
        let client = place.client();
        Self { place, how, client, attempts: Vec::new(), figures: Figures::default() }
    }

    /// Cuts a call at each step. `note` gets the number of steps that were cut,
    /// and of all.
    ///
    /// The steps of one run are counted by their names. Each name is then cut at
    /// its first occurrence, its second and so on, until a run reaches its end:
    /// none is left out, whatever the first run had.
    pub(crate) fn run(&mut self, which: Selection<'_>, note: impl Fn(usize, usize)) {
        let base = self.attempt(None, self.long());
        let counts = base.counts();
        let is_chosen = |name: &str| match which {
            Selection::All => true,
            Selection::Changing => is_change(name),
            Selection::Decisive => is_decisive(name),
            Selection::Named(chosen) => name == chosen,
        };
        let chosen: Vec<_> = counts.into_iter().filter(|(name, _)| is_chosen(name)).collect();
        self.figures.steps = base.steps.len();
        let all: usize = chosen.iter().map(|(_, count)| count).sum();
        for (name, count) in chosen {
            for number in 1.. {
                let point = Point { name: name.clone(), number };
                if self.cut(&point, &base) {
                    self.figures.cut += 1;
                } else if number > count {
                    break;
                } else {
                    self.miss(&point);
                }
                note(self.figures.cut.min(all), all);
            }
        }
    }

    /// The calls that were made. Closes the connection of the row's own client.
    pub(crate) fn end(self) -> (Vec<Attempt>, Figures) {
        (self.attempts, self.figures)
    }

    /// Cuts at a point by a kill, and by each of its faults; or freezes there.
    /// Returns whether there is such a step.
    fn cut(&mut self, point: &Point, base: &Run) -> bool {
        let (first, others) = match self.how {
            CutKind::Cut => (KILL, None),
            CutKind::Freeze => (FREEZES[0], Some(&FREEZES[1..])),
        };
        let Some(first) = self.cut_by(first, point, base) else { return false };
        let others = others.unwrap_or_else(|| faults(first.step(point).unwrap()));
        for fault in others {
            match self.cut_by(fault, point, base) {
                Some(_) => self.figures.others += 1,
                None if base.step(point).is_none() => {}
                None => self.miss(point),
            }
        }
        true
    }

    fn miss(&mut self, point: &Point) {
        // A call waits for a busy journal until another process leaves it.
        let is_busy = self.place.row.setting == Setting::Busy;
        assert!(is_busy || WAITS.contains(&&*point.name), "runs differ by {point:?}");
        self.figures.missed += 1;
    }

    fn cut_by(&mut self, how: &str, point: &Point, base: &Run) -> Option<Run> {
        let tries = if base.step(point).is_some() { MOST_TRIES } else { 1 };
        let mut before = base.before(&point.name);
        (0..tries).find_map(|number| {
            let timeout = match self.how {
                CutKind::Cut => self.long(),
                CutKind::Freeze => SHORT * 2_u32.pow(number),
            };
            let how = match self.how {
                CutKind::Cut => how.to_owned(),
                CutKind::Freeze => format!("{how}={}", (timeout + MORE).as_micros()),
            };
            let run = self.attempt(Some(&Cut { point, how: &how, before }), timeout);
            before = run.before(&point.name);
            run.was_cut.then_some(run)
        })
    }

    /// Lets the wall clock jump from each reading on.
    pub(crate) fn jump(&mut self) {
        for seconds in JUMPS {
            for at in 1.. {
                let number = self.attempts.len();
                let (reference, hash) = self.names(number);
                let mut task = self.place.task(&reference, &hash, self.long());
                task["jumps_at"] = at.into();
                task["jumps_by"] = seconds.into();
                let reported = tracer::run_alone(&task);
                let looks = usize::try_from(reported["looks"].as_u64().unwrap()).unwrap();
                let cut = Some(format!("{seconds} s from look {at} on"));
                let reported = Some(reported);
                self.attempts.push(Attempt { reference, hash, reported, cut, is_durable: true });
                self.figures.steps = self.figures.steps.max(looks);
                if looks < at {
                    break;
                }
                self.figures.cut += 1;
            }
        }
    }

    fn long(&self) -> Duration {
        if self.place.row.kind == Kind::Ensure { LONG_IF_DOUBTFUL } else { LONG }
    }

    /// The names of a separate call.
    fn names(&self, number: usize) -> (String, String) {
        let hash = self.place.payment_to_refund(&self.client, number);
        (format!("call-{number}"), hash)
    }

    /// Makes a call under a new reference.
    fn attempt(&mut self, cut: Option<&Cut<'_>>, timeout: Duration) -> Run {
        let (reference, hash) = self.names(self.attempts.len());
        let task = self.place.task(&reference, &hash, timeout);
        let run = tracer::run(&task, &self.place.folder, cut);
        let reported = run.reported.clone();
        let cut = cut.map(ToString::to_string);
        let place = self.place;
        let is_durable = !place.row.has_journal || run.is_synced_first(place.tls_port());
        self.attempts.push(Attempt { reference, hash, reported, cut, is_durable });
        run
    }
}
