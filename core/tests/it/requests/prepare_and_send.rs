//! Requests that curl delivers, and signatures that are kept.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use payments_core::config::SignedQuery;
use payments_core::error::Reason;
use payments_core::jws::{PublicKey, verify};
use payments_core::signer::{LocalSigner, PrivateKey, Signer, SignerError, SigningInput};
use payments_core::transport::PreparedRequest;
use payments_core::{CallContext, Client, ErrorKind, QueryPayment, RawRequest};
use payments_sandbox::SignatureCheck;
use percent_encoding::percent_decode_str;

use crate::support::merchant;
use crate::support::merchant::{ALL, INTEGRATION_KEY, JWS, Merchant, key_path, payment};

/// Sends a prepared request with curl and returns the status. Passes headers in
/// a file and the body on standard input, so that neither appears in the
/// process list.
fn deliver_with_curl(request: &PreparedRequest) -> String {
    let folder = std::env::temp_dir();
    let unique = format!("payments-curl-{}-{:p}", std::process::id(), request);
    let headers = folder.join(unique);
    let lines: String =
        request.headers().map(|(name, value)| format!("{name}: {value}\n")).collect();
    std::fs::write(&headers, lines).unwrap();
    let mut curl = Command::new("curl");
    curl.args(["--silent", "--output", "-", "--write-out", "\n%{http_code}"])
        .args(["--noproxy", "*", "--max-time", "20", "--request", request.method()])
        .args(["--header", &format!("@{}", headers.display())])
        .args(["--header", "Expect:", "--url", request.url()]);
    if !request.body().is_empty() {
        curl.args(["--data-binary", "@-"]);
    }
    let mut child = curl.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    // A child that reads no body may have exited already.
    let _ = child.stdin.take().unwrap().write_all(request.body());
    let output = child.wait_with_output().unwrap();
    std::fs::remove_file(headers).unwrap();
    assert!(output.status.success(), "curl: {}", output.status);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.rsplit('\n').next().unwrap().to_owned()
}

#[test]
fn the_signed_query_is_the_query_that_arrives() {
    let merchant = Merchant::with(ALL);
    let client = Client::new(merchant.config(ALL).signed_query(SignedQuery::Query)).unwrap();
    let key = PublicKey::from_pem(&merchant::key_text("test_rsa_4096_public.pem")).unwrap();
    let ascii: String = (' '..='~').collect();
    for value in [&ascii, "%2B+%25 /", "é\u{10ffff}\r\n\t", "a&hash=b#c?d", "..", "\"{}"] {
        let query = QueryPayment::by_merchant_payment_code(value).extra("of x", value);
        let seen = merchant.calls().len();
        let error = client.execute(&query, &client.context()).unwrap_err();
        assert_eq!(error.reason(), Some(Reason::NotFound), "{error}");
        let prepared = client.prepare(&query, &client.context()).unwrap();
        assert_eq!(deliver_with_curl(&prepared), "200", "{value}");
        let calls = merchant.calls().split_off(seen);
        let target = prepared.url().strip_prefix(merchant.sandbox.base_url()).unwrap();
        let (_, signed) = target.split_once('?').unwrap();
        let of_x = signed.rsplit_once("&of%20x=").unwrap().1;
        assert_eq!(percent_decode_str(of_x).decode_utf8().unwrap(), value);
        assert_eq!(calls.len(), 2);
        for call in calls {
            assert_eq!((call.target.as_str(), call.query.as_deref()), (target, Some(signed)));
            assert_eq!(call.signature, SignatureCheck::VerifiedQuery, "{value}");
            let token = call.header("x-jws-signature");
            assert!(verify(token, signed.as_bytes(), |_| Some(key.clone())).is_ok(), "{value}");
            assert!(verify(token, b"", |_| Some(key.clone())).is_err(), "{value}");
        }
    }
}

#[test]
fn a_client_has_its_address_and_its_kid() {
    let merchant = Merchant::with(JWS);
    let client = Client::new(merchant.config(JWS)).unwrap();
    let prepared = client.prepare(&payment("order-1").0, &client.context()).unwrap();
    assert_eq!(client.base_url(), merchant.sandbox.base_url());
    let signature = prepared.header("x-jws-signature").unwrap();
    let header = payments_core::jws::sign::encoded_header(client.kid().unwrap());
    assert!(signature.starts_with(&format!("{header}.")), "{signature}");
    assert!(Client::new(merchant.config(INTEGRATION_KEY)).unwrap().kid().is_none());
}

#[test]
fn curl_delivers_the_callers_own_bytes() {
    let merchant = Merchant::with(JWS);
    let client = Client::new(merchant.config(JWS)).unwrap();
    for body in bodies() {
        for method in ["POST", "PUT", "PATCH", "DELETE"] {
            let send = RawRequest::new(method, "/ws/transfer").query("a", "b c").body(body.clone());
            let request = client.prepare(&send, &client.context()).unwrap();
            assert_eq!(request.body(), body);
            assert_eq!(deliver_with_curl(&request), "200");
            let record = merchant.calls().pop().unwrap();
            assert_eq!((record.method.as_str(), &record.body), (method, &body));
            merchant.assert_carries(&record, JWS);
        }
    }
}

