//! Clients.

use std::ffi::c_char;

use payments_core::{Client, Config, Error};
use payments_host::by_name::HostClient;

use crate::boundary::{self, CallFailure};
use crate::error::payments_error;
use crate::input;
use crate::options::payments_options;
use crate::status::payments_status;

/// Talks to the service for one merchant. Make one and use it for all calls,
/// from any number of threads at once. It may be made before `fork` and used
/// after it.
pub struct payments_client {
    pub(crate) client: HostClient,
}

impl input::Handle for payments_client {
    type Held = input::Owned;
}

unsafe fn make(
    config: *const c_char,
    config_length: usize,
    options: *const payments_options,
    client_out: *mut *mut payments_client,
    error_out: *mut *mut payments_error,
    build: fn(Config) -> Result<Client, Error>,
) -> payments_status {
    #[cfg(windows)]
    crate::pinned::pin();
    // SAFETY: the caller passes a readable text and a live handle or NULL.
    unsafe {
        boundary::status(error_out, || {
            let out = input::out_handle("client_out", client_out)?;
            let text = input::text("config", config, config_length)?;
            let mut config = Config::from_json(text.as_bytes()).map_err(CallFailure::from)?;
            if let Some(options) = options.as_ref() {
                config = options.apply(config);
            }
            out.give(payments_client { client: HostClient::new(build(config)?) });
            Ok(())
        })
    }
}

/// Makes a client from a configuration: the JSON text of an object, whose
/// members are listed at the top of this header. Reads the configured files,
/// and connects to nothing. `options` and `error_out` may be NULL.
///
/// Ownership: `client_out` gets a handle, to be freed with
/// `payments_client_free`; NULL on failure. Options are not taken, and may be
/// freed at once.
/// Threads: any.
/// Errors: PAYMENTS_STATUS_CONFIG, whose `payments_error_path` names the
/// member; PAYMENTS_STATUS_INVALID_ARGUMENT.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_client_new(
    config: *const c_char,
    config_length: usize,
    options: *const payments_options,
    client_out: *mut *mut payments_client,
    error_out: *mut *mut payments_error,
) -> payments_status {
    // SAFETY: the caller upholds this function's contract.
    unsafe { make(config, config_length, options, client_out, error_out, Client::new) }
}

/// Returns the shared client of this configuration, and makes it on the first
/// call in this process: its parsed key, token and connections survive after
/// the handle is freed. The contents of files are part of the configuration: a
/// rotated key leads to a new client. A client with callbacks is never shared;
/// its connections are, unless it has a transport, and its token is, unless it
/// has a token store.
///
/// Ownership: `client_out` gets a handle, to be freed with
/// `payments_client_free`; NULL on failure. Options are not taken, and may be
/// freed at once.
/// Threads: any, several at once.
/// Errors: those of `payments_client_new`. An unreadable file is an error; it
/// never leads to the old client.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_client_shared(
    config: *const c_char,
    config_length: usize,
    options: *const payments_options,
    client_out: *mut *mut payments_client,
    error_out: *mut *mut payments_error,
) -> payments_status {
    // SAFETY: the caller upholds this function's contract.
    unsafe { make(config, config_length, options, client_out, error_out, Client::shared) }
}

/// Frees a client handle. NULL does nothing. A callback may free the client
/// that it serves; the client then lives until the call ends.
///
/// Ownership: takes the handle, which must not be used again.
/// Threads: any, when no other thread uses the handle.
/// Errors: none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_client_free(client: *mut payments_client) {
    // SAFETY: the caller passes NULL or a handle that was not freed.
    unsafe { input::take_back(client) }
}
