//! Events on the logger `libpayments`, if the program has imported `logging`.

use payments_core::inside::event_text;
use payments_core::observer::{Event, Observer};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

use crate::callbacks::ask;
use crate::callbacks::log_level;
use crate::calls::scope::{self, Raiser, call_back};
use crate::values::from_json::from_json;

/// The log of the process.
pub(crate) static LOG: ProcessLog = ProcessLog;

pub(crate) struct ProcessLog;

impl Observer for ProcessLog {
    fn on_event(&self, event: &Event<'_>) {
        let level = event.level();
        if scope::log_level().is_none_or(|lowest| level < lowest) {
            return;
        }
        let _ = ask(Raiser::Observer, |py, scope| {
            static WRITE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
            let members = from_json(py, &event.to_json())?;
            let write = WRITE.import(py, "libpayments._log", "write")?;
            call_back(scope, write, (log_level::number(level), event_text(event), members))
                .map(drop)
        });
    }
}
