//! `rustix`, except that `poll` blocks a thread of the scheduler instead of the
//! process, that a write to an eventfd is a step, which wakes the threads that poll,
//! that the clocks are those of the scheduler, and that the parent of the process is
//! read once.

pub use original::*;

pub mod event {
    pub use original::event::*;

    use std::os::fd::{AsFd as _, AsRawFd as _, OwnedFd};

    use original::fs::FileType;
    use original::io::{Errno, Result};
    use schedules_std::model;

    const AT_ONCE: Timespec = Timespec { tv_sec: 0, tv_nsec: 0 };

    pub fn eventfd(initial: u32, flags: EventfdFlags) -> Result<OwnedFd> {
        if model::has_descriptors() {
            original::event::eventfd(initial, flags)
        } else {
            Err(Errno::MFILE)
        }
    }

    pub fn poll(fds: &mut [PollFd<'_>], limit: Option<&Timespec>) -> Result<usize> {
        let is_socket = |fd: &PollFd<'_>| {
            let stat = original::fs::fstat(fd.as_fd());
            stat.is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Socket)
        };
        if fds.iter().any(is_socket) {
            // The other side is not a thread of the scheduler.
            model::step();
            return original::event::poll(fds, limit);
        }
        let keys: Vec<_> = fds.iter().map(|fd| fd.as_fd().as_raw_fd() as usize).collect();
        let limit = limit.and_then(|limit| (*limit).try_into().ok());
        let mut ready = Ok(0);
        model::block_until(&keys, limit, || {
            ready = original::event::poll(fds, Some(&AT_ONCE));
            ready != Ok(0)
        });
        ready
    }
}

pub mod io {
    pub use original::io::*;

    use std::os::fd::{AsFd, AsRawFd as _};

    use schedules_std::model;

    pub fn write<Fd: AsFd>(fd: Fd, bytes: &[u8]) -> Result<usize> {
        model::step();
        let written = original::io::write(&fd, bytes);
        model::changed(fd.as_fd().as_raw_fd() as usize);
        written
    }
}

pub mod time {
    pub use original::time::*;

    use schedules_std::model;

    pub fn clock_gettime(_: ClockId) -> Timespec {
        model::elapsed().try_into().expect("an execution is short")
    }
}

pub mod process {
    pub use original::process::*;

    use std::sync::LazyLock;

    pub fn getppid() -> Option<Pid> {
        static PARENT: LazyLock<Option<Pid>> = LazyLock::new(original::process::getppid);
        *PARENT
    }
}
