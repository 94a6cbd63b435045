//! The native module of the Python package: requests as JSON in, answers as
//! Python objects out, with the GIL released in between. What Python sees of
//! it is described in `python/libpayments/_native.pyi`.

mod callbacks;
mod client;
mod config;
mod ending;
mod errors;
mod from_json;
mod pending;
mod pool;
mod scope;
mod slot;
mod to_json;
mod tools;
mod work;

use pyo3::prelude::*;

/// A function rather than a module of items, since items are added before any
/// check: types that a subinterpreter makes would be those of all later ones.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    ending::refuse_subinterpreter(module.py())?;
    ending::prepare();
    pool::prepare();
    module.add_class::<callbacks::Call>()?;
    module.add_class::<callbacks::SigningRequest>()?;
    module.add_class::<client::CancelHandle>()?;
    module.add_class::<client::NativeClient>()?;
    module.add_class::<pending::Pending>()?;
    module.add_class::<work::Work>()?;
    module.add_function(wrap_pyfunction!(pending::close_calls, module)?)?;
    module.add_function(wrap_pyfunction!(tools::doctor, module)?)?;
    module.add_function(wrap_pyfunction!(tools::generate_key, module)?)?;
    module.add_function(wrap_pyfunction!(tools::parse_answer, module)?)?;
    module.add_function(wrap_pyfunction!(tools::verify, module)?)?;
    #[cfg(feature = "test-hooks")]
    module.add_function(wrap_pyfunction!(tools::panic_inside, module)?)?;
    module.add("VERSION", env!("CARGO_PKG_VERSION"))?;
    module.add("MOST_THREADS", pool::MOST_THREADS)
}
