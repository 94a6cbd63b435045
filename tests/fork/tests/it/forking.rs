//! Callbacks that fork, and from which both processes return.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::Duration;

use payments_core::context::InterruptHook;
use payments_core::journal::{
    Counted, Entry, Filter, Found, Journal, JournalError, SqliteJournal, Updated,
};
use payments_core::observer::Event;
use payments_core::signer::{LocalSigner, Signer, SignerError, SigningInput};
use payments_core::token::{Fence, FileStore, StoreError, TokenEntry, TokenKey, TokenStore};
use payments_core::transport::{
    HttpTransport, PreparedRequest, Received, Transport, TransportFailure,
};
use payments_core::{CallContext, Error, ErrorKind, Operation, Outcome, Secret};
use payments_fork_tests::{ChildEnd, fork_here, leave};

pub const LIMIT: Duration = Duration::from_secs(60);

thread_local! {
    /// The work of this thread. No lock: another thread could hold it when this
    /// one forks.
    static FORKING: RefCell<ForkState> = RefCell::default();
}

#[derive(Default)]
struct ForkState {
    /// Where to fork: `NAME` is after that callback, `before NAME` before it.
    point: Option<String>,
    hooks: usize,
    side: Option<Side>,
    /// The callbacks that ran in the child after the one that forked.
    by_child: Vec<String>,
}

enum Side {
    Parent(ChildEnd),
    Child,
}

/// Makes the next call of this thread fork at `point`, where the parent waits
/// until the child has ended.
pub fn fork_at(point: &str) {
    FORKING.set(ForkState { point: Some(point.to_owned()), ..ForkState::default() });
}

/// Checks how the call ended, and returns whether it forked. In the child, this
/// ends the process.
pub fn conclude<T>(result: &Result<T, Error>) -> bool {
    let ForkState { point, side, by_child, .. } = FORKING.take();
    match side {
        Some(Side::Child) => leave(|| {
            let error = result.as_ref().err().unwrap();
            // An operation that only reads may be called again.
            let outcome = if error.operation().is_some_and(Operation::is_read_only) {
                Outcome::NotExecuted
            } else {
                Outcome::Unknown
            };
            assert_eq!(
                (error.kind(), error.code().as_str(), error.outcome()),
                (ErrorKind::Cancelled, "call_forked", outcome)
            );
            assert!(error.message().contains("do not send it again from this process"));
            assert_eq!(by_child, [""; 0], "{point:?}");
            true
        }),
        Some(Side::Parent(child)) => {
            assert_eq!(child, ChildEnd::Exited(0), "{point:?}");
            assert!(result.is_ok(), "{point:?}: {:?}", result.as_ref().err());
            true
        }
        None => false,
    }
}

/// Runs the callback `name`.
fn callback<R>(name: &str, act: impl FnOnce() -> R) -> R {
    FORKING.with_borrow_mut(|it| {
        if let Some(Side::Child) = it.side {
            it.by_child.push(name.to_owned());
        }
    });
    pass(&format!("before {name}"));
    let result = act();
    pass(name);
    result
}

fn pass(point: &str) {
    FORKING.with_borrow_mut(|it| {
        if it.side.is_none() && it.point.as_deref() == Some(point) {
            it.side = Some(fork_here(LIMIT).map_or(Side::Child, |it| Side::Parent(it.wait())));
        }
    });
}

/// An interrupt hook, whose points are `hook 1`, `hook 2`, and so on. It takes
/// this long, during which a response may arrive.
pub fn hook(pause: Duration) -> InterruptHook {
    Arc::new(move || {
        std::thread::sleep(pause);
        let number = FORKING.with_borrow_mut(|it| {
            it.hooks += 1;
            it.hooks
        });
        callback(&format!("hook {number}"), || false)
    })
}

/// An observer, whose points are the names of the events.
pub fn observe(event: &Event<'_>) {
    callback(event.name(), || ());
}

/// A callback that passes everything to the one in it.
pub struct Around<T>(pub T);

impl<T> Around<T> {
    fn act<R>(&self, name: &str, act: impl FnOnce(&T) -> R) -> R {
        callback(name, || act(&self.0))
    }
}

impl Signer for Around<LocalSigner> {
    fn kid(&self) -> &str {
        self.0.kid()
    }

    fn sign(
        &self,
        context: &CallContext,
        input: &SigningInput<'_>,
    ) -> Result<Vec<u8>, SignerError> {
        self.act("sign", |it| it.sign(context, input))
    }
}

impl TokenStore for Around<FileStore> {
    fn load(&self, context: &CallContext, key: &TokenKey) -> Result<TokenEntry, StoreError> {
        self.act("load", |it| it.load(context, key))
    }

    fn save(
        &self,
        context: &CallContext,
        key: &TokenKey,
        entry: &TokenEntry,
        fence: Fence,
    ) -> Result<bool, StoreError> {
        self.act("save", |it| it.save(context, key, entry, fence))
    }

    fn delete_if(
        &self,
        context: &CallContext,
        key: &TokenKey,
        value: &Secret,
    ) -> Result<bool, StoreError> {
        self.act("delete_if", |it| it.delete_if(context, key, value))
    }

    fn try_lock(&self, context: &CallContext, key: &TokenKey) -> Result<Option<Fence>, StoreError> {
        self.act("try_lock", |it| it.try_lock(context, key))
    }

    fn unlock(&self, key: &TokenKey, fence: Fence) {
        self.act("unlock", |it| it.unlock(key, fence));
    }
}

impl Journal for Around<SqliteJournal> {
    fn insert(&self, context: &CallContext, entry: &Entry) -> Result<bool, JournalError> {
        self.act("insert", |it| it.insert(context, entry))
    }

    fn update(&self, context: &CallContext, entry: &Entry) -> Result<Updated, JournalError> {
        self.act("update", |it| it.update(context, entry))
    }

    fn find(&self, context: &CallContext, filter: &Filter) -> Result<Found, JournalError> {
        self.act("find", |it| it.find(context, filter))
    }

    fn count(
        &self,
        context: &CallContext,
        scope: &str,
        before: u64,
    ) -> Result<Counted, JournalError> {
        self.act("count", |it| it.count(context, scope, before))
    }

    fn prune(
        &self,
        context: &CallContext,
        scope: &str,
        before: u64,
        limit: u32,
    ) -> Result<u64, JournalError> {
        self.act("prune", |it| it.prune(context, scope, before, limit))
    }
}

impl Transport for Around<HttpTransport> {
    fn send(
        &self,
        context: &CallContext,
        request: &PreparedRequest,
    ) -> Result<Received, TransportFailure> {
        self.act("send", |it| it.send(context, request))
    }
}
