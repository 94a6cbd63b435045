//! Converts Python values to JSON. Apart from the work, because it knows no operation:
//! it decides only about values that JSON cannot carry.

use payments_core::ErrorCode;
use payments_core::amount::may_be_amount;
use payments_core::json::{FloatError, Json, MAX_DEPTH, Members};
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyMapping, PyString, PyTuple};

use crate::shutdown;
use crate::values::decimal::is_decimal;
use crate::values::errors::InputRefusal;

/// Far more digits than an amount may have: `Decimal("1E+999999")` is refused
/// instead of written out.
const LONGEST_NUMBER: i64 = 400;

const FLOAT: &str = "is a float, which cannot represent most decimal amounts exactly; give an \
                     amount as Decimal(\"100.10\") or the string \"100.10\", and a whole number \
                     as an int";

const NOT_FINITE: &str = "is not a number (NaN or Infinity); omit it, or give a number";
const NOT_EXACT: &str = "is a float beyond 2^53 - 1, which may have lost digits; give an int, or \
                         a string";

/// The path of the member that is being converted, innermost last.
pub(crate) enum ValuePath<'a> {
    Root,
    Member(&'a ValuePath<'a>, &'a str),
    Index(&'a ValuePath<'a>, usize),
}

impl ValuePath<'_> {
    fn depth(&self) -> usize {
        match self {
            Self::Root => 0,
            Self::Member(outer, _) | Self::Index(outer, _) => outer.depth() + 1,
        }
    }

    /// The name of the innermost member.
    fn member(&self) -> &str {
        match self {
            Self::Root => "",
            Self::Member(_, name) => name,
            Self::Index(outer, _) => outer.member(),
        }
    }

    fn text(&self) -> String {
        match self {
            Self::Root => String::new(),
            Self::Member(Self::Root, name) => (*name).to_owned(),
            Self::Member(outer, name) => format!("{}.{name}", outer.text()),
            Self::Index(outer, index) => format!("{}[{index}]", outer.text()),
        }
    }

    fn refuse<T>(&self, code: ErrorCode, message: impl Into<String>) -> Result<T, InputRefusal> {
        Err(InputRefusal::new(&self.text(), code, message))
    }

    /// Refuses a value that the caller's code failed to provide. An exception that
    /// does not derive from `Exception`, such as `KeyboardInterrupt`, is passed on.
    fn refusal_for(
        &self,
        raised: PyErr,
        py: Python<'_>,
        code: ErrorCode,
        message: &str,
    ) -> InputRefusal {
        let raised = Some(raised).filter(|it| !it.is_instance_of::<PyException>(py)).map(Box::new);
        InputRefusal { raised, ..InputRefusal::new(&self.text(), code, message) }
    }
}

/// How to treat floats. A configuration passes them to the core, which says what
/// it expects instead.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Floats {
    /// They are refused for amounts, and elsewhere have their shortest digits.
    NoAmounts,
    Refused,
    Handed,
}

/// The JSON value: numbers with the digits of a `Decimal` or `int`, strings, and
/// objects and arrays for mappings and sequences, in their order.
pub(crate) fn to_json(
    value: &Bound<'_, PyAny>,
    path: &ValuePath<'_>,
    floats: Floats,
) -> Result<Json, InputRefusal> {
    if path.depth() > MAX_DEPTH {
        return path.refuse(ErrorCode::JSON_TOO_LARGE, "is nested more than 128 levels deep");
    }
    if value.is_none() {
        Ok(Json::Null)
    } else if let Ok(text) = value.cast::<PyString>() {
        text_of(text, path).map(Json::String)
    } else if let Ok(members) = value.cast::<PyDict>() {
        dictionary(members, path, floats)
    } else if let Ok(boolean) = value.cast::<PyBool>() {
        Ok(Json::Bool(boolean.is_true()))
    } else if let Ok(integer) = value.cast::<PyInt>() {
        number_of_integer(integer, path)
    } else if is_decimal(value) {
        number_of_decimal(value, path)
    } else if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        array(value, path, floats)
    } else if value.is_instance_of::<PyFloat>() {
        match floats {
            Floats::NoAmounts if !may_be_amount(path.member()) => number_of_float(value, path),
            Floats::NoAmounts | Floats::Refused => path.refuse(ErrorCode::WRONG_TYPE, FLOAT),
            Floats::Handed => Ok(handed_float(value)),
        }
    } else if let Ok(mapping) = value.cast::<PyMapping>() {
        object(mapping, path, floats)
    } else if floats == Floats::Handed
        && let Some(text) = file_system_path(value)
    {
        Ok(Json::String(text))
    } else {
        let kind = type_name(value);
        path.refuse(
            ErrorCode::WRONG_TYPE,
            format!("is of type {kind}, which JSON cannot represent; convert it"),
        )
    }
}

