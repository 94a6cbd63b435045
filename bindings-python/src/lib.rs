//! The native module of the Python package. It converts requests to JSON and
//! responses to Python objects, and releases the GIL in between.
//! `python/libpayments/_native.pyi` describes its Python interface.

// From the lowest to the highest: each imports only those before it.
//
// - `threads.rs`, `shutdown.rs`: the threads of `AsyncClient`; ends all calls
//   before Python exits, and holds the unsafe calls of the module
// - `values/`: between Python and JSON, and errors as exceptions;
//   `errors::guarded` is the boundary that no panic crosses
// - `callback_ref.rs`: callbacks that the garbage collector sees
// - `calls/`: the work, the run and the result of a call
// - `callbacks/`: what Python code provides: signers, stores, journals,
//   observers, loggers
// - `config.rs`, `client.rs`, `tools.rs`: what the package calls

mod callback_ref;
mod callbacks;
mod calls;
mod client;
mod config;
mod shutdown;
mod threads;
mod tools;
mod values;

use payments_host::CallThreads;
use pyo3::prelude::*;

use crate::calls::{pending, scope, work};

/// A function, because PyO3 adds the items of a declarative module before any
/// check: types created in a subinterpreter would serve all later ones.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    shutdown::refuse_subinterpreter(module.py())?;
    shutdown::initialize();
    threads::initialize();
    module.add_class::<callbacks::Call>()?;
    module.add_class::<callbacks::SigningRequest>()?;
    module.add_class::<client::CancelHandle>()?;
    module.add_class::<client::Following>()?;
    module.add_class::<client::NativeClient>()?;
    module.add_class::<pending::Pending>()?;
    module.add_class::<work::Work>()?;
    module.add_function(wrap_pyfunction!(scope::propagate, module)?)?;
    module.add_function(wrap_pyfunction!(shutdown::close_calls, module)?)?;
    module.add_function(wrap_pyfunction!(tools::create_journal, module)?)?;
    module.add_function(wrap_pyfunction!(tools::generate_key, module)?)?;
    module.add_function(wrap_pyfunction!(tools::parse_response, module)?)?;
    module.add_function(wrap_pyfunction!(tools::command_plan, module)?)?;
    module.add_function(wrap_pyfunction!(tools::command_failure, module)?)?;
    module.add_function(wrap_pyfunction!(tools::lint, module)?)?;
    module.add_function(wrap_pyfunction!(tools::qr_png, module)?)?;
    module.add_function(wrap_pyfunction!(tools::qr_svg, module)?)?;
    module.add_function(wrap_pyfunction!(tools::verify, module)?)?;
    #[cfg(feature = "test-hooks")]
    module.add_function(wrap_pyfunction!(tools::panic_inside, module)?)?;
    module.add("VERSION", env!("CARGO_PKG_VERSION"))?;
    module.add("MOST_THREADS", CallThreads::MOST)
}
