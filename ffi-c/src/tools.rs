//! Keys, and tokens beside a client.

use std::ffi::c_char;

use payments_core::signer;
use payments_core::tools::{doctor_report, verify_report};

use crate::boundary;
use crate::error::payments_error;
use crate::input;
use crate::status::payments_status;
use crate::text::payments_text;

/// Makes an RSA key pair of 4096 bits, which takes about a second. The private
/// key is PKCS#8 PEM: keep it secret. The public key goes to the provider, who
/// returns the kid.
///
/// Both places get a handle to be freed with `payments_text_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_generate_key(
    private_key_out: *mut *mut payments_text,
    public_key_out: *mut *mut payments_text,
    error_out: *mut *mut payments_error,
) -> payments_status {
    // SAFETY: the caller gives places for handles.
    unsafe {
        boundary::status(error_out, || {
            let private_key = input::handle_out("private_key_out", private_key_out)?;
            let public_key = input::handle_out("public_key_out", public_key_out)?;
            let generated = signer::generate_key()?;
            *private_key = input::give(payments_text::new(generated.private_key_pem.expose()));
            *public_key = input::give(payments_text::new(generated.public_key_pem));
            Ok(())
        })
    }
}

/// Checks a token of X-JWS-Signature over the bytes of a body with a public
/// key (PEM). `token` may be NULL: there was none.
///
/// `report_out` gets JSON text with `valid`, and for a refused token `cause`,
/// `detail` and `remedy`, as a handle to be freed with `payments_text_free`.
/// PAYMENTS_STATUS_OK means that the token could be checked, not that it is
/// valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_verify(
    public_key: *const c_char,
    public_key_length: usize,
    token: *const c_char,
    token_length: usize,
    body: *const u8,
    body_length: usize,
    report_out: *mut *mut payments_text,
    error_out: *mut *mut payments_error,
) -> payments_status {
    // SAFETY: the caller gives readable texts.
    unsafe {
        boundary::status(error_out, || {
            let out = input::handle_out("report_out", report_out)?;
            let public_key = input::text("public_key", public_key, public_key_length)?;
            let token = input::optional_text("token", token, token_length)?;
            let body = input::bytes("body", body, body_length)?;
            let report = verify_report(public_key, token, body)?;
            *out = input::give(payments_text::new(report.to_bytes()));
            Ok(())
        })
    }
}

/// Says what is wrong with a token, and what would have verified: another
/// serialization of the body, another of the given keys, and so on.
/// `public_keys` is the JSON text of an array of PEM texts, or of objects with
/// `public_key` and `kid`. `token` may be NULL.
///
/// `report_out` gets JSON text with `cause`, `finding` and `message`, as a
/// handle to be freed with `payments_text_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_doctor(
    public_keys: *const c_char,
    public_keys_length: usize,
    token: *const c_char,
    token_length: usize,
    body: *const u8,
    body_length: usize,
    report_out: *mut *mut payments_text,
    error_out: *mut *mut payments_error,
) -> payments_status {
    // SAFETY: the caller gives readable texts.
    unsafe {
        boundary::status(error_out, || {
            let out = input::handle_out("report_out", report_out)?;
            let keys = input::text("public_keys", public_keys, public_keys_length)?;
            let token = input::optional_text("token", token, token_length)?;
            let body = input::bytes("body", body, body_length)?;
            let report = doctor_report(keys.as_bytes(), token, body)?;
            *out = input::give(payments_text::new(report.to_bytes()));
            Ok(())
        })
    }
}