/// Reads a copy, since the code of a nested mapping may change the dictionary: nobody
/// means a request that mixes members from before and after.
fn dictionary(
    members: &Bound<'_, PyDict>,
    path: &ValuePath<'_>,
    floats: Floats,
) -> Result<Json, InputRefusal> {
    let items = items_in(members);
    let read = items.iter().map(|(name, value)| object_member(name, value, path, floats));
    let json = Json::Object(read.collect::<Result<Members, _>>()?);
    let later = items_in(members);
    let is_same = items.len() == later.len()
        && items.iter().zip(&later).all(|(item, then)| item.0.is(&then.0) && item.1.is(&then.1));
    if is_same {
        Ok(json)
    } else {
        path.refuse(ErrorCode::WRONG_TYPE, "is a mapping that changed while it was read")
    }
}

fn items_in<'py>(members: &Bound<'py, PyDict>) -> Vec<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    members.items().iter().filter_map(|item| item.extract().ok()).collect()
}

fn object_member(
    name: &Bound<'_, PyAny>,
    value: &Bound<'_, PyAny>,
    path: &ValuePath<'_>,
    floats: Floats,
) -> Result<(String, Json), InputRefusal> {
    let Ok(name) = name.cast::<PyString>() else {
        return path.refuse(ErrorCode::WRONG_TYPE, "has a key that is not a string");
    };
    let name = text_of(name, path)?;
    let json = to_json(value, &ValuePath::Member(path, &name), floats)?;
    Ok((name, json))
}

fn object(
    mapping: &Bound<'_, PyMapping>,
    path: &ValuePath<'_>,
    floats: Floats,
) -> Result<Json, InputRefusal> {
    let items = match items_of(mapping) {
        Ok(items) => items,
        Err(raised) => {
            let message = "is a mapping that could not be read";
            return Err(path.refusal_for(raised, mapping.py(), ErrorCode::WRONG_TYPE, message));
        }
    };
    let mut members = Members::with_capacity(items.len());
    for item in items.iter() {
        let Ok((name, value)) = item.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>() else {
            return path.refuse(ErrorCode::WRONG_TYPE, "is a mapping that could not be read");
        };
        let (name, json) = object_member(&name, &value, path, floats)?;
        members.push(name, json);
    }
    Ok(Json::Object(members))
}

/// The members of a mapping, which may be the user's own code.
fn items_of<'py>(mapping: &Bound<'py, PyMapping>) -> PyResult<Bound<'py, PyList>> {
    let py = mapping.py();
    let items = shutdown::call(&mapping.getattr("items")?, &PyTuple::empty(py))?;
    let items = shutdown::call(py.get_type::<PyList>().as_any(), &(items,).into_pyobject(py)?)?;
    Ok(items.cast_into()?)
}

