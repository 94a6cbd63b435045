//! Calls whose request JavaScript sends.

use std::sync::Arc;

use napi_derive::napi;
use payments_core::{Client, bridge};

/// The request that a call was begun with, in the core's form.
pub(crate) struct Begun {
    pub(crate) operation: String,
    pub(crate) input: Vec<u8>,
    pub(crate) body: Vec<u8>,
}

/// An open call of the core.
#[napi]
#[derive(Clone)]
pub struct NativeOpenCall {
    pub(crate) call: Arc<bridge::OpenCall>,
    pub(crate) client: Client,
    pub(crate) begun: Arc<Begun>,
}

#[napi]
impl NativeOpenCall {
    /// The time left for the request.
    #[napi(getter)]
    pub fn remaining_ms(&self) -> f64 {
        self.call.remaining().as_secs_f64() * 1000.0
    }
}
