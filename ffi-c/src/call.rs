//! Call handles, which end calls early, and the calls that callbacks see. A separate
//! type, because one handle serves many calls.

use std::ffi::{c_char, c_void};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use payments_core::context::{InterruptHook, TraceSlot};
use payments_core::{CallContext, CallOptions as _, CancelHandle, Client};

use crate::boundary;
use crate::error::payments_error;
use crate::failure::CallFailure;
use crate::input;
use crate::options::{UserData, payments_destroy_fn};
use crate::status::payments_status;

/// The ways to end calls early: a deadline, cancellation from another thread,
/// an interrupt function. One handle serves any number of calls, also at once.
/// It must outlive them, except as stated under `payments_call_free`.
pub struct payments_call {
    /// Without a lock, since a signal handler may use it.
    cancel: CancelHandle,
    /// Behind a lock, since another thread may cancel in the meantime.
    settings: Mutex<Settings>,
}

impl input::Handle for payments_call {
    type Owner = input::Caller;
}

#[derive(Clone, Default)]
struct Settings {
    timeout: Option<Duration>,
    interrupt: Option<InterruptHook>,
    traceparent: TraceSlot,
    ensure_wait: Option<Duration>,
}

impl payments_call {
    /// Sets the interrupt hook and returns the previous one, whose destructor
    /// may use this handle.
    pub(crate) fn replace_interrupt(&self, hook: InterruptHook) -> Option<InterruptHook> {
        self.settings().interrupt.replace(hook)
    }

    fn settings(&self) -> MutexGuard<'_, Settings> {
        self.settings.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Called at least every 100 ms while a call waits, and once more before it
/// returns, on the thread that makes the call. Any value but 0 ends the call as
/// `payments_call_cancel` does. It must not throw.
pub type payments_interrupt_fn = Option<unsafe extern "C" fn(user_data: *mut c_void) -> i32>;

/// The context of a call of `client`. The caller has checked both.
pub(crate) fn context(client: &Client, call: Option<&payments_call>) -> CallContext {
    let Some(call) = call else {
        return client.context();
    };
    let cancel = call.cancel.clone();
    let Settings { timeout, interrupt, traceparent, ensure_wait } = call.settings().clone();
    let context = match timeout {
        None => client.context_with(cancel, interrupt),
        Some(timeout) => CallContext::new(timeout, cancel, interrupt),
    };
    let context = context.with_trace_slot(traceparent);
    match ensure_wait {
        None => context,
        Some(wait) => context.with_ensure_wait(wait),
    }
}

/// Creates a call handle with the deadline from the client's configuration.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_call_new(call_out: *mut *mut payments_call) -> payments_status {
    // SAFETY: no error is written to NULL.
    unsafe {
        boundary::status(std::ptr::null_mut(), || {
            let out = input::out_handle("call_out", call_out)?;
            out.give(payments_call { cancel: CancelHandle::new(), settings: Mutex::default() });
            Ok(())
        })
    }
}

/// Sets the deadline of later calls with this handle, in milliseconds from the
/// start of each call. 0 is refused: every call has a deadline.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_call_set_timeout_ms(
    call: *mut payments_call,
    timeout_ms: u64,
    error_out: *mut *mut payments_error,
) -> payments_status {
    // SAFETY: the caller passes a live handle.
    unsafe {
        boundary::status(error_out, || {
            let call = input::handle("call", call)?;
            if timeout_ms == 0 {
                let problem = "is 0; every call has a deadline";
                return Err(CallFailure::Argument { name: "timeout_ms", problem });
            }
            call.settings().timeout = Some(Duration::from_millis(timeout_ms));
            Ok(())
        })
    }
}

/// Sets how long later calls of `payments_client_ensure_payment` with this handle wait
/// for a payment that may exist and is not found, in milliseconds, in place of the
/// configuration's `ensure_wait_ms`. That call refuses more than 600000 as
/// PAYMENTS_STATUS_VALIDATION. Other calls ignore it.
///
/// Errors: PAYMENTS_STATUS_INVALID_ARGUMENT for a NULL handle.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_call_set_ensure_wait_ms(
    call: *mut payments_call,
    ensure_wait_ms: u64,
    error_out: *mut *mut payments_error,
) -> payments_status {
    // SAFETY: the caller passes a live handle.
    unsafe {
        boundary::status(error_out, || {
            let call = input::handle("call", call)?;
            call.settings().ensure_wait = Some(Duration::from_millis(ensure_wait_ms));
            Ok(())
        })
    }
}

