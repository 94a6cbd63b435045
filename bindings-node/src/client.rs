//! Clients and their calls.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use napi::Status;
use napi_derive::napi;
use payments_core::json::Json;
use payments_core::{CallContext, CancelHandle, Client, Config, Error, bridge};

use crate::callbacks::{CallbackObserver, CallbackSigner, CallbackStore, callback_journal};
use crate::message::{AskedCall, EndedCall, Message};
use crate::port::{Port, SharedPort};
use crate::response;

/// Where a configuration comes from.
#[napi]
pub enum ConfigSource {
    Json,
    /// The same, for a client that this process shares.
    Shared,
    File,
    Env,
}

/// What a call does.
#[napi]
pub enum Action {
    /// It runs an operation by its name.
    Call,
    Send,
    Prepare,
    TokenStatus,
    Journal,
}

/// A client of the core, and the port of the environment that created it.
#[napi]
pub struct NativeClient {
    client: Mutex<Option<Client>>,
    shared: Arc<SharedPort>,
}

#[napi]
impl NativeClient {
    /// `text` is the JSON or the path. The other parameters say whether there is a signer (which has a
    /// kid), a token store, a journal and an observer. The message of an error is a JSON
    /// array of its report and its text.
    #[napi(constructor)]
    pub fn new(
        port: &Port,
        source: ConfigSource,
        text: String,
        kid: Option<String>,
        has_store: bool,
        has_journal: bool,
        has_observer: bool,
    ) -> napi::Result<Self> {
        let shared = || Arc::clone(&port.shared);
        let config = match source {
            ConfigSource::File => Config::from_file(text),
            ConfigSource::Env => Config::from_env(),
            ConfigSource::Json | ConfigSource::Shared => Config::from_json(text.as_bytes()),
        };
        let client = config.and_then(|mut config| {
            if let Some(kid) = kid {
                config = config.signer(Arc::new(CallbackSigner::new(kid, shared())));
            }
            if has_store {
                config = config.token_store(Arc::new(CallbackStore::new(shared())));
            }
            if has_journal {
                config = config.journal(callback_journal(shared()));
            }
            if has_observer {
                config = config.observer(Arc::new(CallbackObserver::new(shared())));
            }
            match source {
                ConfigSource::Shared => Client::shared(config),
                _ => Client::new(config),
            }
        });
        let client = Mutex::new(Some(client.map_err(refusal)?));
        Ok(Self { client, shared: shared() })
    }

    /// Starts a call. `input` and `body` have the core's form.
    /// `is_cancelled` is absent if nothing can cancel the call. `timeout_ms` is
    /// positive; without it, the configured deadline applies.
    #[allow(clippy::too_many_arguments, reason = "JavaScript hands them over one by one")]
    #[napi]
    pub fn start(
        &self,
        call: u32,
        action: Action,
        operation: String,
        input: &[u8],
        body: &[u8],
        is_cancelled: Option<bool>,
        timeout_ms: Option<i64>,
    ) -> napi::Result<()> {
        let client = self.client.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let client = client
            .ok_or_else(|| napi::Error::from_reason("the client is closed; create another one"))?;
        let cancel = CancelHandle::new();
        let can_abort = is_cancelled.is_some();
        if is_cancelled == Some(true) {
            cancel.cancel();
        }
        let context = match timeout_ms {
            None => client.context_with(cancel.clone(), None),
            Some(milliseconds) => {
                let timeout = Duration::from_millis(milliseconds.unsigned_abs());
                CallContext::new(timeout, cancel.clone(), None)
            }
        };
        let (input, body) = (input.to_vec(), body.to_vec());
        self.shared.start(call, Some((context.clone(), cancel)), move || {
            let asked = AskedCall { client, operation, input, body };
            let mut message = perform(&asked, action, &context);
            if can_abort && message.kind.is_success() {
                message.ended = Some(EndedCall::Done(Box::new(asked)));
            }
            message
        });
        Ok(())
    }

    /// The public properties of the client: its base URL and its kid.
    #[napi]
    pub fn describe(&self) -> (Option<String>, Option<String>) {
        let client = self.client.lock().unwrap_or_else(PoisonError::into_inner);
        let client = client.as_ref();
        let kid = client.and_then(Client::kid).map(str::to_owned);
        (client.map(|client| client.base_url().to_owned()), kid)
    }

    /// Releases keys and connections as soon as no call uses them.
    #[napi]
    pub fn close(&self) {
        self.client.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

fn perform(asked: &AskedCall, action: Action, context: &CallContext) -> Message {
    let AskedCall { client, operation, input, body } = asked;
    match action {
        Action::Send => response::of_call(bridge::send(client, input, body, context)),
        Action::Prepare => {
            response::of_prepared(bridge::prepare(client, operation, input, body, context))
        }
        Action::Journal => response::of_report(bridge::journal(client, operation, input, context)),
        Action::TokenStatus => response::of_report(bridge::token_status(client, context)),
        Action::Call => response::of_call(bridge::call(client, operation, input, context)),
    }
}

fn refusal(error: Error) -> napi::Error {
    let parts = Json::Array(vec![error.to_json(), error.to_string().as_str().into()]);
    napi::Error::new(Status::GenericFailure, parts.to_text())
}
