//! Signers, token stores, journals and observers that are JavaScript functions.
//!
//! The thread of a call sends a question and waits until the call ends at the
//! latest. The event loop never waits for a thread.

use std::sync::Arc;

use payments_core::journal::Journal;
use payments_core::json::Json;
use payments_core::observer::{Event, EventKind, Level, Observer};
use payments_core::signer::{Signer, SignerError, SigningInput};
use payments_core::token::{Fence, StoreError, TokenEntry, TokenKey, TokenStore};
use payments_core::{CallContext, Secret};
use payments_host::by_name::{OwnJournal, OwnJournalFailure};

use crate::message::Message;
use crate::names::with_own_names;
use crate::port::{self, NoReply, Reply, SharedPort};

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
        let (bytes, sha256) = (input.bytes(), input.sha256());
        let question = |question| Message::Sign {
            question,
            input: bytes.into(),
            sha256: sha256.as_slice().into(),
        };
        match self.shared.ask(context, question) {
            Ok(Reply { bytes, .. }) => Ok(bytes.unwrap_or_default()),
            Err(NoReply::Failed { message, .. }) => Err(SignerError::new(message)),
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
        question: impl FnOnce(u32) -> Message,
    ) -> Result<Json, StoreError> {
        let reply = self.shared.ask(context, question);
        let json = reply.map_err(|none| match none {
            NoReply::Failed { message, .. } => message,
            NoReply::CallEnded => "the call ended".to_owned(),
        });
        json.and_then(json_of).map_err(StoreError::new)
    }
}

/// A reply that is JSON.
fn json_of(Reply { json, .. }: Reply) -> Result<Json, String> {
    Json::parse(json.as_deref().unwrap_or("null").as_bytes())
        .map_err(|_| "the callback returned no valid result".to_owned())
}

/// A fence as a JavaScript number, as it came.
fn number(fence: Fence) -> i64 {
    i64::try_from(fence.0).unwrap_or(i64::MAX)
}

impl TokenStore for CallbackStore {
    fn load(&self, context: &CallContext, key: &TokenKey) -> Result<TokenEntry, StoreError> {
        let key = key.as_str().to_owned();
        let entry = self.ask(context, |question| Message::Load { question, key })?;
        Ok(entry
            .as_str()
            .map_or_else(TokenEntry::default, |text| TokenEntry::from_json(text.as_bytes())))
    }

    fn save(
        &self,
        context: &CallContext,
        key: &TokenKey,
        entry: &TokenEntry,
        fence: Fence,
    ) -> Result<bool, StoreError> {
        let (key, entry) = (key.as_str().to_owned(), entry.to_json().to_text());
        let fence = number(fence);
        let saved = self.ask(context, |question| Message::Save { question, key, entry, fence })?;
        Ok(saved.as_bool() == Some(true))
    }

    fn delete_if(
        &self,
        context: &CallContext,
        key: &TokenKey,
        value: &Secret,
    ) -> Result<bool, StoreError> {
        let (key, value) = (key.as_str().to_owned(), value.expose().to_owned());
        let deleted = self.ask(context, |question| Message::DeleteIf { question, key, value })?;
        Ok(deleted.as_bool() == Some(true))
    }

    fn try_lock(&self, context: &CallContext, key: &TokenKey) -> Result<Option<Fence>, StoreError> {
        let key = key.as_str().to_owned();
        let fence = self.ask(context, |question| Message::TryLock { question, key })?;
        Ok(fence.as_u64().map(Fence))
    }

    /// The call does not wait for it.
    fn unlock(&self, key: &TokenKey, fence: Fence) {
        let (key, fence) = (key.as_str().to_owned(), number(fence));
        self.shared.notify(Message::Unlock { key, fence });
    }
}

/// A journal of functions.
pub(crate) fn callback_journal(shared: Arc<SharedPort>) -> Arc<dyn Journal> {
    Arc::new(OwnJournal::new(move |context: &CallContext, action: &str, input: &Json| {
        let (is_insert, action) = (action == "insert", action.to_owned());
        let input = input.to_text();
        let question = |question| Message::Journal { question, action, input };
        let reply = if is_insert {
            shared.ask_for_insert(context, question)
        } else {
            shared.ask(context, question)
        };
        let json = reply.map_err(|none| match none {
            NoReply::Failed { message: problem, during_commit } => {
                OwnJournalFailure { problem, during_commit }
            }
            // JavaScript may still store the entry.
            NoReply::CallEnded => OwnJournalFailure {
                problem: "the call ended".to_owned(),
                during_commit: Some(true),
            },
        });
        json.and_then(|reply| json_of(reply).map_err(OwnJournalFailure::from))
    }))
}

/// Passes events to the environments whose calls want them.
pub(crate) static EVENTS: ProcessEvents = ProcessEvents;

pub(crate) struct ProcessEvents;

impl Observer for ProcessEvents {
    fn on_event(&self, event: &Event<'_>) {
        let level = event.level();
        port::notify_listener(level, || Message::Event {
            json: with_own_names(event.to_json()).to_text(),
            level: match level {
                Level::Debug => "debug",
                Level::Info => "info",
                _ => "warn",
            },
        });
        if matches!(event.kind, EventKind::RequestStarted { .. }) {
            port::ask_for_traceparent();
        }
    }
}
