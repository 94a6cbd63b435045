//! Keeps descriptors of the library off the numbers 0 to 2.
//!
//! In a process that closed its standard streams, the next descriptor gets one of
//! these numbers. Code that still writes to standard error would then write into a
//! connection or a file, and code that closes the streams once more would release a
//! lock.

#[cfg(unix)]
pub(crate) use unix::inert;
#[cfg(unix)]
pub use unix::{is_stdout_closed, occupy};

/// Windows identifies the standard streams by handles, and gives no other handle
/// such a number.
#[cfg(windows)]
pub fn occupy() {}

/// Whether standard output is closed, or not writable. A process without a console
/// that was given no handle has no standard output.
#[cfg(windows)]
pub fn is_stdout_closed() -> bool {
    use std::os::windows::io::AsRawHandle as _;

    std::io::stdout().as_raw_handle().is_null()
}

#[cfg(unix)]
mod unix {
    use std::os::fd::{AsRawFd as _, IntoRawFd as _, OwnedFd};
    use std::path::Path;

    use rustix::fs::{Mode, OFlags};
    use rustix::io::Errno;
    use rustix::net::{AddressFamily, SocketType};
    use rustix::stdio::{stderr, stdin, stdout};

    /// Gives each closed standard stream a descriptor that refuses writes, as a
    /// closed one does. It stays open, and programs that this one executes do not
    /// inherit it. Call this before any descriptor is opened.
    ///
    /// A descriptor that was opened at such a number first and then moved could be
    /// written to meanwhile, and closing it could close what another thread has put
    /// there. This function closes nothing below 3.
    pub fn occupy() {
        for stream in [stdin(), stdout(), stderr()] {
            if rustix::io::fcntl_getfd(stream) == Err(Errno::BADF)
                && let Ok(stand_in) = inert()
                // Unless another thread was faster, it has the lowest free number.
                && stand_in.as_raw_fd() <= stderr().as_raw_fd()
            {
                let _ = stand_in.into_raw_fd();
            }
        }
    }

    /// Whether standard output is closed, or not writable.
    pub fn is_stdout_closed() -> bool {
        !matches!(
            rustix::fs::fcntl_getfl(stdout()),
            Ok(flags) if flags & OFlags::RWMODE != OFlags::RDONLY
        )
    }

    /// A descriptor that does nothing but take a number.
    pub(crate) fn inert() -> rustix::io::Result<OwnedFd> {
        stand_in(Path::new("/dev/null"))
    }

    /// A descriptor that refuses writes: of `null`, or, where a process sees no
    /// devices, of a socket that is never connected.
    fn stand_in(null: &Path) -> rustix::io::Result<OwnedFd> {
        rustix::fs::open(null, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()).or_else(|_| {
            let socket = rustix::net::socket(AddressFamily::UNIX, SocketType::STREAM, None)?;
            rustix::io::fcntl_setfd(&socket, rustix::io::FdFlags::CLOEXEC)?;
            Ok(socket)
        })
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn the_replacement_of_a_closed_stream_takes_no_bytes() {
            for null in ["/dev/null", "/no such folder/null"] {
                let stand_in = stand_in(Path::new(null)).unwrap();
                let refused = rustix::io::write(&stand_in, b"a line of a log").unwrap_err();
                assert!([Errno::BADF, Errno::NOTCONN].contains(&refused), "{null}: {refused}");
                let flags = rustix::io::fcntl_getfd(&stand_in).unwrap();
                assert!(flags.contains(rustix::io::FdFlags::CLOEXEC), "{null}");
            }
        }
    }
}
