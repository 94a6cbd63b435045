//! Clients and their calls. Calls begin here, on the event loop, which waits for none of
//! them: threads of `port.rs` send their ends.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use napi::bindgen_prelude::{Either, Uint8Array};
use napi_derive::napi;
use payments_core::context::TraceSlot;
use payments_core::observer::Level;
use payments_core::{
    CallContext, CallOptions as _, CallResponse, CancelHandle, Client, Config, Error,
};
use payments_host::by_name::{self, HostClient};

use crate::callbacks::{CallbackSigner, CallbackStore, EVENTS, callback_journal};
use crate::message::{Failure, JsMessage};
use crate::port::{self, Listener, Port, SharedPort};
use crate::response::{self, CallResult};

/// Where a configuration comes from.
#[napi]
pub enum ConfigSource {
    Json,
    /// The same, for a client that this process shares.
    Shared,
    File,
    /// The environment overrides the file.
    FileAndEnv,
    Env,
}

/// The work of a call.
#[napi]
pub enum Action {
    /// It runs an operation by its name.
    Call,
    Send,
    Prepare,
    TokenStatus,
    ForgetToken,
    WarmUp,
    Journal,
}

/// The callbacks of a client.
#[napi(object, object_to_js = false)]
pub struct CallbackSet {
    /// The kid of the signer, if there is one.
    pub kid: Option<String>,
    pub token_store: bool,
    pub journal: bool,
}

/// The events of a call that JavaScript wants.
#[napi]
pub enum WantedEvents {
    None,
    /// Retries, failures and other events for operators.
    Notable,
    All,
}

/// The work of a call, and its limits. `input` and `body` have the core's form.
#[napi(object, object_to_js = false)]
pub struct CallInput {
    pub action: Action,
    pub operation: String,
    pub input: Uint8Array,
    pub body: Uint8Array,
    /// Whether the call's signal was aborted; absent if there is none.
    pub aborted: Option<bool>,
    /// Positive; without it, the configured deadline applies.
    pub timeout_ms: Option<i64>,
    pub traceparent: Option<String>,
    /// Not negative; for `ensure_payment` only.
    pub ensure_wait_ms: Option<i64>,
    /// Whether the observer gives the traceparent of each request.
    pub is_traced: bool,
    pub wanted_events: WantedEvents,
}

/// A client of the core, and the port of the environment that created it.
#[napi]
pub struct NativeClient {
    client: Mutex<Option<HostClient>>,
    shared: Arc<SharedPort>,
}

#[napi]
impl Port {
    /// Makes a client. `text` is the JSON or the path of its configuration.
    #[napi]
    pub fn make_client(
        &self,
        source: ConfigSource,
        text: String,
        callbacks: CallbackSet,
    ) -> Either<NativeClient, Failure> {
        let shared = &self.shared;
        let config = match source {
            ConfigSource::File => Config::from_file(text),
            ConfigSource::FileAndEnv => Config::from_file(text).and_then(Config::with_env),
            ConfigSource::Env => Config::from_env(),
            ConfigSource::Json | ConfigSource::Shared => Config::from_json(text.as_bytes()),
        };
        let config = config.map(|config| with_callbacks(config, callbacks, shared));
        let client = match source {
            ConfigSource::Shared => config.and_then(Client::shared),
            _ => config.and_then(Client::new),
        };
        match client {
            Ok(client) => Either::A(NativeClient {
                client: Mutex::new(Some(HostClient::new(client))),
                shared: Arc::clone(shared),
            }),
            Err(error) => Either::B(response::failure_of(&error)),
        }
    }
}

impl WantedEvents {
    fn listener(self, shared: &Arc<SharedPort>) -> Option<Listener> {
        let lowest = match self {
            Self::None => return None,
            Self::Notable => Level::Info,
            Self::All => Level::Debug,
        };
        Some(Listener { shared: Arc::clone(shared), lowest, traced: None })
    }
}

fn with_callbacks(mut config: Config, callbacks: CallbackSet, shared: &Arc<SharedPort>) -> Config {
    let CallbackSet { kid, token_store, journal } = callbacks;
    let shared = || Arc::clone(shared);
    if let Some(kid) = kid {
        config = config.signer(Arc::new(CallbackSigner::new(kid, shared())));
    }
    if token_store {
        config = config.token_store(Arc::new(CallbackStore::new(shared())));
    }
    if journal {
        config = config.journal(callback_journal(shared()));
    }
    config.process_log(&EVENTS)
}

