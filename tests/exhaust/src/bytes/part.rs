//! The bytes that are cut, and one call.

use std::sync::Arc;
use std::time::Duration;

use payments_core::signer::{Signer, SignerError, SigningInput};
use payments_core::{CallContext, Client, Config, Error};
use serde_json::{Value, json};

use super::model::{Answer, Framing, Meaning, expected};
use super::peer::{Cut, Direction, Peer, Role, Traffic, head_of};
use super::{Peers, TOKEN, next_address};
use crate::rows::{Kind, call};
use crate::stand_ins::{self, Flow, Stop};

const REFERENCE: &str = "order-1";
const HASH: &str = "5a4f93";

/// The sender of the bytes that are cut.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sender {
    Service,
    TokenServer,
    Proxy,
    Redis,
}

/// The source of a call's bearer token.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tokens {
    /// It needs none.
    None,
    TokenServer,
    /// A Redis server, which has one or not.
    Redis {
        has_token: bool,
    },
}

/// Bytes of one side of a conversation.
pub(super) struct Part {
    pub(super) name: &'static str,
    pub(super) direction: Direction,
    who: Sender,
    kind: Kind,
    framing: Framing,
    meaning: Meaning,
    tokens: Tokens,
}

const REQUEST: Part = Part {
    name: "request of a payment",
    direction: Direction::Request,
    who: Sender::Service,
    kind: Kind::Payment,
    framing: Framing::Length,
    meaning: Meaning::Success,
    tokens: Tokens::None,
};
const RESPONSE: Part =
    Part { name: "response to a payment", direction: Direction::Response, ..REQUEST };

/// All parts.
pub(super) static PARTS: [Part; 18] = [
    REQUEST,
    Part { name: "request of a payout", kind: Kind::Payout, ..REQUEST },
    Part { name: "request of a refund", kind: Kind::Refund, ..REQUEST },
    Part { name: "request of send", kind: Kind::Send, ..REQUEST },
    RESPONSE,
    Part { name: "response to a payout", kind: Kind::Payout, ..RESPONSE },
    Part { name: "response to a refund", kind: Kind::Refund, ..RESPONSE },
    Part { name: "response to send", kind: Kind::Send, ..RESPONSE },
    Part { name: "response in chunks", framing: Framing::Chunked, ..RESPONSE },
    Part { name: "response until close", framing: Framing::UntilClose, ..RESPONSE },
    Part { name: "refusal", meaning: Meaning::Refusal, ..RESPONSE },
    Part { name: "refusal with a reason", meaning: Meaning::RefusalWithReason, ..RESPONSE },
    Part {
        name: "request to the token server",
        who: Sender::TokenServer,
        tokens: Tokens::TokenServer,
        ..REQUEST
    },
    Part {
        name: "response of the token server",
        who: Sender::TokenServer,
        tokens: Tokens::TokenServer,
        ..RESPONSE
    },
    Part { name: "request to a proxy", who: Sender::Proxy, ..REQUEST },
    Part { name: "response of a proxy", who: Sender::Proxy, ..RESPONSE },
    Part {
        name: "replies of Redis with a token",
        who: Sender::Redis,
        tokens: Tokens::Redis { has_token: true },
        ..RESPONSE
    },
    Part {
        name: "replies of Redis without a token",
        who: Sender::Redis,
        tokens: Tokens::Redis { has_token: false },
        ..RESPONSE
    },
];

/// A call that was made.
pub(super) struct EndedCall {
    pub(super) reported: &'static str,
    pub(super) has_stopped: bool,
    expected: &'static str,
    is_refused: bool,
    /// How many connections carried a byte of the operation's request.
    begun: usize,
    executed: usize,
    has_credentials: bool,
    error: Option<String>,
}

impl EndedCall {
    /// The mistakes.
    pub(super) fn findings(&self) -> impl Iterator<Item = String> {
        let Self { reported, expected, begun, executed, .. } = self;
        let executes = match *reported {
            "success" => *executed == 1,
            "not_executed" => *executed == 0 || self.is_refused,
            _ => *executed <= 1,
        };
        let error = self.error.as_deref().unwrap_or_default();
        let findings = [
            (reported != expected)
                .then(|| format!("reported {reported} instead of {expected}: {error}")),
            (*begun > 1).then(|| format!("sent {begun} times")),
            (!executes).then(|| format!("reported {reported}, and executed {executed} times")),
            (!self.has_credentials).then(|| "sent with another token".to_owned()),
        ];
        findings.into_iter().flatten()
    }
}

