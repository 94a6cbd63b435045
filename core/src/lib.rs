//! Client for a payments service that merchants use in Latin America: payments,
//! refunds, payouts and package tracking.
//!
//! The client signs requests (detached JWS, RS256), obtains and shares bearer
//! tokens, and pools connections. Each error says whether the operation may
//! have been executed.
//!
//! ```no_run
//! use payments_core::{Client, Config, CreatePayment, Outcome, Payment};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let client = Client::new(Config::from_file("payments.json")?)?;
//! let payment = Payment {
//!     name: "Maria Souza".into(),
//!     email: "maria@example.com".into(),
//!     country: "br".into(),
//!     payment_type_code: "pix".into(),
//!     merchant_payment_code: "order-1001".into(),
//!     currency_code: "BRL".into(),
//!     amount_total: "100.10".parse()?,
//!     document: Some("853.513.468-93".into()),
//!     ..Payment::default()
//! };
//! match client.create_payment(&CreatePayment::new(payment)) {
//!     Ok(response) => match response.qr_code_value() {
//!         Some(code) => println!("show the payer {code}"),
//!         None => println!("no code: query the payment"),
//!     },
//!     // The payment may exist: query it by "order-1001" and do not send it again.
//!     Err(error) if error.may_have_been_executed() => eprintln!("{}: {error}", error.outcome()),
//!     // The payment was not executed: fix the cause, then send it again.
//!     Err(error) => eprintln!("{}: {error}", error.code()),
//! }
//! # Ok(())
//! # }
//! ```
//!
//! Store your reference (`merchant_payment_code`) before the call. With it,
//! [`Client::query_payment`] finds the payment after an unknown outcome.
//!
//! # Errors and outcomes
//!
//! All calls return [`Error`]. It has a [kind](ErrorKind), a stable
//! [code](Error::code), a message that says what to do next, and an
//! [`Outcome`]: `NotExecuted`, `Unknown` or `Executed`. Only `NotExecuted`
//! makes it safe to send a payment, refund or payout again. The client itself
//! retries queries, and requests of which no byte was sent. If a 401 may be the
//! token's fault, it sends the request once more with another token. `Display`
//! and `Debug` show no secrets and no payer data.
//!
//! # Trying it
//!
//! The crate `payments-sandbox` and the command `payments sandbox` run the
//! service on loopback. The sandbox verifies signatures and tokens, and it can
//! fail on request, for example by executing a payment and closing the
//! connection without a response.
//!
//! # Features
//!
//! - `journal-sqlite` (on): the journal in an SQLite file, on Unix.
//! - `redis`: bearer tokens on a Redis server.
//! - `pkcs11`: a signing key in an HSM.
//! - `qr`: the code of a payment as a picture, SVG or PNG.
//! - `tracing`: calls as spans of the crate `tracing`.
//!
//! Every build knows all members of the configuration. [`Client::new`] refuses
//! those that need a feature which is off, with the code `not_in_this_build`.
//!
//! # Where to read on
//!
//! - [`Client`]: sharing between threads, deadlines, `fork`; [`Client::shared`]
//!   for hosts such as PHP-FPM.
//! - [`Config`]: all settings; [`Config::from_env`] reads environment
//!   variables.
//! - [`request`]: the request and response types, which are re-exported here.
//!   [`RawRequest`] covers endpoints without their own type.
//! - [`CallContext`]: deadlines and cancellation.
//! - [`signer`], [`token`], [`transport`] and [`observer`]: traits to implement
//!   for your own HSM or KMS, token store, HTTP client, or metrics.
//! - [`jws`]: makes and verifies signatures.
//! - The crate `payments-host`: following payments, waiting for one, recovering
//!   the journal.
//!
//! In the repository, `docs/interface.md` describes the service and what the
//! library does where the interface is silent. `docs/going-live.md`
//! begins with running it in production, and `docs/errors.md` lists all error codes.

#![cfg_attr(docsrs, feature(doc_cfg))]

// ARCHITECTURE.md has their order: each imports only those below it.
mod call_options;
mod client;
pub mod config;
pub mod journal;
mod model;
mod signing;
pub mod token;

/// Internals for the host, the command, the bindings and the sandbox. Nothing
/// here is stable: they depend on exactly this version.
#[doc(hidden)]
pub mod inside {
    pub use payments_transport::inside::{Waiters, authority_of};

    pub use crate::client::outcome::error_of_panic;
    pub use crate::client::{ClientJournal, looks_like_hash};
    pub use crate::config::journal::journals_unsupported;
    pub use crate::config::log::event_text;
    pub use crate::config::source::text_of_file;
    pub use crate::journal::{blocked_by, with_entry};
    pub use crate::model::figures::{shown_amount, without_groups};
    pub use crate::model::forms;
    #[cfg(feature = "qr")]
    pub use crate::model::qr::qr_code;
    pub use crate::model::request::by_name::AnyRequest;
    pub use crate::model::request::typed::meant_member;
}

pub use call_options::{CallOptions, Traceparent};
pub use client::Client;
pub use config::{Config, Environment};
pub use model::amount::Amount;
pub use model::error::{Error, ErrorCode, ErrorKind, Outcome};
pub use model::operation::Operation;
#[cfg(feature = "qr")]
pub use model::qr::{qr_png, qr_svg};
pub use model::request::Request;
pub use model::request::all::*;
pub use model::response::CallResponse;
pub use model::{amount, card_guard, error, json, methods, observer, operation, request, rules};
pub use payments_base::secret;
pub use payments_base::secret::Secret;
pub use payments_transport as transport;
pub use payments_transport::{CallContext, CancelHandle};
pub use signing::{jws, signer};

/// The deadline, cancellation and options of a call.
pub mod context {
    pub use payments_transport::context::*;

    pub use crate::call_options::*;
}

/// The test folder of the integration tests.
#[cfg(test)]
#[path = "../tests/it/support/folder.rs"]
#[allow(dead_code, reason = "the tests outside use the rest")]
mod test_folder;

/// Exports for tests/schedules. Only its manifests have the feature.
#[cfg(feature = "schedules")]
#[path = "../../tests/schedules/src/checks/mod.rs"]
pub mod schedules;

/// Compiles the examples of the page on keys.
#[cfg(doctest)]
#[doc = include_str!("../../docs/keys.md")]
struct KeysExamples;

/// Compiles the examples of the page on refunds.
#[cfg(doctest)]
#[doc = include_str!("../../docs/refunds.md")]
struct RefundsExamples;
