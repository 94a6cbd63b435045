//! Clients. Every type of the ABI has its own file; this one has no operation.

use std::cell::RefCell;
use std::ffi::c_char;

use payments_core::{Client, Config, Error};
use payments_host::by_name::HostClient;

use crate::boundary;
use crate::error::payments_error;
use crate::input;
use crate::options::payments_options;
use crate::status::payments_status;
use crate::unobserved::UNOBSERVED;

/// Talks to the service for one merchant. Make one and use it for all calls,
/// from any number of threads at once. It may be made before `fork` and used
/// after it.
pub struct payments_client {
    pub(crate) client: HostClient,
}

impl input::Handle for payments_client {
    type Owner = input::Caller;
}

// PHP runs no destructor after a fatal error, and at the end of a request in no order
// that fits.
thread_local! {
    /// The handles that are not freed yet, with the name of their owner.
    static TRACKED: RefCell<Vec<(String, *mut payments_client)>> = const { RefCell::new(Vec::new()) };
}

/// Makes a client from what `read` makes of a text; `name` is the parameter of the text.
unsafe fn make(
    (name, text, length): (&'static str, *const c_char, usize),
    shared: i32,
    options: *const payments_options,
    client_out: *mut *mut payments_client,
    error_out: *mut *mut payments_error,
    read: impl FnOnce(&str) -> Result<Config, Error>,
) -> payments_status {
    #[cfg(windows)]
    crate::pinned::pin();
    // SAFETY: the caller passes a readable text and a live handle or NULL.
    unsafe {
        boundary::status(error_out, || {
            let out = input::out_handle("client_out", client_out)?;
            let mut config = read(input::text(name, text, length)?)?;
            let options = options.as_ref();
            if let Some(options) = options {
                config = options.apply(config);
            }
            config = match options.and_then(payments_options::observer) {
                Some(observer) => config.observer(observer),
                None => config.process_log(&UNOBSERVED),
            };
            let make = if shared == 0 { Client::new } else { Client::shared };
            out.give(payments_client { client: HostClient::new(make(config)?) });
            Ok(())
        })
    }
}

fn from_json(text: &str) -> Result<Config, Error> {
    Config::from_json(text.as_bytes())
}

/// Makes a client from a configuration: the JSON text of an object, whose
/// members are listed at the top of this header. Reads the configured files,
/// and connects to nothing. `options` and `error_out` may be NULL.
///
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
    let config = ("config", config, config_length);
    // SAFETY: the caller upholds this function's contract.
    unsafe { make(config, 0, options, client_out, error_out, from_json) }
}

/// Returns the shared client of this configuration, and makes it on the first
/// call in this process: its parsed key, token and connections survive after
/// the handle is freed. The contents of files are part of the configuration: a
/// rotated key leads to a new client. A client with callbacks is never shared;
/// its connections are, unless it has a transport, and its token is, unless it
/// has a token store.
///
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
    let config = ("config", config, config_length);
    // SAFETY: the caller upholds this function's contract.
    unsafe { make(config, 1, options, client_out, error_out, from_json) }
}

/// Makes a client from a JSON file. Relative paths in it refer to the folder of
/// that file. With `shared` (any value but 0) it works like
/// `payments_client_shared`, otherwise like `payments_client_new`.
///
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
    // SAFETY: the caller upholds this function's contract.
    unsafe { make(("path", path, path_length), shared, options, client_out, error_out, read) }
}

/// Like `payments_client_from_file`; environment variables, which
/// `payments_client_from_env` names, override the members of the file.
///
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
    // SAFETY: the caller upholds this function's contract.
    unsafe { make(("path", path, path_length), shared, options, client_out, error_out, read) }
}

/// Makes a client from environment variables: `PAYMENTS_BASE_URL` and so on,
/// one for each member of a configuration. `shared` is as for
/// `payments_client_from_file`.
///
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
    let none = ("", std::ptr::null(), 0);
    // SAFETY: the caller upholds this function's contract.
    unsafe { make(none, shared, options, client_out, error_out, |_| Config::from_env()) }
}

/// Frees a client handle. NULL does nothing. A callback may free the client
/// that it serves; the client then lives until the call ends.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_client_free(client: *mut payments_client) {
    // A thread that ends may free a handle when its list is gone.
    let _ = TRACKED.try_with(|all| all.borrow_mut().retain(|(_, tracked)| *tracked != client));
    // SAFETY: the caller passes NULL or a handle that was not freed.
    unsafe { boundary::take_back(client) }
}

/// Tracks a client handle in this thread until it is freed, so that
/// `payments_client_free_tracked` frees it at the latest: for a host whose
/// program may end without freeing it, while the thread goes on. `owner` is any
/// text that names the host. NULL does nothing, and neither does a text that is
/// not UTF-8.
///
/// Ownership: none is taken; the text is copied.
/// Threads: the one that frees the handle.
/// Errors: none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_client_track(
    client: *mut payments_client,
    owner: *const c_char,
    owner_length: usize,
) {
    // SAFETY: the caller passes a readable text.
    boundary::value((), || unsafe {
        if let (false, Ok(owner)) = (client.is_null(), input::text("owner", owner, owner_length)) {
            TRACKED.with_borrow_mut(|all| all.push((owner.to_owned(), client)));
        }
    });
}

/// Frees the client handles of this owner that this thread tracks. Call it when
/// the program that used them has ended.
///
/// Ownership: takes these handles, which must not be used again.
/// Threads: any; no other thread may use the handles.
/// Errors: none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_client_free_tracked(owner: *const c_char, owner_length: usize) {
    // SAFETY: the caller passes a readable text; the handles were not freed, or
    // they would not be tracked.
    boundary::value((), || unsafe {
        let Ok(owner) = input::text("owner", owner, owner_length) else { return };
        let is_of_owner = |(name, _): &mut (String, _)| name == owner;
        let left =
            TRACKED.with_borrow_mut(|all| all.extract_if(.., is_of_owner).collect::<Vec<_>>());
        left.into_iter().for_each(|(_, client)| boundary::take_back(client));
    });
}
