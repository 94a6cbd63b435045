//! Checks of the steps' results.

use crate::process::failure::Failure;

/// Fails unless `got` equals `wanted`.
pub(super) fn expect<T: PartialEq + std::fmt::Debug>(
    what: &str,
    got: T,
    wanted: T,
) -> Result<(), Failure> {
    if got == wanted {
        return Ok(());
    }
    Err(Failure::demo(format!("{what}: expected {wanted:?}, got {got:?}")))
}

/// Returns the value, or a failure that names it.
pub(super) fn present<T>(what: &str, value: Option<T>) -> Result<T, Failure> {
    value.ok_or_else(|| Failure::demo(format!("{what}: expected, but missing")))
}
