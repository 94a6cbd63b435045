//! Waiting with `poll`, which a cancellation or a signal ends at once.

use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::{AsFd, BorrowedFd};

pub use waker::Waker;

/// How long to wait for another thread if no descriptor is available.
pub const POLL_WITHOUT_WAKER: Duration = Duration::from_millis(10);

/// The longest wait at a time: systems without `ppoll` count milliseconds in an
/// `int`. A longer wait is split.
const LONGEST: Duration = Duration::from_secs(3600);

/// The readiness to wait for on a socket.
#[derive(Clone, Copy)]
pub enum Interest {
    /// Something to read.
    Read,
    /// Room to write.
    Write,
}

/// Waits until any of `awaited` is ready, `waker` is woken or a signal arrives,
/// for at most `limit`. Returns whether any of `awaited` is ready.
pub fn is_ready<'fd>(
    awaited: impl IntoIterator<Item = (BorrowedFd<'fd>, Interest)>,
    waker: Option<&Waker>,
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
    fds.extend(waker.map(|waker| PollFd::from_borrowed_fd(waker.as_fd(), PollFlags::IN)));
    let limit = limit.min(LONGEST);
    // Its `poll` refuses to wait for nothing.
    #[cfg(windows)]
    if fds.is_empty() {
        std::thread::sleep(limit);
        return false;
    }
    match poll(&mut fds, Timespec::try_from(limit).ok().as_ref()) {
        Ok(_) => fds[..awaited].iter().any(|fd| !fd.revents().is_empty()),
        Err(rustix::io::Errno::INTR) => false,
        // The following read or write reports the error better.
        Err(_) => true,
    }
}

#[cfg(unix)]
mod waker {
    use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

    use crate::process::Identity;
    use crate::standard_streams;

    /// A descriptor that becomes readable when woken. A forked child shares it with
    /// its parent, and leaves it alone.
    pub struct Waker {
        process: Identity,
        read: OwnedFd,
        /// `None` if one descriptor does both.
        write: Option<OwnedFd>,
    }

    impl Waker {
        /// `None` if the process has no descriptor left.
        #[cfg(any(target_os = "linux", target_os = "android"))]
        pub fn new() -> Option<Self> {
            use rustix::event::{EventfdFlags, eventfd};

            standard_streams::occupy();
            let read = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK).ok()?;
            Some(Self { process: Identity::current(), read, write: None })
        }

        /// `None` if the process has no descriptor left.
        #[cfg(not(any(target_os = "linux", target_os = "android")))]
        pub fn new() -> Option<Self> {
            standard_streams::occupy();
            let (read, write) = std::os::unix::net::UnixStream::pair().ok()?;
            read.set_nonblocking(true).ok()?;
            write.set_nonblocking(true).ok()?;
            let (process, write) = (Identity::current(), Some(write.into()));
            Some(Self { process, read: read.into(), write })
        }

        /// Whether this process made it.
        pub fn is_of_this_process(&self) -> bool {
            self.process.is_current()
        }

        /// Makes it readable. Async-signal-safe.
        pub fn wake(&self) {
            if self.is_of_this_process() {
                let write = self.write.as_ref().unwrap_or(&self.read);
                // A full one was woken already.
                let _ = rustix::io::write(write, &1_u64.to_ne_bytes());
            }
        }
    }

    impl AsFd for Waker {
        fn as_fd(&self) -> BorrowedFd<'_> {
            self.read.as_fd()
        }
    }
}

#[cfg(windows)]
mod waker {
    use std::net::{Ipv4Addr, UdpSocket};
    use std::os::windows::io::{AsSocket, BorrowedSocket};

    /// A socket on loopback that sends to itself when woken: `poll` of Windows
    /// waits for sockets only.
    pub struct Waker(UdpSocket);

    impl Waker {
        /// `None` if the system gives the process no socket.
        pub fn new() -> Option<Self> {
            let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).ok()?;
            // It then accepts no datagram of another sender.
            socket.connect(socket.local_addr().ok()?).ok()?;
            socket.set_nonblocking(true).ok()?;
            Some(Self(socket))
        }

        /// No process inherits it.
        pub fn is_of_this_process(&self) -> bool {
            true
        }

        /// Makes it readable.
        pub fn wake(&self) {
            // A full one was woken already.
            let _ = self.0.send(&[1]);
        }
    }

    impl AsSocket for Waker {
        fn as_socket(&self) -> BorrowedSocket<'_> {
            self.0.as_socket()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_of_years_ends_by_the_waker_alone() {
        let nothing: [(BorrowedFd<'_>, Interest); 0] = [];
        for years in [Duration::from_secs(u32::MAX.into()), Duration::MAX] {
            let waker = Waker::new().unwrap();
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    std::thread::sleep(Duration::from_millis(20));
                    waker.wake();
                });
                // It says that a socket is ready also where the system refuses to wait.
                assert!(!is_ready(nothing, Some(&waker), years));
            });
        }
    }
}
