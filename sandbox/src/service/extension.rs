//! Addresses under `/sandbox/` that a program adds.

use std::fmt;
use std::sync::OnceLock;

use crate::http::response::Response;

type Serve = dyn Fn(&str, &str, &[u8]) -> Option<Response> + Send + Sync;

/// Serves requests that the page does not, before the control API.
#[derive(Default)]
pub(crate) struct Extension(OnceLock<Box<Serve>>);

impl fmt::Debug for Extension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Extension").field(&self.0.get().is_some()).finish()
    }
}

impl Extension {
    /// Sets it, unless it is set.
    pub(crate) fn set(&self, serve: Box<Serve>) {
        let _ = self.0.set(serve);
    }

    pub(crate) fn serve(&self, method: &str, path: &str, body: &[u8]) -> Option<Response> {
        self.0.get()?(method, path, body)
    }
}
