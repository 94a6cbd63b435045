//! The followers of a client that callers in other languages hold by number.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use payments_base::process::{PerProcess, lock};

use super::Follower;

/// Followers by number. A client holds them, and they end with it. A forked
/// child has none: the parent continues with them.
pub struct FollowerTable(PerProcess<Mutex<Numbered>>);

#[derive(Default)]
struct Numbered {
    last: u64,
    running: HashMap<u64, Arc<Mutex<Follower>>>,
}

impl Default for FollowerTable {
    fn default() -> Self {
        Self(PerProcess::new(Mutex::default(), |_| Mutex::default()))
    }
}

impl FollowerTable {
    pub(crate) fn add(&self, follower: Follower) -> u64 {
        let numbered = self.0.get();
        let mut numbered = lock(&numbered);
        numbered.last += 1;
        let number = numbered.last;
        numbered.running.insert(number, Arc::new(Mutex::new(follower)));
        number
    }

    pub(crate) fn get(&self, number: u64) -> Option<Arc<Mutex<Follower>>> {
        lock(&self.0.get()).running.get(&number).cloned()
    }

    pub(crate) fn end(&self, number: u64) {
        // Dropped after the lock is released.
        let _ended = lock(&self.0.get()).running.remove(&number);
    }
}
