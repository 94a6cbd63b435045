//! Responses: status, headers and body as a whole.

use std::borrow::Cow;
use std::ffi::c_char;
use std::sync::OnceLock;

use payments_core::CallResponse;
use payments_core::json::Json;
use zeroize::Zeroizing;

use crate::boundary;
use crate::input;
use crate::nul_terminated::{NamedTexts, NulTerminated};

/// A response. All of its texts and bytes are valid until it is freed. Several
/// threads may read it at once.
///
/// JSON Pointers (RFC 6901) name the members of the body, for example
/// `/payment/hash`.
pub struct payments_response {
    inner: CallResponse,
    body: OnceLock<Option<Json>>,
    /// The whole view, if it differs from the one in `inner`.
    whole: OnceLock<Option<Json>>,
    view: OnceLock<NulTerminated>,
    texts: OnceLock<NamedTexts>,
    headers: Vec<(NulTerminated, NulTerminated)>,
}

impl input::Handle for payments_response {
    type Owner = input::Caller;
}

impl payments_response {
    pub(crate) fn new(inner: CallResponse) -> Self {
        let text = NulTerminated::without_nul;
        Self {
            headers: inner
                .raw
                .headers()
                .iter()
                .map(|(name, value)| (text(name), text(value)))
                .collect(),
            whole: OnceLock::new(),
            view: OnceLock::new(),
            texts: OnceLock::new(),
            body: OnceLock::new(),
            inner,
        }
    }

    pub(crate) fn response(&self) -> CallResponse {
        self.inner.clone()
    }

    pub(crate) fn body(&self) -> Option<&Json> {
        self.body.get_or_init(|| self.inner.raw.json().ok()).as_ref()
    }

    fn view(&self) -> &NulTerminated {
        let text = || Zeroizing::new(self.whole_view().to_bytes());
        self.view.get_or_init(|| NulTerminated::new(text()))
    }

    /// The text of the view with that name.
    pub(crate) fn text(&self, name: &str) -> Option<&NulTerminated> {
        let texts = self.texts.get_or_init(|| {
            let mut texts = NamedTexts::default();
            texts.add_members(self.whole_view(), "");
            texts
        });
        texts.get(name)
    }

    pub(crate) fn whole_view(&self) -> &Json {
        let whole = self.whole.get_or_init(|| match self.inner.whole_view() {
            Cow::Borrowed(_) => None,
            Cow::Owned(whole) => Some(whole),
        });
        whole.as_ref().unwrap_or(&self.inner.view)
    }
}

/// The HTTP status; 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_response_http_status(response: *const payments_response) -> i32 {
    // SAFETY: the caller upholds this function's contract.
    unsafe { boundary::read(response, 0, |response| Some(i32::from(response.inner.raw.status()))) }
}

/// The body as received. `length_out` gets its length and may be NULL. No
/// NUL follows. NULL for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_response_body(
    response: *const payments_response,
    length_out: *mut usize,
) -> *const u8 {
    // SAFETY: the caller upholds this function's contract.
    unsafe { boundary::bytes(response, length_out, |response| Some(response.inner.raw.body())) }
}

/// The response as the packages for other languages see it: the JSON text of an
/// object with the typed members, and under `response` the whole body with
/// amounts as text. `length_out` gets its length without the NUL after it
/// and may be NULL. NULL for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_response_view(
    response: *const payments_response,
    length_out: *mut usize,
) -> *const c_char {
    // SAFETY: the caller upholds this function's contract.
    unsafe {
        let view = boundary::read(response, None, |response| Some(Some(response.view())));
        input::offer(length_out, view.map_or(0, NulTerminated::length));
        view.map_or(std::ptr::null(), NulTerminated::as_ptr)
    }
}

/// The number of headers; 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_response_header_count(
    response: *const payments_response,
) -> usize {
    // SAFETY: the caller upholds this function's contract.
    unsafe { boundary::read(response, 0, |response| Some(response.headers.len())) }
}

/// The name of the header `index`, from 0, as the service wrote it: compare it
/// ignoring case. NULL if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_response_header_name(
    response: *const payments_response,
    index: usize,
) -> *const c_char {
    // SAFETY: the caller upholds this function's contract.
    unsafe {
        boundary::text(response, |response| response.headers.get(index).map(|(name, _)| name))
    }
}

/// The value of the header `index`, from 0; NULL if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_response_header_value(
    response: *const payments_response,
    index: usize,
) -> *const c_char {
    // SAFETY: the caller upholds this function's contract.
    unsafe {
        boundary::text(response, |response| response.headers.get(index).map(|(_, value)| value))
    }
}

/// Frees a response. NULL does nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_response_free(response: *mut payments_response) {
    // SAFETY: the caller passes NULL or a handle that was not freed.
    unsafe { boundary::take_back(response) }
}
