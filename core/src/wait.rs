//! Waiting for a socket or for another thread, in a way that a cancellation
//! and a signal end at once.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::context::CallContext;
use crate::process::lock;

#[cfg(not(unix))]
pub(crate) use portable::Bell;
#[cfg(unix)]
pub(crate) use unix::{Bell, is_ready};

/// How long to wait for another thread when no descriptor is left.
pub(crate) const POLL_WITHOUT_BELL: Duration = Duration::from_millis(10);

/// What a socket should be ready for.
#[derive(Clone, Copy)]
pub(crate) enum Interest {
    Read,
    Write,
}

/// The calls of this process that wait for one thing to change.
#[derive(Default)]
pub(crate) struct Waiters {
    changes: AtomicU64,
    bells: Mutex<Vec<Arc<Bell>>>,
}

/// How many changes there were when somebody looked.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Seen(u64);

impl Waiters {
    /// Ask this before looking at what may change: [`wait`](Self::wait) then
    /// misses no change.
    pub(crate) fn seen(&self) -> Seen {
        Seen(self.changes.load(Ordering::SeqCst))
    }

    /// Wakes all who wait.
    pub(crate) fn wake(&self) {
        self.changes.fetch_add(1, Ordering::SeqCst);
        lock(&self.bells).iter().for_each(|bell| bell.ring());
    }

    /// Waits for a change since `seen`, for `limit` at most.
    pub(crate) fn wait(&self, seen: Seen, context: &CallContext, limit: Duration) {
        // Without a descriptor, changes are noticed at the next slice.
        let Some(bell) = Bell::new().map(Arc::new) else {
            return context.wait_for_bell(None, limit.min(POLL_WITHOUT_BELL));
        };
        lock(&self.bells).push(Arc::clone(&bell));
        let _leave = Leave { waiters: self, bell: &bell };
        if self.seen() == seen {
            context.wait_for_bell(Some(&bell), limit);
        }
    }
}

/// Also when the hook of the call panics.
struct Leave<'a> {
    waiters: &'a Waiters,
    bell: &'a Arc<Bell>,
}

impl Drop for Leave<'_> {
    fn drop(&mut self) {
        lock(&self.waiters.bells).retain(|other| !Arc::ptr_eq(other, self.bell));
    }
}

#[cfg(unix)]
mod unix {
    use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
    use std::time::Duration;

    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    use super::Interest;

    /// A descriptor that becomes readable when it is rung.
    pub(crate) struct Bell {
        ear: OwnedFd,
        /// `None` where one descriptor does both.
        clapper: Option<OwnedFd>,
    }

    impl Bell {
        /// `None` when the process has no descriptor left.
        #[cfg(any(target_os = "linux", target_os = "android"))]
        pub(crate) fn new() -> Option<Self> {
            use rustix::event::{EventfdFlags, eventfd};

            let ear = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK).ok()?;
            Some(Self { ear, clapper: None })
        }

        /// `None` when the process has no descriptor left.
        #[cfg(not(any(target_os = "linux", target_os = "android")))]
        pub(crate) fn new() -> Option<Self> {
            let (ear, clapper) = std::os::unix::net::UnixStream::pair().ok()?;
            ear.set_nonblocking(true).ok()?;
            clapper.set_nonblocking(true).ok()?;
            Some(Self { ear: ear.into(), clapper: Some(clapper.into()) })
        }

        /// Safe to call in a signal handler.
        pub(crate) fn ring(&self) {
            // One that is full was rung already.
            let _ =
                rustix::io::write(self.clapper.as_ref().unwrap_or(&self.ear), &1_u64.to_ne_bytes());
        }

