//! The addon behind the npm package `libpayments`.
//!
//! It runs calls of `payments-core` on its own threads and sends the results to
//! JavaScript. The public classes, promises and errors are in `lib/`, which is
//! the only caller of this module; `lib/port.js` is the other end of [`port`].

mod callbacks;
mod client;
mod message;
mod names;
mod port;
mod response;
mod tools;
