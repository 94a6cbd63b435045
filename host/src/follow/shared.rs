//! Following by several threads of the caller.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use payments_base::debug_shows;
use payments_base::process::lock;
use payments_base::wait::Waker;
use payments_core::error::Error;
use payments_core::{CallContext, Client};

use super::driving::ask;
use super::running::{Follower, Next};
use super::{FAR, FollowCounts, FollowEnd, FollowOptions};

/// While a query is under way, waiting threads look again: all may be waiting
/// for its answer.
const MEANWHILE: Duration = Duration::from_secs(1);

/// The most ends that are reported together: a crash repeats at most so many.
const MOST: usize = 100;

/// Follows payments, refunds and payouts. Several threads may [`work`](Self::work) at it.
pub struct SharedFollower<'c> {
    client: &'c Client,
    context: CallContext,
    shared: Mutex<Shared>,
    /// Wakes the threads that wait when nothing is left to do.
    over: Option<Waker>,
}

struct Shared {
    follower: Follower,
    is_over: bool,
}

debug_shows!(SharedFollower<'_>);

/// Like [`follow`](super::follow()), for several threads.
///
/// # Errors
/// Those of [`follow`](super::follow()).
pub fn begin<'c>(
    client: &'c Client,
    options: FollowOptions,
    context: &CallContext,
) -> Result<SharedFollower<'c>, Error> {
    let follower = Follower::new(client, options, context)?;
    let shared = Mutex::new(Shared { follower, is_over: false });
    Ok(SharedFollower { client, context: context.clone(), shared, over: Waker::new() })
}

impl SharedFollower<'_> {
    /// How many items have ended so far.
    pub fn counts(&self) -> FollowCounts {
        lock(&self.shared).follower.counts()
    }

    /// Queries until all have ended. `report` gets the ends that are there, at most
    /// 100, whichever threads found them, and the next ones after it returned `Ok`:
    /// then they are handled, and no run gives them again.
    ///
    /// # Errors
    /// Those of [`follow`](super::follow()), and that of `report`. The other threads then
    /// return without one.
    pub fn work<E: From<Error>>(
        &self,
        report: impl Fn(&[FollowEnd]) -> Result<(), E>,
    ) -> Result<(), E> {
        let context = self.context.renewed(FAR);
        let worked = self.work_until_over(&report, &context);
        lock(&self.shared).is_over = true;
        if let Some(waker) = &self.over {
            waker.wake();
        }
        worked
    }

    fn work_until_over<E: From<Error>>(
        &self,
        report: impl Fn(&[FollowEnd]) -> Result<(), E>,
        context: &CallContext,
    ) -> Result<(), E> {
        loop {
            let mut shared = lock(&self.shared);
            if shared.is_over {
                return Ok(());
            }
            context.check().map_err(Error::from)?;
            let follower = &mut shared.follower;
            let until_read = follower.read_journal(self.client, context)?;
            match follower.next(follower.now(self.client))? {
                Next::Over => return Ok(()),
                Next::Report => {
                    let given = follower.give(MOST, follower.now(self.client))?;
                    // Others continue in the meantime, but report nothing.
                    drop(shared);
                    report(&given)?;
                    lock(&self.shared).follower.confirm(self.client)?;
                }
                Next::Query(task) => {
                    drop(shared);
                    let reply = ask(self.client, &task.item, context);
                    let follower = &mut lock(&self.shared).follower;
                    follower.answered(task, reply, follower.now(self.client))?;
                }
                Next::Wait(wait) => {
                    let limit = if follower.asking > 0 { MEANWHILE } else { FAR };
                    drop(shared);
                    self.sleep(wait.min(until_read).min(limit), context)?;
                }
            }
        }
    }

    /// Sleeps, unless all is over.
    fn sleep(&self, duration: Duration, context: &CallContext) -> Result<(), Error> {
        let until = Instant::now() + duration;
        loop {
            context.check()?;
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() || lock(&self.shared).is_over {
                return Ok(());
            }
            let slice = match self.over {
                Some(_) => context.wake_slice(),
                None => context.wait_slice(),
            };
            context.wait_for_waker(self.over.as_ref(), left.min(slice));
        }
    }
}
