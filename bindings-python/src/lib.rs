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

#[pymodule]
mod _native {
    #[pymodule_export]
    use crate::callbacks::{Call, SigningRequest};
    #[pymodule_export]
    use crate::client::{CancelHandle, NativeClient};
    #[pymodule_export]
    use crate::pending::{Pending, close_calls};
    #[cfg(feature = "test-hooks")]
    #[pymodule_export]
    use crate::tools::panic_inside;
    #[pymodule_export]
    use crate::tools::{doctor, generate_key, parse_answer, verify};
    #[pymodule_export]
    use crate::work::Work;

    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        ending::refuse_subinterpreter(module.py())?;
        ending::prepare();
        pool::prepare();
        module.add("VERSION", env!("CARGO_PKG_VERSION"))?;
        module.add("MOST_THREADS", pool::MOST_THREADS)
    }
}
