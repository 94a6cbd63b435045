//! Freed memory holds no secret. Here and not in the core, since
//! an allocator that looks into memory is unsafe code.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may fail so")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use payments_core::jws::PublicKey;
use payments_core::secret::Secret;
use payments_core::signer::PrivateKey;
use payments_core::transport::{PreparedRequest, Received, Transport, TransportFailure};
use payments_core::{CallContext, Client, Config, CreatePayment, QueryPayment};

/// Secrets that freed memory may not hold.
const CANARY: &[u8] = b"canary-that-must-be-wiped";

thread_local! {
    /// How often the canary was found, during a search.
    static FOUND: Cell<Option<u32>> = const { Cell::new(None) };
    static SOUGHT: Cell<&'static [u8]> = const { Cell::new(CANARY) };
}

struct SearchingAllocator;

#[global_allocator]
static ALLOCATOR: SearchingAllocator = SearchingAllocator;

// SAFETY: memory comes from `System` and goes back there with its own layout.
// A block that grows is a new one, because the old one is searched.
unsafe impl GlobalAlloc for SearchingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's layout. Zeroed memory may be read as a whole.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        let found = FOUND.try_with(Cell::get).ok().flatten();
        if let Some(found) = found {
            // SAFETY: the block is still there, and was zeroed when it was made.
            let bytes = unsafe { std::slice::from_raw_parts(block, layout.size()) };
            let sought = SOUGHT.try_with(Cell::get).unwrap_or(CANARY);
            if bytes.windows(sought.len()).any(|window| window == sought) {
                FOUND.with(|cell| cell.set(Some(found + 1)));
            }
        }
        // SAFETY: the caller's block and layout.
        unsafe { System.dealloc(block, layout) }
    }
}

/// How many blocks that `work` freed contain the canary.
fn found_in(work: impl FnOnce()) -> u32 {
    FOUND.with(|cell| cell.set(Some(0)));
    work();
    FOUND.with(|cell| cell.replace(None)).unwrap()
}

#[test]
fn the_search_finds_secrets_that_are_not_wiped() {
    assert_eq!(found_in(|| drop(CANARY.to_vec())), 1);
}

#[test]
fn a_configuration_that_is_refused_is_wiped() {
    for text in [
        r#"{"client_secret": "canary-that-must-be-wiped", "no_member": 1}"#,
        r#"{"client_secret": "canary-that-must-be-wiped", "kid": "a", "kid": "b"}"#,
        r#"{"client_secret": ["canary-that-must-be-wiped"]}"#,
        r#"{"proxy": "http://u:canary-that-must-be-wiped@h:1", "kid": 7}"#,
        r#"{"token_store": "redis://:canary-that-must-be-wiped@h", "kid": 7}"#,
        r#"{"token_store": "canary-that-must-be-wiped"}"#,
        r#"{"key": "canary-that-must-be-wiped", "base_url": "#,
    ] {
        assert_eq!(found_in(|| drop(Config::from_json(text.as_bytes()).unwrap_err())), 0, "{text}");
        let file = std::env::temp_dir().join(format!("payments-wiping-{}", std::process::id()));
        std::fs::write(&file, text).unwrap();
        assert_eq!(found_in(|| drop(Config::from_file(&file).unwrap_err())), 0, "{text}");
        std::fs::remove_file(&file).unwrap();
    }
}

fn vector(name: &str) -> Vec<u8> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/vectors/keys");
    std::fs::read(std::path::Path::new(folder).join(name)).unwrap()
}

#[test]
fn a_private_key_is_wiped_in_every_form() {
    let pem = String::from_utf8(vector("test_rsa_4096_pkcs8.pem")).unwrap();
    let lines: Vec<&'static str> = Box::leak(pem.clone().into_boxed_str()).lines().collect();
    let der: &'static [u8] = Box::leak(vector("test_rsa_4096_pkcs1.der").into_boxed_slice());
    // Both are in the primes.
    let needles = [&der[1200..1232], lines[lines.len() / 2].as_bytes()];
    let bare = lines[1..lines.len() - 1].concat();
    let forms = [
        pem.clone().into_bytes(),
        format!("\u{feff}{}", pem.replace('\n', "\u{200b}\n")).into_bytes(),
        bare.clone().into_bytes(),
        bare.replace('+', " ").into_bytes(),
        format!("-----BEGIN X-----\n{bare}-----END Y-----").into_bytes(),
        [b"\xff", pem.as_bytes()].concat(),
        der.to_vec(),
        [der, b"\n"].concat(),
        vector("test_rsa_4096_encrypted_gnutls.pem"),
        vector("test_rsa_4096_encrypted_scrypt.pem"),
    ];
    let passphrase = Secret::new("test passphrase, no secret");
    for needle in needles {
        SOUGHT.with(|cell| cell.set(needle));
        assert_eq!(found_in(|| drop(needle.to_vec())), 1);
        for (at, contents) in forms.iter().enumerate() {
            let found = found_in(|| {
                let key = PrivateKey::from_contents(contents, Some(&passphrase), false);
                drop(key.and_then(|key| key.signer("kid-1")));
                drop(PublicKey::from_contents(contents));
            });
            assert_eq!(found, 0, "form {at}");
        }
    }
}

