//! Prepared requests.

use std::ffi::c_char;

use payments_core::transport::PreparedRequest;

use crate::boundary;
use crate::input;
use crate::nul_terminated::NulTerminated;

/// A request with all credentials, for your own HTTP client. All of its
/// texts and bytes are valid until it is freed, and are secrets.
pub struct payments_prepared {
    method: NulTerminated,
    url: NulTerminated,
    headers: Vec<(NulTerminated, NulTerminated)>,
    request: PreparedRequest,
}

impl input::Handle for payments_prepared {
    type Owner = input::Caller;
}

impl payments_prepared {
    pub(crate) fn new(request: PreparedRequest) -> Self {
        let text = NulTerminated::without_nul;
        Self {
            method: text(request.method()),
            url: text(request.url()),
            headers: request.headers().map(|(name, value)| (text(name), text(value))).collect(),
            request,
        }
    }
}

/// The method, in upper case; NULL for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_prepared_method(
    prepared: *const payments_prepared,
) -> *const c_char {
    // SAFETY: the caller upholds this function's contract.
    unsafe { boundary::text(prepared, |prepared| Some(&prepared.method)) }
}

/// The whole URL; NULL for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_prepared_url(
    prepared: *const payments_prepared,
) -> *const c_char {
    // SAFETY: the caller upholds this function's contract.
    unsafe { boundary::text(prepared, |prepared| Some(&prepared.url)) }
}

/// The number of headers; 0 for NULL. The HTTP client adds `Host` and
/// `Content-Length`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_prepared_header_count(
    prepared: *const payments_prepared,
) -> usize {
    // SAFETY: the caller upholds this function's contract.
    unsafe { boundary::read(prepared, 0, |prepared| Some(prepared.headers.len())) }
}

/// The name of the header `index`, from 0; NULL if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_prepared_header_name(
    prepared: *const payments_prepared,
    index: usize,
) -> *const c_char {
    // SAFETY: the caller upholds this function's contract.
    unsafe {
        boundary::text(prepared, |prepared| prepared.headers.get(index).map(|(name, _)| name))
    }
}

/// The value of the header `index`, from 0; NULL if there is none. It may be a
/// secret.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_prepared_header_value(
    prepared: *const payments_prepared,
    index: usize,
) -> *const c_char {
    // SAFETY: the caller upholds this function's contract.
    unsafe {
        boundary::text(prepared, |prepared| prepared.headers.get(index).map(|(_, value)| value))
    }
}

/// The exact bytes that were signed and must be sent. `length_out` gets
/// their number and may be NULL. NULL for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_prepared_body(
    prepared: *const payments_prepared,
    length_out: *mut usize,
) -> *const u8 {
    // SAFETY: the caller upholds this function's contract.
    unsafe { boundary::bytes(prepared, length_out, |prepared| Some(prepared.request.body())) }
}

/// Frees a prepared request. NULL does nothing. One passed to a transport
/// callback belongs to the library and must not be freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_prepared_free(prepared: *mut payments_prepared) {
    // SAFETY: the caller passes NULL or a handle that was not freed.
    unsafe { boundary::take_back(prepared) }
}
