//! The doubles themselves: each asks the stage, and otherwise does its work.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use payments_core::journal::{Counted, Entry, Filter, Found, Journal, JournalError, Updated};
use payments_core::signer::{Signer, SignerError, SigningInput};
use payments_core::token::{Fence, StoreError, TokenEntry, TokenKey, TokenStore};
use payments_core::transport::{
    FailureKind, PreparedRequest, Received, Transport, TransportFailure,
};
use payments_core::{CallContext, Secret};

use super::peer::is_other_call;
use super::stage::Stage;
use crate::support::journal::MemoryJournal;
use crate::support::tokens::TestStore;

/// The answer of a service to one attempt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reply {
    pub status: u16,
    pub body: &'static str,
    pub is_html: bool,
    /// Whether it has executed the operation before.
    pub executes: bool,
}

pub const OK: Reply = Reply {
    status: 200,
    body: r#"{"status":"SUCCESS","payment":{"hash":"5f2c","status":"PE"}}"#,
    is_html: false,
    executes: true,
};

pub struct StageSigner(pub Arc<Stage>);

impl Signer for StageSigner {
    fn kid(&self) -> &str {
        "kid-1"
    }

    fn sign(&self, _: &CallContext, _: &SigningInput<'_>) -> Result<Vec<u8>, SignerError> {
        if self.0.pass("sign") {
            Err(SignerError::new("the HSM is away"))
        } else {
            Ok(vec![7; 512])
        }
    }
}

pub struct StageJournal {
    pub stage: Arc<Stage>,
    pub memory: Arc<MemoryJournal>,
}

impl StageJournal {
    fn pass(&self, callback: &'static str) -> Result<(), JournalError> {
        if self.stage.pass(callback) {
            Err(JournalError::new("the database is away"))
        } else {
            Ok(())
        }
    }
}

impl Journal for StageJournal {
    fn insert(&self, context: &CallContext, entry: &Entry) -> Result<bool, JournalError> {
        self.pass("insert")?;
        if self.stage.pass("commit") {
            *self.memory.commits_late.lock().unwrap() = true;
        }
        let is_stored = self.memory.insert(context, entry)?;
        self.pass("inserted")?;
        Ok(is_stored)
    }

    fn update(&self, context: &CallContext, entry: &Entry) -> Result<Updated, JournalError> {
        self.pass("update")?;
        let updated = self.memory.update(context, entry)?;
        self.pass("updated")?;
        Ok(updated)
    }

    fn find(&self, context: &CallContext, filter: &Filter) -> Result<Found, JournalError> {
        self.pass("find")?;
        self.memory.find(context, filter)
    }

    fn count(
        &self,
        context: &CallContext,
        scope: &str,
        before: u64,
    ) -> Result<Counted, JournalError> {
        self.memory.count(context, scope, before)
    }

    fn prune(
        &self,
        context: &CallContext,
        scope: &str,
        before: u64,
        limit: u32,
    ) -> Result<u64, JournalError> {
        self.memory.prune(context, scope, before, limit)
    }
}

pub struct StageStore {
    pub stage: Arc<Stage>,
    pub store: Arc<TestStore>,
}

impl StageStore {
    fn pass(&self, callback: &'static str) -> Result<(), StoreError> {
        if self.stage.pass(callback) { Err(StoreError::new("the store is away")) } else { Ok(()) }
    }
}

impl TokenStore for StageStore {
    fn load(&self, context: &CallContext, key: &TokenKey) -> Result<TokenEntry, StoreError> {
        self.pass("load")?;
        self.store.load(context, key)
    }

    fn save(
        &self,
        context: &CallContext,
        key: &TokenKey,
        entry: &TokenEntry,
        fence: Fence,
    ) -> Result<bool, StoreError> {
        self.pass("save")?;
        self.store.save(context, key, entry, fence)
    }