        /// Makes it silent again.
        pub(crate) fn silence(&self) {
            let _ = rustix::io::read(&self.ear, &mut [0; 64]);
        }
    }

    impl AsFd for Bell {
        fn as_fd(&self) -> BorrowedFd<'_> {
            self.ear.as_fd()
        }
    }

    /// Waits for `limit` at most, until `awaited` is ready, `bell` rings or a
    /// signal arrives. Tells whether `awaited` is ready, and whether `bell`
    /// rang.
    pub(crate) fn is_ready(
        awaited: Option<(BorrowedFd<'_>, Interest)>,
        bell: Option<&Bell>,
        limit: Duration,
    ) -> (bool, bool) {
        let awaited = awaited.map(|(fd, interest)| {
            let flags = match interest {
                Interest::Read => PollFlags::IN,
                Interest::Write => PollFlags::OUT,
            };
            PollFd::from_borrowed_fd(fd, flags)
        });
        let bell = bell.map(|bell| PollFd::new(bell, PollFlags::IN));
        let has_awaited = awaited.is_some();
        let mut fds = [awaited, bell].into_iter().flatten().collect::<Vec<_>>();
        let limit = Timespec::try_from(limit).unwrap_or(Timespec { tv_sec: 3600, tv_nsec: 0 });
        match poll(&mut fds, Some(&limit)) {
            Ok(_) => {
                let rang = |fd: &PollFd<'_>| !fd.revents().is_empty();
                let (awaited, bell) = fds.split_at(usize::from(has_awaited));
                (awaited.iter().any(rang), bell.iter().any(rang))
            }
            Err(rustix::io::Errno::INTR) => (false, false),
            // Reading and writing say better what is wrong.
            Err(_) => (true, false),
        }
    }
}

/// Where there is no `poll`, waits end at their next slice.
#[cfg(not(unix))]
mod portable {
    use std::sync::{Condvar, Mutex};
    use std::time::Duration;

    use crate::process::lock;

    #[derive(Default)]
    pub(crate) struct Bell {
        rang: Mutex<bool>,
        changed: Condvar,
    }

    impl Bell {
        #[allow(clippy::unnecessary_wraps)]
        pub(crate) fn new() -> Option<Self> {
            Some(Self::default())
        }

        pub(crate) fn ring(&self) {
            *lock(&self.rang) = true;
            self.changed.notify_all();
        }

        pub(crate) fn wait(&self, limit: Duration) {
            let rang = lock(&self.rang);
            if !*rang {
                drop(self.changed.wait_timeout(rang, limit));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;
    use std::time::Instant;

    use super::*;
    use crate::context::CancelHandle;

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn a_change_after_looking_is_not_missed() {
        let waiters = Waiters::default();
        let context = CallContext::with_timeout(LONG);
        let seen = waiters.seen();
        waiters.wake();
        waiters.wait(seen, &context, LONG);
        assert!(lock(&waiters.bells).is_empty());
    }

    #[test]
    fn everybody_who_waits_is_woken() {
        let (waiters, done) = (Waiters::default(), AtomicBool::new(false));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let context = CallContext::with_timeout(LONG);
                    loop {
                        let seen = waiters.seen();
                        if done.load(Ordering::SeqCst) {
                            return;
                        }
                        waiters.wait(seen, &context, LONG);
                    }
                });
            }
            while lock(&waiters.bells).len() < 4 {
                std::thread::yield_now();
            }
            done.store(true, Ordering::SeqCst);
            waiters.wake();
        });
    }

    #[test]
    fn a_wait_ends_when_its_call_is_cancelled() {
        let waiters = Waiters::default();
        let cancel = CancelHandle::new();
        let context = CallContext::new(LONG, cancel.clone(), None);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while lock(&waiters.bells).is_empty() {
                    std::thread::yield_now();
                }
                cancel.cancel();
            });
            waiters.wait(waiters.seen(), &context, LONG);
        });
        assert!(context.ended().is_some());
    }

    #[cfg(unix)]
    #[test]
    fn a_descriptor_that_another_process_rings_does_not_keep_a_call_awake() {
        let cancel = CancelHandle::new();
        let context = CallContext::new(LONG, cancel.clone(), None);
        context.wait_for_bell(None, Duration::ZERO);
        cancel.ring_for_test();
        context.wait_for_bell(None, LONG);
        let started = Instant::now();
        context.wait_for_bell(None, Duration::from_millis(20));
        assert!(started.elapsed() >= Duration::from_millis(20));
    }
}
