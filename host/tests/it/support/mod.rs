//! Shared helpers of tests.

pub mod books;
pub mod followed;
mod of_core;
pub mod scenario;

pub use of_core::*;
