//! The callbacks of a client.

use std::ffi::c_void;
use std::sync::Arc;

use payments_core::Config;
use payments_core::journal::Journal;
use payments_core::observer::Observer;
use payments_core::signer::Signer;
use payments_core::token::TokenStore;
use payments_core::transport::Transport;

use crate::boundary;
use crate::input;
use crate::status::payments_status;

/// Callbacks for new clients. A client keeps the callbacks; one handle can
/// serve several clients.
#[derive(Default)]
pub struct payments_options {
    pub(crate) signer: Option<Arc<dyn Signer>>,
    pub(crate) store: Option<Arc<dyn TokenStore>>,
    pub(crate) observer: Option<Arc<dyn Observer>>,
    pub(crate) transport: Option<Arc<dyn Transport>>,
    pub(crate) journal: Option<Arc<dyn Journal>>,
}

impl input::Handle for payments_options {
    type Owner = input::Caller;
}

impl payments_options {
    pub(crate) fn apply(&self, mut config: Config) -> Config {
        if let Some(signer) = &self.signer {
            config = config.signer(Arc::clone(signer));
        }
        if let Some(store) = &self.store {
            config = config.token_store(Arc::clone(store));
        }
        if let Some(transport) = &self.transport {
            config = config.transport(Arc::clone(transport));
        }
        if let Some(journal) = &self.journal {
            config = config.journal(Arc::clone(journal));
        }
        config
    }

    pub(crate) fn observer(&self) -> Option<Arc<dyn Observer>> {
        self.observer.clone()
    }
}

/// Frees what `user_data` points to. Called once, on any thread. It must not
/// throw.
pub type payments_destroy_fn = Option<unsafe extern "C" fn(user_data: *mut c_void)>;

/// The `user_data` of callbacks, and the function that frees it.
pub(crate) struct UserData {
    pointer: *mut c_void,
    destroy: payments_destroy_fn,
}

// SAFETY: the header requires callbacks and user data that any thread may use.
unsafe impl Send for UserData {}
// SAFETY: as above.
unsafe impl Sync for UserData {}

impl UserData {
    pub(crate) fn new(pointer: *mut c_void, destroy: payments_destroy_fn) -> Self {
        Self { pointer, destroy }
    }

    pub(crate) fn pointer(&self) -> *mut c_void {
        self.pointer
    }
}

impl Drop for UserData {
    fn drop(&mut self) {
        if let Some(destroy) = self.destroy {
            // SAFETY: the function came with this user data, and it is called
            // once.
            unsafe { destroy(self.pointer) }
        }
    }
}

/// Creates an empty set of options.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_options_new(
    options_out: *mut *mut payments_options,
) -> payments_status {
    // SAFETY: no error is written to NULL.
    unsafe {
        boundary::status(std::ptr::null_mut(), || {
            input::out_handle("options_out", options_out)?.give(payments_options::default());
            Ok(())
        })
    }
}

/// Frees the options. NULL does nothing. Clients made from them keep their
/// callbacks.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_options_free(options: *mut payments_options) {
    // SAFETY: the caller passes NULL or a handle that was not freed.
    unsafe { boundary::take_back(options) }
}
