//! The requests that faults strike, and their order.

use payments_core::operation::Operation;

use crate::config::path_matches;
use crate::faults::Fault;

/// How many times the faults of a [`FaultScript`] are used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Times {
    /// A fixed number of times.
    Count(u64),
    /// Until the scripts are cleared.
    Always,
}

/// Faults for the next matching requests, in order.
#[derive(Clone, PartialEq, Debug)]
pub struct FaultScript {
    /// Match only requests of this operation.
    pub operation: Option<Operation>,
    /// Match only requests with this method.
    pub method: Option<String>,
    /// Match only requests with this path; a trailing `*` matches any suffix.
    /// Without path and operation, the script matches every request under
    /// `/ws/`, but no token request.
    pub path: Option<String>,
    /// How many times the list is used.
    pub times: Times,
    /// The faults, each of which strikes one request.
    pub then: Vec<Fault>,
}

impl FaultScript {
    /// Faults for the next requests under `/ws/`.
    pub fn for_any(then: Vec<Fault>) -> Self {
        Self { operation: None, method: None, path: None, times: Times::Count(1), then }
    }

    /// Faults for the next requests of an operation.
    pub fn for_operation(operation: Operation, then: Vec<Fault>) -> Self {
        Self { operation: Some(operation), ..Self::for_any(then) }
    }

    /// Faults for the next requests with that path; a trailing `*` matches any
    /// suffix.
    pub fn for_path(path: &str, then: Vec<Fault>) -> Self {
        Self { path: Some(path.to_owned()), ..Self::for_any(then) }
    }

    /// Sets how many times the list is used.
    #[must_use]
    pub const fn times(mut self, times: Times) -> Self {
        self.times = times;
        self
    }

    pub(crate) fn matches(&self, method: &str, path: &str, operation: Option<Operation>) -> bool {
        if self.method.as_ref().is_some_and(|wanted| !wanted.eq_ignore_ascii_case(method)) {
            return false;
        }
        if self.operation.is_some() && self.operation != operation {
            return false;
        }
        match self.path.as_deref() {
            Some(wanted) => path_matches(wanted, path),
            None => self.operation.is_some() || path.starts_with("/ws/"),
        }
    }
}