fn array(
    value: &Bound<'_, PyAny>,
    path: &ValuePath<'_>,
    floats: Floats,
) -> Result<Json, InputRefusal> {
    let refusal = |raised, path: &ValuePath<'_>| {
        let message = "is in a sequence that could not be read";
        path.refusal_for(raised, value.py(), ErrorCode::WRONG_TYPE, message)
    };
    let mut array = Vec::new();
    for (index, element) in value.try_iter().map_err(|raised| refusal(raised, path))?.enumerate() {
        let path = ValuePath::Index(path, index);
        let element = element.map_err(|raised| refusal(raised, &path))?;
        array.push(to_json(&element, &path, floats)?);
    }
    Ok(Json::Array(array))
}

fn text_of(text: &Bound<'_, PyString>, path: &ValuePath<'_>) -> Result<String, InputRefusal> {
    match text.to_cow() {
        Ok(text) => Ok(text.into_owned()),
        Err(_) => path.refuse(ErrorCode::JSON_INVALID, "contains half of a surrogate pair"),
    }
}

fn number_of_integer(
    integer: &Bound<'_, PyInt>,
    path: &ValuePath<'_>,
) -> Result<Json, InputRefusal> {
    if let Ok(small) = integer.extract::<i64>() {
        return Ok(Json::from(small));
    }
    // Not `str`, which an enumeration may override.
    let digits = integer.py().get_type::<PyInt>().call_method1("__repr__", (integer,));
    match digits.and_then(|digits| digits.extract::<String>()) {
        Ok(digits) => Ok(Json::Number(digits)),
        Err(raised) => {
            let message = "is an integer with too many digits";
            Err(path.refusal_for(raised, integer.py(), ErrorCode::AMOUNT_INVALID, message))
        }
    }
}

fn number_of_decimal(value: &Bound<'_, PyAny>, path: &ValuePath<'_>) -> Result<Json, InputRefusal> {
    let refusal = |raised| {
        let message = "is a Decimal that could not be converted";
        path.refusal_for(raised, value.py(), ErrorCode::AMOUNT_INVALID, message)
    };
    let is_finite = value.call_method0("is_finite").and_then(|it| it.extract::<bool>());
    if !is_finite.map_err(refusal)? {
        let message = "is not a number (NaN or Infinity); give a decimal such as 100.10";
        return path.refuse(ErrorCode::AMOUNT_INVALID, message);
    }
    let magnitude = value.call_method0("adjusted").and_then(|it| it.extract::<i64>());
    if magnitude.map_err(refusal)?.abs() > LONGEST_NUMBER {
        return path
            .refuse(ErrorCode::AMOUNT_INVALID, "is a Decimal with too many digits; round it");
    }
    // `f` writes all digits: 1E+2 becomes 100.
    let digits = value.call_method1("__format__", ("f",)).and_then(|it| it.extract::<String>());
    match Json::number(&digits.map_err(refusal)?) {
        Some(number) => Ok(number),
        None => path.refuse(ErrorCode::AMOUNT_INVALID, "is a Decimal that could not be converted"),
    }
}

fn number_of_float(value: &Bound<'_, PyAny>, path: &ValuePath<'_>) -> Result<Json, InputRefusal> {
    let value = value.extract().unwrap_or(f64::NAN);
    Json::of_float(value).or_else(|error| {
        let message = match error {
            FloatError::NotFinite => NOT_FINITE,
            FloatError::NotExact => NOT_EXACT,
        };
        path.refuse(ErrorCode::WRONG_TYPE, message)
    })
}

fn handed_float(value: &Bound<'_, PyAny>) -> Json {
    let text = value.repr().map(|text| text.to_string()).unwrap_or_default();
    Json::number(&text).unwrap_or(Json::String(text))
}

fn file_system_path(value: &Bound<'_, PyAny>) -> Option<String> {
    value.extract::<std::path::PathBuf>().ok()?.into_os_string().into_string().ok()
}

pub(crate) fn type_name(value: &Bound<'_, PyAny>) -> String {
    value.get_type().name().map(|name| name.to_string()).unwrap_or_default()
}
