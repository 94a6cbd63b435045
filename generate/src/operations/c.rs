//! The functions of the C ABI that perform operations.
//!
//! They are written out, since cbindgen does not see functions from macros.

use payments_core::operation::Definition;

use crate::ORIGIN;
use crate::requests::operations;
use crate::words::{doc_of_operation, wrapped};

const HEAD: &str = "
//! The operations of a client whose request is JSON.

use std::ffi::c_char;

use crate::call::payments_call;
use crate::client::payments_client;
use crate::error::payments_error;
use crate::operations::operate;
use crate::response::payments_response;
use crate::status::payments_status;
";

pub(crate) fn operation_calls() -> String {
    let mut text = format!("// {ORIGIN}\n{HEAD}");
    for (operation, _) in operations() {
        push_function(&mut text, operation.definition());
    }
    text
}

fn push_function(text: &mut String, definition: &Definition) {
    let name = definition.name;
    let doc = format!(
        "{} `body` is the JSON text of an object; the members are listed at the top of this \
         header. `call` and `error_out` may be NULL.",
        doc_of_operation(definition)
    );
    let failures = format!(
        "Errors: every status. When `payments_error_outcome` is PAYMENTS_OUTCOME_UNKNOWN, {}",
        definition.when_unknown
    );
    let ownership = "Ownership: `response_out` gets a handle, to be freed with \
                     `payments_response_free`; NULL on failure.";
    text.push('\n');
    text.push_str(&wrapped(&doc, "/// ", "/// ", 80));
    text.push_str("///\n");
    for part in [ownership, "Threads: any, several at once.", &failures] {
        text.push_str(&wrapped(part, "/// ", "/// ", 80));
    }
    let call =
        format!("operate(\"{name}\", client, (body, body_length), call, response_out, error_out)");
    // Wrapped as rustfmt would.
    let line = format!("    unsafe {{ {call} }}\n");
    let body =
        if line.len() <= 101 { line } else { format!("    unsafe {{\n        {call}\n    }}\n") };
    text.push_str(&format!(
        "#[must_use]\n\
         #[unsafe(no_mangle)]\n\
         pub unsafe extern \"C\" fn payments_client_{name}(\n\
         \x20   client: *const payments_client,\n\
         \x20   body: *const c_char,\n\
         \x20   body_length: usize,\n\
         \x20   call: *const payments_call,\n\
         \x20   response_out: *mut *mut payments_response,\n\
         \x20   error_out: *mut *mut payments_error,\n\
         ) -> payments_status {{\n\
         \x20   // SAFETY: as this function's.\n\
         {body}}}\n"
    ));
}
