//! Identifies a process.

/// Differs between a process and all processes forked from it.
///
/// The pid alone is not enough: the first child in a new pid namespace has pid
/// 1, and its parent may have pid 1 in its own namespace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Identity {
    pid: u32,
    /// The pid namespace, for a process whose parent is outside of it.
    namespace: Option<u64>,
}

impl Identity {
    /// The identity of the current process.
    pub fn current() -> Self {
        Self { pid: std::process::id(), namespace: namespace() }
    }

    /// Whether it is that of the current process.
    pub fn is_current(self) -> bool {
        self == Self::current()
    }

    /// That of no process.
    #[cfg(any(test, feature = "testing"))]
    pub fn of_another() -> Self {
        Self { pid: 0, namespace: None }
    }
}

/// A child whose parent is in another pid namespace sees parent pid 0, which is
/// cheap to check. Without `/proc` only the pid is used.
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

/// The name of this host, for people.
#[cfg(unix)]
pub fn host() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

/// The name of this host, for people.
#[cfg(not(unix))]
pub fn host() -> String {
    std::env::var("COMPUTERNAME").unwrap_or_default()
}
