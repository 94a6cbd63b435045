//! The C ABI of libpayments: handles, texts and status codes, without logic.
//! The generated `include/payments.h` is its reference.
//!
//! One file per type of the ABI. Every function body runs inside [`boundary`],
//! and every pointer is checked by [`input`].
//!
//! - `boundary.rs`: the boundary that no panic crosses, and how a failure is
//!   reported
//! - `input.rs`: pointers from the caller, and places for results
//! - `text.rs`: texts that end in NUL and are wiped
//! - `client.rs`, `options.rs`, `call.rs`, `request.rs`, `prepared.rs`: the
//!   handles of a client, its callbacks, a call, a body and a prepared request
//! - `operations.rs`, `operation_calls.rs`, `follow.rs`, `tools.rs`: the
//!   functions that do something; those of operations are generated
//! - `response.rs`, `response_members.rs`, `response_texts.rs`, `response_values.rs`:
//!   a response and its members, of which the last are generated
//! - `error.rs`, `error_members.rs`, `error_values.rs`, `status.rs`, `status_codes.rs`:
//!   errors, their members and numbers, the latter two generated
//! - `signer.rs`, `store.rs`, `observer.rs`, `journal.rs`: callbacks
//! - `unobserved.rs`: what a host without an observer takes for its log
//! - `transport.rs`, `transport_response.rs`, `sink.rs`: a transport as a callback,
//!   and the sinks that callbacks write to
//! - `allocator.rs`, `pinned.rs`, `descriptor.rs`, `tracked.rs`, `version.rs`: the
//!   library in its process, and what a host leaves behind
//! - `test_hooks.rs`: deliberate panics, with the feature of this name

#![allow(non_camel_case_types, reason = "the names are those of C")]

mod allocator;
mod boundary;
mod call;
mod client;
mod descriptor;
mod error;
mod error_members;
mod error_values;
mod follow;
mod input;
mod journal;
mod observer;
mod operation_calls;
mod operations;
mod options;
#[cfg(windows)]
mod pinned;
mod prepared;
mod request;
mod response;
mod response_members;
mod response_texts;
mod response_values;
mod signer;
mod sink;
mod status;
mod status_codes;
mod store;
mod text;
mod tools;
mod tracked;
mod transport;
mod transport_response;
mod unobserved;
mod version;

#[cfg(feature = "test-hooks")]
mod test_hooks;
