//! The class `decimal.Decimal`, which holds amounts in Python.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

pub(crate) fn decimal(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
    static DECIMAL: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    DECIMAL.import(py, "decimal", "Decimal")
}

pub(crate) fn is_decimal(value: &Bound<'_, PyAny>) -> bool {
    decimal(value.py()).and_then(|decimal| value.is_instance(decimal)).unwrap_or(false)
}

/// Whether `Decimal` can represent the number and calculate with it: its context
/// ends at this exponent. Other numbers become strings.
pub(crate) fn fits_decimal(text: &str) -> bool {
    const LARGEST_EXPONENT: u64 = 999_999;
    let (digits, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let exponent = exponent.parse::<i64>().ok().map(i64::unsigned_abs);
    exponent
        .is_some_and(|exponent| exponent.saturating_add(digits.len() as u64) <= LARGEST_EXPONENT)
}
