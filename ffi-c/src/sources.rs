//! Clients configured by a file or the environment.

use std::ffi::c_char;

use payments_core::{Client, Config, Error};
use payments_host::by_name::HostClient;

use crate::boundary::{self, CallFailure};
use crate::client::payments_client;
use crate::error::payments_error;
use crate::input;
use crate::options::payments_options;
use crate::status::payments_status;

fn build(
    config: Result<Config, Error>,
    shared: i32,
    options: Option<&payments_options>,
) -> Result<payments_client, CallFailure> {
    let mut config = config?;
    if let Some(options) = options {
        config = options.apply(config);
    }
    let make = if shared == 0 { Client::new } else { Client::shared };
    Ok(payments_client { client: HostClient::new(make(config)?) })
}

/// Makes a client from the configuration that `read` reads from a path.
unsafe fn from_file(
    path: (*const c_char, usize),
    shared: i32,
    options: *const payments_options,
    client_out: *mut *mut payments_client,
    error_out: *mut *mut payments_error,
    read: impl FnOnce(&str) -> Result<Config, Error>,
) -> payments_status {
    // SAFETY: the caller passes a readable text and a live handle or NULL.
    unsafe {
        boundary::status(error_out, || {
            let out = input::out_handle("client_out", client_out)?;
            let path = input::text("path", path.0, path.1)?;
            out.give(build(read(path), shared, options.as_ref())?);
            Ok(())
        })
    }
}

/// Makes a client from a JSON file. Relative paths in it refer to the folder of
/// that file. With `shared` (any value but 0) it works as
/// `payments_client_shared`, otherwise as `payments_client_new`.
///
/// Ownership: `client_out` gets a handle, to be freed with
/// `payments_client_free`; NULL on failure. Options are not taken, and may be
/// freed at once.
/// Threads: any, several at once.
/// Errors: those of `payments_client_new`.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_client_from_file(
    path: *const c_char,
    path_length: usize,
    shared: i32,
    options: *const payments_options,
    client_out: *mut *mut payments_client,
    error_out: *mut *mut payments_error,
) -> payments_status {
    let read = |path: &str| Config::from_file(path);
    // SAFETY: the caller upholds the contract of `from_file`.
    unsafe { from_file((path, path_length), shared, options, client_out, error_out, read) }
}

/// As `payments_client_from_file`; environment variables, which
/// `payments_client_from_env` names, override the members of the file.
///
/// Ownership: `client_out` gets a handle, to be freed with
/// `payments_client_free`; NULL on failure. Options are not taken, and may be
/// freed at once.
/// Threads: any, while no other thread changes the environment.
/// Errors: those of `payments_client_new`.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_client_from_file_with_env(
    path: *const c_char,
    path_length: usize,
    shared: i32,
    options: *const payments_options,
    client_out: *mut *mut payments_client,
    error_out: *mut *mut payments_error,
) -> payments_status {
    let read = |path: &str| Config::from_file(path).and_then(Config::with_env);
    // SAFETY: the caller upholds the contract of `from_file`.
    unsafe { from_file((path, path_length), shared, options, client_out, error_out, read) }
}

/// Makes a client from environment variables: `PAYMENTS_BASE_URL` and so on,
/// one for each member of a configuration. `shared` is as for
/// `payments_client_from_file`.
///
/// Ownership: `client_out` gets a handle, to be freed with
/// `payments_client_free`; NULL on failure. Options are not taken, and may be
/// freed at once.
/// Threads: any, while no other thread changes the environment.
/// Errors: those of `payments_client_new`.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_client_from_env(
    shared: i32,
    options: *const payments_options,
    client_out: *mut *mut payments_client,
    error_out: *mut *mut payments_error,
) -> payments_status {
    // SAFETY: the caller passes a live handle or NULL.
    unsafe {
        boundary::status(error_out, || {
            let out = input::out_handle("client_out", client_out)?;
            out.give(build(Config::from_env(), shared, options.as_ref())?);
            Ok(())
        })
    }
}
