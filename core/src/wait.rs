//! Waiting with `poll`, which a cancellation or a signal ends at once.

use std::time::Duration;

#[cfg(not(unix))]
pub(crate) use portable::Bell;
#[cfg(unix)]
pub(crate) use unix::{Bell, is_ready};

/// How long to wait for another thread if no descriptor is available.
pub(crate) const POLL_WITHOUT_BELL: Duration = Duration::from_millis(10);

/// What to wait for on a socket.
#[derive(Clone, Copy)]
pub(crate) enum Interest {
    Read,
    Write,
}

#[cfg(unix)]
mod unix {
    use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
    use std::time::Duration;

    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    use super::Interest;
    use crate::process::Identity;

    /// A descriptor that becomes readable when rung. A forked child shares it with
    /// its parent, and leaves it alone.
    pub(crate) struct Bell {
        process: Identity,
        ear: OwnedFd,
        /// `None` if one descriptor does both.
        clapper: Option<OwnedFd>,
    }

    impl Bell {
        /// `None` if the process has no descriptor left.
        #[cfg(any(target_os = "linux", target_os = "android"))]
        pub(crate) fn new() -> Option<Self> {
            use rustix::event::{EventfdFlags, eventfd};

            let ear = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK).ok()?;
            Some(Self { process: Identity::current(), ear, clapper: None })
        }

        /// `None` if the process has no descriptor left.
        #[cfg(not(any(target_os = "linux", target_os = "android")))]
        pub(crate) fn new() -> Option<Self> {
            let (ear, clapper) = std::os::unix::net::UnixStream::pair().ok()?;
            ear.set_nonblocking(true).ok()?;
            clapper.set_nonblocking(true).ok()?;
            let (process, clapper) = (Identity::current(), Some(clapper.into()));
            Some(Self { process, ear: ear.into(), clapper })
        }

        pub(crate) fn is_of_this_process(&self) -> bool {
            self.process.is_current()
        }

        /// Async-signal-safe.
        pub(crate) fn ring(&self) {
            if self.is_of_this_process() {
                let clapper = self.clapper.as_ref().unwrap_or(&self.ear);
                // A full one was rung already.
                let _ = rustix::io::write(clapper, &1_u64.to_ne_bytes());
            }
        }
    }

    impl AsFd for Bell {
        fn as_fd(&self) -> BorrowedFd<'_> {
            self.ear.as_fd()
        }
    }

    /// Waits until any of `awaited` is ready, `bell` rings or a signal arrives,
    /// for at most `limit`. Returns whether any of `awaited` is ready.
    pub(crate) fn is_ready<'fd>(
        awaited: impl IntoIterator<Item = (BorrowedFd<'fd>, Interest)>,
        bell: Option<&Bell>,
        limit: Duration,
    ) -> bool {
        let awaited = awaited.into_iter().map(|(fd, interest)| {
            let flags = match interest {
                Interest::Read => PollFlags::IN,
                Interest::Write => PollFlags::OUT,
            };
            PollFd::from_borrowed_fd(fd, flags)
        });
        let mut fds = awaited.collect::<Vec<_>>();
        let awaited = fds.len();
        fds.extend(bell.map(|bell| PollFd::new(bell, PollFlags::IN)));
        let limit = Timespec::try_from(limit).unwrap_or(Timespec { tv_sec: 3600, tv_nsec: 0 });
        match poll(&mut fds, Some(&limit)) {
            Ok(_) => fds[..awaited].iter().any(|fd| !fd.revents().is_empty()),
            Err(rustix::io::Errno::INTR) => false,
            // The following read or write reports the error better.
            Err(_) => true,
        }
    }
}

/// Without `poll`, waits end at their next slice.
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
