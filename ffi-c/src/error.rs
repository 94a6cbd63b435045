//! What went wrong.

use std::ffi::{CString, c_char};

use payments_core::Error;

use crate::boundary::{self, Failure};
use crate::input;
use crate::status::{payments_outcome, payments_status};

/// What went wrong. All texts and bytes of an error are valid until it is
/// freed. It may be read by several threads at once.
pub struct payments_error {
    status: payments_status,
    core: Option<Error>,
    message: CString,
    texts: Texts,
    report: Vec<u8>,
}

/// The texts of the core's error, ended by NUL.
#[derive(Default)]
struct Texts {
    code: CString,
    advice: Option<CString>,
    path: Option<CString>,
    operation: Option<CString>,
    reference: Option<CString>,
    service_code: Option<CString>,
    service_message: Option<CString>,
    payment_hash: Option<CString>,
    diagnosis_cause: Option<CString>,
    diagnosis_finding: Option<CString>,
    diagnosis_message: Option<CString>,
}

impl payments_error {
    pub(crate) fn of(failure: Failure) -> Self {
        match failure {
            Failure::Core(error) => Self::of_core(*error),
            Failure::Argument { name, problem } => {
                let status = payments_status::PAYMENTS_STATUS_INVALID_ARGUMENT;
                Self::plain(status, "invalid_argument", &format!("{name} {problem}"), Some(name))
            }
        }
    }

    pub(crate) fn of_panic() -> Self {
        let message = "a bug in libpayments was caught; please report it";
        Self::plain(payments_status::PAYMENTS_STATUS_INTERNAL, "panic", message, None)
    }

    fn plain(
        status: payments_status,
        code: &str,
        message: &str,
        path: Option<&'static str>,
    ) -> Self {
        let kind = if status == payments_status::PAYMENTS_STATUS_INTERNAL {
            "internal"
        } else {
            "invalid_argument"
        };
        let mut report = payments_core::json::Members::new();
        report.push("kind", kind);
        report.push("code", code);
        report.push("message", message);
        report.push("outcome", "not_executed");
        report.push("path", path);
        let report = ended(report.to_bytes());
        let texts = Texts { code: c(code), path: path.map(c), ..Texts::default() };
        Self { status, core: None, message: c(message), texts, report }
    }

    fn of_core(error: Error) -> Self {
        let diagnosis = error.diagnosis();
        let texts = Texts {
            code: c(error.code()),
            advice: error.advice().map(c),
            path: error.path().map(c),
            operation: error.operation().map(|operation| c(operation.name())),
            reference: error.reference().map(c),
            service_code: error.service_code().map(c),
            service_message: error.service_message().map(c),
            payment_hash: error.payment_hash().map(c),
            diagnosis_cause: diagnosis
                .and_then(|found| found.cause())
                .map(|cause| c(cause.as_str())),
            diagnosis_finding: diagnosis.map(|found| c(found.code())),
            diagnosis_message: diagnosis.map(|found| c(found.message())),
        };
        Self {
            status: payments_status::of(error.kind()),
            message: c(error.message()),
            report: ended(error.to_json().to_bytes()),
            texts,
            core: Some(error),
        }
    }
}

/// A text ended by NUL; a NUL inside of it becomes U+FFFD.
fn c(text: &str) -> CString {
    CString::new(text.replace('\0', "\u{fffd}")).unwrap_or_default()
}

fn ended(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes.push(0);
    bytes
}

/// Writes an error, or NULL, to a place that may be NULL.
///
/// # Safety
/// `error_out` is NULL or points to a place for a pointer.
pub(crate) unsafe fn give(error_out: *mut *mut payments_error, error: Option<payments_error>) {
    if !error_out.is_null() {
        let given = error.map_or(std::ptr::null_mut(), input::give);
        // SAFETY: not NULL, and as this function's.
        unsafe { error_out.write(given) };
    }
}

/// Reads a text of an error; NULL when there is none, or no error.
unsafe fn text_of(
    error: *const payments_error,
    pick: impl FnOnce(&payments_error) -> Option<&CString>,
) -> *const c_char {
    boundary::value(std::ptr::null(), || {
        // SAFETY: the caller gives NULL or a live error.
        let error = unsafe { error.as_ref() };
        error.and_then(pick).map_or(std::ptr::null(), |text| text.as_ptr())
    })
}

/// Reads a value of the core's error, or `default`.
unsafe fn value_of<T: Copy>(
    error: *const payments_error,
    default: T,
    pick: impl FnOnce(&Error) -> Option<T>,
) -> T {
    boundary::value(default, || {
        // SAFETY: the caller gives NULL or a live error.
        let error = unsafe { error.as_ref() };
        error.and_then(|error| error.core.as_ref()).and_then(pick).unwrap_or(default)
    })
}

/// What kind of failure it is: the same value that the function returned.
/// PAYMENTS_STATUS_OK for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_error_status(error: *const payments_error) -> payments_status {
    boundary::value(payments_status::PAYMENTS_STATUS_INTERNAL, || {
        // SAFETY: the caller gives NULL or a live error.
        unsafe { error.as_ref() }.map_or(payments_status::PAYMENTS_STATUS_OK, |error| error.status)
    })
}

/// Whether the operation may have been executed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_error_outcome(error: *const payments_error) -> payments_outcome {
    // SAFETY: as this function's.
    unsafe {
        value_of(error, payments_outcome::PAYMENTS_OUTCOME_NOT_EXECUTED, |error| {
            Some(error.outcome().into())
        })
    }
}

/// A stable code within the kind, for example `token_quiet_period`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_error_code(error: *const payments_error) -> *const c_char {
    // SAFETY: as this function's.
    unsafe { text_of(error, |error| Some(&error.texts.code)) }
}

