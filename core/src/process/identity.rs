//! Which process this is.

/// Differs between a process and every process forked from it.
///
/// The pid alone does not tell them apart: the first child in a new pid
/// namespace has pid 1, and so may its parent in its own namespace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Identity {
    pid: u32,
    /// The pid namespace, for a process whose parent is outside of it.
    namespace: Option<u64>,
}

impl Identity {
    /// That of the process that asks.
    pub fn current() -> Self {
        Self { pid: std::process::id(), namespace: namespace() }
    }

    #[cfg(test)]
    pub(super) fn of_another() -> Self {
        Self { pid: 0, namespace: None }
    }
}

/// A child in another pid namespace than its parent sees no parent, which is
/// cheap to ask. Without `/proc` the pid has to do.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn namespace() -> Option<u64> {
    if rustix::process::getppid().is_some() {
        return None;
    }
    rustix::fs::stat("/proc/self/ns/pid").ok().map(|namespace| namespace.st_ino)
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn namespace() -> Option<u64> {
    None
}
