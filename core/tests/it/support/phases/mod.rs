//! A call that ends in each of its phases, in each way: `phases.txt` is the table.
//!
//! Everything here is on the outside of the client: doubles of what a caller
//! provides, and servers. A cell has the view of the caller, the journal, an
//! observer and the service.

mod cell;
mod doubles;
mod list;
mod peer;
mod stage;
mod table;
mod turn;

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

pub use cell::{Cell, run};
pub use doubles::Reply;
pub use list::phases;
pub use stage::Moment;
pub use table::{Blocks, blocks, compare};

/// A way in which a call ends, or does not continue.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum End {
    /// The action of the phase fails.
    Error,
    /// A callback of the phase panics.
    Panic,
    /// The caller cancels.
    Cancel,
    /// A callback of the phase forks, and both processes return from it.
    Fork,
    /// The deadline passes.
    Deadline,
}

impl End {
    pub const ALL: [Self; 5] = [Self::Error, Self::Panic, Self::Cancel, Self::Deadline, Self::Fork];

    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Panic => "panic",
            Self::Cancel => "cancel",
            Self::Fork => "fork",
            Self::Deadline => "deadline",
        }
    }
}

/// The operation that is called.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Call {
    /// Of a client with a journal.
    Payment,
    /// Of a client with a journal.
    Payout,
    /// Of a client without one.
    Refund,
    /// Changes nothing, so it is sent again after a failure.
    Query,
}

impl Call {
    pub const ALL: [Self; 4] = [Self::Payment, Self::Payout, Self::Refund, Self::Query];
    pub const JOURNALED: &'static [Self] = &[Self::Payment, Self::Payout];

    pub fn name(self) -> &'static str {
        match self {
            Self::Payment => "payment",
            Self::Payout => "payout",
            Self::Refund => "refund",
            Self::Query => "query",
        }
    }

    pub fn is_journaled(self) -> bool {
        Self::JOURNALED.contains(&self)
    }
}

/// The earlier calls of the client.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Earlier {
    Nothing,
    /// It called, so it has a token that was accepted.
    Called,
    /// It called, and could not record the end.
    Unrecorded,
}

/// The part that brings a call to its moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Actor {
    /// A double of a callback.
    Double,
    /// A server, at whose address the client of this crate's transport waits.
    Peer(peer::Step),
    /// A wait, when it asks whether the call continues.
    Hook,
    /// Another call of the process, which has the turn to sign.
    Turn,
    /// Another call of the same client, which has the token server's attention.
    OtherCall,
    /// Nobody: the call is made after it ended, or with a request that is wrong.
    Nobody,
}

/// A phase of a call.
pub struct Phase {
    pub name: &'static str,
    /// The description of the phase in the table.
    pub about: &'static str,
    pub actor: Actor,
    pub moment: Moment,
    /// The answers of the service to the first attempt, the second, and so on.
    pub replies: &'static [Reply],
    pub earlier: Earlier,
    /// The calls that have this phase, and why the others have none.
    pub calls: &'static [Call],
    pub others: &'static str,
    /// Ends that cannot occur here, and why.
    pub never: &'static [(End, &'static str)],
}

impl Phase {
    pub fn never(&self, end: End) -> Option<&'static str> {
        self.never.iter().find(|(it, _)| *it == end).map(|(_, reason)| *reason)
    }
}

/// How a test forks.
#[derive(Clone, Copy)]
pub struct Forks {
    /// Forks; the parent waits for the child. Returns whether this is the child.
    pub split: fn() -> bool,
    /// Ends the child with this report.
    pub leave: fn(&str) -> !,
    /// Takes the child's report.
    pub report: fn() -> String,
}

/// Runs the cells of `ends`, on this many threads.
pub fn run_all(ends: &[End], threads: usize, forks: Option<Forks>) -> Blocks {
    let phases = phases();
    let work: Vec<_> = phases
        .iter()
        .flat_map(|phase| ends.iter().map(move |end| (phase, *end)))
        .filter(|(phase, end)| phase.never(*end).is_none())
        .flat_map(|(phase, end)| phase.calls.iter().map(move |call| (phase, end, *call)))
        .collect();
    let (next, cells) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    let take = || {
        while let Some((phase, end, call)) = work.get(next.fetch_add(1, Ordering::SeqCst)) {
            let cell = run(phase, *call, *end, forks);
            cells.lock().unwrap().insert((phase.name, *end, *call), cell);
        }
    };
    match threads {
        // A thread that forks should be the only one.
        1 => take(),
        _ => std::thread::scope(|scope| {
            (0..threads).for_each(|_| drop(scope.spawn(take)));
        }),
    }
    let cells = cells.into_inner().unwrap();
    let broken = cells.iter().filter(|(_, cell)| !cell.broken_rules.is_empty());
    let broken: Vec<_> = broken.map(|it| format!("{it:#?}\n")).collect();
    assert!(broken.is_empty(), "{}", broken.concat());
    blocks(&phases, ends, &cells)
}