impl Part {
    /// How many bytes there are to cut.
    pub(super) fn length(&self, peers: &Peers) -> usize {
        let (ended, flows) = self.call_and_watch(peers, None, Duration::from_secs(60));
        let findings: Vec<_> = ended.findings().collect();
        assert!(findings.is_empty(), "{}: {findings:?}", self.name);
        let port = self.peer(peers).port;
        let flow = flows.into_iter().find(|flow| flow.port == port).unwrap();
        let bytes = if self.direction == Direction::Request { flow.sent } else { flow.arrived };
        match self.who {
            Sender::Proxy => head_of(&bytes).unwrap(),
            _ => bytes.len(),
        }
    }

    /// Whether `make test` cuts here: at each byte of a response to a payment,
    /// and at a sample of the others.
    pub(super) fn is_in_subset(&self, at: usize, length: usize) -> bool {
        let sample = if self.name == RESPONSE.name { length } else { 20 };
        at.is_multiple_of(length.div_ceil(sample)) || at + 1 >= length
    }

    /// Makes the call, with its own client.
    pub(super) fn call(&self, peers: &Peers, cut: Option<Cut>, deadline: Duration) -> EndedCall {
        self.call_and_watch(peers, cut, deadline).0
    }

    fn call_and_watch(
        &self,
        peers: &Peers,
        cut: Option<Cut>,
        deadline: Duration,
    ) -> (EndedCall, Vec<Flow>) {
        let address = next_address();
        let answer = self.answer();
        let url = |peer: &Peer| format!("http://{address}:{}", peer.port);
        let cut_of = |who| cut.filter(|_| who == self.who);
        peers.service.begin(address, role(&answer), cut_of(Sender::Service));
        peers.token_server.begin(address, role(&token_response()), cut_of(Sender::TokenServer));
        peers.proxy.begin(address, Role::Proxy, cut_of(Sender::Proxy));
        let has_token = self.tokens == Tokens::Redis { has_token: true };
        peers.redis.begin(address, Role::Redis { has_token }, cut_of(Sender::Redis));
        let mut members = json!({
            "environment": "sandbox",
            "base_url": url(&peers.service),
            "timeout_ms": u64::try_from(deadline.as_millis()).unwrap(),
        });
        if self.tokens != Tokens::None {
            members["auth_url"] = url(&peers.token_server).into();
            members["client_id"] = "client".into();
            members["client_secret"] = "secret".into();
        }
        if let Tokens::Redis { .. } = self.tokens {
            let port = peers.redis.port;
            members["token_store"] = format!("redis://user:password@{address}:{port}/1").into();
            members["token_store_fallback"] = "memory".into();
        }
        if self.who == Sender::Proxy {
            members["proxy"] = url(&peers.proxy).into();
        }
        let config = Config::from_json(members.to_string().as_bytes()).unwrap();
        let client = Client::new(config.signer(Arc::new(Constant))).unwrap();
        let port = self.peer(peers).port;
        let stopped = cut.filter(|cut| cut.direction == Direction::Request);
        stand_ins::watch(stopped.map(|Cut { at, way, .. }| Stop::After { port, bytes: at, way }));
        let result = call(&client, self.kind, [REFERENCE, HASH], &client.context());
        let (flows, _) = stand_ins::watched();
        drop(client);
        let all = [&peers.service, &peers.token_server, &peers.proxy, &peers.redis]
            .map(|peer| peer.end(&flows));
        let ended = self.ended(&result, self.to_service(&flows, peers), &answer, all);
        (ended, flows)
    }

