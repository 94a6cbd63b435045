//! The C ABI of libpayments: handles, texts and status codes, without logic.
//! The generated `include/payments.h` is its reference.
//!
//! One file per type of the ABI. Every function body runs inside [`boundary`],
//! and every pointer is checked by [`input`].
//!
//! From the lowest to the highest; each file imports only those above it in this list:
//!
//! - `allocator.rs`, `pinned.rs`, `version.rs`: the library in its process
//! - `nul_terminated.rs`: texts that end in NUL and are wiped
//! - `status_codes.rs`, `status.rs`, `failure.rs`: why a function failed, as numbers,
//!   which are generated, and as a value
//! - `input.rs`: pointers from the caller, and places for results
//! - `error.rs`: an error, made of a failure
//! - `boundary.rs`: the boundary that no panic crosses, and how a failure is
//!   reported
//! - `text.rs`, `descriptor.rs`, `sink.rs`: texts and a descriptor for the caller, and
//!   the sinks that callbacks write to
//! - `request.rs`, `prepared.rs`, `response.rs`, `transport_response.rs`: the handles of
//!   a body, a prepared request, a response, and one that a callback makes
//! - `response_members.rs`, `response_texts.rs`, `response_values.rs`,
//!   `error_members.rs`, `error_values.rs`: the members of responses and errors; those
//!   called `values` are generated
//! - `unobserved.rs`: what a host without an observer takes for its log
//! - `options.rs`, `call.rs`, `client.rs`: the handles of callbacks, a call and a client
//! - `signer.rs`, `store.rs`, `observer.rs`, `journal.rs`, `transport.rs`: the callbacks
//! - `operations.rs`, `tools.rs`, `follow.rs`, `operation_calls.rs`: the functions that
//!   do something; those of operations are generated
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
mod failure;
mod follow;
mod input;
mod journal;
mod nul_terminated;
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
mod transport;
mod transport_response;
mod unobserved;
mod version;

#[cfg(feature = "test-hooks")]
mod test_hooks;