/// What happened and what to do next. It holds no secret and no payer data.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_error_message(error: *const payments_error) -> *const c_char {
    // SAFETY: as this function's.
    unsafe { text_of(error, |error| Some(&error.message)) }
}

/// What to do about an unknown outcome: how to find out what was done. NULL
/// when the operation was not executed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_error_advice(error: *const payments_error) -> *const c_char {
    // SAFETY: as this function's.
    unsafe { text_of(error, |error| error.texts.advice.as_ref()) }
}

/// The member of the request or of the configuration at fault, for example
/// `payment.document`, or the parameter. NULL when none is.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_error_path(error: *const payments_error) -> *const c_char {
    // SAFETY: as this function's.
    unsafe { text_of(error, |error| error.texts.path.as_ref()) }
}

/// The operation that failed, for example `create_payment`, or NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_error_operation(error: *const payments_error) -> *const c_char {
    // SAFETY: as this function's.
    unsafe { text_of(error, |error| error.texts.operation.as_ref()) }
}

/// The merchant's own reference for what was asked, or NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_error_reference(error: *const payments_error) -> *const c_char {
    // SAFETY: as this function's.
    unsafe { text_of(error, |error| error.texts.reference.as_ref()) }
}

/// The status of the service's answer, or 0 if there was none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_error_http_status(error: *const payments_error) -> i32 {
    // SAFETY: as this function's.
    unsafe { value_of(error, 0, |error| error.http_status().map(i32::from)) }
}

/// The service's own code, for example `BP-DR-0`, or NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_error_service_code(
    error: *const payments_error,
) -> *const c_char {
    // SAFETY: as this function's.
    unsafe { text_of(error, |error| error.texts.service_code.as_ref()) }
}

/// The service's own message, or NULL. It may repeat payer data: do not log
/// it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_error_service_message(
    error: *const payments_error,
) -> *const c_char {
    // SAFETY: as this function's.
    unsafe { text_of(error, |error| error.texts.service_message.as_ref()) }
}

/// The hash of a payment that the answer names, or NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_error_payment_hash(
    error: *const payments_error,
) -> *const c_char {
    // SAFETY: as this function's.
    unsafe { text_of(error, |error| error.texts.payment_hash.as_ref()) }
}

/// How many milliseconds to wait before asking again, or -1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_error_retry_after_ms(error: *const payments_error) -> i64 {
    // SAFETY: as this function's.
    unsafe {
        value_of(error, -1, |error| {
            error.retry_after().and_then(|after| i64::try_from(after.as_millis()).ok())
        })
    }
}

/// Which of the interface's causes of a 401 it is, for example
/// `signature_mismatch`, or NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_error_diagnosis_cause(
    error: *const payments_error,
) -> *const c_char {
    // SAFETY: as this function's.
    unsafe { text_of(error, |error| error.texts.diagnosis_cause.as_ref()) }
}

/// What the doctor found on a 401, for example `kid_unregistered`, or NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_error_diagnosis_finding(
    error: *const payments_error,
) -> *const c_char {
    // SAFETY: as this function's.
    unsafe { text_of(error, |error| error.texts.diagnosis_finding.as_ref()) }
}

/// What the doctor found on a 401 and what to do about it, or NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_error_diagnosis_message(
    error: *const payments_error,
) -> *const c_char {
    // SAFETY: as this function's.
    unsafe { text_of(error, |error| error.texts.diagnosis_message.as_ref()) }
}

/// How often the request was tried.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_error_attempts(error: *const payments_error) -> u32 {
    // SAFETY: as this function's.
    unsafe { value_of(error, 0, |error| Some(error.attempts())) }
}

/// The body that was signed and sent, at most its first 64 KiB, and its
/// length; NULL and 0 if nothing was signed. It holds payer data.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_error_request_bytes(
    error: *const payments_error,
    length_out: *mut usize,
) -> *const u8 {
    // SAFETY: as this function's.
    unsafe { bytes_of(error, length_out, Error::request_bytes) }
}

/// The body of the answer, at most its first 64 KiB, and its length; NULL and
/// 0 if there was none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_error_response_bytes(
    error: *const payments_error,
    length_out: *mut usize,
) -> *const u8 {
    // SAFETY: as this function's.
    unsafe { bytes_of(error, length_out, Error::response_bytes) }
}

/// Everything the error knows but the bytes, as the JSON text of one object.
/// NULL for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_error_json(error: *const payments_error) -> *const c_char {
    boundary::value(std::ptr::null(), || {
        // SAFETY: the caller gives NULL or a live error.
        unsafe { error.as_ref() }.map_or(std::ptr::null(), |error| error.report.as_ptr().cast())
    })
}

/// Frees an error. NULL does nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_error_free(error: *mut payments_error) {
    // SAFETY: the caller gives NULL or an error that was not freed.
    unsafe { input::take_back(error) }
}

unsafe fn bytes_of(
    error: *const payments_error,
    length_out: *mut usize,
    pick: impl FnOnce(&Error) -> Option<&[u8]>,
) -> *const u8 {
    boundary::value(std::ptr::null(), || {
        // SAFETY: the caller gives NULL or a live error.
        let core = unsafe { error.as_ref() }.and_then(|error| error.core.as_ref());
        let bytes = core.and_then(pick);
        if !length_out.is_null() {
            // SAFETY: the caller gives NULL or a place for a length.
            unsafe { length_out.write(bytes.map_or(0, <[u8]>::len)) };
        }
        bytes.map_or(std::ptr::null(), <[u8]>::as_ptr)
    })
}
