//! A call: its work, its run and its result.

pub(crate) mod finished;
pub(crate) mod pending;
pub(crate) mod scope;
pub(crate) mod task;
pub(crate) mod work;
