//! The core under a scheduler that explores interleavings: which thread runs
//! next is decided at each lock, atomic, wake-up and wait.
#![allow(dead_code, unused_imports, unused_macros)]

// The core's modules. `std` and `rustix` are those beside this crate.
#[path = "../../../core/src/bridge/mod.rs"]
pub mod bridge;
#[path = "../../../core/src/call/mod.rs"]
mod call;
#[path = "../../../core/src/client/mod.rs"]
mod client;
#[path = "../../../core/src/config/mod.rs"]
pub mod config;
#[path = "../../../core/src/journal/mod.rs"]
pub mod journal;
#[path = "../../../core/src/model/mod.rs"]
mod model;
#[path = "../../../core/src/signing/mod.rs"]
mod signing;
#[path = "../../../core/src/token/mod.rs"]
pub mod token;
#[path = "../../../core/src/transport/mod.rs"]
pub mod transport;

pub use call::context;
pub use call::context::{CallContext, CancelHandle};
pub use client::{Client, recovery};
pub use config::{Config, Environment};
pub use model::amount::Amount;
pub use model::error::{Error, ErrorCode, ErrorKind, Outcome};
pub use model::operation::Operation;
pub use model::request::Request;
pub use model::request::all::*;
pub use model::response::CallResponse;
pub use model::{amount, card_guard, currency, error, json, observer, operation, request, rules};
pub use payments_base::secret;
pub use payments_base::secret::Secret;
pub use signing::{jws, signer};

mod checks;
mod run;
mod search;

fn main() {
    run::run(&std::env::args().skip(1).collect::<Vec<_>>());
}
