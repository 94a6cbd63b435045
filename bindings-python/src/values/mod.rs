//! Values between Python and JSON, and errors as exceptions.

pub(crate) mod decimal;
pub(crate) mod errors;
pub(crate) mod from_json;
pub(crate) mod to_json;