/// Sends the header `traceparent` with the requests to the service of later
/// calls with this handle: `00-TRACE-SPAN-FLAGS` of W3C Trace Context. The
/// interface does not state it. It is not signed. Replaces an earlier one.
///
/// An observer may also use it on `request_started`, if one call runs with the
/// handle: the request of that event carries it. This gives each query of a
/// `wait_for_payment` its own header.
///
/// Threads: any, while no call runs with the handle; and as stated above.
/// Errors: PAYMENTS_STATUS_VALIDATION if it is not a traceparent,
/// PAYMENTS_STATUS_INVALID_ARGUMENT; an earlier one then stays.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_call_set_traceparent(
    call: *mut payments_call,
    traceparent: *const c_char,
    traceparent_length: usize,
    error_out: *mut *mut payments_error,
) -> payments_status {
    // SAFETY: the caller passes a live handle and a readable text.
    unsafe {
        boundary::status(error_out, || {
            let call = input::handle("call", call)?;
            let text = input::text("traceparent", traceparent, traceparent_length)?;
            call.settings().traceparent.set(text.parse()?);
            Ok(())
        })
    }
}

/// Sets a function that is called while a call waits, for example to check for
/// pending signals. Replaces an earlier one.
///
/// Ownership: the handle owns `user_data` from here on, even if this fails:
/// `destroy`, which may be NULL, is called once, when the handle and all calls
/// made with it are gone or another function is set.
/// Errors: PAYMENTS_STATUS_INVALID_ARGUMENT for a NULL handle or function.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_call_set_interrupt(
    call: *mut payments_call,
    user_data: *mut c_void,
    interrupt: payments_interrupt_fn,
    destroy: payments_destroy_fn,
    error_out: *mut *mut payments_error,
) -> payments_status {
    let user_data = UserData::new(user_data, destroy);
    // SAFETY: the caller passes a live handle.
    unsafe {
        boundary::status(error_out, move || {
            let call = input::handle("call", call)?;
            let interrupt = input::given("interrupt", interrupt)?;
            // The function and this user data were given together.
            let hook: InterruptHook = Arc::new(move || interrupt(user_data.pointer()) != 0);
            drop(call.replace_interrupt(hook));
            Ok(())
        })
    }
}

/// Cancels all calls with this handle, running and future ones. A call that has
/// not yet reported `request_ended` returns PAYMENTS_STATUS_CANCELLED. If its
/// response is complete by then, the error has the code
/// `interrupted_after_response` and the response: see `payments_error_response`.
/// NULL does nothing.
///
/// Threads: any, at any time, also within a callback.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_call_cancel(call: *const payments_call) {
    boundary::value((), || {
        // SAFETY: the caller passes NULL or a live handle.
        if let Some(call) = unsafe { call.as_ref() } {
            call.cancel.cancel();
        }
    });
}

/// Frees a call handle. NULL does nothing. A callback may free the handle of
/// the call that it serves.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_call_free(call: *mut payments_call) {
    // SAFETY: the caller passes NULL or a handle that was not freed.
    unsafe { boundary::take_back(call) }
}

/// The call that a callback serves. It belongs to the library and is
/// valid until the callback returns.
pub struct payments_context {
    pub(crate) context: CallContext,
}

impl input::Handle for payments_context {
    type Owner = input::Library;
}

impl payments_context {
    pub(crate) fn of(context: &CallContext) -> Self {
        Self { context: context.clone() }
    }
}

/// The remaining time of the call in milliseconds; 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_context_remaining_ms(context: *const payments_context) -> u64 {
    let left = |it: &payments_context| u64::try_from(it.context.remaining().as_millis()).ok();
    // SAFETY: the caller passes NULL or the context of this callback.
    unsafe { boundary::read(context, 0, |it| Some(left(it).unwrap_or(u64::MAX))) }
}

/// Whether the call has ended, by its deadline or a cancellation, or because a
/// callback forked and this is the child: 1 or 0; 1 for NULL. A callback that
/// waits checks this at least every 100 ms, and fails once the call has ended.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_context_has_ended(context: *const payments_context) -> i32 {
    // SAFETY: the caller passes NULL or the context of this callback.
    unsafe { boundary::read(context, 1, |it| Some(i32::from(it.context.ended().is_some()))) }
}
