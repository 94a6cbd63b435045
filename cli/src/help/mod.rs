//! The commands that explain: completions, manual pages and error codes.

pub(crate) mod docs;
pub(crate) mod explain;
