//! An in-memory service with a token server.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use payments_core::context::CallContext;
use payments_core::transport::{
    FailureKind, PreparedRequest, Received, Transport, TransportFailure,
};

type Reply = Result<Received, TransportFailure>;
type TokenServer = Arc<dyn Fn(&TokenRequest<'_>) -> Reply + Send + Sync>;
type Operations = Arc<dyn Fn(&Sent) -> Reply + Send + Sync>;

/// Issues `token-1`, `token-2`, … and accepts the tokens it issued, unless a
/// test changes that.
pub struct Service {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    token_requests: Vec<Sent>,
    calls: Vec<Sent>,
    valid: HashSet<String>,
    token_server: Option<TokenServer>,
    operations: Option<Operations>,
}

/// A token request.
pub struct TokenRequest<'a> {
    /// Counted from 1.
    pub number: usize,
    pub context: &'a CallContext,
    pub sent: &'a Sent,
}

/// A request as sent by the client.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sent {
    pub method: String,
    pub url: String,
    pub authorization: String,
    pub signature: String,
    pub body: Vec<u8>,
}

impl Sent {
    /// The bearer token in the request.
    pub fn token(&self) -> &str {
        self.authorization.strip_prefix("Bearer ").unwrap_or_default()
    }

    /// The request without its bearer token.
    pub fn without_token(&self) -> Self {
        Self { authorization: String::new(), ..self.clone() }
    }
}

impl Service {
    pub fn new() -> Arc<Self> {
        Arc::new(Self { state: Mutex::default() })
    }

    /// Responds to token requests with `reply` from now on.
    pub fn on_token(&self, reply: impl Fn(&TokenRequest<'_>) -> Reply + Send + Sync + 'static) {
        self.lock().token_server = Some(Arc::new(reply));
    }

    /// Goes back to issuing tokens.
    pub fn issue_tokens(&self) {
        self.lock().token_server = None;
    }

    /// Responds to all other requests with `reply` from now on.
    pub fn on_call(&self, reply: impl Fn(&Sent) -> Reply + Send + Sync + 'static) {
        self.lock().operations = Some(Arc::new(reply));
    }

    /// Invalidates every token issued so far.
    pub fn revoke_tokens(&self) {
        self.lock().valid.clear();
    }

    pub fn token_requests(&self) -> usize {
        self.lock().token_requests.len()
    }

    /// The token requests, in order.
    pub fn requests(&self) -> Vec<Sent> {
        self.lock().token_requests.clone()
    }

    /// All other requests, in order.
    pub fn calls(&self) -> Vec<Sent> {
        self.lock().calls.clone()
    }

    /// The token of the last call.
    pub fn last_token(&self) -> String {
        self.lock().calls.last().map(|sent| sent.token().to_owned()).unwrap_or_default()
    }

    /// Issues a token that lives for `lifetime` seconds.
    pub fn issue(&self, value: &str, lifetime: u64) -> Reply {
        self.lock().valid.insert(value.to_owned());
        Ok(token_response(&format!(
            r#"{{"access_token":"{value}","token_type":"bearer","expires_in":{lifetime},"scope":"all","user_name":"integrator","jti":"jti-{value}"}}"#
        )))
    }

    pub fn is_valid(&self, token: &str) -> bool {
        self.lock().valid.contains(token)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Transport for Service {
    fn send(&self, context: &CallContext, request: &PreparedRequest) -> Reply {
        let header = |name| request.header(name).unwrap_or_default().to_owned();
        let sent = Sent {
            method: request.method().to_owned(),
            url: request.url().to_owned(),
            authorization: header("authorization"),
            signature: header("x-jws-signature"),
            body: request.body().to_vec(),
        };
        if sent.url.ends_with("/authorization-server/oauth/token") {
            let (number, reply) = {
                let mut state = self.lock();
                state.token_requests.push(sent.clone());
                (state.token_requests.len(), state.token_server.clone())
            };
            return match reply {
                Some(reply) => reply(&TokenRequest { number, context, sent: &sent }),
                None => self.issue(&format!("token-{number}"), 86_400),
            };
        }
        let reply = {
            let mut state = self.lock();
            state.calls.push(sent.clone());
            state.operations.clone()
        };
        match reply {
            Some(reply) => reply(&sent),
            None if self.is_valid(sent.token()) => Ok(accepted()),
            None => Ok(status(401)),
        }
    }
}

/// A response that every operation treats as a success.
pub fn accepted() -> Received {
    let body = br#"{"status":"SUCCESS","payment":{"status":"PE"}}"#;
    Received::new(200, Vec::new(), body.to_vec())
}

/// A response without headers and body.
pub fn status(status: u16) -> Received {
    Received::new(status, Vec::new(), Vec::new())
}

/// A response with one header.
pub fn status_with(status: u16, name: &str, value: &str) -> Received {
    Received::new(status, vec![(name.to_owned(), value.to_owned())], Vec::new())
}

/// A 200 of the token server with this body.
pub fn token_response(body: &str) -> Received {
    let json = ("content-type".to_owned(), "application/json".to_owned());
    Received::new(200, vec![json], body.as_bytes().to_vec())
}

/// The connection was refused, so nothing was sent.
pub fn refused_connection() -> TransportFailure {
    TransportFailure::new(FailureKind::Connect, "connection refused").nothing_sent()
}

/// The connection broke after part of the request was sent.
pub fn broken() -> TransportFailure {
    TransportFailure::new(FailureKind::Broken, "connection reset")
}

/// The call ended before the response arrived.
pub fn timed_out() -> TransportFailure {
    TransportFailure::new(FailureKind::Timeout, "no response in time")
}
