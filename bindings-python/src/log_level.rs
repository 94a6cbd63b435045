//! What a program wants to read on the logger `libpayments`.

use payments_core::Outcome;
use payments_core::observer::Event;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;

/// A level of `logging`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
#[repr(u8)]
pub(crate) enum Level {
    Debug = 10,
    Info = 20,
    Warning = 30,
    /// Above all events.
    #[default]
    Off = u8::MAX,
}

impl Level {
    /// The lowest level that the program wants of a call that begins. Without
    /// DEBUG, the logger decides about the few events that are left.
    pub(crate) fn of_call(py: Python<'_>) -> Self {
        match is_for_debug(py) {
            Ok(Some(true)) => Self::Debug,
            Ok(Some(false)) => Self::Info,
            Ok(None) | Err(_) => Self::Off,
        }
    }

    pub(crate) fn of(event: &Event<'_>) -> Self {
        match event {
            Event::Retry { .. }
            | Event::TokenFailed { .. }
            | Event::StoreBypassed { .. }
            | Event::JournalFailed { .. } => Self::Warning,
            Event::RequestEnded { failure: Some(failure), .. } => match failure.outcome {
                Outcome::Unknown => Self::Warning,
                Outcome::NotExecuted | Outcome::Executed => Self::Info,
            },
            _ => Self::Debug,
        }
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
    logger.map(|it| it.call_method1("isEnabledFor", (Level::Debug as u8,))?.is_truthy()).transpose()
}