    fn delete_if(
        &self,
        context: &CallContext,
        key: &TokenKey,
        value: &Secret,
    ) -> Result<bool, StoreError> {
        self.store.delete_if(context, key, value)
    }

    fn try_lock(&self, context: &CallContext, key: &TokenKey) -> Result<Option<Fence>, StoreError> {
        self.pass("try_lock")?;
        self.store.try_lock(context, key)
    }

    fn unlock(&self, key: &TokenKey, fence: Fence) {
        // It cannot say that it failed.
        self.stage.pass("unlock");
        self.store.unlock(key, fence);
    }
}

/// A service and its token server, without a network. Its client waits as a
/// transport must: it asks the context, and reports the bytes that it sent.
pub struct StageTransport {
    pub stage: Arc<Stage>,
    pub replies: &'static [Reply],
}

impl StageTransport {
    /// Reaches `callback`. Its error is of `kind`.
    fn pass(
        &self,
        context: &CallContext,
        callback: &'static str,
        kind: FailureKind,
    ) -> Result<(), TransportFailure> {
        if self.stage.pass(callback) {
            return Err(TransportFailure::new(kind, "the network is away"));
        }
        let Some(ended) = context.ended() else { return Ok(()) };
        let kind = match ended {
            payments_core::context::Ended::Deadline => FailureKind::Timeout,
            _ => FailureKind::Cancelled,
        };
        Err(TransportFailure::new(kind, "the call has ended"))
    }

    fn token(&self, context: &CallContext) -> Result<Received, TransportFailure> {
        if is_other_call() && self.stage.hold_other() {
            return Err(TransportFailure::new(FailureKind::Broken, "the network is away"));
        }
        self.pass(context, "token_connect", FailureKind::Connect)
            .map_err(TransportFailure::nothing_sent)?;
        self.pass(context, "token_wait", FailureKind::Broken)?;
        if self.stage.pass("token_refuse") {
            return Ok(Received::new(401, Vec::new(), Vec::new()));
        }
        static NUMBER: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::SeqCst);
        let body = format!(
            r#"{{"access_token":"token-{number}","token_type":"bearer","expires_in":86000}}"#
        );
        Ok(Received::new(200, Vec::new(), body.into_bytes()))
    }
}

impl Transport for StageTransport {
    fn send(
        &self,
        context: &CallContext,
        request: &PreparedRequest,
    ) -> Result<Received, TransportFailure> {
        if request.url().contains("/oauth/") {
            return self.token(context);
        }
        self.pass(context, "connect", FailureKind::Connect)
            .map_err(TransportFailure::nothing_sent)?;
        context.set_may_have_sent();
        let stage = &self.stage;
        stage.begun.fetch_add(u32::from(stage.is_on()), Ordering::SeqCst);
        self.pass(context, "write", FailureKind::Broken)?;
        let attempt = stage.attempts.load(Ordering::SeqCst).max(1) as usize;
        let reply = if stage.is_on() {
            self.replies[(attempt - 1).min(self.replies.len() - 1)]
        } else {
            OK
        };
        if stage.is_on() {
            stage.wholes.fetch_add(1, Ordering::SeqCst);
            stage.executed.fetch_add(u32::from(reply.executes), Ordering::SeqCst);
        }
        self.pass(context, "wait", FailureKind::Broken)?;
        let media_type = if reply.is_html { "text/html" } else { "application/json" };
        let headers = vec![("content-type".to_owned(), media_type.to_owned())];
        let received = Received::new(reply.status, headers, reply.body.into());
        Ok(match self.pass(context, "read", FailureKind::Broken) {
            Ok(()) => received,
            Err(failure) => {
                let half = reply.body.len() / 2;
                let raw = &reply.body.as_bytes()[..half];
                let headers = vec![("content-type".to_owned(), media_type.to_owned())];
                Received::new(reply.status, headers, raw.to_vec()).with_body_failure(failure)
            }
        })
    }
}