#[test]
fn preparing_opens_no_connection_to_the_service() {
    let merchant = Merchant::with(JWS);
    let client = Client::new(merchant.config(JWS)).unwrap();
    let (request, body) = payment("order-1");
    let prepared = client.prepare(&request, &client.context()).unwrap();
    assert_eq!(prepared.body(), body.as_bytes());
    let names: BTreeSet<_> = prepared.headers().map(|(name, _)| name.to_owned()).collect();
    let expected = ["accept", "accept-encoding", "content-type", "user-agent", "x-jws-signature"];
    assert_eq!(names, expected.map(str::to_owned).into());
    assert_eq!(merchant.sandbox.connections(), 0);
    let shown = format!("{prepared:?}");
    assert!(!shown.contains(prepared.header("x-jws-signature").unwrap()), "{shown}");
    assert!(!shown.contains("Maria"), "{shown}");
}

#[test]
fn a_prepared_query_hides_the_integration_key_in_its_debug_form() {
    let merchant = Merchant::with(INTEGRATION_KEY);
    let client = Client::new(merchant.config(INTEGRATION_KEY)).unwrap();
    let prepared = client.prepare(&QueryPayment::by_hash("abc"), &client.context()).unwrap();
    let key = merchant.sandbox.config().integration_key;
    assert!(prepared.url().contains(&key));
    assert!(!format!("{prepared:?}").contains(&key));
}

/// Bodies that any rewriting would change.
fn bodies() -> Vec<Vec<u8>> {
    let mut bodies: Vec<Vec<u8>> = [
        &b""[..],
        b" ",
        b" \n\t ",
        b"{ \"b\" : 1,\r\n\t\"a\" : 2 }\n",
        b"{\"a\":1,\"a\":2}",
        b"{\"n\":1.10,\"e\":1E+3,\"z\":-0.0}",
        b"{\"s\":\"\\u00e9\\/\"}",
        b"\xef\xbb\xbf{}",
        b"\xff\xfe\x00\x01",
        b"\0\0\0",
        b"a.b..c",
        b"[",
    ]
    .map(<[u8]>::to_vec)
    .to_vec();
    bodies.push((0..=255).collect());
    bodies.push((0..1024 * 1024).map(|index: u32| (index % 251) as u8).collect());
    bodies
}

#[test]
fn the_signature_over_nothing_is_made_once() {
    let merchant = Merchant::with(JWS);
    let client = Client::new(merchant.config(JWS)).unwrap();
    client.send(&RawRequest::new("GET", "/ws/a")).unwrap();
    client.send(&RawRequest::new("GET", "/ws/b").query("c", "d")).unwrap();
    client.send(&RawRequest::new("POST", "/ws/e")).unwrap();
    client.send(&RawRequest::new("POST", "/ws/e").body(&b"x"[..])).unwrap();
    let calls = merchant.calls();
    let tokens: Vec<_> =
        calls.iter().map(|record| record.header("x-jws-signature").unwrap()).collect();
    assert_eq!((tokens[0], tokens[0]), (tokens[1], tokens[2]));
    assert_ne!(tokens[0], tokens[3]);
    for record in &calls {
        merchant.assert_carries(record, JWS);
    }
}

/// A signer whose first signature is wrong, and whose public key is not
/// registered.
struct WrongAtFirst {
    signer: LocalSigner,
    signed: AtomicUsize,
}

impl Signer for WrongAtFirst {
    fn kid(&self) -> &str {
        self.signer.kid()
    }

    fn sign(
        &self,
        context: &CallContext,
        input: &SigningInput<'_>,
    ) -> Result<Vec<u8>, SignerError> {
        let mut signature = self.signer.sign(context, input)?;
        if self.signed.fetch_add(1, Ordering::SeqCst) == 0 {
            signature[7] ^= 1;
        }
        Ok(signature)
    }
}

#[test]
fn a_wrong_signature_over_nothing_is_not_used_after_a_refusal() {
    let merchant = Merchant::with(JWS);
    let key = PrivateKey::from_file(key_path("test_rsa_4096_pkcs8.pem"), None, false).unwrap();
    let signer = key.signer(&merchant.kid).unwrap();
    let signer = Arc::new(WrongAtFirst { signer, signed: AtomicUsize::new(0) });
    let client = Client::new(merchant.config(merchant::NONE).signer(signer.clone())).unwrap();
    let query = || client.query_payment(&QueryPayment::by_merchant_payment_code("order-1"));
    assert_eq!(query().unwrap_err().kind(), ErrorKind::Unauthorized);
    client.create_payment(&payment("order-1").0).unwrap();
    query().unwrap();
    query().unwrap();
    assert_eq!(signer.signed.load(Ordering::SeqCst), 3, "a good one is kept");
}
