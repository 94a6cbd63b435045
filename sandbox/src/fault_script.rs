//! Which requests faults strike, and in which order.

use payments_core::operation::Operation;

use crate::config::path_matches;
use crate::faults::Fault;

/// How often the list of a [`FaultScript`] is gone through.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Times {
    /// That many times.
    Count(u64),
    /// Until the scripts are cleared.
    Always,
}

/// Faults for the next requests that match, one after the other.
#[derive(Clone, PartialEq, Debug)]
pub struct FaultScript {
    /// Only requests of this operation.
    pub operation: Option<Operation>,
    /// Only requests with this method.
    pub method: Option<String>,
    /// Only requests with this path; `*` at its end matches any rest. Without
    /// path and operation, every request under `/ws/` matches, and token
    /// requests do not.
    pub path: Option<String>,
    /// How often the list is gone through.
    pub times: Times,
    /// The faults, in order: each strikes one request.
    pub then: Vec<Fault>,
}

impl FaultScript {
    /// Faults for the next requests under `/ws/`.
    pub fn for_any(then: Vec<Fault>) -> Self {
        Self { operation: None, method: None, path: None, times: Times::Count(1), then }
    }

    /// Faults for the next requests of one operation.
    pub fn for_operation(operation: Operation, then: Vec<Fault>) -> Self {
        Self { operation: Some(operation), ..Self::for_any(then) }
    }

    /// Faults for the next requests with that path; `*` at its end matches
    /// any rest.
    pub fn for_path(path: &str, then: Vec<Fault>) -> Self {
        Self { path: Some(path.to_owned()), ..Self::for_any(then) }
    }

    /// The same script, gone through that often.
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
