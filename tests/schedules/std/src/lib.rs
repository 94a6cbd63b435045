//! `std`, except that threads, locks, atomics, channels and time belong to the
//! scheduler of shuttle, and statics to simulated processes: the core is compiled
//! against this crate under the name `std`, and is the same otherwise.

pub use std::*;

pub mod atomic;
pub mod chance;
pub mod channel;
mod lazy;
mod locks;
pub mod model;
mod once;
pub mod processes;
mod wall;

pub mod sync {
    pub use std::sync::*;

    pub use crate::lazy::LazyLock;
    pub use crate::locks::{Condvar, Mutex, MutexGuard};
    pub use crate::once::OnceLock;
    pub use crate::{atomic, channel as mpsc};
}

pub mod thread {
    pub use std::thread::*;

    pub use shuttle_std::thread::{
        Builder, JoinHandle, Scope, ScopedJoinHandle, Thread, ThreadId, current, scope, spawn,
        yield_now,
    };

    pub use crate::model::sleep;
}

pub mod time {
    pub use std::time::*;

    pub use crate::model::Instant;
    pub use crate::wall::SystemTime;
}

pub mod process {
    pub use std::process::*;

    pub use crate::processes::current as id;
}

/// For servers, whose threads do not belong to the scheduler.
pub mod original {
    pub use std::*;
}
