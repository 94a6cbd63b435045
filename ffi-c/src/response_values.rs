// Generated from spec/operations by generate/templates/response_values.rs.jinja; do not edit. To update: cargo xtask generate

//! The members of a response that are texts and flags.

use std::ffi::c_char;

use crate::response::payments_response;
use crate::response_texts::{flag_of, text_of};

/// Status of the payment (`create_payment`, `query_payment`). Status of the
/// payout (`create_payout`, `query_payout`). Overall result: `SUCCESS` on
/// success (`register_tracking`). NULL if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_response_status(
    response: *const payments_response,
) -> *const c_char {
    // SAFETY: the caller passes NULL or a live handle.
    unsafe { text_of(response, "status") }
}

/// Payment hash, by which the payment is queried and refunded
/// (`create_payment`, `query_payment`). Hash of the refunded payment
/// (`refund_payment`). NULL if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_response_hash(
    response: *const payments_response,
) -> *const c_char {
    // SAFETY: the caller passes NULL or a live handle.
    unsafe { text_of(response, "hash") }
}

/// Merchant's own reference for the payment (`create_payment`,
/// `query_payment`). NULL if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_response_merchant_payment_code(
    response: *const payments_response,
) -> *const c_char {
    // SAFETY: the caller passes NULL or a live handle.
    unsafe { text_of(response, "merchant_payment_code") }
}

/// The code that the payer scans or pastes to pay by `pix`; if it is missing,
/// query it (`create_payment`, `query_payment`). Draw it with
/// `payments_qr_svg`. NULL if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_response_qr_code_value(
    response: *const payments_response,
) -> *const c_char {
    // SAFETY: the caller passes NULL or a live handle.
    unsafe { text_of(response, "qr_code_value") }
}

/// Page on which the payer continues (`create_payment`, `query_payment`). NULL
/// if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_response_redirect_url(
    response: *const payments_response,
) -> *const c_char {
    // SAFETY: the caller passes NULL or a live handle.
    unsafe { text_of(response, "redirect_url") }
}

/// Page with the pay slip to pay by `oxxo` (`create_payment`, `query_payment`).
/// NULL if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_response_oxxo_url(
    response: *const payments_response,
) -> *const c_char {
    // SAFETY: the caller passes NULL or a live handle.
    unsafe { text_of(response, "oxxo_url") }
}

/// Digits of the barcode to pay by `oxxo` (`create_payment`, `query_payment`).
/// NULL if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_response_oxxo_barcode(
    response: *const payments_response,
) -> *const c_char {
    // SAFETY: the caller passes NULL or a live handle.
    unsafe { text_of(response, "oxxo_barcode") }
}

/// Account (CLABE) to which the payer sends the money (`create_payment`,
/// `query_payment`). NULL if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_response_clabe_account(
    response: *const payments_response,
) -> *const c_char {
    // SAFETY: the caller passes NULL or a live handle.
    unsafe { text_of(response, "clabe_account") }
}

/// The last day on which the payer can pay (`create_payment`, `query_payment`).
/// NULL if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_response_due_date(
    response: *const payments_response,
) -> *const c_char {
    // SAFETY: the caller passes NULL or a live handle.
    unsafe { text_of(response, "due_date") }
}

/// The acquirer's code of its decision, for example `OK` or `NOK`
/// (`create_payment`, `query_payment`). NULL if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_response_decline_code(
    response: *const payments_response,
) -> *const c_char {
    // SAFETY: the caller passes NULL or a live handle.
    unsafe { text_of(response, "decline_code") }
}

/// The acquirer's decision in words (`create_payment`, `query_payment`). NULL
/// if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_response_decline_reason(
    response: *const payments_response,
) -> *const c_char {
    // SAFETY: the caller passes NULL or a live handle.
    unsafe { text_of(response, "decline_reason") }
}

/// The service's id of the refund (`refund_payment`). NULL if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_response_refund_id(
    response: *const payments_response,
) -> *const c_char {
    // SAFETY: the caller passes NULL or a live handle.
    unsafe { text_of(response, "refund_id") }
}

