//! Doubles of everything that a call uses. They end it at one moment.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use payments_core::CancelHandle;
use payments_core::observer::{Event, EventKind};

use super::peer::is_other_call;
use super::{End, Forks};

/// Where a call ends: the callback of this name, when it runs for the nth time.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    pub callback: &'static str,
    pub nth: u32,
    /// Whether an error is repeated each time the callback runs.
    pub lasts: bool,
}

/// The action of a server once its part of a call has reached the moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ServerAction {
    Fail,
    GoOn,
    /// Sends nothing more until the client has left.
    Wait,
}

/// Moments within a callback of another name.
const WITHIN: [&str; 8] =
    ["commit", "inserted", "updated", "token_wait", "token_refuse", "write", "wait", "read"];

/// One call from the outside: its moment, and its observed end.
pub struct Stage {
    end: End,
    moment: Moment,
    /// Whether callbacks of earlier calls are over.
    is_on: AtomicBool,
    counts: Mutex<HashMap<&'static str, u32>>,
    events: Mutex<Vec<String>>,
    pub cancel: CancelHandle,
    deadline: Mutex<Option<Instant>>,
    has_acted: AtomicBool,
    /// Whether the deadline had passed before the moment came.
    is_late: AtomicBool,
    /// Whether the moment is the next time that the call asks whether it
    /// continues.
    is_armed: AtomicBool,
    /// How many more questions come before that one.
    skips: AtomicU32,
    /// Releases the call after a fork.
    on_fork: Mutex<Option<Box<dyn Fn() + Send + Sync>>>,
    is_over: AtomicBool,
    /// Whether another call is at the token server.
    has_other: AtomicBool,
    forks: Option<Forks>,
    is_child: AtomicBool,
    /// The steps that ran in a child after it was forked.
    by_child: Mutex<Vec<String>>,
    pub attempts: AtomicU32,
    /// How many requests reached the service with at least one byte, how many
    /// reached it whole, and how many of those it executed.
    pub begun: AtomicU32,
    pub wholes: AtomicU32,
    pub executed: AtomicU32,
}

impl Stage {
    pub fn new(end: End, moment: Moment, forks: Option<Forks>) -> Arc<Self> {
        Arc::new(Self {
            end,
            moment,
            is_on: AtomicBool::new(false),
            counts: Mutex::default(),
            events: Mutex::default(),
            cancel: CancelHandle::new(),
            deadline: Mutex::default(),
            has_acted: AtomicBool::new(false),
            is_late: AtomicBool::new(false),
            is_armed: AtomicBool::new(false),
            skips: AtomicU32::new(0),
            on_fork: Mutex::default(),
            is_over: AtomicBool::new(false),
            has_other: AtomicBool::new(false),
            forks,
            is_child: AtomicBool::new(false),
            by_child: Mutex::default(),
            attempts: AtomicU32::new(0),
            begun: AtomicU32::new(0),
            wholes: AtomicU32::new(0),
            executed: AtomicU32::new(0),
        })
    }

    /// The call begins, and must end by `deadline`.
    pub fn begin(&self, deadline: Instant) {
        *lock(&self.deadline) = Some(deadline);
        self.is_on.store(true, Ordering::SeqCst);
    }

    /// Whether this is the call of the cell.
    pub fn is_on(&self) -> bool {
        self.is_on.load(Ordering::SeqCst) && !is_other_call()
    }

    /// The call has returned.
    pub fn end(&self) {
        self.is_over.store(true, Ordering::SeqCst);
        self.is_on.store(false, Ordering::SeqCst);
    }

    /// Whether the call reached its moment, and in time.
    pub fn has_acted_in_time(&self) -> bool {
        self.has_acted() && !self.is_late.load(Ordering::SeqCst)
    }

    pub fn is_child(&self) -> bool {
        self.is_child.load(Ordering::SeqCst)
    }

    pub fn events(&self) -> Vec<String> {
        lock(&self.events).clone()
    }

    pub fn by_child(&self) -> Vec<String> {
        lock(&self.by_child).clone()
    }

    /// Reaches `callback`, where the call may end. Returns whether the callback
    /// fails.
    pub fn pass(&self, callback: &'static str) -> bool {
        if !self.is_on() {
            return false;
        }
        // Within a callback that forked, the rest of it continues.
        if self.is_child() && !WITHIN.contains(&callback) {
            lock(&self.by_child).push(callback.to_owned());
        }
        let number = {
            let mut counts = lock(&self.counts);
            let count = counts.entry(callback).or_default();
            *count += 1;
            *count
        };
        let Moment { callback: at, nth, lasts } = self.moment;
        if at == "wait for another call" && callback == "sign" {
            self.arm();
        }
        let is_it = at == callback && (number == nth || (lasts && number > nth));
        is_it && self.act()
    }

