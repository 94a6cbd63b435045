//! Tools for keys and signatures.

use std::ffi::c_char;

use payments_core::Error;
use payments_core::json::Json;
use payments_core::{qr_png, qr_svg, signer};
use payments_host::by_name::{
    command_failure, command_plan, explanation, lint_report, next_step_report, verify_report,
};
use payments_host::spelling::{Spelling, spelled};

use crate::error::payments_error;
use crate::status::payments_status;
use crate::text::payments_text;
use crate::{boundary, input};

/// Generates a 4096-bit RSA key pair, which takes about a second. The private
/// key is PKCS#8 PEM: keep it secret. Send the public key to the provider, who
/// returns the kid.
///
/// Ownership: both places get a handle, to be freed with
/// `payments_text_free`; NULL on failure.
/// Errors: PAYMENTS_STATUS_INVALID_ARGUMENT if a place is NULL,
/// PAYMENTS_STATUS_INTERNAL.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_generate_key(
    private_key_out: *mut *mut payments_text,
    public_key_out: *mut *mut payments_text,
    error_out: *mut *mut payments_error,
) -> payments_status {
    // SAFETY: the caller passes places for handles.
    unsafe {
        boundary::status(error_out, || {
            // Both are set to NULL before either is checked.
            let private_key = input::out_handle("private_key_out", private_key_out);
            let public_key = input::out_handle("public_key_out", public_key_out);
            let (private_key, public_key) = (private_key?, public_key?);
            let generated = signer::generate_key()?;
            private_key.give(payments_text::new(generated.private_key_pem.expose()));
            public_key.give(payments_text::new(generated.public_key_pem));
            Ok(())
        })
    }
}

/// Verifies a token of X-JWS-Signature over the bytes of a body with a public
/// key (PEM). A NULL `token` means that there was none. PAYMENTS_STATUS_OK
/// means that the token could be checked, not that it is valid: `report_out`
/// gets JSON text with `valid`, and for a refused token `cause`, `detail`
/// and `remedy`.
///
/// Errors: PAYMENTS_STATUS_CONFIG if the key cannot be used,
/// PAYMENTS_STATUS_INVALID_ARGUMENT.
#[must_use]
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
    // SAFETY: the caller passes readable texts.
    unsafe {
        boundary::status(error_out, || {
            let out = input::out_handle("report_out", report_out)?;
            let public_key = input::text("public_key", public_key, public_key_length)?;
            let token = input::optional_text("token", token, token_length)?;
            let body = input::bytes("body", body, body_length)?;
            let report = verify_report(public_key, token, body)?;
            out.give(payments_text::new(report.to_bytes()));
            Ok(())
        })
    }
}

/// Finds values in the request for a payment, a payout or a refund that are
/// well-formed and probably wrong: Brazilian tax documents whose check digits
/// fail, Pix keys of no known form, and a refund without an amount. `request` is
/// the JSON text of the operation's body. It sends nothing and refuses nothing:
/// `warnings_out` gets the JSON text of an array, empty for most requests, of
/// objects with `path`, `code`, `certainty` (`certain` or `perhaps`) and
/// `message`.
///
/// Errors: PAYMENTS_STATUS_VALIDATION if it is not a JSON object,
/// PAYMENTS_STATUS_INVALID_ARGUMENT.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_lint(
    request: *const c_char,
    request_length: usize,
    warnings_out: *mut *mut payments_text,
    error_out: *mut *mut payments_error,
) -> payments_status {
    let request = ("request", request, request_length);
    // SAFETY: the caller passes a readable text.
    unsafe { made_of(lint_report, request, ("warnings_out", warnings_out), error_out) }
}

