//! The level at which a program reads the logger `libpayments`.

use payments_core::observer::Level;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;

const DEBUG: u8 = 10;

/// The lowest level that the program wants of a call that begins: `None` for nothing.
/// Without DEBUG, the logger decides about the few events that are left.
pub(crate) fn of_call(py: Python<'_>) -> Option<Level> {
    match is_for_debug(py) {
        Ok(Some(true)) => Some(Level::Debug),
        Ok(Some(false)) => Some(Level::Info),
        Ok(None) | Err(_) => None,
    }
}

/// The number of a level in `logging`.
pub(crate) fn number(level: Level) -> u8 {
    match level {
        Level::Debug => DEBUG,
        Level::Info => 20,
        _ => 30,
    }
}

/// Whether the logger takes DEBUG; `None` if the program has not imported `logging`.
fn is_for_debug(py: Python<'_>) -> PyResult<Option<bool>> {
    static MODULES: PyOnceLock<Py<PyDict>> = PyOnceLock::new();
    static LOGGER: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    if LOGGER.get(py).is_none() {
        if !MODULES.import(py, "sys", "modules")?.contains("logging")? {
            return Ok(None);
        }
        let logger = py.import("logging")?.call_method1("getLogger", ("libpayments",))?;
        let _ = LOGGER.set(py, logger.unbind());
    }
    let logger = LOGGER.get(py).map(|logger| logger.bind(py));
    logger.map(|it| it.call_method1("isEnabledFor", (DEBUG,))?.is_truthy()).transpose()
}
