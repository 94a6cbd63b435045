//! One call: its deadline, its cancellation, its process, and its turn.
//!
//! - `context.rs`: the deadline, the cancellation, and the record of bytes that
//!   left
//! - `waiters.rs`: waits that a cancellation ends at once
//! - `semaphore.rs`: how many sign, look up a name, write to a journal, or use
//!   an HSM or a Redis server at a time: first come, first served

pub mod context;
pub(crate) mod semaphore;
pub(crate) mod waiters;
