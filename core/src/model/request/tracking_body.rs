//! The elements of `tracking_code` in `register_tracking`.

use std::fmt;

use super::all::TrackingDetails;
use crate::model::json::Json;

/// An element of `tracking_code`: a code alone, or one with details. A request may
/// mix both.
///
/// Interface, "Tracking request".
#[derive(Clone)]
#[expect(clippy::large_enum_variant, reason = "a request holds few, and they are moved once")]
pub enum CodeOrDetails {
    /// Only the code, written as a text.
    Code(String),
    /// The code with items and address, written as an object.
    Details(TrackingDetails),
}

impl From<&str> for CodeOrDetails {
    fn from(code: &str) -> Self {
        Self::Code(code.to_owned())
    }
}

impl From<String> for CodeOrDetails {
    fn from(code: String) -> Self {
        Self::Code(code)
    }
}

impl From<TrackingDetails> for CodeOrDetails {
    fn from(details: TrackingDetails) -> Self {
        Self::Details(details)
    }
}

impl From<CodeOrDetails> for Json {
    fn from(code: CodeOrDetails) -> Self {
        match code {
            CodeOrDetails::Code(code) => Self::String(code),
            CodeOrDetails::Details(details) => Self::Object(details.into_members()),
        }
    }
}

/// Shows which form it is.
impl fmt::Debug for CodeOrDetails {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(_) => f.write_str("Code"),
            Self::Details(details) => details.fmt(f),
        }
    }
}
