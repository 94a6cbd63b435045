//! Signers, token stores, journals and observers that are JavaScript functions.
//!
//! The thread of a call sends a question and waits until the call ends at the
//! latest. The event loop never waits for a thread.

use std::sync::Arc;

use payments_core::bridge::OwnJournal;
use payments_core::journal::Journal;
use payments_core::json::{Json, Members};
use payments_core::observer::{Event, Observer};
use payments_core::signer::{Signer, SignerError, SigningInput};
use payments_core::token::{Entry, EntryKey, Fence, StoreError, TokenStore};
use payments_core::{CallContext, Secret};

use crate::message::{Message, MessageKind};
use crate::port::{NoReply, SharedPort};

/// Signs with a function.
pub(crate) struct CallbackSigner {
    kid: String,
    shared: Arc<SharedPort>,
}

impl CallbackSigner {
    pub(crate) fn new(kid: String, shared: Arc<SharedPort>) -> Self {
        Self { kid, shared }
    }
}

impl Signer for CallbackSigner {
    fn kid(&self) -> &str {
        &self.kid
    }

    fn sign(
        &self,
        context: &CallContext,
        input: &SigningInput<'_>,
    ) -> Result<Vec<u8>, SignerError> {
        let question = Message {
            bytes: Some(input.bytes().to_vec()),
            more_bytes: Some(input.sha256().to_vec()),
            ..Message::new(MessageKind::Sign)
        };
        match self.shared.ask(context, question) {
            Ok(Ok((_, signature))) => Ok(signature.unwrap_or_default()),
            Ok(Err(message)) | Err(NoReply::Failed(message)) => Err(SignerError::new(message)),
            // The core reports why the call ended.
            Err(NoReply::CallEnded) => Err(SignerError::new("the call ended")),
        }
    }
}

/// Keeps tokens with functions.
pub(crate) struct CallbackStore {
    shared: Arc<SharedPort>,
}

impl CallbackStore {
    pub(crate) fn new(shared: Arc<SharedPort>) -> Self {
        Self { shared }
    }

    /// The reply is a string, a number, `true`, `false` or `null`.
    fn ask(
        &self,
        context: &CallContext,
        kind: MessageKind,
        key: &EntryKey,
        arguments: impl IntoIterator<Item = (&'static str, Json)>,
    ) -> Result<Json, StoreError> {
        ask_for_json(&self.shared, context, store_message(kind, key, arguments))
            .map_err(StoreError::new)
    }
}

/// Asks a question whose reply is JSON.
fn ask_for_json(
    shared: &SharedPort,
    context: &CallContext,
    question: Message,
) -> Result<Json, String> {
    match shared.ask(context, question) {
        Ok(Ok((text, _))) => Json::parse(text.as_deref().unwrap_or("null").as_bytes())
            .map_err(|_| "the callback returned no valid result".to_owned()),
        Ok(Err(message)) | Err(NoReply::Failed(message)) => Err(message),
        Err(NoReply::CallEnded) => Err("the call ended".to_owned()),
    }
}

fn store_message(
    kind: MessageKind,
    key: &EntryKey,
    arguments: impl IntoIterator<Item = (&'static str, Json)>,
) -> Message {
    let mut members = Members::new();
    members.push("key", key.as_str());
    for (name, value) in arguments {
        members.push(name, value);
    }
    Message::new(kind).text(Json::from(members).to_text())
}

fn number(fence: Fence) -> Json {
    Json::from(fence.0)
}

impl TokenStore for CallbackStore {
    fn load(&self, context: &CallContext, key: &EntryKey) -> Result<Entry, StoreError> {
        let entry = self.ask(context, MessageKind::Load, key, [])?;
        Ok(entry.as_str().map_or_else(Entry::default, |text| Entry::from_json(text.as_bytes())))
    }

    fn save(
        &self,
        context: &CallContext,
        key: &EntryKey,
        entry: &Entry,
        fence: Fence,
    ) -> Result<bool, StoreError> {
        let entry = entry.to_json().to_text();
        let arguments = [("entry", Json::from(entry.as_str())), ("fence", number(fence))];
        Ok(self.ask(context, MessageKind::Save, key, arguments)?.as_bool() == Some(true))
    }

    fn delete_if(
        &self,
        context: &CallContext,
        key: &EntryKey,
        value: &Secret,
    ) -> Result<bool, StoreError> {
        let arguments = [("value", Json::from(value.expose()))];
        Ok(self.ask(context, MessageKind::DeleteIf, key, arguments)?.as_bool() == Some(true))
    }

    fn try_lock(&self, context: &CallContext, key: &EntryKey) -> Result<Option<Fence>, StoreError> {
        let fence = self.ask(context, MessageKind::TryLock, key, [])?;
        Ok(fence.as_number_text().and_then(|text| text.parse().ok()).map(Fence))
    }

    /// The call does not wait for it.
    fn unlock(&self, key: &EntryKey, fence: Fence) {
        self.shared.tell(store_message(MessageKind::Unlock, key, [("fence", number(fence))]));
    }
}

/// A journal of functions.
pub(crate) fn callback_journal(shared: Arc<SharedPort>) -> Arc<dyn Journal> {
    Arc::new(OwnJournal::new(move |context: &CallContext, action: &str, input: &Json| {
        let question = Message {
            more_text: Some(input.to_text()),
            ..Message::new(MessageKind::Journal).text(action)
        };
        ask_for_json(&shared, context, question)
    }))
}

/// Passes events to a function.
pub(crate) struct CallbackObserver {
    shared: Arc<SharedPort>,
}

impl CallbackObserver {
    pub(crate) fn new(shared: Arc<SharedPort>) -> Self {
        Self { shared }
    }
}

impl Observer for CallbackObserver {
    fn on_event(&self, event: &Event<'_>) {
        self.shared.tell(Message::new(MessageKind::Event).text(event.to_json().to_text()));
    }
}
