//! Token stores as callbacks.

use std::ffi::{CString, c_char, c_void};
use std::sync::Arc;

use payments_core::token::{Fence, StoreError, TokenEntry, TokenKey, TokenStore};
use payments_core::{CallContext, Secret};
use zeroize::Zeroizing;

use crate::boundary;
use crate::call::payments_context;
use crate::error::payments_error;
use crate::failure::CallFailure;
use crate::input;
use crate::nul_terminated::NulTerminated;
use crate::options::{UserData, payments_destroy_fn, payments_options};
use crate::sink::payments_sink;
use crate::status::payments_status;
use crate::text::payments_text;

/// A token store. All functions are required. `key` is a text of 64 hexadecimal
/// digits that names the entry. Entries are JSON texts that contain a token:
/// treat them as secrets. All texts end in NUL. Functions return a negative
/// value if the store does not work; the call then continues with a token in
/// memory, and the observer gets an event. They must not throw, and several threads
/// may call them at once.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct payments_token_store_callbacks {
    /// `sizeof(payments_token_store_callbacks)`. It identifies the members that
    /// the caller knows: later versions may append more.
    pub size: usize,
    /// Writes the entry to `entry_out`, or nothing if there is none. Returns 0.
    pub load: Option<
        unsafe extern "C" fn(
            user_data: *mut c_void,
            context: *const payments_context,
            key: *const c_char,
            entry_out: *mut payments_sink,
        ) -> i32,
    >,
    /// Saves the entry, unless one was saved with a larger fence. Returns 1 if
    /// it saved the entry, otherwise 0.
    pub save: Option<
        unsafe extern "C" fn(
            user_data: *mut c_void,
            context: *const payments_context,
            key: *const c_char,
            entry: *const c_char,
            entry_length: usize,
            fence: u64,
        ) -> i32,
    >,
    /// Removes the token of the entry if it is `value`, and keeps the rest:
    /// `payments_entry_without_token` returns what to keep. Must be atomic with
    /// other changes of the entry. Returns 1 if it removed the token, otherwise
    /// 0.
    pub delete_if: Option<
        unsafe extern "C" fn(
            user_data: *mut c_void,
            context: *const payments_context,
            key: *const c_char,
            value: *const c_char,
            value_length: usize,
        ) -> i32,
    >,
    /// Takes the lock of the entry without waiting. Returns 1 and writes to
    /// `fence_out` a number larger than that of every earlier lock. Returns 0
    /// if another holder has the lock.
    pub try_lock: Option<
        unsafe extern "C" fn(
            user_data: *mut c_void,
            context: *const payments_context,
            key: *const c_char,
            fence_out: *mut u64,
        ) -> i32,
    >,
    /// Releases the lock, unless it lapsed and another holder has it.
    pub unlock:
        Option<unsafe extern "C" fn(user_data: *mut c_void, key: *const c_char, fence: u64)>,
}

/// The values of members that the caller does not know.
const EMPTY: payments_token_store_callbacks = payments_token_store_callbacks {
    size: 0,
    load: None,
    save: None,
    delete_if: None,
    try_lock: None,
    unlock: None,
};

struct CallbackStore {
    user_data: UserData,
    callbacks: payments_token_store_callbacks,
}

fn missing() -> StoreError {
    StoreError::new("a function of the token store is missing")
}

fn broken() -> StoreError {
    StoreError::new("a callback of the token store failed")
}

fn named(key: &TokenKey) -> CString {
    CString::new(key.as_str()).unwrap_or_default()
}

impl TokenStore for CallbackStore {
    fn load(&self, context: &CallContext, key: &TokenKey) -> Result<TokenEntry, StoreError> {
        let load = self.callbacks.load.ok_or_else(missing)?;
        let (context, key) = (payments_context::of(context), named(key));
        let mut entry = payments_sink::new();
        // SAFETY: the function came with this user data; all pointers are
        // valid until it returns.
        match unsafe { load(self.user_data.pointer(), &context, key.as_ptr(), &mut entry) } {
            0 => Ok(TokenEntry::from_json(&entry.into_bytes())),
            _ => Err(broken()),
        }
    }

