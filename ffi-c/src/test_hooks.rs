//! Deliberate panics, for testing the boundary.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use payments_core::CallContext;
use payments_core::Secret;
use payments_core::observer::{Event, Observer};
use payments_core::signer::{Signer, SignerError, SigningInput};
use payments_core::token::{Fence, StoreError, TokenEntry, TokenKey, TokenStore};
use payments_core::transport::{PreparedRequest, Received, Transport, TransportFailure};

use crate::boundary;
use crate::call::payments_call;
use crate::error::payments_error;
use crate::failure::CallFailure;
use crate::input;
use crate::options::payments_options;
use crate::status::payments_status;

/// Implements traits of the core by panicking.
struct Panicking;

#[allow(clippy::panic, reason = "the panic is the purpose")]
fn panic_now() -> ! {
    panic!("a test asked for this")
}

impl Signer for Panicking {
    fn kid(&self) -> &str {
        "panicking"
    }

    fn sign(&self, _: &CallContext, _: &SigningInput<'_>) -> Result<Vec<u8>, SignerError> {
        panic_now()
    }
}

impl TokenStore for Panicking {
    fn load(&self, _: &CallContext, _: &TokenKey) -> Result<TokenEntry, StoreError> {
        panic_now()
    }

    fn save(
        &self,
        _: &CallContext,
        _: &TokenKey,
        _: &TokenEntry,
        _: Fence,
    ) -> Result<bool, StoreError> {
        panic_now()
    }

    fn delete_if(&self, _: &CallContext, _: &TokenKey, _: &Secret) -> Result<bool, StoreError> {
        panic_now()
    }

    fn try_lock(&self, _: &CallContext, _: &TokenKey) -> Result<Option<Fence>, StoreError> {
        panic_now()
    }

    fn unlock(&self, _: &TokenKey, _: Fence) {
        panic_now()
    }
}

impl Observer for Panicking {
    fn on_event(&self, _: &Event<'_>) {
        panic_now()
    }
}

impl Transport for Panicking {
    fn send(&self, _: &CallContext, _: &PreparedRequest) -> Result<Received, TransportFailure> {
        panic_now()
    }
}

/// Panics inside the boundary.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_test_panic(
    error_out: *mut *mut payments_error,
) -> payments_status {
    // SAFETY: the caller passes a place for an error, or NULL.
    unsafe { boundary::status(error_out, || panic_now()) }
}

/// Installs something that panics in the core: 0 as the signer, 1 as the token
/// store, 2 as the observer, 3 as the transport.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_test_options_panic(
    options: *mut payments_options,
    seam: i32,
) -> payments_status {
    // SAFETY: the caller passes a live handle.
    unsafe {
        boundary::status(std::ptr::null_mut(), || {
            let options = input::handle_mut("options", options)?;
            match seam {
                0 => options.signer = Some(Arc::new(Panicking)),
                1 => options.store = Some(Arc::new(Panicking)),
                2 => options.observer = Some(Arc::new(Panicking)),
                3 => options.transport = Some(Arc::new(Panicking)),
                _ => return Err(CallFailure::Argument { name: "seam", problem: "is none" }),
            }
            Ok(())
        })
    }
}

/// Makes the core panic during a call: the interrupt hook panics from its call
/// `number` on, counted from 1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_test_call_panic(
    call: *mut payments_call,
    number: u32,
) -> payments_status {
    // SAFETY: the caller passes a live handle.
    unsafe {
        boundary::status(std::ptr::null_mut(), || {
            let asked = AtomicU32::new(0);
            let hook = move || {
                if asked.fetch_add(1, Ordering::Relaxed) + 1 >= number {
                    panic_now()
                }
                false
            };
            drop(input::handle("call", call)?.replace_interrupt(Arc::new(hook)));
            Ok(())
        })
    }
}