/// Explains what an error, a journal, a response or a configuration names: a code, a
/// kind (`timeout`), an outcome (`unknown`), a state (`CO`, `in_progress`), a member of
/// the configuration (`timeout_ms`), or a code of the service. `text_out` gets text in
/// lines of at most 80 characters: what it means, whether money may have moved, and
/// what to do.
///
/// Ownership: `text_out` gets a handle, to be freed with `payments_text_free`; NULL
/// on failure.
/// Threads: any, several at once.
/// Errors: PAYMENTS_STATUS_VALIDATION if nothing has this name,
/// PAYMENTS_STATUS_INVALID_ARGUMENT.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_explain(
    name: *const c_char,
    name_length: usize,
    text_out: *mut *mut payments_text,
    error_out: *mut *mut payments_error,
) -> payments_status {
    let name = ("name", name, name_length);
    let explain = |name: &str| explanation(name).map(String::into_bytes);
    // SAFETY: the caller passes a readable text.
    unsafe { text_of(explain, name, ("text_out", text_out), error_out) }
}

/// Writes functions and options in a text of this library as languages in camel case
/// have them, for packages that are built on it: `queryPayment()` for
/// `query_payment()`, `timeoutMs` for `timeout_ms`. `text` may be the JSON text of an
/// error, whose messages and advice name functions in backticks.
///
/// Errors: PAYMENTS_STATUS_INVALID_ARGUMENT.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_in_camel_case(
    text: *const c_char,
    text_length: usize,
    text_out: *mut *mut payments_text,
    error_out: *mut *mut payments_error,
) -> payments_status {
    let text = ("text", text, text_length);
    let write = |text: &str| Ok(spelled(text, Spelling::CamelCase).into_bytes());
    // SAFETY: the caller passes a readable text.
    unsafe { text_of(write, text, ("text_out", text_out), error_out) }
}

/// Draws a text as a QR code, for example the one that
/// `payments_response_view_text` reads at `/qr_code_value`: an SVG document,
/// black on white, with its margin. `svg_out` gets NULL if the text does not
/// fit into a code (2,331 bytes).
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_qr_svg(
    text: *const c_char,
    text_length: usize,
    svg_out: *mut *mut payments_text,
    error_out: *mut *mut payments_error,
) -> payments_status {
    // SAFETY: the caller passes a readable text.
    unsafe {
        boundary::status(error_out, || {
            let out = input::out_handle("svg_out", svg_out)?;
            if let Some(picture) = qr_svg(input::text("text", text, text_length)?) {
                out.give(payments_text::new(picture));
            }
            Ok(())
        })
    }
}

/// Draws a text as a QR code: the bytes of a PNG file, black on white, with its
/// margin. Read them with `payments_text_bytes` and `payments_text_length`.
/// `module_size` is the side of a module in pixels, from 1 to 64: 6 suits a screen.
/// `png_out` gets NULL if the text does not fit into a code (2,331 bytes).
///
/// Errors: PAYMENTS_STATUS_VALIDATION for another size,
/// PAYMENTS_STATUS_INVALID_ARGUMENT.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_qr_png(
    text: *const c_char,
    text_length: usize,
    module_size: u32,
    png_out: *mut *mut payments_text,
    error_out: *mut *mut payments_error,
) -> payments_status {
    // SAFETY: the caller passes a readable text.
    unsafe {
        boundary::status(error_out, || {
            let out = input::out_handle("png_out", png_out)?;
            if let Some(picture) = qr_png(input::text("text", text, text_length)?, module_size)? {
                out.give(payments_text::new(picture));
            }
            Ok(())
        })
    }
}

/// The plan for a package of another language that was started as the command
/// `journal`, `follow` or `explain`. `input` is the JSON text of an object with `program`
/// (the command as people type it), `arguments` (an array of texts), `database`
/// (how the package names one, for help), `is_terminal` (a flag) of standard
/// output, and `explain` (the command of the package that explains a code, for
/// `help` of a failure; by default `payments explain`). Without `database`, a
/// framework has the client, and `program` is its command for the journal.
///
/// `plan_out` gets the JSON text of an object: print its `stdout` and `stderr`,
/// and exit with `exit_code`. With `is_list`, a reader that has left ends the
/// command quietly. Or `exit_code` is null, and `action` says what to do:
///
/// - `create`: make the table in `database`, then print `stdout`.
/// - `journal`: open `database`, make a client with it, and give `program`,
///   `arguments` and `is_terminal` to `payments_client_journal_command`.
/// - `follow`: the same with `payments_client_follow_command`; `database` may be
///   null.
///
/// The client is that of the configuration in `file`, or null, which the
/// environment overrides if `with_env` says so.
///
/// Threads: any, while no other thread changes the environment.
/// Errors: PAYMENTS_STATUS_VALIDATION if `input` is another object,
/// PAYMENTS_STATUS_INVALID_ARGUMENT.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_journal_plan(
    input: *const c_char,
    input_length: usize,
    plan_out: *mut *mut payments_text,
    error_out: *mut *mut payments_error,
) -> payments_status {
    let input = ("input", input, input_length);
    // SAFETY: the caller passes a readable text.
    unsafe { made_of(command_plan, input, ("plan_out", plan_out), error_out) }
}

