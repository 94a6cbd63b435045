//! The token that all clients of one identity share, and the thread that
//! fetches it.

// `core` has atomics that are not steps.
use core::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::model;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use payments_transport::context::{CallContext, CancelHandle};
use payments_transport::inside::SignedBody;
use payments_transport::{PreparedRequest, Received, Transport, TransportFailure};

use super::LONG;
use crate::model::error::{Error, ErrorKind};
use crate::secret::Secret;
use crate::token::{
    Clock, Credentials, Dependencies, Fence, StoreError, Token, TokenCache, TokenEntry, TokenKey,
    TokenManager, TokenStore,
};

const HOUR: Duration = Duration::from_secs(3600);

/// A token server, which counts how many ask at once.
#[derive(Default)]
struct Server {
    asked: AtomicUsize,
    asking: AtomicUsize,
    most_asking: AtomicUsize,
    is_failing: bool,
}

impl Server {
    fn answering(&self, wait: impl FnOnce()) -> usize {
        let number = self.asked.fetch_add(1, SeqCst) + 1;
        self.most_asking.fetch_max(self.asking.fetch_add(1, SeqCst) + 1, SeqCst);
        wait();
        self.asking.fetch_sub(1, SeqCst);
        number
    }

    fn assert_asked(&self, times: usize) {
        assert_eq!(self.asked.load(SeqCst), times, "token requests");
        assert_eq!(self.most_asking.load(SeqCst), 1, "token requests at a time");
    }
}

impl Transport for Server {
    fn send(&self, _: &CallContext, _: &PreparedRequest) -> Result<Received, TransportFailure> {
        let number = self.answering(model::step);
        if self.is_failing {
            return Ok(Received::new(503, Vec::new(), Vec::new()));
        }
        let body = format!(r#"{{"access_token":"token-{number}","expires_in":3600}}"#);
        Ok(Received::new(200, Vec::new(), body.into_bytes()))
    }
}

/// The same server for a call that gets no answer.
struct SilentServer<'a>(&'a Server);

impl Transport for SilentServer<'_> {
    fn send(
        &self,
        context: &CallContext,
        _: &PreparedRequest,
    ) -> Result<Received, TransportFailure> {
        context.set_may_have_sent();
        self.0.answering(|| drop(context.sleep(LONG)));
        let ended = context.ended().expect("it waits until the call ends");
        Err(TransportFailure::ended(ended))
    }
}

struct ModelClock;

impl Clock for ModelClock {
    fn monotonic(&self) -> Instant {
        Instant::now()
    }

    fn unix(&self) -> Duration {
        Duration::from_secs(1_700_000_000) + model::elapsed()
    }
}

fn manager(stores: Vec<Arc<dyn TokenStore>>) -> TokenManager {
    let credentials = Credentials {
        auth_url: "http://127.0.0.1:9".to_owned(),
        client_id: "id".to_owned(),
        client_secret: "secret".into(),
        is_form_encoded: false,
    };
    let cache = Arc::new(TokenCache::new(credentials.key(), stores));
    TokenManager::new(&credentials, HOUR, cache)
}

fn dependencies(transport: &dyn Transport) -> Dependencies<'_> {
    Dependencies { transport, clock: &ModelClock, observe: &|_| {} }
}

fn token_within(
    manager: &TokenManager,
    transport: &dyn Transport,
    context: &CallContext,
) -> Result<Arc<Token>, Error> {
    manager.token(&context.begun(), dependencies(transport))
}

fn token(manager: &TokenManager, server: &Server) -> Result<Arc<Token>, Error> {
    token_within(manager, server, &CallContext::with_timeout(LONG))
}

fn is(token: &Token, number: usize) -> bool {
    token.value.expose() == format!("token-{number}")
}

pub fn one_request() {
    model::execution(|| {
        let (manager, server) = (manager(Vec::new()), Server::default());
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| assert!(is(&token(&manager, &server).unwrap(), 1)));
            }
        });
        server.assert_asked(1);
    });
}

pub fn failure() {
    model::execution(|| {
        let server = Server { is_failing: true, ..Server::default() };
        let manager = manager(Vec::new());
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    let error = token(&manager, &server).unwrap_err();
                    assert_eq!(error.kind(), ErrorKind::Token);
                });
            }
        });
        server.assert_asked(1);
    });
}

pub fn cancelled_fetch() {
    model::execution(|| {
        let (manager, server) = (manager(Vec::new()), Server::default());
        let cancel = CancelHandle::new();
        let context = CallContext::new(LONG, cancel.clone(), None);
        thread::scope(|scope| {
            scope.spawn(|| {
                let token = token_within(&manager, &SilentServer(&server), &context);
                assert!(token.is_ok() || token.unwrap_err().kind() == ErrorKind::Cancelled);
            });
            for _ in 0..2 {
                scope.spawn(|| assert!(token(&manager, &server).is_ok()));
            }
            scope.spawn(|| cancel.cancel());
        });
        let asked = server.asked.load(SeqCst);
        assert!(asked <= 2);
        server.assert_asked(asked);
    });
}