/// Status of the refund (`refund_payment`). NULL if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_response_refund_status(
    response: *const payments_response,
) -> *const c_char {
    // SAFETY: the caller passes NULL or a live handle.
    unsafe { text_of(response, "refund_status") }
}

/// Status of the refunded payment (`refund_payment`). NULL if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_response_payment_status(
    response: *const payments_response,
) -> *const c_char {
    // SAFETY: the caller passes NULL or a live handle.
    unsafe { text_of(response, "payment_status") }
}

/// The service's id of the payout (`create_payout`, `query_payout`). NULL if
/// there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_response_uid(
    response: *const payments_response,
) -> *const c_char {
    // SAFETY: the caller passes NULL or a live handle.
    unsafe { text_of(response, "uid") }
}

/// Merchant's reference for the payout (`create_payout`, `query_payout`). NULL
/// if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_response_external_reference(
    response: *const payments_response,
) -> *const c_char {
    // SAFETY: the caller passes NULL or a live handle.
    unsafe { text_of(response, "external_reference") }
}

/// The service's code of a cancelled payout, for example `TAX_ID_MISMATCH`
/// (`create_payout`, `query_payout`). NULL if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_response_code(
    response: *const payments_response,
) -> *const c_char {
    // SAFETY: the caller passes NULL or a live handle.
    unsafe { text_of(response, "code") }
}

/// Amount in `currency`, as it was requested: 10.50, not 1050 cents
/// (`create_payout`, `query_payout`). NULL if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_response_amount(
    response: *const payments_response,
) -> *const c_char {
    // SAFETY: the caller passes NULL or a live handle.
    unsafe { text_of(response, "amount") }
}

/// Three-letter currency code of `amount` (`create_payout`, `query_payout`).
/// NULL if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_response_currency(
    response: *const payments_response,
) -> *const c_char {
    // SAFETY: the caller passes NULL or a live handle.
    unsafe { text_of(response, "currency") }
}

/// When the payout was requested, as the service wrote it (`create_payout`,
/// `query_payout`). NULL if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_response_request_date(
    response: *const payments_response,
) -> *const c_char {
    // SAFETY: the caller passes NULL or a live handle.
    unsafe { text_of(response, "request_date") }
}

/// When the status changed, as the service wrote it (`create_payout`,
/// `query_payout`). NULL if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_response_status_date(
    response: *const payments_response,
) -> *const c_char {
    // SAFETY: the caller passes NULL or a live handle.
    unsafe { text_of(response, "status_date") }
}

/// When the payee got the money, as the service wrote it (`create_payout`,
/// `query_payout`). NULL if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_response_paid_date(
    response: *const payments_response,
) -> *const c_char {
    // SAFETY: the caller passes NULL or a live handle.
    unsafe { text_of(response, "paid_date") }
}

/// When the payout was cancelled, as the service wrote it (`create_payout`,
/// `query_payout`). NULL if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_response_cancel_date(
    response: *const payments_response,
) -> *const c_char {
    // SAFETY: the caller passes NULL or a live handle.
    unsafe { text_of(response, "cancel_date") }
}

/// Whether the payment is paid: true for the status `CO` only
/// (`create_payment`, `query_payment`). Whether the payee has the money: true
/// for the status `PA` only (`create_payout`, `query_payout`). 1 or 0; 0 for
/// NULL, and if the response says nothing about it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_response_is_paid(response: *const payments_response) -> i32 {
    // SAFETY: the caller passes NULL or a live handle.
    unsafe { flag_of(response, "is_paid") }
}

/// Whether a card payment is authorized and waits for its capture
/// (`create_payment`, `query_payment`). 1 or 0; 0 for NULL, and if the response
/// says nothing about it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_response_capture_available(
    response: *const payments_response,
) -> i32 {
    // SAFETY: the caller passes NULL or a live handle.
    unsafe { flag_of(response, "capture_available") }
}

/// Whether every code was newly registered, and nothing differs from the
/// request (`register_tracking`). 1 or 0; 0 for NULL, and if the response says
/// nothing about it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_response_all_created(response: *const payments_response) -> i32 {
    // SAFETY: the caller passes NULL or a live handle.
    unsafe { flag_of(response, "all_created") }
}