/// The output of such a command if its package failed. `input` is the JSON text
/// of an object with `explain`, as above, and `report`, that of an error, or
/// `message` and `problem`: `database` (the package cannot open it), `driver` (it
/// is not installed), `journal` (it does not work), or `output` (standard output
/// could not be written). `text_out` gets the JSON text of an object with `stdout`,
/// `stderr`, `stderr_text` for a terminal, and `exit_code`.
///
/// Errors: PAYMENTS_STATUS_VALIDATION if `input` is another object,
/// PAYMENTS_STATUS_INVALID_ARGUMENT.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_journal_failure(
    input: *const c_char,
    input_length: usize,
    text_out: *mut *mut payments_text,
    error_out: *mut *mut payments_error,
) -> payments_status {
    let input = ("input", input, input_length);
    // SAFETY: the caller passes a readable text.
    unsafe { made_of(command_failure, input, ("text_out", text_out), error_out) }
}

/// Gives the next step after a query of an open payment, for your own jobs: the
/// rule of `payments_client_follow`. `input` is the JSON text of an object with
/// `age_ms` and `give_up_after_ms` of the payment, and either `is_over` (a flag:
/// its status is `CO` or `CA`) or, of the error of the query, `kind`, `code`,
/// `http_status` and `retry_after_ms`; the flag `was_found` says that the service
/// is known to have it, and `failures` is that of the previous result. `step_out`
/// gets the JSON text of an object with `step`, `wait_ms` and `failures`:
/// `ended`, `query` (again, in that many milliseconds), `give_up`, or `fail` (the
/// query can never work, or the client does not).
///
/// Errors: PAYMENTS_STATUS_VALIDATION, _INVALID_ARGUMENT.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn payments_next_step(
    input: *const c_char,
    input_length: usize,
    step_out: *mut *mut payments_text,
    error_out: *mut *mut payments_error,
) -> payments_status {
    let input = ("input", input, input_length);
    // SAFETY: the caller passes a readable text.
    unsafe { made_of(next_step_report, input, ("step_out", step_out), error_out) }
}

/// Gives the JSON that `make` makes of a text. Both have the names of their parameters.
unsafe fn made_of(
    make: fn(&[u8]) -> Result<Json, Error>,
    given: (&'static str, *const c_char, usize),
    out: (&'static str, *mut *mut payments_text),
    error_out: *mut *mut payments_error,
) -> payments_status {
    let make = |text: &str| make(text.as_bytes()).map(|json| json.to_bytes());
    // SAFETY: the caller passes a readable text.
    unsafe { text_of(make, given, out, error_out) }
}

/// Gives the text that `make` makes of another one.
unsafe fn text_of(
    make: impl FnOnce(&str) -> Result<Vec<u8>, Error>,
    (given_name, given, given_length): (&'static str, *const c_char, usize),
    (out_name, text_out): (&'static str, *mut *mut payments_text),
    error_out: *mut *mut payments_error,
) -> payments_status {
    // SAFETY: the caller passes a readable text.
    unsafe {
        boundary::status(error_out, || {
            let out = input::out_handle(out_name, text_out)?;
            let given = input::text(given_name, given, given_length)?;
            out.give(payments_text::new(make(given)?));
            Ok(())
        })
    }
}
