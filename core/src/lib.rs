//! Payments, refunds, payouts and package tracking for merchants selling in
//! Latin America: signed requests, bearer tokens, and failures that say
//! whether money may have moved.

pub mod amount;
pub mod card_guard;
pub mod config;
pub mod context;
pub mod error;
pub mod json;
pub mod jws;
pub mod observer;
pub mod operation;
pub mod operations;
mod process;
pub mod secret;
pub mod signer;
pub mod token;
pub mod transport;
