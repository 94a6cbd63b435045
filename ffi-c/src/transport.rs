//! Transports as callbacks.

use std::ffi::c_void;
use std::sync::Arc;

use payments_core::CallContext;
use payments_core::transport::{
    FailureKind, PreparedRequest, Received, Transport, TransportFailure,
};

use crate::boundary;
use crate::call::payments_context;
use crate::error::payments_error;
use crate::input;
use crate::options::{UserData, payments_destroy_fn, payments_options};
use crate::prepared::payments_prepared;
use crate::status::payments_status;
use crate::transport_response::payments_transport_response;

/// Sends `request` once, with headers and body unchanged, without following
/// redirects, and fills `response_out`. Returns 0. Any other value means that
/// there is no response and that bytes may have been sent.
///
/// An HTTP client that repeats or redirects requests on its own, and cannot be
/// configured otherwise, may pay twice within one call.
///
/// It must not throw, and several threads may call it at once. It also sends
/// the requests to the token server.
pub type payments_send_fn = Option<
    unsafe extern "C" fn(
        user_data: *mut c_void,
        context: *const payments_context,
        request: *const payments_prepared,
        response_out: *mut payments_transport_response,
    ) -> i32,
>;

struct CallbackTransport {
    user_data: UserData,
    send: unsafe extern "C" fn(
        *mut c_void,
        *const payments_context,
        *const payments_prepared,
        *mut payments_transport_response,
    ) -> i32,
}

impl Transport for CallbackTransport {
    fn send(
        &self,
        context: &CallContext,
        request: &PreparedRequest,
    ) -> Result<Received, TransportFailure> {
        let context = payments_context::of(context);
        let request = payments_prepared::new(request.clone());
        let mut response = payments_transport_response::default();
        // SAFETY: the function came with this user data; all pointers are
        // valid until it returns.
        let status =
            unsafe { (self.send)(self.user_data.pointer(), &context, &request, &mut response) };
        match status {
            0 => response.into_result(),
            _ => Err(TransportFailure::new(FailureKind::Broken, "the transport's callback failed")),
        }
    }
}

/// Sends through a callback instead of the library's own HTTP client. Replaces
/// an earlier transport.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_options_set_transport(
    options: *mut payments_options,
    user_data: *mut c_void,
    send: payments_send_fn,
    destroy: payments_destroy_fn,
    error_out: *mut *mut payments_error,
) -> payments_status {
    let user_data = UserData::new(user_data, destroy);
    // SAFETY: the caller passes a live handle.
    unsafe {
        boundary::status(error_out, move || {
            let options = input::handle_mut("options", options)?;
            let send = input::given("send", send)?;
            let before = options.transport.replace(Arc::new(CallbackTransport { user_data, send }));
            drop(before);
            Ok(())
        })
    }
}
