//! The commands that make calls, and the one that prints the request of a call.

pub(crate) mod call;
pub(crate) mod follow;
pub(crate) mod prepare;
mod request;
pub(crate) mod send;
pub(crate) mod token;
mod whole_refund;
