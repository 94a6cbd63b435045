//! What tests share.

pub mod followed;
mod of_core;
pub mod scenario;

pub use of_core::*;