    fn save(
        &self,
        context: &CallContext,
        key: &TokenKey,
        entry: &TokenEntry,
        fence: Fence,
    ) -> Result<bool, StoreError> {
        let save = self.callbacks.save.ok_or_else(missing)?;
        let (context, key) = (payments_context::of(context), named(key));
        // Hosts that treat it as a `const char *` read up to a NUL.
        let entry = NulTerminated::new(Zeroizing::new(entry.to_json().to_bytes()));
        let (data, length) = (entry.as_ptr(), entry.length());
        // SAFETY: as in `load`.
        let saved = unsafe {
            save(self.user_data.pointer(), &context, key.as_ptr(), data, length, fence.0)
        };
        yes_or_no(saved)
    }

    fn delete_if(
        &self,
        context: &CallContext,
        key: &TokenKey,
        value: &Secret,
    ) -> Result<bool, StoreError> {
        let delete_if = self.callbacks.delete_if.ok_or_else(missing)?;
        let (context, key) = (payments_context::of(context), named(key));
        let value = NulTerminated::new(value.expose());
        let (data, length) = (value.as_ptr(), value.length());
        // SAFETY: as in `load`.
        let deleted =
            unsafe { delete_if(self.user_data.pointer(), &context, key.as_ptr(), data, length) };
        yes_or_no(deleted)
    }

    fn try_lock(&self, context: &CallContext, key: &TokenKey) -> Result<Option<Fence>, StoreError> {
        let try_lock = self.callbacks.try_lock.ok_or_else(missing)?;
        let (context, key) = (payments_context::of(context), named(key));
        let mut fence = 0;
        // SAFETY: as in `load`.
        let locked =
            unsafe { try_lock(self.user_data.pointer(), &context, key.as_ptr(), &mut fence) };
        Ok(yes_or_no(locked)?.then_some(Fence(fence)))
    }

    fn unlock(&self, key: &TokenKey, fence: Fence) {
        if let Some(unlock) = self.callbacks.unlock {
            let key = named(key);
            // SAFETY: as in `load`.
            unsafe { unlock(self.user_data.pointer(), key.as_ptr(), fence.0) }
        }
    }
}

fn yes_or_no(status: i32) -> Result<bool, StoreError> {
    match status {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(broken()),
    }
}

/// Keeps bearer tokens in your own store. The callbacks are copied.
/// Replaces an earlier store.
///
/// Errors: PAYMENTS_STATUS_INVALID_ARGUMENT for NULL options or callbacks, or
/// if one of the functions is NULL or `size` is too small for it.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_options_set_token_store(
    options: *mut payments_options,
    user_data: *mut c_void,
    callbacks: *const payments_token_store_callbacks,
    destroy: payments_destroy_fn,
    error_out: *mut *mut payments_error,
) -> payments_status {
    let user_data = UserData::new(user_data, destroy);
    // SAFETY: the caller passes a live handle and readable callbacks.
    unsafe {
        boundary::status(error_out, move || {
            let options = input::handle_mut("options", options)?;
            let callbacks = input::table("callbacks", callbacks, EMPTY)?;
            let is_whole = callbacks.load.is_some()
                && callbacks.save.is_some()
                && callbacks.delete_if.is_some()
                && callbacks.try_lock.is_some()
                && callbacks.unlock.is_some();
            if !is_whole {
                let problem = "has a function that is NULL";
                return Err(CallFailure::Argument { name: "callbacks", problem });
            }
            let before = options.store.replace(Arc::new(CallbackStore { user_data, callbacks }));
            drop(before);
            Ok(())
        })
    }
}

/// Removes the token from an entry of a token store, if that token is `value`.
/// For the callback `delete_if`, which then needs no JSON library. `text_out`
/// gets the entry to keep, or NULL if the entry has another token
/// or none: then change nothing.
///
/// Threads: any, several at once.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_entry_without_token(
    entry: *const c_char,
    entry_length: usize,
    value: *const c_char,
    value_length: usize,
    text_out: *mut *mut payments_text,
    error_out: *mut *mut payments_error,
) -> payments_status {
    // SAFETY: the caller passes readable texts.
    unsafe {
        boundary::status(error_out, || {
            let out = input::out_handle("text_out", text_out)?;
            let mut entry =
                TokenEntry::from_json(input::bytes("entry", entry.cast(), entry_length)?);
            let value = Secret::new(input::text("value", value, value_length)?);
            if entry.token.take_if(|token| token.value == value).is_some() {
                out.give(payments_text::new(Zeroizing::new(entry.to_json().to_bytes())));
            }
            Ok(())
        })
    }
}