    /// Ends the call. Returns whether it ends by an error of the callback.
    fn act(&self) -> bool {
        if self.end == End::Fork && !self.has_acted() {
            let forks = self.forks.expect("only tests that may fork do");
            self.is_child.store((forks.split)(), Ordering::SeqCst);
            if !self.is_child() {
                lock(&self.on_fork).as_ref().inspect(|let_go| let_go());
            }
        }
        self.has_acted.store(true, Ordering::SeqCst);
        match self.end {
            End::Error => return true,
            // Like `panic!`, without a message on standard error.
            End::Panic => std::panic::resume_unwind(Box::new("a bug in a callback")),
            End::Cancel => self.cancel.cancel(),
            End::Deadline => self.let_deadline_pass(),
            End::Fork => {}
        }
        false
    }

    fn has_acted(&self) -> bool {
        self.has_acted.load(Ordering::SeqCst)
    }

    fn is_over(&self) -> bool {
        self.is_over.load(Ordering::SeqCst)
    }

    fn let_deadline_pass(&self) {
        let deadline = lock(&self.deadline).expect("the call has begun");
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            self.is_late.store(true, Ordering::SeqCst);
        }
        std::thread::sleep(left);
    }

    /// Records an event, and is the callback of its name.
    pub fn observe(&self, event: &Event<'_>) {
        if self.is_on() && !self.is_child() {
            lock(&self.events).push(described(event));
        }
        if let EventKind::Attempt { .. } = event.kind
            && self.is_on()
        {
            self.attempts.fetch_add(1, Ordering::SeqCst);
        }
        self.pass(event.name());
        let armed_by = self.moment.callback.strip_prefix("wait after ");
        if self.is_on() && armed_by == Some(event.name()) {
            self.arm();
        }
    }

    /// Makes the moment the question after `skips` others.
    pub fn arm_after(&self, skips: u32) {
        self.skips.store(skips, Ordering::SeqCst);
        self.arm();
    }

    /// Calls `let_go` when the call has forked.
    pub fn on_fork(&self, let_go: impl Fn() + Send + Sync + 'static) {
        *lock(&self.on_fork) = Some(Box::new(let_go));
    }

    /// Makes the moment the next question whether the call continues.
    pub fn arm(&self) {
        self.is_armed.store(true, Ordering::SeqCst);
    }

    /// Answers whether the call is to end.
    pub fn ask(&self) -> bool {
        if self.is_child() {
            lock(&self.by_child).push("hook".to_owned());
        }
        let is_moment = self.is_armed.load(Ordering::SeqCst) && !self.has_acted();
        let is_early = || {
            let next = |left: u32| left.checked_sub(1);
            self.skips.fetch_update(Ordering::SeqCst, Ordering::SeqCst, next).is_ok()
        };
        is_moment && !is_early() && {
            self.act();
            self.end == End::Cancel
        }
    }

    /// A server has reached the moment: the client waits for it.
    pub fn arrive(&self) -> ServerAction {
        match self.end {
            End::Error => {
                self.has_acted.store(true, Ordering::SeqCst);
                ServerAction::Fail
            }
            End::Cancel | End::Deadline => {
                self.act();
                ServerAction::Wait
            }
            End::Panic | End::Fork => {
                self.arm();
                wait_until(|| self.has_acted() || self.is_over());
                if self.end == End::Fork { ServerAction::GoOn } else { ServerAction::Wait }
            }
        }
    }

    /// Like [`arrive`](Self::arrive), once.
    pub fn arrive_once(&self) -> ServerAction {
        if self.has_acted() { ServerAction::GoOn } else { self.arrive() }
    }

    /// Waits until the call has returned.
    pub fn wait_for_the_end(&self) {
        wait_until(|| self.is_over());
    }

    /// Another call has reached the token server, and stays there while the call of
    /// the cell waits for it. Returns whether the token server fails.
    pub fn hold_other(&self) -> bool {
        self.has_other.store(true, Ordering::SeqCst);
        let is_ending = || matches!(self.end, End::Error | End::Fork) && self.has_acted();
        wait_until(|| is_ending() || self.is_over());
        self.end == End::Error
    }

    pub fn wait_for_other(&self) {
        wait_until(|| self.has_other.load(Ordering::SeqCst));
    }
}

pub fn wait_until(is_so: impl Fn() -> bool) {
    while !is_so() {
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An event without its times, and without members that are the same for the
/// whole call.
fn described(event: &Event<'_>) -> String {
    let name = event.name();
    match event.kind {
        EventKind::Attempt { number, .. } => format!("{name} {number}"),
        EventKind::AttemptEnded { number, http_status, kind, .. } => {
            let status = http_status.map(|it| it.to_string());
            let end = status.or_else(|| kind.map(|it| it.as_str().to_owned()));
            format!("{name} {number} {}", end.unwrap_or_default())
        }
        EventKind::Retry { number, kind, .. } => format!("{name} {number} {}", kind.as_str()),
        EventKind::TokenFailed { kind, backoff, .. } => {
            let pause = if backoff.is_some() { ", with a pause" } else { "" };
            format!("{name} {}{pause}", kind.as_str())
        }
        EventKind::StoreBypassed { action, .. } => format!("{name} {action}"),
        EventKind::RequestEnded { failure: Some(it), .. } => {
            format!("{name} {}/{}/{}", it.kind.as_str(), it.code, it.outcome.as_str())
        }
        _ => name.to_owned(),
    }
}