#[napi]
impl NativeClient {
    /// Starts a call.
    #[napi]
    pub fn start(&self, call: u32, given: CallInput) -> napi::Result<()> {
        let client = self.client.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let client = client
            .ok_or_else(|| napi::Error::from_reason("the client is closed; create another one"))?;
        let cancel = CancelHandle::new();
        let CallInput { action, operation, input, body, aborted, timeout_ms, .. } = given;
        let (traceparent, wanted_events) = (given.traceparent, given.wanted_events);
        if aborted == Some(true) {
            cancel.cancel();
        }
        let context = match timeout_ms {
            None => client.context_with(cancel.clone(), None),
            Some(milliseconds) => {
                let timeout = Duration::from_millis(milliseconds.unsigned_abs());
                CallContext::new(timeout, cancel.clone(), None)
            }
        };
        let context = match given.ensure_wait_ms {
            None => context,
            Some(milliseconds) => {
                context.with_ensure_wait(Duration::from_millis(milliseconds.unsigned_abs()))
            }
        };
        let slot = TraceSlot::default();
        let context = context.with_trace_slot(slot.clone());
        let (input, body) = (input.to_vec(), body.to_vec());
        let task = CallTask { client, action, operation, input, body, traceparent };
        let listener = wanted_events.listener(&self.shared).map(|listener| Listener {
            traced: given.is_traced.then(|| (context.clone(), slot)),
            ..listener
        });
        self.shared.start(call, Some((context.clone(), cancel)), move || {
            port::with_listener(listener, || task.js_message(&context, aborted.is_some()))
        });
        Ok(())
    }

    /// The public properties of the client: its base URL and its kid.
    #[napi]
    pub fn describe(&self) -> (Option<String>, Option<String>) {
        let client = self.client.lock().unwrap_or_else(PoisonError::into_inner);
        let client = client.as_ref();
        let kid = client.and_then(|client| client.kid()).map(str::to_owned);
        (client.map(|client| client.base_url().to_owned()), kid)
    }

    #[napi(getter)]
    pub fn has_journal(&self) -> bool {
        let client = self.client.lock().unwrap_or_else(PoisonError::into_inner);
        client.as_ref().is_some_and(|client| client.has_journal())
    }

    /// Releases keys and connections as soon as no call uses them.
    #[napi]
    pub fn close(&self) {
        self.client.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

/// A call on its own thread.
struct CallTask {
    client: HostClient,
    action: Action,
    operation: String,
    input: Vec<u8>,
    body: Vec<u8>,
    traceparent: Option<String>,
}

impl CallTask {
    fn js_message(self, context: &CallContext, is_abortable: bool) -> JsMessage {
        let result = match self.perform(context) {
            Ok(result) => result,
            Err(error) => return response::of_error(&error),
        };
        let mut js_message = JsMessage::from(result.message());
        if is_abortable {
            let response = result.into_essentials();
            let if_cancelled = move || response::texts_of(&self.interrupted(response));
            js_message.if_cancelled = Some(Box::new(if_cancelled));
        }
        js_message
    }

    fn perform(&self, context: &CallContext) -> Result<CallResult, Error> {
        let Self { client, action, operation, input, body, traceparent } = self;
        let context = &by_name::traced(context.clone(), traceparent.as_deref(), operation)?;
        match action {
            Action::Call => {
                by_name::call(client, operation, input, context).map(CallResult::Response)
            }
            Action::Send => by_name::send(client, input, body, context).map(CallResult::Response),
            Action::Prepare => {
                by_name::prepare(client, operation, input, body, context).map(CallResult::Prepared)
            }
            Action::TokenStatus => by_name::token_status(client, context).map(CallResult::Report),
            Action::ForgetToken => by_name::forget_token(client, context).map(CallResult::Report),
            Action::WarmUp => by_name::warm_up(client, context).map(CallResult::Report),
            Action::Journal => {
                let work = by_name::work_of(operation)?;
                work(client, input, context).map(CallResult::Report)
            }
        }
    }

    /// The error of this call if it is cancelled now.
    fn interrupted(&self, response: Option<CallResponse>) -> Error {
        let Self { client, operation, input, body, .. } = self;
        by_name::interrupted_after_response(client, operation, input, body, response)
    }
}
