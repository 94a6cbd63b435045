//! A journal written in Python.

use std::cell::Cell;
use std::sync::Arc;

use payments_core::CallContext;
use payments_core::journal::Journal;
use payments_core::json::Json;
use payments_host::by_name::{OwnJournal, OwnJournalFailure};
use pyo3::exceptions::{PyBaseException, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::callback_ref::CallbackRef;
use crate::callbacks::{ask, call_of, log};
use crate::calls::scope::{Raiser, Scope, call_back};
use crate::values::to_json::{Floats, ValuePath, to_json};

/// The journal behind an object with the methods of `libpayments.Journal`.
pub(crate) fn journal_of(object: CallbackRef) -> Arc<dyn Journal> {
    Arc::new(OwnJournal::new(move |context: &CallContext, action: &str, input: &Json| {
        // The end of a call is recorded after it, and does not change it.
        let raiser = if action == "update" { Raiser::Observer } else { Raiser::Journal };
        let during_commit = Cell::new(None);
        let result = ask(raiser, |py, scope| {
            let result = object.bind(py).and_then(|it| act(scope, &it, context, action, input));
            result.inspect_err(|it| {
                during_commit.set(is_during_commit(it.value(py)));
                let what = format!("journal.{action}");
                if scope.is_none_or(|scope| scope.is_news(format!("{what} {it}"))) {
                    log(scope, py, &what, it);
                }
            })
        });
        let during_commit = during_commit.get();
        result.map_err(|problem| OwnJournalFailure { problem, during_commit })
    }))
}

/// The value of the attribute of `JournalUnavailableError`. `DatabaseJournal` gives it
/// to exceptions of drivers too.
fn is_during_commit(exception: &Bound<'_, PyBaseException>) -> Option<bool> {
    exception.getattr("during_commit").and_then(|says| says.extract()).ok().flatten()
}

/// Calls the method of an action with the members of its input, or for `find`
/// with the input itself, and with the call.
fn act(
    scope: Option<&Scope>,
    object: &Bound<'_, PyAny>,
    context: &CallContext,
    action: &str,
    input: &Json,
) -> PyResult<Json> {
    let py = object.py();
    // Unlike a response, an entry keeps its amount as text.
    let input = py.import("json")?.getattr("loads")?.call1((input.to_text(),))?;
    let mut arguments = match action {
        "find" => vec![input],
        _ => input.cast_into::<PyDict>()?.values().iter().collect(),
    };
    arguments.push(Bound::new(py, call_of(context))?.into_any());
    let result = call_back(scope, &object.getattr(action)?, PyTuple::new(py, arguments)?)?;
    to_json(&result, &ValuePath::Root, Floats::Refused).map_err(|refusal| match refusal.raised {
        Some(raised) => *raised,
        None => PyTypeError::new_err(format!("what {action} returned {}", refusal.message)),
    })
}
