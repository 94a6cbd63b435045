//! The status codes of the C library.

use payments_core::ErrorKind;

use super::{doc_of, wrapped};
use crate::{File, ORIGIN};

const HEAD: &str = r#"
//! Status codes: the kinds of failure as C sees them.

use std::ffi::CStr;

use payments_core::ErrorKind;

/// What a function returns. Details are in the `payments_error`. Later
/// versions may add values.
#[repr(i32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum payments_status {
    /// It worked.
    PAYMENTS_STATUS_OK = 0,
"#;

const LAST: &str = "    /// A parameter breaks a rule of this header: NULL where a value is
    /// needed, text that is not UTF-8, a length that cannot be.
    PAYMENTS_STATUS_INVALID_ARGUMENT = 100,
}
";

pub(super) fn files() -> Vec<File> {
    let mut text = format!("// {ORIGIN}\n{HEAD}");
    for kind in ErrorKind::ALL {
        text.push_str(&wrapped(&doc_of(kind, accessor), 80, "    /// "));
        text.push_str(&format!("    {} = {},\n", constant(kind), kind.number()));
    }
    text.push_str(LAST);
    text.push_str(
        "\nimpl payments_status {\n    pub(crate) fn of(kind: ErrorKind) -> Self {\n        \
         match kind {\n",
    );
    for kind in ErrorKind::ALL {
        if kind != ErrorKind::Internal {
            let name = constant(kind);
            text.push_str(&format!("            ErrorKind::{kind:?} => Self::{name},\n"));
        }
    }
    let internal = constant(ErrorKind::Internal);
    text.push_str(&format!("            _ => Self::{internal},\n        }}\n    }}\n}}\n"));
    text.push_str(
        "\n/// The name of a status, if there is one of that number.\n\
         pub(crate) fn name_of(status: i32) -> Option<&'static CStr> {\n    \
         Some(match status {\n        0 => c\"ok\",\n",
    );
    for kind in ErrorKind::ALL {
        text.push_str(&format!("        {} => c\"{kind}\",\n", kind.number()));
    }
    text.push_str("        100 => c\"invalid_argument\",\n        _ => return None,\n    })\n}\n");
    vec![File::new("ffi-c/src/status_codes.rs", text)]
}

fn constant(kind: ErrorKind) -> String {
    format!("PAYMENTS_STATUS_{}", kind.as_str().to_uppercase())
}

fn accessor(member: &str) -> String {
    let function = match member {
        "diagnosis" => "diagnosis_message",
        "retry_after" => "retry_after_ms",
        other => other,
    };
    format!("`payments_error_{function}`")
}
