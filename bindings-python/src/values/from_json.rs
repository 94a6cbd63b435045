//! Converts JSON to Python values, without floats.

use payments_core::json::Json;
use payments_core::request::names_amount;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyInt, PyList, PyNone, PyString};

use crate::values::decimal::{decimal, fits_decimal};

/// The Python value. Amounts are `Decimal`, whether the service sent strings or
/// numbers. Other numbers are `int` or `Decimal`; those beyond the range of
/// `Decimal` are strings.
pub(crate) fn from_json<'py>(py: Python<'py>, json: &Json) -> PyResult<Bound<'py, PyAny>> {
    value(py, json, false)
}

fn value<'py>(py: Python<'py>, json: &Json, is_amount: bool) -> PyResult<Bound<'py, PyAny>> {
    Ok(match json {
        Json::Null => PyNone::get(py).to_owned().into_any(),
        Json::Bool(boolean) => boolean.into_pyobject(py)?.to_owned().into_any(),
        Json::Number(text) => number(py, text, is_amount)?,
        Json::String(text) if is_amount && Json::number(text).is_some() && fits_decimal(text) => {
            decimal(py)?.call1((text,))?
        }
        Json::String(text) => PyString::new(py, text).into_any(),
        Json::Array(elements) => {
            let list = PyList::empty(py);
            for element in elements {
                list.append(value(py, element, is_amount)?)?;
            }
            list.into_any()
        }
        Json::Object(members) => {
            let dict = PyDict::new(py);
            for (name, member) in members.iter() {
                dict.set_item(name, value(py, member, names_amount(name))?)?;
            }
            dict.into_any()
        }
    })
}

fn number<'py>(py: Python<'py>, text: &str, is_amount: bool) -> PyResult<Bound<'py, PyAny>> {
    /// Python refuses to read integers of thousands of digits.
    const LONGEST_INTEGER: usize = 600;
    let is_integer = text.len() <= LONGEST_INTEGER && !text.contains(['.', 'e', 'E']);
    if is_amount || !is_integer {
        return if fits_decimal(text) {
            decimal(py)?.call1((text,))
        } else {
            Ok(PyString::new(py, text).into_any())
        };
    }
    match text.parse::<i64>() {
        Ok(small) => Ok(small.into_pyobject(py)?.into_any()),
        Err(_) => py.get_type::<PyInt>().call1((text,)),
    }
}
