//! All that outlives a process, and the gate that each effect of a process passes:
//! there it may crash, and a crashed one has no effects.

use std::collections::{BTreeMap, BTreeSet};
use std::original::sync::{Mutex, PoisonError};
use std::path::PathBuf;
use std::time::Duration;
use std::{model, processes};

use crate::chance::between;
use crate::journal::Table;
use crate::plan::{Fault, FaultKind, Plan};
use crate::service::Service;
use crate::shop::Order;
use crate::tokens::TokenServer;

/// The roles of processes beside the workers, after their number.
pub const RECOVERY: usize = 0;
pub const FOLLOWER: usize = 1;
pub const DELIVERY: usize = 2;
pub const OPERATOR: usize = 3;

pub struct World(Mutex<State>);

pub struct State {
    pub plan: Plan,
    pub service: Service,
    pub tokens: TokenServer,
    pub journal: Table,
    pub orders: BTreeMap<String, Order>,
    pub calls: Vec<Call>,
    /// The calls in progress, by their threads.
    pub calling: BTreeMap<usize, usize>,
    pub reports: Vec<Report>,
    /// The state files of followers, and what was in them when one crashed.
    pub folder: PathBuf,
    pub state_file: Option<Vec<u8>>,
    /// The calls of the plan that are left.
    pub left: Vec<Option<crate::plan::PlannedCall>>,
    /// When the faults of the plan are over.
    pub last_fault: Duration,
    /// When the process that crashed last runs again.
    pub restarted: Duration,
    /// Whether the processes may end.
    pub is_over: bool,
    pub counts: BTreeMap<&'static str, u64>,
    /// Goods that may have left twice, because their delivery was interrupted.
    pub interrupted: BTreeSet<String>,
    pub trace: Option<Vec<String>>,
    /// The first promise that was broken.
    pub broken: Option<String>,
}

/// A call of an operation that moves money, as the caller sees it.
#[derive(Default)]
pub struct Call {
    pub name: String,
    pub is_executed: bool,
    /// Whether its caller was told that its request is not executed.
    pub is_denied: bool,
}

/// An end that the follower has printed.
pub struct Report {
    pub key: String,
    pub end: &'static str,
}

impl World {
    pub fn new(plan: Plan, folder: PathBuf, is_traced: bool) -> Self {
        let over = plan.faults.iter().map(|it| it.until).max().unwrap_or_default();
        Self(Mutex::new(State {
            service: Service::new(plan.ignores_case),
            tokens: TokenServer::default(),
            journal: Table::new(),
            orders: BTreeMap::new(),
            calls: Vec::new(),
            calling: BTreeMap::new(),
            reports: Vec::new(),
            folder,
            state_file: None,
            left: plan.calls.iter().cloned().map(Some).collect(),
            last_fault: over,
            restarted: Duration::ZERO,
            is_over: false,
            counts: BTreeMap::new(),
            interrupted: BTreeSet::new(),
            trace: is_traced.then(Vec::new),
            broken: None,
            plan,
        }))
    }

    /// Never across a step.
    pub fn with<R>(&self, act: impl FnOnce(&mut State) -> R) -> R {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Runs an effect of the calling process; `None` if it has crashed by then.
    pub fn effect<R>(&self, act: impl FnOnce(&mut State) -> R) -> Option<R> {
        model::step();
        if self.with(State::dies) {
            return None;
        }
        let result = self.with(|state| {
            state.set_wall_clock();
            state.settle();
            act(state)
        });
        if self.with(State::dies) { None } else { Some(result) }
    }
}

/// A write that a crash cuts short: the beginning of a line like the last one.
fn half_a_line(text: &[u8]) -> Vec<u8> {
    let last = text.split_inclusive(|byte| *byte == b'\n').next_back().unwrap_or_default();
    let most = u32::try_from(last.len()).expect("a line is short").saturating_sub(1);
    last[..between(0, most) as usize].to_vec()
}

/// The role of a process, by its id.
pub fn role_of(process: u32) -> usize {
    (process / 1_000) as usize
}

impl State {
    /// Whether the calling process has crashed, or does now.
    fn dies(&mut self) -> bool {
        if processes::has_crashed() {
            return true;
        }
        let (now, process) = (model::elapsed(), processes::current());
        let is_due = |it: &mut Fault| match &mut it.kind {
            FaultKind::Crash { role, effects } => {
                let is_meant = *role == role_of(process) && it.from <= now && *effects > 0;
                *effects -= u32::from(is_meant);
                is_meant && *effects == 0
            }
            _ => false,
        };
        if !self.plan.faults.iter_mut().any(is_due) {
            return false;
        }
        self.note(|| "crashes".to_owned());
        self.count("crashes");
        self.restarted = now + crate::actors::LONGEST_RESTART;
        if let Ok(mut left) = std::fs::read(self.folder.join(process.to_string())) {
            left.extend(half_a_line(&left));
            self.state_file = Some(left);
        }
        processes::crash(process);
        true
    }

    /// The faults that last now.
    pub fn faults(&self) -> impl Iterator<Item = &FaultKind> {
        let now = model::elapsed();
        let lasting = self.plan.faults.iter().filter(move |it| (it.from..it.until).contains(&now));
        lasting.map(|it| &it.kind)
    }

    /// Sets the wall clock of the calling process.
    fn set_wall_clock(&self) {
        let own = role_of(processes::current());
        let wrong = self.faults().find_map(|it| match it {
            FaultKind::Clock { role, ahead } if *role == own => Some(*ahead),
            _ => None,
        });
        processes::set_wall_clock(processes::current(), wrong.unwrap_or(0));
    }

    pub fn note(&mut self, line: impl FnOnce() -> String) {
        if let Some(trace) = &mut self.trace {
            let (now, process) = (model::elapsed(), processes::current());
            let (seconds, milliseconds) = (now.as_secs(), now.subsec_millis());
            trace.push(format!("{seconds:>9}.{milliseconds:03} {process:>6} {}", line()));
        }
    }

    pub fn count(&mut self, name: &'static str) {
        *self.counts.entry(name).or_default() += 1;
    }

    /// Records that a promise is broken, unless another one is.
    pub fn broken(&mut self, promise: impl Into<String>) {
        let promise = promise.into();
        self.note(|| format!("BROKEN: {promise}"));
        self.broken.get_or_insert(promise);
    }
}
