//! Observers as callbacks.

use std::ffi::{c_char, c_void};
use std::sync::Arc;

use payments_core::observer::{Event, Observer};

use crate::boundary;
use crate::error::payments_error;
use crate::input;
use crate::options::{UserData, payments_destroy_fn, payments_options};
use crate::status::payments_status;

/// Receives an event of a client. `event` is the JSON text of an object with
/// `event` and its members: `length` bytes followed by a NUL, valid until the
/// function returns. Events contain no secrets or payer data. They are listed
/// above, under "Events that an observer receives".
///
/// Called on the thread that makes the call. It must not throw.
pub type payments_event_fn =
    Option<unsafe extern "C" fn(user_data: *mut c_void, event: *const c_char, length: usize)>;

struct CallbackObserver {
    user_data: UserData,
    on_event: unsafe extern "C" fn(*mut c_void, *const c_char, usize),
}

impl Observer for CallbackObserver {
    fn on_event(&self, event: &Event<'_>) {
        let mut text = event.to_json().to_bytes();
        let length = text.len();
        text.push(0);
        // SAFETY: the function came with this user data, and the text is
        // valid until it returns.
        unsafe { (self.on_event)(self.user_data.pointer(), text.as_ptr().cast(), length) }
    }
}

/// Passes the events of a client to a callback. Replaces an earlier one.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_options_set_observer(
    options: *mut payments_options,
    user_data: *mut c_void,
    on_event: payments_event_fn,
    destroy: payments_destroy_fn,
    error_out: *mut *mut payments_error,
) -> payments_status {
    let user_data = UserData::new(user_data, destroy);
    // SAFETY: the caller passes a live handle.
    unsafe {
        boundary::status(error_out, move || {
            let options = input::handle_mut("options", options)?;
            let on_event = input::given("on_event", on_event)?;
            let before =
                options.observer.replace(Arc::new(CallbackObserver { user_data, on_event }));
            drop(before);
            Ok(())
        })
    }
}