    fn peer<'a>(&self, peers: &'a Peers) -> &'a Peer {
        match self.who {
            Sender::Service => &peers.service,
            Sender::TokenServer => &peers.token_server,
            Sender::Proxy => &peers.proxy,
            Sender::Redis => &peers.redis,
        }
    }

    /// The bytes for the service on the connections, without those for a proxy
    /// before.
    fn to_service(&self, flows: &[Flow], peers: &Peers) -> Vec<Flow> {
        let through_proxy = self.who == Sender::Proxy;
        let port = if through_proxy { peers.proxy.port } else { peers.service.port };
        let mut flows: Vec<_> = flows.iter().filter(|flow| flow.port == port).cloned().collect();
        for flow in flows.iter_mut().filter(|_| through_proxy) {
            for bytes in [&mut flow.sent, &mut flow.arrived] {
                bytes.drain(..head_of(bytes).unwrap_or(bytes.len()));
            }
        }
        flows
    }

    fn ended(
        &self,
        result: &Result<(), Error>,
        flows: Vec<Flow>,
        answer: &Answer,
        seen: [Traffic; 4],
    ) -> EndedCall {
        let service = &seen[0];
        let bearer = format!("Bearer {TOKEN}\r\n");
        let is_ours = |request: &Vec<u8>| String::from_utf8_lossy(request).contains(&bearer);
        EndedCall {
            reported: result.as_ref().map_or_else(|error| error.outcome().as_str(), |()| "success"),
            has_stopped: seen.iter().any(|seen| seen.has_stopped),
            expected: expected(&flows, answer),
            is_refused: answer.meaning != Meaning::Success,
            begun: flows.iter().filter(|flow| !flow.sent.is_empty()).count(),
            executed: service.requests.len(),
            has_credentials: self.tokens == Tokens::None || service.requests.iter().all(is_ours),
            error: result.as_ref().err().map(ToString::to_string),
        }
    }

    fn answer(&self) -> Answer {
        let (status, body) = match (self.meaning, self.kind) {
            (Meaning::Refusal, _) => ("403 Forbidden", r#"{"status_message":"no"}"#.to_owned()),
            (Meaning::RefusalWithReason, _) => {
                ("400 Bad Request", r#"{"status_message":"no"}"#.to_owned())
            }
            (Meaning::Success, kind) => ("200 OK", success(kind).to_string()),
        };
        let framing = match self.framing {
            Framing::Length => format!("content-length: {}\r\n\r\n{body}", body.len()),
            Framing::Chunked => {
                let (first, second) = body.split_at(body.len() / 2);
                let chunk = |part: &str| format!("{:x}\r\n{part}\r\n", part.len());
                let chunks = [first, second, ""].map(chunk).concat();
                format!("transfer-encoding: chunked\r\n\r\n{chunks}")
            }
            Framing::UntilClose => format!("connection: close\r\n\r\n{body}"),
        };
        let bytes = format!("HTTP/1.1 {status}\r\ncontent-type: application/json\r\n{framing}");
        let (framing, meaning) = (self.framing, self.meaning);
        let is_unread = self.kind == Kind::Send;
        Answer { bytes: bytes.into_bytes().into(), framing, meaning, is_unread }
    }
}

/// The service's answer to a call that it executed.
fn success(kind: Kind) -> Value {
    match kind {
        Kind::Payment | Kind::Ensure => json!({
            "status": "SUCCESS",
            "payment": {"hash": HASH, "merchant_payment_code": REFERENCE, "status": "PE"},
        }),
        Kind::Payout => json!({
            "type": "success",
            "payout": {"uid": "8f2c", "external_reference": REFERENCE, "status": "OP"},
        }),
        Kind::Refund => json!({
            "status": "SUCCESS",
            "refund": {"id": "1", "merchant_refund_code": REFERENCE, "status": "RE"},
            "payment": {"hash": HASH, "status": "CO"},
        }),
        Kind::Send => json!({"status": "SUCCESS", "transfer": REFERENCE}),
    }
}

fn token_response() -> Answer {
    let body = json!({
        "access_token": TOKEN, "token_type": "bearer", "expires_in": 3599, "scope": "all",
    });
    let body = body.to_string();
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";
    let text = format!("{head}content-length: {}\r\n\r\n{body}", body.len());
    let bytes = text.into_bytes().into();
    Answer { bytes, framing: Framing::Length, meaning: Meaning::Success, is_unread: false }
}

fn role(answer: &Answer) -> Role {
    let closes = answer.framing == Framing::UntilClose;
    Role::Http { answer: Arc::clone(&answer.bytes), closes }
}

/// Always the same signature, which is never verified.
struct Constant;

impl Signer for Constant {
    fn kid(&self) -> &str {
        "kid-1"
    }

    fn sign(&self, _: &CallContext, _: &SigningInput<'_>) -> Result<Vec<u8>, SignerError> {
        Ok(vec![7; 512])
    }
}
