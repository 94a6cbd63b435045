//! Signers as callbacks.

use std::ffi::{c_char, c_void};
use std::sync::Arc;

use payments_core::CallContext;
use payments_core::signer::{Signer, SignerError, SigningInput};

use crate::boundary;
use crate::call::payments_context;
use crate::error::payments_error;
use crate::input;
use crate::options::{UserData, payments_destroy_fn, payments_options};
use crate::sink::payments_sink;
use crate::status::payments_status;

/// Makes the raw RSASSA-PKCS1-v1_5 signature with SHA-256 over `input`, and
/// writes it to `signature_out`: 512 bytes, with `allow_small_keys` also fewer.
/// `sha256` points to the 32 bytes of the digest of `input`, for services that
/// sign digests.
///
/// Returns 0. On failure, writes a message for the caller of the operation to
/// `message_out` and returns another value. It must not throw, and several
/// threads may call it at once.
pub type payments_sign_fn = Option<
    unsafe extern "C" fn(
        user_data: *mut c_void,
        context: *const payments_context,
        input: *const u8,
        input_length: usize,
        sha256: *const u8,
        signature_out: *mut payments_sink,
        message_out: *mut payments_sink,
    ) -> i32,
>;

struct CallbackSigner {
    kid: String,
    user_data: UserData,
    sign: unsafe extern "C" fn(
        *mut c_void,
        *const payments_context,
        *const u8,
        usize,
        *const u8,
        *mut payments_sink,
        *mut payments_sink,
    ) -> i32,
}

impl Signer for CallbackSigner {
    fn kid(&self) -> &str {
        &self.kid
    }

    fn sign(
        &self,
        context: &CallContext,
        input: &SigningInput<'_>,
    ) -> Result<Vec<u8>, SignerError> {
        let context = payments_context::of(context);
        let (mut signature, mut message) = (payments_sink::new(), payments_sink::new());
        let digest = input.sha256();
        // SAFETY: the function came with this user data; all pointers are
        // valid until it returns.
        let status = unsafe {
            (self.sign)(
                self.user_data.pointer(),
                &context,
                input.bytes().as_ptr(),
                input.bytes().len(),
                digest.as_ptr(),
                &mut signature,
                &mut message,
            )
        };
        match status {
            0 => Ok(signature.into_bytes().to_vec()),
            _ => Err(SignerError::new(message.into_message("the signer's callback failed"))),
        }
    }
}

/// Signs with a callback instead of a key, for example with an HSM or a key
/// management service. `kid` is the key id assigned at registration. Set
/// `public_key` in the configuration to have every signature verified before
/// anything is sent. Replaces an earlier signer.
///
/// Errors: PAYMENTS_STATUS_INVALID_ARGUMENT for NULL options or function, or a
/// `kid` that is not UTF-8.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_options_set_signer(
    options: *mut payments_options,
    user_data: *mut c_void,
    kid: *const c_char,
    kid_length: usize,
    sign: payments_sign_fn,
    destroy: payments_destroy_fn,
    error_out: *mut *mut payments_error,
) -> payments_status {
    let user_data = UserData::new(user_data, destroy);
    // SAFETY: the caller passes a live handle and a readable text.
    unsafe {
        boundary::status(error_out, move || {
            let options = input::handle_mut("options", options)?;
            let kid = input::text("kid", kid, kid_length)?.to_owned();
            let sign = input::given("sign", sign)?;
            let before = options.signer.replace(Arc::new(CallbackSigner { kid, user_data, sign }));
            drop(before);
            Ok(())
        })
    }
}
