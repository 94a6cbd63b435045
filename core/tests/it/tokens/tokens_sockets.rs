//! Tokens over real connections to the sandbox.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use payments_core::request::RawRequest;
use payments_core::{CallContext, Client, Config, Environment, ErrorKind, Operation, Outcome};
use payments_sandbox::{
    At, EndlessFraming, Fault, FaultKind, FaultScript, Require, Response, Sandbox, SandboxConfig,
    Times, TokenBlock,
};

use crate::support::tokens::{MANY, at_once, call, milliseconds, seconds};
use crate::support::wait::wait_until;

fn sandbox() -> Sandbox {
    let require = Require { bearer: true, ..Require::NOTHING };
    let accept_paths = vec!["/ws/any".into()];
    Sandbox::start(SandboxConfig { require, accept_paths, ..SandboxConfig::default() }).unwrap()
}

fn client(sandbox: &Sandbox) -> Client {
    let settings = sandbox.config();
    let config = Config::new(sandbox.base_url()).environment(Environment::Sandbox);
    let config =
        config.client_credentials(sandbox.auth_url(), settings.client_id, settings.client_secret);
    Client::new(config).unwrap()
}

fn strike_token_requests(sandbox: &Sandbox, fault: Fault) {
    let script = FaultScript::for_operation(Operation::AccessToken, vec![fault]);
    sandbox.script_fault(script.times(Times::Always));
}

fn call_within(client: &Client, timeout: Duration) -> Result<(), payments_core::Error> {
    let context = CallContext::with_timeout(timeout);
    client.execute(&RawRequest::new("POST", "/ws/any"), &context).map(drop)
}

#[test]
fn many_threads_on_a_fresh_client_cause_one_request() {
    let sandbox = sandbox();
    let client = client(&sandbox);
    at_once(MANY, |_| call(&client).unwrap());
    assert_eq!(sandbox.token_requests(), 1);
}

#[test]
fn many_calls_with_a_revoked_token_cause_one_request() {
    let sandbox = sandbox();
    let client = client(&sandbox);
    call(&client).unwrap();
    assert_eq!(sandbox.revoke_tokens(), 1);
    sandbox.clear_requests();
    at_once(MANY, |number| {
        let body = format!("{{\"number\": {number}}}");
        client.send(&RawRequest::new("POST", "/ws/any").body(body)).unwrap();
    });
    assert_eq!(sandbox.token_requests(), 2);
    let mut executed: HashMap<Vec<u8>, usize> = HashMap::new();
    for request in sandbox.requests().into_iter().filter(|request| request.path == "/ws/any") {
        *executed.entry(request.body).or_default() += usize::from(request.executed);
    }
    assert_eq!(executed.len(), MANY);
    assert!(executed.values().all(|times| *times == 1));
}

#[test]
fn with_a_hanging_token_server_callers_end_by_their_deadlines() {
    for at in [At::Accept, At::Head, At::Body] {
        let sandbox = sandbox();
        let client = client(&sandbox);
        strike_token_requests(&sandbox, Fault::hang(at));
        at_once(16, |number| {
            let deadline = milliseconds(200 + 10 * number as u64);
            let started = Instant::now();
            let error = call_within(&client, deadline).unwrap_err();
            assert!(started.elapsed() < deadline + seconds(5));
            let is_told_to_wait = error.code().as_str() == "token_backoff";
            assert!(error.kind() == ErrorKind::Timeout || is_told_to_wait, "{error}");
            assert_eq!(error.outcome(), Outcome::NotExecuted);
        });
        assert!(sandbox.requests().iter().all(|request| request.path != "/ws/any"));
        sandbox.clear_faults();
        wait_until("the backoff is over", || call(&client).is_ok());
    }
}

#[test]
fn a_deadline_during_a_slow_token_response_has_no_backoff() {
    let sandbox = sandbox();
    let client = client(&sandbox);
    strike_token_requests(&sandbox, Fault::new(FaultKind::Drip(milliseconds(20))));
    let error = call_within(&client, milliseconds(400)).unwrap_err();
    assert_eq!((error.kind(), error.outcome()), (ErrorKind::Timeout, Outcome::NotExecuted));
    sandbox.clear_faults();
    call(&client).unwrap();
}

#[test]
fn a_block_silences_everybody() {
    let sandbox = sandbox();
    let client = client(&sandbox);
    sandbox.block_tokens(Some(TokenBlock { status: 429, retry_after: Some(90), duration: None }));
    at_once(MANY, |_| {
        let error = call(&client).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Token);
        assert!(error.retry_after() > Some(seconds(85)));
    });
    assert_eq!(sandbox.token_requests(), 1);
}

#[test]
fn broken_token_responses_are_token_errors_and_cause_no_storm() {
    let page = Response { body: vec![b'<'; 4096], ..Response::empty(503) };
    for (name, fault) in [
        ("close", Fault::close(At::Body)),
        ("reset", Fault::reset(At::Body)),
        ("cut", Fault::new(FaultKind::CutResponse(None))),
        ("giant", Fault::new(FaultKind::GiantBody(64 * 1024 * 1024))),
        ("endless", Fault::new(FaultKind::EndlessBody(EndlessFraming::Chunked))),
        ("broken chunks", Fault::new(FaultKind::BrokenChunks)),
        ("not HTTP", Fault::garbage()),
        ("page", Fault::html()),
        ("truncated", Fault::truncated_json()),
        ("204", Fault::status(204)),
        ("503 page", Fault::response(page)),
    ] {
        let sandbox = sandbox();
        let client = client(&sandbox);
        strike_token_requests(&sandbox, fault);
        let first = call(&client).unwrap_err();
        assert_eq!((first.kind(), first.outcome()), (ErrorKind::Token, Outcome::NotExecuted));
        assert!(first.retry_after().is_some(), "{name}: {first}");
        at_once(8, |_| assert_eq!(call(&client).unwrap_err().kind(), ErrorKind::Token, "{name}"));
        assert_eq!(sandbox.token_requests(), 1, "{name}: what was sent is not sent again");
    }
}

#[test]
fn without_a_listener_a_few_connections_are_tried() {
    let sandbox = sandbox();
    let settings = sandbox.config();
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let config = Config::new(sandbox.base_url()).client_credentials(
        format!("http://{closed}"),
        settings.client_id,
        settings.client_secret,
    );
    let client = Client::new(config).unwrap();
    let error = call(&client).unwrap_err();
    assert_eq!((error.kind(), error.code().as_str()), (ErrorKind::Token, "token_server_failed"));
    assert_eq!(error.outcome(), Outcome::NotExecuted);
    assert_eq!(call(&client).unwrap_err().code().as_str(), "token_backoff");
    assert!(sandbox.requests().is_empty());
}
