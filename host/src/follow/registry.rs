//! The followers of a client that callers in other languages hold by number.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use payments_base::process::{PerProcess, lock};
use payments_core::error::{Error, Reason};
use payments_core::{CallContext, Client};

use super::{FollowOptions, Follower};

/// How often a follower looks whether those that ended have released their state file.
const RELEASE_LOOK: Duration = Duration::from_millis(5);

/// Followers by number. A client holds them, and they end with it. A forked
/// child has none: the parent continues with them.
///
/// A caller has its number before anything begins: whatever interrupts it, it can
/// end what it began.
pub struct FollowerTable(PerProcess<Mutex<Numbered>>);

#[derive(Default)]
struct Numbered {
    last: u64,
    running: HashMap<u64, Arc<Mutex<Held>>>,
    /// Those that were ended, until the steps that they still make end too.
    ending: Vec<Weak<Mutex<Held>>>,
}

/// A follower, which begins with its first step.
pub(crate) struct Held {
    options: FollowOptions,
    pub(crate) follower: Option<Follower>,
}

impl Default for FollowerTable {
    fn default() -> Self {
        Self(PerProcess::new(Mutex::default(), |_| Mutex::default()))
    }
}

impl FollowerTable {
    pub(crate) fn add(&self, options: FollowOptions) -> u64 {
        let numbered = self.0.get();
        let mut numbered = lock(&numbered);
        numbered.last += 1;
        let number = numbered.last;
        let held = Held { options, follower: None };
        numbered.running.insert(number, Arc::new(Mutex::new(held)));
        number
    }

    pub(crate) fn get(&self, number: u64) -> Option<Arc<Mutex<Held>>> {
        lock(&self.0.get()).running.get(&number).cloned()
    }

    pub(crate) fn end(&self, number: u64) {
        let numbered = self.0.get();
        let mut numbered = lock(&numbered);
        let ended = numbered.running.remove(&number);
        numbered.ending.retain(|it| it.strong_count() > 0);
        numbered.ending.extend(ended.as_ref().map(Arc::downgrade));
        // Dropped after the lock is released.
        drop(numbered);
        drop(ended);
    }

    fn is_ending(&self) -> bool {
        lock(&self.0.get()).ending.iter().any(|it| it.strong_count() > 0)
    }
}

impl Held {
    /// The follower, which begins if it has not.
    ///
    /// # Errors
    /// Those of [`follow`](super::follow()).
    pub(crate) fn begun(
        &mut self,
        client: &Client,
        table: &FollowerTable,
        context: &CallContext,
    ) -> Result<&mut Follower, Error> {
        let follower = match self.follower.take() {
            Some(follower) => follower,
            None => loop {
                // One that was ended in the middle of a step may still have the file.
                let was_ending = table.is_ending();
                match Follower::new(client, self.options.clone(), context) {
                    Err(error) if was_ending && error.reason() == Some(Reason::AlreadyRunning) => {
                        context.sleep(RELEASE_LOOK)?;
                    }
                    begun => break begun?,
                }
            },
        };
        Ok(self.follower.insert(follower))
    }
}
