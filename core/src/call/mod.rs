//! One call: its deadline, its cancellation, its process, and its turn.

pub mod context;
pub(crate) mod reentrancy;
pub(crate) mod semaphore;
pub(crate) mod wait;
pub(crate) mod waiters;
