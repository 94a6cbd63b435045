//! The addon behind the npm package `libpayments`.
//!
//! It runs calls of `payments-core` on threads of its own and tells JavaScript
//! what comes of them. What users see (classes, promises, errors) is made in
//! `lib/`, which is the only caller of this; `lib/port.js` is the other end of
//! [`port`].

mod answer;
mod callbacks;
mod client;
mod pool;
mod port;
mod tools;
