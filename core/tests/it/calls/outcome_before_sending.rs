//! Failures before sending open no connection.

use std::sync::Arc;
use std::time::Duration;

use payments_core::ErrorKind::{Config as Configuration, Signing, Token, Validation};
use payments_core::Outcome::NotExecuted;
use payments_core::request::{QueryPayment, RawRequest, RefundPayment};
use payments_core::signer::{Signer, SignerError, SigningInput};
use payments_core::{CallContext, Client};

use crate::support::calls;
use crate::support::raw_server::{RawServer, created, json, response};
use crate::support::silent;
use crate::support::vectors;

type Sign = fn() -> Result<Vec<u8>, SignerError>;

/// A signer that behaves as scripted.
struct Scripted(Sign);

impl Signer for Scripted {
    fn kid(&self) -> &str {
        "kid"
    }

    fn sign(&self, _: &CallContext, _: &SigningInput<'_>) -> Result<Vec<u8>, SignerError> {
        (self.0)()
    }
}

/// A signer whose signatures have this length.
struct OfLength(usize);

impl Signer for OfLength {
    fn kid(&self) -> &str {
        "kid"
    }

    fn sign(&self, _: &CallContext, input: &SigningInput<'_>) -> Result<Vec<u8>, SignerError> {
        assert!(format!("{input:?}").ends_with(" bytes)"), "{input:?} shows no payload");
        Ok(vec![1; self.0])
    }
}

#[test]
fn a_call_without_a_signature_opens_no_connection() {
    let public_key = vectors::key_text("test_rsa_2048_public.pem");
    let signers: [(Sign, &str); 4] = [
        (|| Err(SignerError::new("the HSM is away")), "signer_failed"),
        (|| panic!("a bug in the signer"), "signer_failed"),
        (|| Ok(vec![1; 256]), "signature_invalid"),
        (|| Ok(Vec::new()), "signature_invalid"),
    ];
    for (sign, code) in signers {
        let (server, tokens) = (RawServer::responding(created()), silent::MuteListener::new());
        let config = calls::config(&server.base_url())
            .client_credentials(tokens.url("http"), "id", "secret")
            .signer(Arc::new(Scripted(sign)))
            .public_key(&public_key)
            .allow_small_keys(true);
        let client = Client::new(config).unwrap();
        for (name, result) in calls::every_operation(&client) {
            assert_eq!(calls::error_summary(result), (Signing, code, NotExecuted), "{name}");
        }
        assert_eq!(server.connections(), 0);
    }
}

#[test]
fn the_cause_of_a_signers_failure_can_be_found() {
    let away = || Err(SignerError::new("no signature").with_source(std::fmt::Error));
    let config = calls::config("http://127.0.0.1:1").signer(Arc::new(Scripted(away)));
    let error = Client::new(config).unwrap().create_payment(&calls::payment("order-1"));
    let error = error.unwrap_err();
    let of_signer = std::error::Error::source(&error).unwrap();
    assert!(of_signer.source().unwrap().is::<std::fmt::Error>(), "{error}");
}

/// Without a public key, the length is all that can be checked.
#[test]
fn a_signature_of_a_wrong_length_opens_no_connection() {
    let server = RawServer::responding(created());
    let call = |length: usize, allow_small_keys| {
        let config = calls::config(&server.base_url()).allow_small_keys(allow_small_keys);
        let client = Client::new(config.signer(Arc::new(OfLength(length)))).unwrap();
        client.create_payment(&calls::payment("order-1")).map(drop)
    };
    let refused =
        [(0, false), (256, false), (384, false), (511, false), (513, false), (684, false)];
    for (length, allow_small_keys) in
        refused.into_iter().chain([(0, true), (255, true), (513, true)])
    {
        let error = call(length, allow_small_keys).unwrap_err();
        let summary = (error.kind(), error.code().as_str(), error.outcome());
        assert_eq!(summary, (Signing, "signature_invalid", NotExecuted), "{length}: {error}");
        assert!(error.message().contains(&format!("{length} bytes")), "{error}");
        assert_eq!(error.attempts(), 0);
    }
    assert_eq!(server.connections(), 0);
    for (length, allow_small_keys) in [(512, false), (256, true), (384, true), (512, true)] {
        call(length, allow_small_keys).unwrap();
    }
    assert_eq!(server.requests().len(), 4);
}

#[test]
fn invalid_input_opens_no_connection() {
    let server = RawServer::responding(created());
    let client = calls::client(&server.base_url());
    for result in [
        client.create_payment(&calls::payment("")).map(drop),
        client.create_payout(&calls::payout("")).map(drop),
        client.refund_payment(&RefundPayment::by_hash("")).map(drop),
        client.query_payment(&QueryPayment::by_hash("")).map(drop),
        client.send(&RawRequest::new("GET", "ws")).map(drop),
    ] {
        let error = result.unwrap_err();
        assert_eq!((error.kind(), error.outcome()), (Validation, NotExecuted), "{error}");
        assert_eq!((error.attempts(), error.http_status()), (0, None));
    }
    assert_eq!(server.connections(), 0);
    let error = Client::new(calls::config("")).unwrap_err();
    assert_eq!((error.kind(), error.outcome()), (Configuration, NotExecuted));
}

#[test]
fn without_a_token_nothing_is_sent_until_there_is_one() {
    let server = RawServer::responding(created());
    let limit = Duration::from_secs(10);
    for (refusal, code) in [
        (response("401 No", "", ""), "credentials_refused"),
        (response("403 No", "retry-after: 1\r\n", ""), "token_requests_blocked"),
        (response("500 No", "", ""), "token_server_failed"),
        (response("302 Away", "location: /\r\n", ""), "token_server_failed"),
        (response("204 None", "", ""), "token_unusable"),
        (json("<html>"), "token_unusable"),
        (b"SSH-2.0".to_vec(), "token_server_failed"),
        (b"".to_vec(), "token_server_failed"),
        (b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{".to_vec(), "token_server_failed"),
    ] {
        let tokens = RawServer::start(move |mut connection| {
            connection.read_request();
            connection.write(&refusal);
        });
        let config = calls::config(&server.base_url());
        let client = Client::new(config.client_credentials(tokens.base_url(), "id", "s")).unwrap();
        let before = server.requests().len();
        let error = calls::fail_within(&client, limit, "order-1");
        assert_eq!((error.kind(), error.outcome()), (Token, NotExecuted), "{error}");
        assert_eq!((error.code().as_str(), error.attempts()), (code, 0), "{error}");
        assert_eq!((server.requests().len(), tokens.requests().len()), (before, 1), "{code}");

        let tokens = RawServer::responding(json(r#"{"access_token":"t"}"#));
        let config = calls::config(&server.base_url());
        let client = Client::new(config.client_credentials(tokens.base_url(), "id", "s")).unwrap();
        client.create_payment(&calls::payment("order-1")).unwrap();
    }
}

#[test]
fn a_token_server_that_refuses_connections_is_tried_thrice() {
    let server = RawServer::responding(created());
    let nobody = format!("http://127.0.0.1:{}", silent::refused_port());
    let config = calls::config(&server.base_url()).client_credentials(nobody, "id", "secret");
    let client = Client::new(config).unwrap();
    let error = calls::fail_within(&client, Duration::from_secs(10), "order-1");
    assert_eq!((error.kind(), error.outcome()), (Token, NotExecuted), "{error}");
    assert!(error.retry_after().is_some());
    assert_eq!(server.connections(), 0);
}
