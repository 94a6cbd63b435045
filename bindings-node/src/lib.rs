//! The addon behind the npm package `libpayments`.
//!
//! It runs calls of `payments-core` on its own threads and sends the results to
//! JavaScript. The public classes, promises and errors are in `lib/`, which is
//! the only caller of this module; `lib/port.js` is the other end of [`port`].
//!
//! - `port.rs`: **the one queue** of an environment, through which threads
//!   notify and ask JavaScript; start reading here
//! - `message.rs`, `response.rs`: what the queue carries: an object for each
//!   kind of message; and the ends of calls in that form
//! - `names.rs`: members in camelCase, for all that the package makes; the body
//!   of a response keeps the service's names
//! - `callbacks.rs`: signers, token stores, journals and observers that are
//!   JavaScript functions
//! - `client.rs`, `tools.rs`: clients and their calls, and keys and signatures
//!   without a client

mod callbacks;
mod client;
mod message;
mod names;
mod port;
mod response;
mod tools;
