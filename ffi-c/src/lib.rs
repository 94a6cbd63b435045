//! The C ABI of libpayments: handles, texts and status codes, without logic.
//! The generated `include/payments.h` is its reference.
//!
//! One file per type of the ABI. Every function body runs inside [`boundary`],
//! and every pointer is checked by [`input`].

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
mod transport;
mod transport_response;
mod version;

#[cfg(feature = "test-hooks")]
mod test_hooks;
