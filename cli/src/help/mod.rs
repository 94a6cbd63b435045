//! The commands that explain: completions, manual pages and error codes.

pub(crate) mod completions;
pub(crate) mod explain;
pub(crate) mod man;