/// Responses from memory that is never given back.
struct Scripted;

impl Transport for Scripted {
    fn send(
        &self,
        _: &CallContext,
        request: &PreparedRequest,
    ) -> Result<Received, TransportFailure> {
        let body = if request.url().contains("/oauth/token") {
            r#"{"access_token": "canary-that-must-be-wiped", "token_type": "bearer"}"#
        } else {
            r#"{"status": "SUCCESS", "payment": {"status": "PE"}}"#
        };
        Ok(Received::new(200, Vec::new(), body.as_bytes().to_vec()))
    }
}

fn config() -> Config {
    Config::new("https://payments.example").transport(Arc::new(Scripted))
}

#[test]
fn the_response_of_the_token_server_is_wiped() {
    let found = found_in(|| {
        let secret = "the-client-secret";
        let client = config().client_credentials("https://auth.example", "id", secret);
        let client = Client::new(client).unwrap();
        client.query_payment(&QueryPayment::by_hash("5f2c")).unwrap();
        let token = client.access_token(&client.context()).unwrap();
        assert_eq!(token.value.expose().as_bytes(), CANARY);
    });
    assert_eq!(found, 0);
}

#[test]
fn bodies_and_signing_inputs_are_wiped() {
    let key: PathBuf =
        [env!("CARGO_MANIFEST_DIR"), "../tests/vectors/keys/test_rsa_4096_pkcs8.pem"]
            .iter()
            .collect();
    let payment = br#"{"payment": {"name": "canary-that-must-be-wiped", "email": "a@example.com",
        "country": "mx", "payment_type_code": "oxxo", "merchant_payment_code": "order-1",
        "currency_code": "MXN", "amount_total": 10, "note": ["canary-that-must-be-wiped"]}}"#;
    let found = found_in(|| {
        let client = Client::new(config().signing_key_file(&key, "kid-1")).unwrap();
        let request = CreatePayment::from_json(payment).unwrap();
        client.create_payment(&request).unwrap();
        drop(client.prepare(&request, &client.context()).unwrap());
        let send = payments_core::RawRequest::new("POST", "/ws/x").body(CANARY);
        // The caller's own copy is the caller's to wipe.
        std::mem::forget(send.clone());
        std::mem::forget(client.send(&send));
        std::mem::forget(send);
    });
    assert_eq!(found, 0);
}

#[test]
fn the_integration_key_is_wiped_wherever_it_is_put() {
    let found = found_in(|| {
        let key = Secret::new("canary-that-must-be-wiped");
        let client = Client::new(config().integration_key(key)).unwrap();
        client.query_payment(&QueryPayment::by_hash("5f2c")).unwrap();
        drop(client.prepare(&QueryPayment::by_hash(&"5f".repeat(400)), &client.context()).unwrap());
    });
    assert_eq!(found, 0);
}

/// A token server that sends these pieces one after the other, and closes.
fn token_server(pieces: Vec<String>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut request = Vec::new();
        while !request.ends_with(b"grant_type=client_credentials") {
            let mut bytes = [0; 1024];
            let count = stream.read(&mut bytes).unwrap();
            request.extend_from_slice(&bytes[..count]);
        }
        for piece in pieces {
            stream.write_all(piece.as_bytes()).unwrap();
            // The next piece is one more to read.
            std::thread::sleep(Duration::from_millis(20));
        }
    });
    url
}

#[test]
fn a_response_of_the_token_server_that_comes_in_pieces_is_wiped() {
    let token = r#"{"access_token": "canary-that-must-be-wiped", "token_type": "bearer", "x": ""#;
    let escaped = token.replace("wiped\"", "wiped\\u002dA\"");
    let rest = format!("{}\"}}", "-".repeat(3000));
    let chunk = |text: &str| format!("{:x}\r\n{text}\r\n", text.len());
    let chunked = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
    let length =
        |text: &str| format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", text.len() + 3002);
    for (pieces, has_token) in [
        (vec![length(token) + token, rest.clone()], true),
        (vec![length(&escaped) + &escaped, rest.clone()], true),
        (vec![format!("{chunked}{}", chunk(token)), chunk(&rest), chunk("")], true),
        (vec![format!("{chunked}{}{}", chunk(token), chunk(&rest)), chunk("")], true),
        (vec![format!("{}{token}", length(token)), "half".to_owned()], false),
        (vec![format!("HTTP/1.1 400 No\r\ncontent-length: 9000\r\n\r\n{token}")], false),
    ] {
        let shown: String = pieces.concat().chars().take(150).collect();
        let url = token_server(pieces);
        let found = found_in(|| {
            let config = Config::new(&*url).client_credentials(&*url, "id", "the-client-secret");
            let client = Client::new(config).unwrap();
            let token = client.access_token(&client.context());
            assert_eq!(token.is_ok(), has_token, "{shown}");
        });
        assert_eq!(found, 0, "{shown}");
    }
}