pub fn refresh() {
    model::execution(|| {
        let (manager, server) = (manager(Vec::new()), Server::default());
        token(&manager, &server).unwrap();
        model::advance(HOUR - Duration::from_secs(10));
        thread::scope(|scope| {
            let calls = [(); 3].map(|()| scope.spawn(|| token(&manager, &server).unwrap()));
            let tokens = calls.map(|call| call.join().unwrap());
            assert!(tokens.iter().any(|token| is(token, 2)));
        });
        server.assert_asked(2);
    });
}

/// Replaces the token after a 401.
fn replaced(
    manager: &TokenManager,
    transport: &dyn Transport,
    context: &CallContext,
    refused: &Token,
) -> Option<Arc<Token>> {
    let body = SignedBody::new(Vec::new(), 0);
    let request = PreparedRequest::new("POST", "http://127.0.0.1:9/".into(), body, 0, false);
    let lent = dependencies(transport);
    let replaced = manager.replace(&context.begun(), lent, &refused.value, &request);
    replaced.ok().map(|replaced| replaced.token)
}

pub fn replacement() {
    model::execution(|| {
        let (manager, server) = (manager(Vec::new()), Server::default());
        let refused = token(&manager, &server).unwrap();
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    let context = CallContext::with_timeout(LONG);
                    let replaced = replaced(&manager, &server, &context, &refused);
                    assert!(replaced.is_some_and(|token| is(&token, 2)));
                });
            }
            scope.spawn(|| assert!(token(&manager, &server).is_ok()));
        });
        server.assert_asked(2);
    });
}

/// State that two processes share.
#[derive(Default)]
struct Store {
    entry: Mutex<TokenEntry>,
    /// The last lock, and whether somebody has it.
    lock: Mutex<(u64, bool)>,
}

impl TokenStore for Store {
    fn load(&self, _: &CallContext, _: &TokenKey) -> Result<TokenEntry, StoreError> {
        Ok(self.entry.lock().unwrap().clone())
    }

    fn save(
        &self,
        _: &CallContext,
        _: &TokenKey,
        entry: &TokenEntry,
        _: Fence,
    ) -> Result<bool, StoreError> {
        *self.entry.lock().unwrap() = entry.clone();
        Ok(true)
    }

    fn delete_if(&self, _: &CallContext, _: &TokenKey, value: &Secret) -> Result<bool, StoreError> {
        let mut entry = self.entry.lock().unwrap();
        Ok(entry.token.take_if(|token| token.value == *value).is_some())
    }

    fn try_lock(&self, _: &CallContext, _: &TokenKey) -> Result<Option<Fence>, StoreError> {
        let mut lock = self.lock.lock().unwrap();
        Ok((!lock.1).then(|| {
            *lock = (lock.0 + 1, true);
            Fence(lock.0)
        }))
    }

    fn unlock(&self, _: &TokenKey, _: Fence) {
        self.lock.lock().unwrap().1 = false;
    }
}

/// A thread that does not get the lock of the store tries again a little later.
pub fn shared_store() {
    model::execution_in_time(|| {
        let (store, server) = (Arc::new(Store::default()), Server::default());
        thread::scope(|scope| {
            for _ in 0..2 {
                let manager = manager(vec![Arc::clone(&store) as Arc<dyn TokenStore>]);
                let server = &server;
                scope.spawn(move || assert!(is(&token(&manager, server).unwrap(), 1)));
            }
        });
        server.assert_asked(1);
        assert!(model::elapsed() < Duration::from_secs(1));
    });
}

/// Two processes whose token is refused. The first one's call may be cancelled
/// while it asks for the next.
fn shared_replacement(is_cancelled: bool) {
    model::execution_in_time(move || {
        let (store, server) = (Arc::new(Store::default()), Server::default());
        let [first, second] =
            [(); 2].map(|()| manager(vec![Arc::clone(&store) as Arc<dyn TokenStore>]));
        let refused = token(&first, &server).unwrap();
        assert!(is(&token(&second, &server).unwrap(), 1));
        let cancel = CancelHandle::new();
        let context = CallContext::new(LONG, cancel.clone(), None);
        let silent = SilentServer(&server);
        let transport: &dyn Transport = if is_cancelled { &silent } else { &server };
        thread::scope(|scope| {
            scope.spawn(|| {
                let replaced = replaced(&first, transport, &context, &refused);
                assert!(is_cancelled || replaced.is_some());
            });
            scope.spawn(|| {
                let context = CallContext::with_timeout(LONG);
                assert!(replaced(&second, &server, &context, &refused).is_some());
            });
            if is_cancelled {
                scope.spawn(|| cancel.cancel());
            }
        });
        let asked = server.asked.load(SeqCst);
        assert!(asked == 2 || (is_cancelled && asked == 3), "{asked} token requests");
        server.assert_asked(asked);
    });
}

pub fn replacement_in_two_processes() {
    shared_replacement(false);
}

pub fn cancelled_replacement() {
    shared_replacement(true);
}
